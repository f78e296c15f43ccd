package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
)

func TestSales(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	invoice := placeOrder(t, c.dir, "acme") // two large mugs

	var report struct {
		By    string
		Total struct{ Orders, Units, Delivered int }
		Rows  []struct {
			Key, Name string
			Orders    int
			Sales     struct{ Amount int64 }
			Revenue   *struct{ Amount int64 }
		}
	}
	c.json(&report, "sales", "acme")
	if last := report.Rows[len(report.Rows)-1]; report.By != "day" || len(report.Rows) != 30 || last.Orders != 1 ||
		last.Sales.Amount != 900_00 || last.Revenue == nil {
		t.Errorf("sales: got %+v, want 30 days with an order on the last", report)
	}
	c.must("order", "confirm", "acme", invoice)
	c.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", "A-1")
	c.must("order", "deliver", "acme", invoice)
	for by, want := range map[string]string{"product": "Mug — মগ", "courier": "courier_a"} {
		c.json(&report, "sales", "acme", "--by", by)
		if len(report.Rows) != 1 || report.Rows[0].Name != want || report.Total.Units != 2 || report.Total.Delivered != 1 {
			t.Errorf("sales by %s: got %+v, want one row of %s", by, report, want)
		}
		if out := c.must("sales", "acme", "--by", by); !strings.Contains(out, want) || !strings.Contains(out, "৳900.00") ||
			!strings.Contains(out, "orders 1, revenue ৳") || !strings.Contains(out, "do not count") {
			t.Errorf("sales by %s: got\n%s", by, out)
		}
	}
	if out := c.must("sales", "--from", "2020-01-01", "--to", "2020-01-02"); !strings.Contains(out, "2020-01-02 ") ||
		!strings.Contains(out, "2020-01-01 to 2020-01-02 (Asia/Dhaka): orders 0, revenue") {
		t.Errorf("sales of two days without orders: got\n%s", out)
	}
	if out := c.must("sales", "--from", "2020-01-01", "--to", "2020-01-02", "--by", "product"); !strings.HasPrefix(out, "Nothing was ordered") {
		t.Errorf("sales by product without orders: got\n%s", out)
	}
	c.fails(cmd.ExitFailed, "Must be a day such as 2026-03-01.", "sales", "acme", "--from", "yesterday")
	c.fails(cmd.ExitFailed, "must not be longer than 400 days", "sales", "acme", "--from", "2020-01-01", "--to", "2026-01-01")
	c.fails(cmd.ExitFailed, "it must be one of day, product, courier, city, area, method, coupon, source, buyer.", "sales", "acme", "--by", "hour")
	c.fails(cmd.ExitFailed, "it must be one of previous, year.", "sales", "acme", "--compare", "decade")
	for by, want := range map[string]string{"city": "Dhaka", "method": "cod", "coupon": "no coupon"} {
		if out := c.must("sales", "acme", "--by", by, "--compare", "previous"); !strings.Contains(out, strings.ToUpper(by)) ||
			!strings.Contains(out, "BEFORE") || !strings.Contains(out, want) {
			t.Errorf("sales by %s: got\n%s", by, out)
		}
	}
	if out := c.must("analytics", "acme", "--by", "courier", "--csv"); out !=
		"Key,Name,Orders,Units,Sales,Delivery charges,Revenue,Delivered,Returned,Cancelled,Currency,"+
			"New buyers,Shipments,Fees,Delivery days,Margin,"+
			"\"Return rate, %\",\"Cancel rate, %\",\"Payment success, %\",Cash held,Cash payable,\"Oldest cash, days\"\n"+
			"courier_a,courier_a,1,2,900.00,0.00,900.00,1,0,0,BDT,1,1,0.00,0,,0.0,0.0,,900.00,900.00,0\n" {
		t.Errorf("sales as CSV: got\n%s", out)
	}
	for by, want := range map[string]string{"area": "Dhaka / ", "source": "storefront", "buyer": "new"} {
		if out := c.must("sales", "acme", "--by", by); !strings.Contains(out, want) {
			t.Errorf("sales by %s: got\n%s", by, out)
		}
	}
	if out := c.must("analytics", "acme", "--overview"); !strings.Contains(out, "averageOrder") || !strings.Contains(out, "৳900.00") {
		t.Errorf("overview: got\n%s", out)
	}
	var overview struct{ Orders struct{ Value, Before int } }
	if c.json(&overview, "sales", "acme", "--overview"); overview.Orders.Value != 1 || overview.Orders.Before != 0 {
		t.Errorf("overview: got %+v, want one order", overview)
	}
	if out := c.must("sales", "acme", "--overview", "--csv"); !strings.Contains(out, "\nsales,900.00,0.00,,BDT,") {
		t.Errorf("overview as CSV: got\n%s", out)
	}
	c.fails(cmd.ExitFailed, "leave out --compare", "sales", "acme", "--csv", "--compare", "year")
}
