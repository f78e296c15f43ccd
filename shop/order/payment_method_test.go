package order_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var inCash = order.PaymentMethodInput{PaymentMethod: status.PayCOD}

// A guest who leaves the gateway changes to cash, with the last piece and a coupon that is used up.
func TestSetPaymentMethod_Guest(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFixed, Amount: new(int64(10_25)),
		UsageLimit: new(int64(1)), CustomerLimit: new(int64(1))})
	in := guestOrder(wantsVariant(s.shirt, 0, 5))
	in.CouponCode = new("ONCE")
	placed := s.mustPlace(t, access.Caller{}, in)
	token := access.Caller{OrderToken: placed.OrderToken}
	s.startOnlinePayment(t, placed.ID)

	for name, caller := range map[string]access.Caller{"no token": {}, "wrong token": {OrderToken: placed.OrderToken + "x"}} {
		if _, err := s.Orders.SetPaymentMethod(t.Context(), caller, placed.ID, inCash); !fault.HasCode(err, fault.CodeNotFound) {
			t.Errorf("%s: got %v, want %s", name, err, fault.CodeNotFound)
		}
	}
	_, err := s.Orders.SetPaymentMethod(t.Context(), token, placed.ID, order.PaymentMethodInput{PaymentMethod: status.PayGatewayA})
	if !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("to a gateway: got %v, want %s", err, fault.CodeValidationFailed)
	}
	for range 2 { // again changes nothing
		order, err := s.Orders.SetPaymentMethod(t.Context(), token, placed.ID, inCash)
		if err != nil {
			t.Fatal(err)
		}
		if order.Status != status.OrderPending || order.PaymentStatus != status.PaymentUnpaid || order.Payment.Method != status.PayCOD ||
			order.Total.Amount%100 != 0 || order.Rounding.Amount != 25 || order.Coupon == nil {
			t.Errorf("got %s/%s by %s, total %d, rounding %d, coupon %v", order.Status, order.PaymentStatus, order.Payment.Method,
				order.Total.Amount, order.Rounding.Amount, order.Coupon)
		}
	}
	if got := s.stock(t, s.shirt, 0); got != 0 {
		t.Errorf("got %d shirts left, want 0", got)
	}
	cancelled, err := s.Orders.CancelOrder(t.Context(), token, placed.ID, "")
	if err != nil || cancelled.Status != status.OrderCancelled {
		t.Fatalf("cancel by token: got %v, %v", cancelled, err)
	}
	again := s.mustPlace(t, access.Caller{}, in) // the stock and the coupon are back
	if again.Coupon == nil {
		t.Error("the coupon was not released")
	}
	s.checkBooks(t)
}

func TestSetPaymentMethod_Rejected(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"autoConfirm": true})
	owner := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	online := func() string {
		placed := s.mustPlace(t, owner, guestOrder(wants(s.card, 1)))
		s.startOnlinePayment(t, placed.ID)
		return placed.ID
	}
	with := func(change func(id string) error) string {
		id := online()
		if err := change(id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	attempt := func(to status.Attempt) string {
		return with(func(id string) error {
			_, err := s.Orders.SetAttemptStatus(t.Context(), id, 0, to)
			return err
		})
	}
	for name, tc := range map[string]struct {
		id   string
		want fault.Code
	}{
		"unpaid":       {online(), ""},
		"failed":       {attempt(status.AttemptFailed), ""},
		"paid":         {attempt(status.AttemptSucceeded), fault.CodeStateConflict},
		"needs review": {attempt(status.AttemptNeedsReview), fault.CodeStateConflict},
		"cancelled": {with(func(id string) error {
			_, err := s.Orders.CancelOrder(t.Context(), owner, id, "")
			return err
		}), fault.CodeStateConflict},
		"capturing": {with(func(id string) error {
			s.mustSetAttemptStatus(t, id, 0, status.AttemptPending)
			s.exec(t, `
				INSERT INTO payment_checks (attempt_id, signature, claimed_at, reason, asked, due_at)
				SELECT id, '', ?, '', 0, NULL FROM payment_attempts WHERE order_id = ?`, s.clock.Now().UnixMilli(), id)
			return nil
		}), fault.CodeStateConflict},
	} {
		order, err := s.Orders.SetPaymentMethod(t.Context(), owner, tc.id, inCash)
		if shoptest.ErrorCode(err) != tc.want || err == nil && order.Status != status.OrderConfirmed {
			t.Errorf("%s: got %v, %v; want %q", name, order != nil, err, tc.want)
		}
	}
}
