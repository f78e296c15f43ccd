package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
)

// Staff place an order at the command line, change it, record an advance, and restock a part of it.
func TestOrder_PlacedByStaff(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "10")
	place := []string{"order", "place", "acme", "--source", "phone", "--item", "MUG-L=2", "--line1", "House 12", "--city", "Dhaka"}
	if out := c.must(append(place, "--dry-run")...); !strings.Contains(out, "Total") {
		t.Errorf("dry run: got\n%s\nwant the total", out)
	}
	c.fails(cmd.ExitFailed, "phone number", place...)
	var placed struct {
		Order struct {
			OrderNumber int64
			Status      string
			Total       struct{ Amount int64 }
		}
	}
	c.json(&placed, append(place, "--name", "Rahima", "--phone", "01711000000")...)
	if placed.Order.Status != "confirmed" || placed.Order.Total.Amount == 0 {
		t.Fatalf("order place: got %+v, want a confirmed order", placed)
	}
	var edited struct {
		Total, CashToCollect struct{ Amount int64 }
	}
	c.json(&edited, "order", "edit", "acme", "1001", "--item", "MUG-L=3@100", "--delivery-charge", "60")
	if edited.Total.Amount != 360_00 {
		t.Errorf("order edit: got total %d, want 36000", edited.Total.Amount)
	}
	c.json(&edited, "order", "advance", "acme", "1001", "--amount", "200", "--method", "bkash")
	if edited.CashToCollect.Amount != 160_00 {
		t.Errorf("order advance: got %d to collect, want 16000", edited.CashToCollect.Amount)
	}
	c.must("order", "ship", "acme", "1001", "--courier", "courier_a", "--consignment", "C-1")
	if out := c.must("order", "check-shipment", "acme", "1001", "--courier", "courier_a"); !strings.Contains(out, "already under way") {
		t.Errorf("order check-shipment: got\n%s\nwant the open shipment", out)
	}
	c.must("order", "mark-printed", "acme", "1001")
	if out := c.must("order", "show", "acme", "1001"); !strings.Contains(out, " label\n") {
		t.Errorf("order show: got\n%s\nwant the printed label", out)
	}
	c.must("order", "deliver", "acme", "1001", "--restock", "MUG-L=1")
	c.must("order", "return", "acme", "1001", "--restock", "MUG-L=1")
	if out := c.must("stock", "history", "acme", "MUG-L"); strings.Count(out, " return ") != 2 || !strings.Contains(out, "damaged") {
		t.Errorf("stock history: got\n%s\nwant movements of the unit that came back, of those returned and of one damaged", out)
	}
}
