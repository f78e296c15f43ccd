package order_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

func TestCoupons_CustomerLimit(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFixed, Amount: new(int64(10_00)), CustomerLimit: new(int64(1))})
	use := func(caller access.Caller, phone string) (*order.Placed, fault.Code) {
		in := guestOrder(wants(s.card, 1))
		in.CouponCode, in.Customer.PhoneNumber = new("once"), &phone
		order, err := s.Orders.PlaceOrder(t.Context(), caller, in, "")
		return order, shoptest.ErrorCode(err)
	}
	karim := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	s.exec(t, `UPDATE customers SET phone_verified_at = 1`)
	rahima := s.mustRegister(t, account.RegisterInput{Name: "Rahima", PhoneNumber: new("01711000000")}) // phone number not verified

	if _, code := use(access.Caller{}, "01711000000"); code != "" {
		t.Fatalf("first use: got %s", code)
	}
	if _, code := use(access.Caller{}, "+880 1711-000000"); code != fault.CodeCouponCustomerLimit {
		t.Errorf("same phone in another format: got %q, want a customer limit", code)
	}
	if verdict := s.verify(t, rahima, "ONCE", wants(s.card, 1)); !verdict.Valid {
		t.Errorf("unverified phone: got %+v, want its uses not disclosed", verdict)
	}
	guest := guestOrder(wants(s.card, 1))
	guest.CouponCode, guest.Customer.PhoneNumber = new("ONCE"), new("01711000000")
	if _, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, guest); err != nil {
		t.Errorf("quote for a guest: got %v, want the phone's uses not disclosed", err)
	}

	guests, code := use(access.Caller{}, "01811000000")
	if code != "" {
		t.Fatalf("guest with Karim's phone: got %s", code)
	}
	if verdict := s.verify(t, karim, "ONCE", wants(s.card, 1)); verdict.Valid || *verdict.Reason != fault.CodeCouponCustomerLimit {
		t.Errorf("owner of the verified phone: got %+v, want a customer limit", verdict)
	}
	if _, code := use(karim, "01911000000"); code != fault.CodeCouponCustomerLimit {
		t.Errorf("order with another phone: got %q, want a customer limit", code)
	}
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, guests.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, code := use(karim, "01911000000"); code != "" {
		t.Errorf("after the use was released: got %q, want no error", code)
	}
	if _, code := use(karim, "01611000000"); code != fault.CodeCouponCustomerLimit {
		t.Errorf("account's second use: got %q, want a customer limit", code)
	}
	s.checkBooks(t)
}

func TestCoupons_ConcurrentLimits(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "FIRST7", Kind: order.CouponFreeDelivery, UsageLimit: new(int64(7))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "ONCE", Kind: order.CouponFreeDelivery, CustomerLimit: new(int64(1))})
	counts := raceOrders(t, 60, func(i int) fault.Code {
		in := guestOrder(wants(s.card, 1))
		in.CouponCode = new("FIRST7")
		if i%2 == 0 {
			in.CouponCode = new("ONCE")
		}
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		return shoptest.ErrorCode(err)
	})
	want := map[fault.Code]int{"": 8, fault.CodeCouponUsageLimit: 23, fault.CodeCouponCustomerLimit: 29}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	s.checkBooks(t)
}

// The last use and the discount of a coupon are those of the orders that count as uses: an order
// that is cancelled counts no longer, an edit changes the discount, and a delivery after all counts
// again.
func TestCoupons_Uses(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TAKA5", Kind: order.CouponFixed, Amount: new(int64(5_00))})
	want := func(what, code string, used int, given int64, last *time.Time) {
		t.Helper()
		got, err := s.Orders.FindCoupon(t.Context(), access.Operator(), code)
		if err != nil {
			t.Fatal(err)
		}
		if got.Used != used || got.DiscountGiven != given || (got.LastUsedAt == nil) != (last == nil) || last != nil && !got.LastUsedAt.Equal(*last) {
			t.Errorf("%s: got %s with %d uses, %d given, last %v; want %d, %d, %v", what, code, got.Used, got.DiscountGiven, got.LastUsedAt, used, given, last)
		}
		s.checkBooks(t)
	}
	place := func(mugs int) (*order.Placed, *time.Time) {
		s.clock.Advance(time.Hour)
		in := guestOrder(wants(s.mug, mugs))
		in.CouponCode = new("TEN")
		return s.mustPlace(t, access.Caller{}, in), new(s.clock.Now())
	}
	want("unused", "TEN", 0, 0, nil)
	_, atFirst := place(1)
	second, atSecond := place(2)
	want("two orders", "TEN", 2, 135_00, atSecond)

	s.clock.Advance(time.Hour)
	s.mustEdit(t, second.ID, order.Edit{Items: &[]order.StaffItemInput{item(s.mug.Variants[0].ID, 1)},
		StaffDiscount: &order.StaffDiscount{Amount: 10_00, Reason: "Late"}})
	want("one mug less", "TEN", 2, 90_00, atSecond)
	s.mustEdit(t, second.ID, order.Edit{CouponCode: new("TAKA5")})
	want("another coupon", "TEN", 1, 45_00, atFirst)
	want("another coupon", "TAKA5", 1, 5_00, atSecond)
	s.mustEdit(t, second.ID, order.Edit{CouponCode: new("TEN")})
	want("the first coupon again", "TEN", 2, 90_00, atSecond)
	want("the first coupon again", "TAKA5", 0, 0, nil)

	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), second.ID, "Called"); err != nil {
		t.Fatal(err)
	}
	want("cancelled", "TEN", 1, 45_00, atFirst)
}

// TestCoupons_GuessLimit checks that unknown codes count in every operation, and
// that other callers are not limited.
func TestCoupons_GuessLimit(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"limits": map[string]any{"wrongCodesPerClient": 3}})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000))})
	guesser, other := access.Caller{Client: "192.0.2.1"}, access.Caller{Client: "192.0.2.2"}
	bought := func(code string) order.Input {
		in := guestOrder(wants(s.card, 1))
		in.CouponCode = &code
		return in
	}
	s.verify(t, guesser, "TEN", wants(s.card, 1)) // a correct code is not counted
	s.verify(t, guesser, "NOPE", wants(s.card, 1))
	if _, err := s.Orders.QuoteOrder(t.Context(), guesser, bought("NOPE")); shoptest.ErrorCode(err) != fault.CodeCouponNotFound {
		t.Errorf("quote: got %v", err)
	}
	if _, err := s.Orders.PlaceOrder(t.Context(), guesser, bought("NOPE"), ""); shoptest.ErrorCode(err) != fault.CodeCouponNotFound {
		t.Errorf("place: got %v", err)
	}
	input := order.CouponInput{Code: "TEN", Items: []order.ItemInput{wants(s.card, 1)}}
	_, verify := s.Orders.VerifyCoupon(t.Context(), guesser, input)
	_, quote := s.Orders.QuoteOrder(t.Context(), guesser, bought("TEN"))
	_, place := s.Orders.PlaceOrder(t.Context(), guesser, bought("TEN"), "")
	for name, err := range map[string]error{"verify": verify, "quote": quote, "place": place} {
		if shoptest.ErrorCode(err) != fault.CodeRateLimited || shop.AsError(err).RetryAfter == 0 {
			t.Errorf("%s after too many guesses: got %v, want rate_limited", name, err)
		}
	}
	s.mustPlace(t, guesser, guestOrder(wants(s.card, 1))) // without a coupon
	s.mustPlace(t, other, bought("TEN"))
	s.clock.Advance(time.Hour)
	s.mustPlace(t, guesser, bought("TEN"))
}

// TestCoupons_ConcurrentGuesses checks that concurrent guesses do not exceed the limit,
// and that a correct code beyond the limit is not disclosed.
func TestCoupons_ConcurrentGuesses(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"limits": map[string]any{"wrongCodesPerClient": 3}})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000))})
	guesser := access.Caller{Client: "192.0.2.1"}
	item := []order.ItemInput{wants(s.card, 1)}
	operations := []func(code string) error{
		func(code string) error {
			verdict, err := s.Orders.VerifyCoupon(t.Context(), guesser, order.CouponInput{Code: code, Items: item})
			if err == nil && verdict.Reason != nil {
				return &fault.Error{Code: *verdict.Reason}
			}
			return err
		},
		func(code string) error {
			in := guestOrder(item...)
			in.CouponCode = &code
			_, err := s.Orders.QuoteOrder(t.Context(), guesser, in)
			return err
		},
		func(code string) error {
			in := guestOrder(item...)
			in.CouponCode = &code
			_, err := s.Orders.PlaceOrder(t.Context(), guesser, in, "")
			return err
		},
	}
	codes := make(chan fault.Code, 60)
	var wg sync.WaitGroup
	for i := range cap(codes) {
		wg.Go(func() { codes <- shoptest.ErrorCode(operations[i%len(operations)](fmt.Sprintf("GUESS-%d", i))) })
	}
	wg.Wait()
	close(codes)
	got := map[fault.Code]int{}
	for code := range codes {
		got[code]++
	}
	if want := map[fault.Code]int{fault.CodeCouponNotFound: 3, fault.CodeRateLimited: 57}; !maps.Equal(got, want) {
		t.Errorf("concurrent guesses: got %v, want %v", got, want)
	}
	for i, check := range operations {
		if err := check("TEN"); shoptest.ErrorCode(err) != fault.CodeRateLimited {
			t.Errorf("operation %d with the correct code: got %v, want rate_limited", i, err)
		}
	}
}
