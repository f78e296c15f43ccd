package cmd_test

import (
	"context"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
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
	for _, want := range []string{invoice, "Rahima Khatun, +8801711000000", "Mug — মগ", "৳900.00"} {
		if out := c.must("order", "show", "acme", invoice); !strings.Contains(out, want) {
			t.Errorf("order show: got\n%s\nwant %s", out, want)
		}
	}
	c.fails(cmd.ExitFailed, "order list acme", "order", "show", "acme", "0000000000000000")
	c.fails(cmd.ExitFailed, "pending, pending_payment, processing", "order", "list", "acme", "--status", "lost")
	c.fails(cmd.ExitFailed, "page must be at least 1", "order", "list", "acme", "--page", "0")
}

// placeOrder places a guest's order of two large mugs and returns its invoice UID.
func placeOrder(t *testing.T, dir, uid string) string {
	t.Helper()
	all, err := tenants.Open(tenants.Config{Dir: dir, Schema: shoptest.Schema(t)})
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
	order, err := s.PlaceOrder(t.Context(), access.Caller{}, shop.OrderInput{
		Items:           []shop.OrderItemInput{{ProductID: product.ID, VariantID: &product.Variants[1].ID, Quantity: 2}},
		Customer:        &shop.OrderCustomerInput{Name: &name, PhoneNumber: &phone},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return order.InvoiceUID
}
