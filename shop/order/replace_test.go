package order_test

import (
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// A guest abandons a payment and comes back with another order: the last piece and the only coupon
// use are held by the first.
func TestPlaceOrder_ReplacesUnpaidOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	one := int64(1)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFixed, Amount: new(int64(10_00)), UsageLimit: &one, CustomerLimit: &one})
	in := guestOrder(wantsVariant(s.shirt, 0, 4), wants(s.card, 1))
	in.CouponCode = new("ONCE")
	first := s.mustPlace(t, access.Caller{}, in)
	s.startOnlinePayment(t, first.ID)
	buyer := access.Caller{OrderToken: first.OrderToken}

	in.Items = []order.ItemInput{wantsVariant(s.shirt, 0, 5)}
	if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, ""); !fault.HasCode(err, fault.CodeOutOfStock) {
		t.Errorf("without replacing: got %v, want %s", err, fault.CodeOutOfStock)
	}
	verify := order.CouponInput{Code: "once", Items: in.Items}
	if got, err := s.Orders.VerifyCoupon(t.Context(), buyer, verify); err != nil || got.Valid {
		t.Errorf("coupon without replacing: got %+v, %v; want it used up", got, err)
	}
	in.ReplacesOrderID, verify.ReplacesOrderID = &first.ID, &first.ID
	if got, err := s.Orders.VerifyCoupon(t.Context(), buyer, verify); err != nil || !got.Valid {
		t.Errorf("coupon: got %+v, %v; want it valid", got, err)
	}
	quote, err := s.Orders.QuoteOrder(t.Context(), buyer, in)
	if err != nil || quote.Coupon == nil {
		t.Fatalf("quote: got %+v, %v; want the coupon applied", quote, err)
	}
	if got := s.mustFindAsStaff(t, first.ID); got.Status != status.OrderPendingPayment {
		t.Errorf("after a quote: got order %s, want %s", got.Status, status.OrderPendingPayment)
	}
	in.ExpectedTotal = &quote.Total.Amount
	second := s.mustPlace(t, buyer, in)
	if second.Coupon == nil || second.Items[0].Quantity != 5 || second.ID == first.ID {
		t.Errorf("got order %+v, want 5 shirts with the coupon", second.Order)
	}
	old := s.mustFindAsStaff(t, first.ID)
	if old.Status != status.OrderCancelled || !hasMessage(old, "Replaced by order 1002.") || !hasMessage(&second.Order, "It replaces order 1001.") {
		t.Errorf("got order %s with timeline %+v, want it cancelled", old.Status, old.Timeline)
	}
	if got := s.stock(t, s.shirt, 0); got != 0 {
		t.Errorf("got %d shirts left, want 0", got)
	}
	if got := s.number(t, `SELECT used FROM coupons`); got != 1 {
		t.Errorf("got %d uses of the coupon, want 1", got)
	}
	if got := s.number(t, `SELECT COUNT(*) FROM orders WHERE cancel_reason = 'Replaced by order 1002.'`); got != 1 {
		t.Errorf("got %d orders with the reason, want 1", got)
	}
	s.checkBooks(t)
}

// Without naming an order, the newest of the caller's unpaid orders that holds what is missing is
// replaced: not a paid one, one that is being paid, or another buyer's, and none if nothing is
// missing.
func TestPlaceOrder_ReplacesHoldingOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFixed, Amount: new(int64(10_00)), CustomerLimit: new(int64(1))})
	owner := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	unpaid := func(in order.Input) *order.Placed {
		t.Helper()
		placed := s.mustPlace(t, owner, in)
		s.startOnlinePayment(t, placed.ID)
		return placed
	}
	wantOrders := func(when string, want map[*order.Placed]status.Order) {
		t.Helper()
		for o, status := range want {
			if got := s.mustFindAsStaff(t, o.ID).Status; got != status {
				t.Errorf("%s: got order %d %s, want %s", when, o.OrderNumber, got, status)
			}
		}
		s.checkBooks(t)
	}
	mugs := unpaid(guestOrder(wants(s.mug, 9)))
	in := guestOrder(wants(s.card, 1))
	in.CouponCode = new("ONCE")
	card := unpaid(in)
	wantOrders("nothing is missing", map[*order.Placed]status.Order{mugs: status.OrderPendingPayment, card: status.OrderPendingPayment})

	for name, caller := range map[string]access.Caller{"nobody": {}, "another order's token": {OrderToken: card.OrderToken}} {
		if _, err := s.Orders.PlaceOrder(t.Context(), caller, guestOrder(wants(s.mug, 2)), ""); !fault.HasCode(err, fault.CodeOutOfStock) {
			t.Errorf("%s: got %v, want %s", name, err, fault.CodeOutOfStock)
		}
	}
	if got, err := s.Orders.VerifyCoupon(t.Context(), owner, order.CouponInput{Code: "once", Items: in.Items}); err != nil || !got.Valid {
		t.Errorf("coupon: got %+v, %v; want it valid", got, err)
	}
	second := unpaid(guestOrder(wants(s.mug, 5)))
	wantOrders("mugs", map[*order.Placed]status.Order{mugs: status.OrderCancelled, card: status.OrderPendingPayment})
	again := unpaid(in)
	wantOrders("coupon", map[*order.Placed]status.Order{card: status.OrderCancelled, second: status.OrderPendingPayment})

	s.mustSetAttemptStatus(t, again.ID, 0, status.AttemptSucceeded)
	if _, err := s.Orders.PlaceOrder(t.Context(), owner, in, ""); !fault.HasCode(err, fault.CodeCouponCustomerLimit) {
		t.Errorf("the coupon of a paid order: got %v, want %s", err, fault.CodeCouponCustomerLimit)
	}
	s.exec(t, `
		INSERT INTO payment_checks (attempt_id, signature, claimed_at, reason, asked, due_at)
		SELECT id, '', ?, '', 0, NULL FROM payment_attempts WHERE order_id = ?`, s.clock.Now().UnixMilli(), second.ID)
	s.mustSetAttemptStatus(t, second.ID, 0, status.AttemptPending)
	if _, err := s.Orders.PlaceOrder(t.Context(), owner, guestOrder(wants(s.mug, 6)), ""); !fault.HasCode(err, fault.CodeOutOfStock) {
		t.Errorf("the mugs of an order that is being paid: got %v, want %s", err, fault.CodeOutOfStock)
	}
	wantOrders("in the end", map[*order.Placed]status.Order{again: status.OrderConfirmed, second: status.OrderPendingPayment})
}

func hasMessage(o *order.Order, message string) bool {
	for _, e := range o.Timeline {
		if e.Message == message {
			return true
		}
	}
	return false
}

// If the new order is refused, the earlier one stays as it was.
func TestPlaceOrder_RefusedReplacementChangesNothing(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 8)))
	s.startOnlinePayment(t, first.ID)
	before := s.mustFindAsStaff(t, first.ID)
	in := guestOrder(wants(s.mug, 11))
	in.ReplacesOrderID = &first.ID
	if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{OrderToken: first.OrderToken}, in, "key"); !fault.HasCode(err, fault.CodeOutOfStock) {
		t.Errorf("got %v, want %s", err, fault.CodeOutOfStock)
	}
	if got := s.mustFindAsStaff(t, first.ID); got.Status != before.Status || len(got.Timeline) != len(before.Timeline) || s.stock(t, s.mug, 0) != 2 {
		t.Errorf("got order %s and %d mugs, want %s and 2", got.Status, s.stock(t, s.mug, 0), before.Status)
	}
	s.checkBooks(t)
}

func TestPlaceOrder_ReplacesOrderOfOthers(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	owner := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	stranger := s.mustRegister(t, account.RegisterInput{Name: "Stranger", PhoneNumber: new("01911000000")})
	other := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	first := s.mustPlace(t, owner, guestOrder(wants(s.mug, 10)))
	s.startOnlinePayment(t, first.ID)
	for name, caller := range map[string]access.Caller{
		"nobody": {}, "another customer": stranger, "another order's token": {OrderToken: other.OrderToken},
		"a forged token": {OrderToken: first.OrderToken[:len(first.OrderToken)-1] + "x"},
	} {
		for _, uid := range []string{first.ID, "0000000000000000", "no UID"} {
			in := guestOrder(wants(s.mug, 1))
			in.ReplacesOrderID = &uid
			_, err := s.Orders.PlaceOrder(t.Context(), caller, in, "")
			_, quoteErr := s.Orders.QuoteOrder(t.Context(), caller, in)
			_, couponErr := s.Orders.VerifyCoupon(t.Context(), caller, order.CouponInput{Code: "X", Items: in.Items, ReplacesOrderID: &uid})
			for _, err := range []error{err, quoteErr, couponErr} {
				if fields := fieldsOf(err); !fault.HasCode(err, fault.CodeNotFound) || len(fields) != 1 || !strings.HasPrefix(fields[0], "replacesOrderId") {
					t.Errorf("%s, %s: got %v, want %s of replacesOrderId", name, uid, err, fault.CodeNotFound)
				}
			}
		}
	}
	if got := s.mustFindAsStaff(t, first.ID); got.Status != status.OrderPendingPayment {
		t.Errorf("got order %s, want %s", got.Status, status.OrderPendingPayment)
	}
	in := guestOrder(wants(s.mug, 10))
	in.ReplacesOrderID = &first.ID
	s.mustPlace(t, owner, in) // by the access token alone
	s.checkBooks(t)
}

// Orders that are paid, being paid, with a courier or closed are refused; an expired one holds
// nothing.
func TestPlaceOrder_ReplacesOrderByStatus(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	with := func(online bool, change func(id string)) *order.Placed {
		placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
		if online {
			s.startOnlinePayment(t, placed.ID)
		}
		change(placed.ID)
		return placed
	}
	attempt := func(to status.Attempt) *order.Placed {
		return with(true, func(id string) { s.mustSetAttemptStatus(t, id, 0, to) })
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	expired := with(true, func(string) {})
	s.clock.Advance(31 * time.Minute)
	s.mustSetAttemptStatus(t, expired.ID, 0, status.AttemptFailed)
	s.expire(t)
	for name, tc := range map[string]struct {
		order *order.Placed
		want  fault.Code
	}{
		"unpaid":       {with(true, func(string) {}), ""},
		"failed":       {attempt(status.AttemptFailed), ""},
		"cash":         {with(false, func(string) {}), ""},
		"expired":      {expired, ""},
		"paid":         {attempt(status.AttemptSucceeded), fault.CodeNotCancellable},
		"needs review": {attempt(status.AttemptNeedsReview), fault.CodeNotCancellable},
		"cancelled": {with(false, func(id string) {
			_, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, id, "")
			must(err)
		}), fault.CodeNotCancellable},
		"shipped": {with(false, func(id string) {
			_, err := s.Orders.RecordShipment(t.Context(), access.Operator(), id, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: id})
			must(err)
		}), fault.CodeNotCancellable},
		"capturing": {with(true, func(id string) {
			s.mustSetAttemptStatus(t, id, 0, status.AttemptPending)
			s.exec(t, `
				INSERT INTO payment_checks (attempt_id, signature, claimed_at, reason, asked, due_at)
				SELECT id, '', ?, '', 0, NULL FROM payment_attempts WHERE order_id = ?`, s.clock.Now().UnixMilli(), id)
		}), fault.CodeStateConflict},
	} {
		before := s.mustFindAsStaff(t, tc.order.ID)
		in := guestOrder(wants(s.card, 1))
		in.ReplacesOrderID = &tc.order.ID
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{OrderToken: tc.order.OrderToken}, in, "")
		if shoptest.ErrorCode(err) != tc.want {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		want := before.Status
		if err == nil && name != "expired" {
			want = status.OrderCancelled
		}
		if got := s.mustFindAsStaff(t, tc.order.ID); got.Status != want {
			t.Errorf("%s: got order %s, want %s", name, got.Status, want)
		}
	}
	s.checkBooks(t)
}

// Of many requests that replace one order, by one idempotency key or without one, one places an
// order.
func TestPlaceOrder_ReplacesOrderConcurrently(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"one key": "again", "no key": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOrderShop(t, nil)
			first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 10)))
			s.startOnlinePayment(t, first.ID)
			in := guestOrder(wants(s.mug, 9))
			in.ReplacesOrderID = &first.ID
			counts := raceOrders(t, 20, func(int) fault.Code {
				_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{OrderToken: first.OrderToken}, in, key)
				return shoptest.ErrorCode(err)
			})
			want := map[fault.Code]int{"": 20}
			if key == "" {
				want = map[fault.Code]int{"": 1, fault.CodeNotCancellable: 19}
			}
			if len(counts) != len(want) || counts[""] != want[""] || s.stock(t, s.mug, 0) != 1 || s.number(t, `SELECT COUNT(*) FROM orders`) != 2 {
				t.Errorf("got %v, %d mugs, %d orders; want %v, 1 mug, 2 orders", counts, s.stock(t, s.mug, 0), s.number(t, `SELECT COUNT(*) FROM orders`), want)
			}
			s.checkBooks(t)
		})
	}
}

// An order that is replaced does not count against the open orders of its buyer.
func TestPlaceOrder_ReplacesOrderAtLimitOfOpenOrders(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 1})
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	in := guestOrder(wants(s.mug, 2))
	if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, ""); !fault.HasCode(err, fault.CodeTooManyOpenOrders) {
		t.Errorf("second order: got %v, want %s", err, fault.CodeTooManyOpenOrders)
	}
	in.ReplacesOrderID = &first.ID
	s.mustPlace(t, access.Caller{OrderToken: first.OrderToken}, in)
	s.checkBooks(t)
}
