package order_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func TestCancelOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONE", Kind: order.CouponFixed, Amount: new(int64(10_00)), UsageLimit: new(int64(1))})
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	in := guestOrder(wants(s.mug, 3), wants(s.card, 1), wants(s.lamp, 2))
	in.CouponCode = new("ONE")
	order := s.mustPlace(t, caller, in)

	cancelled, err := s.Orders.CancelOrder(t.Context(), caller, strings.ToLower(order.ID), "Changed my mind, call 01811000000")
	if err != nil {
		t.Fatal(err)
	}
	if cancelled.Status != status.OrderCancelled || cancelled.PaymentStatus != status.PaymentUnpaid || cancelled.Cancellable ||
		cancelled.CancelBlocked == nil || len(cancelled.Timeline) != 2 || cancelled.Timeline[1].Type != "cancelled" {
		t.Errorf("got %+v, want a cancelled order", cancelled)
	}
	if strings.Contains(cancelled.Timeline[1].Message, "mind") {
		t.Error("got the reason in the public timeline, want it left out")
	}
	if mugs, lamps := s.stock(t, s.mug, 0), s.stock(t, s.lamp, 0); mugs != 10 || lamps != 1 {
		t.Errorf("got a stock of %d mugs and %d lamps", mugs, lamps)
	}
	s.checkBooks(t)

	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Orders.CancelOrder(t.Context(), caller, order.ID, "again")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cancelled, again); diff != "" {
		t.Errorf("order (-cancelled +cancelled again):\n%s", diff)
	}
	if now, err := s.Version(t.Context()); err != nil || now != version {
		t.Errorf("got version %d after a second cancellation, want %d; error %v", now, version, err)
	}
	s.mustPlace(t, caller, in) // the only coupon use is released
	s.checkBooks(t)
}

func TestCancelOrder_Concurrent(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	order := s.mustPlace(t, caller, guestOrder(wants(s.mug, 3)))
	counts := raceOrders(t, 20, func(int) fault.Code {
		_, err := s.Orders.CancelOrder(t.Context(), caller, order.ID, "")
		return shoptest.ErrorCode(err)
	})
	if counts[""] != 20 || s.stock(t, s.mug, 0) != 10 {
		t.Errorf("got results %v and stock %d", counts, s.stock(t, s.mug, 0))
	}
	s.checkBooks(t)
}

func TestCancelOrder_Rejected(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	owner := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01911000000")})
	guests := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	fresh := s.mustPlace(t, owner, guestOrder(wants(s.mug, 1)))
	in := func(status status.Order, fulfillment status.Fulfillment) string {
		order := s.mustPlace(t, owner, guestOrder(wants(s.card, 1)))
		s.exec(t, `
			UPDATE orders
			SET status = ?, fulfillment_status = ?, payment_status = CASE WHEN ? = 'completed' THEN 'paid' ELSE 'unpaid' END
			WHERE id = ?`, status, fulfillment, status, order.ID)
		return order.ID
	}
	for name, tc := range map[string]struct {
		caller access.Caller
		uid    string
		reason string
		want   fault.Code
	}{
		"no token":                {access.Caller{}, fresh.ID, "", fault.CodeUnauthenticated},
		"bad token":               {access.Caller{Bearer: "x"}, fresh.ID, "", fault.CodeTokenInvalid},
		"another order's token":   {access.Caller{OrderToken: guests.OrderToken}, fresh.ID, "", fault.CodeUnauthenticated},
		"another's":               {stranger, fresh.ID, "", fault.CodeNotFound},
		"a guest's":               {owner, guests.ID, "", fault.CodeNotFound},
		"unknown":                 {owner, "0000000000000000", "", fault.CodeNotFound},
		"long reason":             {owner, fresh.ID, strings.Repeat("x", 501), fault.CodeValidationFailed},
		"picked up":               {owner, in(status.OrderProcessing, status.InProgress), "", fault.CodeNotCancellable},
		"completed":               {owner, in(status.OrderCompleted, status.Delivered), "", fault.CodeNotCancellable},
		"expired":                 {owner, in(status.OrderExpired, status.Unfulfilled), "", fault.CodeNotCancellable},
		"returned":                {owner, in(status.OrderReturned, status.Returned), "", fault.CodeNotCancellable},
		"confirmed":               {owner, in(status.OrderConfirmed, status.Unfulfilled), "", ""},
		"processing, not shipped": {owner, in(status.OrderProcessing, status.Unfulfilled), "", ""},
		"staff, a guest's":        {access.Caller{Operator: true}, guests.ID, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Orders.CancelOrder(t.Context(), tc.caller, tc.uid, tc.reason)
			if shoptest.ErrorCode(err) != tc.want {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			found, findErr := s.Orders.FindOrder(t.Context(), owner, tc.uid)
			if tc.want == fault.CodeNotCancellable && (findErr != nil || found.Cancellable || *found.CancelBlocked != shop.AsError(err).Message) {
				t.Errorf("got order %+v, %v; want it to report the cancellation error %v", found, findErr, err)
			}
		})
	}
}

func TestCancelOrder_Paid(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	order := s.mustPlace(t, caller, guestOrder(wants(s.mug, 1)))
	s.exec(t, `UPDATE orders SET payment_status = 'paid'`)
	s.exec(t, `DELETE FROM variants WHERE product_id = ?`, s.mug.ID) // the sold variant may be deleted by now
	cancelled, err := s.Orders.CancelOrder(t.Context(), caller, order.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if cancelled.PaymentStatus != status.PaymentRefundDue || cancelled.Payment.Status != status.PaymentRefundDue || len(cancelled.Timeline) != 3 {
		t.Errorf("got %+v, want a cancelled order", cancelled)
	}
}
