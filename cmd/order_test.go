package cmd_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	if out := c.must("order", "list", "acme"); !strings.Contains(out, "No orders found") {
		t.Errorf("order list: got\n%s\nwant no orders", out)
	}
	invoice := placeOrder(t, c.dir, "acme")

	var list struct {
		Nodes []struct {
			InvoiceUID string `json:"invoiceUid"`
			Status     string
		}
		Meta struct{ TotalCount int }
	}
	c.json(&list, "order", "list", "acme", "--status", "pending")
	if list.Meta.TotalCount != 1 || list.Nodes[0].InvoiceUID != invoice {
		t.Errorf("pending orders: got %+v, want %s", list, invoice)
	}
	c.json(&list, "order", "list", "acme", "--status", "cancelled")
	if list.Meta.TotalCount != 0 {
		t.Errorf("cancelled orders: got %+v, want none", list)
	}
	var order struct {
		Customer struct{ Name, PhoneNumber string }
		Total    struct{ Amount int64 }
	}
	c.json(&order, "order", "show", "acme", invoice)
	if order.Customer.Name != "Rahima Khatun" || order.Customer.PhoneNumber != "+8801711000000" || order.Total.Amount != 90000 {
		t.Errorf("order show: got %+v", order)
	}
	for _, want := range []string{invoice, "Rahima Khatun, +8801711000000", "Mug — মগ", "৳900"} {
		if out := c.must("order", "show", "acme", invoice); !strings.Contains(out, want) {
			t.Errorf("order show: got\n%s\nwant %s", out, want)
		}
	}
	c.fails(cmd.ExitFailed, "order list acme", "order", "show", "acme", "0000000000000000")
	c.fails(cmd.ExitFailed, "pending, pending_payment, processing", "order", "list", "acme", "--status", "lost")
	c.fails(cmd.ExitFailed, "page must be at least 1", "order", "list", "acme", "--page", "0")
}

// Buyers and staff know an order by its number.
func TestOrder_ByNumber(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "MUG-L", "20")
	invoice := placeOrder(t, c.dir, "acme")
	placeOrder(t, c.dir, "acme")
	placeOrder(t, c.dir, "acme")
	for _, text := range []string{"1001", "#1001", "#১০০১", invoice, strings.ToLower(invoice)} {
		var order struct{ InvoiceUID string }
		if c.json(&order, "order", "show", "acme", text); order.InvoiceUID != invoice {
			t.Errorf("order show %s: got %q, want %s", text, order.InvoiceUID, invoice)
		}
	}
	for _, text := range []string{"1004", "#", "10 01", "1001.0", "99999999999999999999"} {
		c.fails(cmd.ExitFailed, "No such order.", "order", "show", "acme", text)
	}
	c.fails(cmd.ExitFailed, "No such order: 1009. No order was changed.", "order", "confirm", "acme", "1001", "1009")
	var one struct{ Status string }
	if c.json(&one, "order", "confirm", "acme", "1001"); one.Status != "confirmed" {
		t.Errorf("order confirm: got %+v, want a confirmed order", one)
	}
	out := c.must("order", "confirm", "#1002", "1003") // of the only shop
	for _, want := range []string{"Order 1002 is confirmed", "Order 1003 is confirmed"} {
		if !strings.Contains(out, want) {
			t.Errorf("order confirm: got\n%s\nwant %s", out, want)
		}
	}
	c.must("order", "cancel", "acme", "1002", "--reason", "Requested by phone")
	r := c.run("order", "deliver", "acme", "1001", "1002", "1003", "--json")
	var done []struct{ OrderNumber int64 }
	if err := json.Unmarshal([]byte(r.stdout), &done); err != nil || len(done) != 2 || done[0].OrderNumber != 1001 || done[1].OrderNumber != 1003 {
		t.Errorf("order deliver: got %v, %v, want the orders 1001 and 1003", done, err)
	}
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "storefront: order 1002: ") {
		t.Errorf("order deliver: got exit code %d and\n%s\nwant 1 and the reason for 1002", r.code, r.stderr)
	}
	for _, line := range []string{
		"order show acme 1001 #1003", "order track acme #1001 1003",
	} {
		shown := c.must(strings.Fields(line)...)
		if first, last := strings.Index(shown, "1001"), strings.LastIndex(shown, "1003"); first < 0 || last < first {
			t.Errorf("%s: got\n%s\nwant both orders", line, shown)
		}
		c.fails(cmd.ExitFailed, "No such order: 1009.", append(strings.Fields(line), "1009")...)
	}
}

// placeOrder places a guest's order of two large mugs and returns its invoice UID.
func placeOrder(t *testing.T, dir, uid string) string {
	t.Helper()
	return placeOrderWith(t, dir, uid, "")
}

// placeOrderWith is placeOrder with a coupon, "" for none.
func placeOrderWith(t *testing.T, dir, uid, coupon string) string {
	t.Helper()
	all, err := tenants.Open(tenants.Config{Dir: dir, Engine: dbtest.Database(t, dir, script(t)), Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close(context.Background())
	s, err := all.Shop(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	product, err := s.Catalogue.FindProductByHandle(t.Context(), "mug")
	if err != nil {
		t.Fatal(err)
	}
	name, phone := "Rahima Khatun", "01711-000000"
	in := order.Input{
		Items:           []order.ItemInput{{ProductID: product.ID, VariantID: &product.Variants[1].ID, Quantity: 2}},
		Customer:        &order.CustomerInput{Name: &name, PhoneNumber: &phone},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	}
	if coupon != "" {
		in.CouponCode = &coupon
	}
	order, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	if err != nil {
		t.Fatal(err)
	}
	return order.InvoiceUID
}

// A list by a search states on standard error that the search index is still being built.
func TestOrderList_SearchBehind(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insertOrders(t, c, 2300)
	withShops(t, c.dir, func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error { return order.ResetSearch(tx) })
	})
	args := []string{"order", "list", "acme", "--search", "dhaka", "--format", "uid"}
	if got := c.run(args...); got.code != 0 || strings.Count(got.stdout, "\n") != 2000 ||
		!strings.Contains(got.stderr, "Orders that may be missing: 300.") {
		t.Errorf("got %d, %d orders, %q, want 2,000 orders and a note", got.code, strings.Count(got.stdout, "\n"), got.stderr)
	}
	if got := c.run(args...); got.code != 0 || strings.Count(got.stdout, "\n") != 2300 || got.stderr != "" {
		t.Errorf("again: got %d, %d orders, %q, want all 2,300", got.code, strings.Count(got.stdout, "\n"), got.stderr)
	}
}
