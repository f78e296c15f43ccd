package order_test

import (
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/status"
)

// The reply to a buyer has the goods, the sums, an advance with what is left to pay, and the page
// of the order, without its token. Amounts have no decimals unless they have minor units.
func TestPlaceOrderAsStaff_Reply(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	in := guestOrder(wants(s.card, 1))
	placed, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), order.StaffInput{
		Items:    []order.StaffItemInput{{VariantID: s.card.Variants[0].ID, Quantity: 2}},
		Customer: in.Customer, ShippingAddress: in.ShippingAddress, DeliveryChargeID: in.DeliveryChargeID,
		Source: status.SourceFacebook, Advance: &order.AdvanceInput{Amount: 100_00, Method: order.AdvanceBkash},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	o := placed.Order
	reply := strings.Split(*placed.Reply, "\n")
	for i, want := range []string{
		o.Customer.Name, "", "2 × " + o.Items[0].Title + ": ৳200", "Delivery: " + o.DeliveryCharge.Text(),
		"Total: " + o.Total.Text(), "Paid in advance: ৳100", "To pay on delivery: " + o.CashToCollect.Text(), order.PagePath,
	} {
		if i >= len(reply) || !strings.Contains(reply[i], want) {
			t.Fatalf("got the reply %q, want %q in line %d", *placed.Reply, want, i+1)
		}
	}
	if o.CashToCollect.Amount != o.Total.Amount-100_00 || strings.Contains(*placed.Reply, ".00") {
		t.Errorf("got %s to collect of %s, and the reply %q", o.CashToCollect.Text(), o.Total.Text(), *placed.Reply)
	}
	if !strings.HasSuffix(*placed.Reply, "/"+o.InvoiceUID) {
		t.Errorf("got the reply %q, want the order's page at its end", *placed.Reply)
	}
}
