package order_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// What the shop still sells can be ordered again at today's price, and the rest is named.
func TestFindReorder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	placed := s.mustPlace(t, caller, guestOrder(wants(s.mug, 4), wantsVariant(s.shirt, 0, 1), wants(s.lamp, 1), wants(s.card, 2)))
	again := func(t *testing.T, caller access.Caller) *order.Reorder {
		t.Helper()
		found, err := s.Orders.FindReorder(t.Context(), caller, placed.ID)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	item := func(i, quantity int) order.ReorderItem {
		return order.ReorderItem{ProductID: placed.Items[i].ProductID, VariantID: placed.Items[i].VariantID, Quantity: quantity}
	}
	missing := func(i, quantity int, reason order.MissingReason) order.MissingUnits {
		of := placed.Items[i]
		return order.MissingUnits{Title: of.Title, VariantTitle: of.VariantTitle, Quantity: quantity, Reason: reason}
	}

	whole := again(t, caller)
	if diff := cmp.Diff([]order.ReorderItem{item(0, 4), item(1, 1), item(2, 1), item(3, 2)}, whole.Items); diff != "" || len(whole.Unavailable) > 0 {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if whole.Quote == nil || whole.Quote.Total != placed.Total || whole.Quote.Delivery.ID != placed.Delivery.ID {
		t.Errorf("got the quote %+v, want the order's", whole.Quote)
	}

	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 3), wantsVariant(s.shirt, 0, 4))) // of 6 and 4 left
	s.exec(t, `UPDATE products SET status = 'archived' WHERE id = ?`, s.card.ID)
	guest := access.Caller{OrderToken: placed.OrderToken, Bearer: "expired"}
	for name, by := range map[string]access.Caller{"owner": caller, "order token": guest} {
		less := again(t, by)
		if diff := cmp.Diff([]order.ReorderItem{item(0, 3), item(2, 1)}, less.Items); diff != "" {
			t.Errorf("%s: items (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]order.MissingUnits{
			missing(0, 1, order.MissingStock), missing(1, 1, order.MissingStock), missing(3, 2, order.MissingWithdrawn),
		}, less.Unavailable); diff != "" {
			t.Errorf("%s: unavailable (-want +got):\n%s", name, diff)
		}
		if less.Quote == nil || less.Quote.Subtotal.Amount != 3*450_00+1200_00 {
			t.Errorf("%s: got the quote %+v, want the price of what is left", name, less.Quote)
		}
	}

	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"deliveryCharges": []any{}})); err != nil {
		t.Fatal(err)
	}
	if gone := again(t, caller); gone.Quote != nil && gone.Quote.Delivery != nil {
		t.Errorf("got the delivery %+v, which is gone", gone.Quote.Delivery)
	}
	s.exec(t, `UPDATE products SET status = 'archived'`)
	if none := again(t, caller); none.Quote != nil || len(none.Items) != 0 || len(none.Unavailable) != 4 {
		t.Errorf("got %+v, want nothing", none)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM orders`); n != 2 {
		t.Errorf("got %d orders, want no new one", n)
	}

	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01911000000")})
	for name, by := range map[string]access.Caller{"stranger": stranger, "nobody": {}, "wrong token": {OrderToken: "x"}} {
		if _, err := s.Orders.FindReorder(t.Context(), by, placed.ID); shoptest.ErrorCode(err) != fault.CodeNotFound {
			t.Errorf("%s: got %v, want not_found", name, err)
		}
	}
}

// An order paid online at a gateway that the shop has no more has no price, but its items.
func TestFindReorder_MethodGone(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	placed := s.mustPlace(t, caller, guestOrder(wants(s.mug, 1)))
	s.exec(t, `UPDATE orders SET payment_method = ? WHERE id = ?`, string(status.PayGatewayB), placed.ID)
	found, err := s.Orders.FindReorder(t.Context(), caller, placed.ID)
	if err != nil || found.Quote != nil || len(found.Items) != 1 {
		t.Errorf("got %+v, %v, want the item without a price", found, err)
	}
}
