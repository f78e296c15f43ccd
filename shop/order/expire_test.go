package order_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/status"
)

// placeOnline places an order with a pending online payment.
func (s *orderShop) placeOnline(tb testing.TB, caller access.Caller, in order.Input) *order.Order {
	tb.Helper()
	return s.startOnlinePayment(tb, s.mustPlace(tb, caller, in).ID)
}

// startOnlinePayment changes a new cash order to one with a pending online payment.
func (s *orderShop) startOnlinePayment(tb testing.TB, uid string) *order.Order {
	tb.Helper()
	s.exec(tb, `
		UPDATE orders
		SET status = 'pending_payment', payment_method = 'gateway_a', client = NULL, expires_at = placed_at + 30 * 60 * 1000
		WHERE id = ?`, uid)
	begun, err := s.Orders.BeginPayment(tb.Context(), uid, status.PayGatewayA)
	if err != nil {
		tb.Fatal(err)
	}
	return begun
}

// expire runs the background work and returns when it is next due.
func (s *orderShop) expire(tb testing.TB) time.Time {
	tb.Helper()
	next, err := s.Orders.ExpireOrders(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return next
}

func (s *orderShop) mustFindAsStaff(tb testing.TB, uid string) *order.Order {
	tb.Helper()
	order, err := s.Orders.FindOrderAsStaff(tb.Context(), access.Operator(), uid)
	if err != nil {
		tb.Fatal(err)
	}
	return &order.Order
}

func (s *orderShop) mustSetAttemptStatus(tb testing.TB, uid string, i int, to status.Attempt) *order.Order {
	tb.Helper()
	order, err := s.Orders.SetAttemptStatus(tb.Context(), uid, i, to)
	if err != nil {
		tb.Fatal(err)
	}
	return order
}

func TestExpireOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONE", Kind: order.CouponFixed, Amount: new(int64(10_00)), UsageLimit: new(int64(1)),
		CustomerLimit: new(int64(1))})
	in := guestOrder(wants(s.mug, 4))
	in.CouponCode = new("ONE")
	cash := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), cash.ID); err != nil {
		t.Fatal(err)
	}
	failed, open := s.placeOnline(t, access.Caller{}, in), s.placeOnline(t, access.Caller{}, guestOrder(wants(s.mug, 2)))
	review, paid := s.placeOnline(t, access.Caller{}, guestOrder(wants(s.card, 1))), s.placeOnline(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	s.mustSetAttemptStatus(t, failed.ID, 0, status.AttemptFailed)
	s.mustSetAttemptStatus(t, review.ID, 0, status.AttemptNeedsReview)
	s.mustSetAttemptStatus(t, paid.ID, 0, status.AttemptSucceeded)

	due := s.clock.Now().Add(30 * time.Minute)
	if next := s.expire(t); !next.Equal(due) {
		t.Errorf("got next run at %v, want %v", next, due)
	}
	s.clock.Advance(30*time.Minute - time.Millisecond)
	if s.expire(t); s.mustFindAsStaff(t, failed.ID).Status != status.OrderPendingPayment {
		t.Error("order expired too early")
	}
	s.clock.Advance(time.Millisecond)
	if next := s.expire(t); !next.Equal(due.Add(5 * time.Minute)) {
		t.Errorf("got next check of the open payment at %v, want it after 5 minutes", next)
	}
	for uid, want := range map[string]status.Order{
		cash.ID: status.OrderConfirmed, failed.ID: status.OrderExpired, open.ID: status.OrderPendingPayment,
		review.ID: status.OrderPendingPayment, paid.ID: status.OrderConfirmed,
	} {
		if order := s.mustFindAsStaff(t, uid); order.Status != want {
			t.Errorf("payment %+v: got order status %s, want %s", order.Payment, order.Status, want)
		}
	}
	if mugs := s.stock(t, s.mug, 0); mugs != 10-1-2 {
		t.Errorf("got stock %d, want 7", mugs)
	}
	again := s.mustPlace(t, access.Caller{}, in) // the only coupon use is released, for the shop and for the buyer
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), again.ID); err != nil {
		t.Fatal(err)
	}
	s.checkBooks(t)

	// A silent gateway postpones expiry by at most a day; later money is refunded.
	for range 24 * 12 {
		s.clock.Advance(5 * time.Minute)
		s.expire(t)
	}
	if order := s.mustFindAsStaff(t, open.ID); order.Status != status.OrderExpired {
		t.Errorf("got status %s a day later, want expired", order.Status)
	}
	if next := s.expire(t); !next.IsZero() {
		t.Errorf("got next run at %v, want none", next)
	}
	late := s.mustSetAttemptStatus(t, open.ID, 0, status.AttemptSucceeded)
	if late.Status != status.OrderExpired || late.PaymentStatus != status.PaymentRefundDue ||
		late.Payment.Attempts[0].Status != status.AttemptRefundDue {
		t.Errorf("late payment: got %s, %s, %+v; want an expired order with a refund due", late.Status, late.PaymentStatus, late.Payment.Attempts)
	}
	if order := s.mustFindAsStaff(t, review.ID); order.Status != status.OrderPendingPayment {
		t.Errorf("order in review: got status %s, want no change", order.Status)
	}
	s.mustSetAttemptStatus(t, review.ID, 0, status.AttemptFailed)
	s.clock.Advance(30 * time.Minute)
	if s.expire(t); s.mustFindAsStaff(t, review.ID).Status != status.OrderExpired {
		t.Error("reviewed unpaid order did not expire")
	}
	s.checkBooks(t)
}

// TestFindOrder_MaskedPayments checks that tracking without proof shows no payment attempt,
// neither in a field nor in the timeline.
func TestFindOrder_MaskedPayments(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	uid := s.placeOnline(t, access.Caller{}, guestOrder(wants(s.mug, 1))).ID
	s.exec(t, `UPDATE payment_attempts SET redirect_url = 'https://pay.example/secret', external_id = 'secret-1',
		transaction_id = 'secret-2', error_code = 'secret-3'`)
	s.mustSetAttemptStatus(t, uid, 0, status.AttemptPending)
	if whole := s.mustFindAsStaff(t, uid); whole.Payment.RedirectURL == nil || len(whole.Payment.Attempts) != 1 {
		t.Errorf("got %+v, want the full payment", whole.Payment)
	}
	masked, err := s.Orders.FindOrder(t.Context(), access.Caller{}, uid)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(masked)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secret", "pay.example", "attempt_"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("found %q in %s", secret, text)
		}
	}
	if masked.PaymentStatus != status.PaymentPending || len(masked.Timeline) != 2 {
		t.Errorf("got %s, %+v in the masked order", masked.PaymentStatus, masked.Timeline)
	}
}
