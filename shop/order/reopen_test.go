package order_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// An order that was paid online, cancelled and delivered all the same is completed, and its payment
// is not due for refund any more.
func TestOrder_PaidCancelledDelivered(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFixed, Amount: new(int64(10_00)), UsageLimit: new(int64(1))})
	place := func() string {
		in := guestOrder(wants(s.mug, 2))
		in.CouponCode = new("ONCE")
		return s.mustPlace(t, access.Caller{}, in).ID
	}
	uid := place()
	s.startOnlinePayment(t, uid)
	s.mustSetAttemptStatus(t, uid, 0, status.AttemptPending)
	s.mustSetAttemptStatus(t, uid, 0, status.AttemptSucceeded)
	mustShip(t, s.Orders, uid, plugin.CourierA, "1")
	cancelled, err := s.Orders.CancelOrder(t.Context(), access.Operator(), uid, "")
	if err != nil || cancelled.PaymentStatus != status.PaymentRefundDue || s.stock(t, s.mug, 0) != 10 {
		t.Fatalf("cancelled: got %+v, %v", cancelled, err)
	}
	place() // uses the coupon meanwhile
	order, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentDelivered)
	if err != nil || order.Status != status.OrderCompleted || order.PaymentStatus != status.PaymentPaid ||
		order.Payment.Attempts[0].Status != status.AttemptSucceeded {
		t.Fatalf("delivered: got %+v, %v; want completed, paid", order, err)
	}
	if got := s.stock(t, s.mug, 0); got != 6 {
		t.Errorf("got stock %d, want 6", got)
	}
	s.checkBooks(t)
}
