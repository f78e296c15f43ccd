package order_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func (s *orderShop) merge(t *testing.T, into, other string, isDryRun bool) (*order.StaffOrder, error) {
	t.Helper()
	in := order.MergeInput{OrderID: other, DryRun: isDryRun}
	return s.Orders.MergeOrders(t.Context(), access.Operator(), into, in)
}

// A merged order has the items of both at the prices at which they were ordered, one delivery
// charge and exact stock. The other order is cancelled, and each named the other before.
func TestMergeOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 2)))
	s.clock.Advance(time.Minute)
	s.exec(t, `UPDATE variants SET price = 50000 WHERE id = ?`, s.mug.Variants[0].ID)
	s.exec(t, `UPDATE products SET price = 50000, price_max = 50000 WHERE id = ?`, s.mug.ID)
	second := guestOrder(wants(s.mug, 1), wants(s.lamp, 1), wants(s.card, 2))
	second.Note = new("Call first")
	other := s.mustPlace(t, access.Caller{}, second)
	for uid, twin := range map[string]int64{first.ID: other.OrderNumber, other.ID: first.OrderNumber} {
		got, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), uid)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Duplicates) != 1 || got.Duplicates[0].OrderNumber != twin || !slices.Contains(got.RowFlags, order.RowDuplicate) {
			t.Errorf("got duplicates %v, flags %v, want order %d", got.Duplicates, got.RowFlags, twin)
		}
	}
	want := int64(3*450_00 + 1200_00 + 2*100_00 + 70_00)
	preview, err := s.merge(t, first.ID, other.ID, true)
	if err != nil || preview.Total.Amount != want || s.stock(t, s.lamp, 0) != 0 {
		t.Fatalf("dry run: got %+v (%v), lamps %d, want total %d, no change", preview, err, s.stock(t, s.lamp, 0), want)
	}
	merged, err := s.merge(t, first.ID, other.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Total.Amount != want || len(merged.Items) != 3 || *merged.Note != "Ring twice\nCall first" || len(merged.Duplicates) != 0 {
		t.Errorf("got %+v, want total %d, three lines, the note, no duplicate", merged, want)
	}
	gone, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), other.ID)
	if err != nil {
		t.Fatal(err)
	}
	if gone.Status != status.OrderCancelled || gone.CancelReason == nil || *gone.CancelReason != "Merged into order 1001." {
		t.Errorf("got %s (%v), want cancelled into 1001", gone.Status, gone.CancelReason)
	}
	if mugs, lamps := s.stock(t, s.mug, 0), s.stock(t, s.lamp, 0); mugs != 7 || lamps != 0 {
		t.Errorf("got %d mugs and %d lamps, want 7 and 0", mugs, lamps)
	}
	s.checkBooks(t)
}

// The other order's coupon and staff's discounts are retained, and the coupon is used once.
func TestMergeOrders_Discounts(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "EID", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), UsageLimit: new(int64(1))})
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	with := guestOrder(wants(s.mug, 1))
	with.CouponCode = new("EID")
	other := s.mustPlace(t, access.Caller{}, with)
	for uid, amount := range map[string]int64{first.ID: 10_00, other.ID: 15_00} {
		s.mustEdit(t, uid, order.Edit{StaffDiscount: &order.StaffDiscount{Amount: amount, Reason: "Regular"}})
	}
	merged, err := s.merge(t, first.ID, other.ID, false)
	if err != nil || merged.Coupon == nil || merged.Coupon.Code != "EID" || merged.Discount.Amount != 90_00+25_00 {
		t.Fatalf("got %+v, %v, want the coupon, and a discount of 11500", merged, err)
	}
	s.checkBooks(t)
}

func TestMergeOrders_Refused(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	place := func(change func(in *order.Input)) string {
		in := guestOrder(wants(s.card, 1))
		if change != nil {
			change(&in)
		}
		return s.mustPlace(t, access.Caller{}, in).ID
	}
	confirmed, advanced := place(nil), place(nil)
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), confirmed); err != nil {
		t.Fatal(err)
	}
	_, err := s.Orders.RecordAdvance(t.Context(), access.Operator(), advanced, order.AdvanceInput{Amount: 10_00, Method: order.AdvanceBkash})
	if err != nil {
		t.Fatal(err)
	}
	cancelled := place(nil)
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled, ""); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		other string
		want  fault.Code
	}{
		"itself": {first.ID, fault.CodeValidationFailed}, "confirmed": {confirmed, fault.CodeStateConflict},
		"with an advance": {advanced, fault.CodeStateConflict}, "cancelled": {cancelled, fault.CodeStateConflict},
		"unknown":          {"0000000000000000", fault.CodeNotFound},
		"of another buyer": {place(func(in *order.Input) { in.Customer.PhoneNumber = new("01811223344") }), fault.CodeStateConflict},
	} {
		if _, err := s.merge(t, first.ID, c.other, false); shoptest.ErrorCode(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if _, err := s.merge(t, c.other, first.ID, false); c.want == fault.CodeStateConflict && shoptest.ErrorCode(err) != c.want {
			t.Errorf("into %s: got %v, want %s", name, err, c.want)
		}
	}
	s.checkBooks(t)
}

// Staff who merge two orders in both directions, confirm one and cancel the other at once leave
// each unit in one open order, or in the stock.
func TestMergeOrders_Concurrent(t *testing.T) {
	t.Parallel()
	for range 5 {
		s := newOrderShop(t, nil)
		a := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 6)))
		b := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 4)))
		var wg sync.WaitGroup
		run := func(do func() error) {
			wg.Go(func() {
				err := do()
				if code := shoptest.ErrorCode(err); code != "" && code != fault.CodeStateConflict {
					t.Errorf("got %v, want state_conflict", err)
				}
			})
		}
		for _, pair := range [][2]string{{a.ID, b.ID}, {b.ID, a.ID}} {
			run(func() error { _, err := s.merge(t, pair[0], pair[1], false); return err })
		}
		run(func() error { _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), a.ID); return err })
		run(func() error {
			_, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), b.ID, "")
			return err
		})
		wg.Wait()
		held := s.number(t, `SELECT COALESCE(SUM(i.quantity), 0) FROM order_items i JOIN orders o ON o.number = i.order_number
			WHERE o.status IN ('pending', 'confirmed')`)
		if got := s.stock(t, s.mug, 0) + held; got != 10 {
			t.Errorf("got %d mugs in the stock and in open orders, want 10", got)
		}
		s.checkBooks(t)
	}
}
