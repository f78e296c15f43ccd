package shop_test

import (
	"testing"

	"storefront/shop"
	"storefront/shop/access"
)

// An order that was paid online, cancelled and delivered all the same is completed, and its payment
// is not due for refund any more.
func TestOrder_PaidCancelledDelivered(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, shop.CouponSpec{Code: "ONCE", Kind: shop.CouponFixed, Amount: new(int64(10_00)), UsageLimit: new(int64(1))})
	place := func() string {
		in := guestOrder(wants(s.mug, 2))
		in.CouponCode = new("ONCE")
		return s.mustPlace(t, access.Caller{}, in).ID
	}
	uid := place()
	s.startOnlinePayment(t, uid)
	s.mustSetAttemptStatus(t, uid, 0, shop.AttemptPending)
	s.mustSetAttemptStatus(t, uid, 0, shop.AttemptSucceeded)
	if _, err := s.RecordShipment(t.Context(), access.Operator(), uid, shop.ShipmentInput{Provider: shop.CourierA, ConsignmentID: "1"}); err != nil {
		t.Fatal(err)
	}
	cancelled, err := s.CancelOrder(t.Context(), access.Operator(), uid, "")
	if err != nil || cancelled.PaymentStatus != shop.PaymentRefundDue || s.stock(t, s.mug, 0) != 10 {
		t.Fatalf("cancelled: got %+v, %v", cancelled, err)
	}
	place() // uses the coupon meanwhile
	order, err := s.SetShipmentStatus(t.Context(), uid, 0, shop.ShipmentDelivered)
	if err != nil || order.Status != shop.OrderCompleted || order.PaymentStatus != shop.PaymentPaid ||
		order.Payment.Attempts[0].Status != shop.AttemptSucceeded {
		t.Fatalf("delivered: got %+v, %v; want completed, paid", order, err)
	}
	if got := s.stock(t, s.mug, 0); got != 6 {
		t.Errorf("got stock %d, want 6", got)
	}
	s.checkBooks(t)
}
