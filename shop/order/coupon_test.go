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
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// verify returns the result of checking a coupon for a cart.
func (s *orderShop) verify(tb testing.TB, caller access.Caller, code string, items ...order.ItemInput) *order.CouponResult {
	tb.Helper()
	verdict, err := s.Orders.VerifyCoupon(tb.Context(), caller, order.CouponInput{Code: code, Items: items})
	if err != nil {
		tb.Fatalf("verify %s: %v", code, err)
	}
	return verdict
}

// TestCoupons checks that verifying, quoting and placing agree.
func TestCoupons(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Handle: "drinks", Title: "Drinks"}); err != nil {
		t.Fatal(err)
	}
	tea := s.sell(t, catalogue.ProductInput{Title: "Tea", Collections: []string{"drinks"}, Variants: []catalogue.VariantInput{{Price: 200_00}}})
	now := s.clock.Now()
	caller := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})

	percentage := func(code string, change func(*order.CouponSpec)) {
		spec := order.CouponSpec{Code: code, Kind: order.CouponPercentage, BasisPoints: new(int64(1000))}
		change(&spec)
		s.mustSaveCoupon(t, spec)
	}
	percentage("TEN", func(*order.CouponSpec) {})
	percentage("CAPPED", func(c *order.CouponSpec) { c.MaxDiscount = new(int64(20_00)) })
	percentage("LATER", func(c *order.CouponSpec) { c.StartsAt = new(now.Add(time.Hour)) })
	percentage("OVER", func(c *order.CouponSpec) { c.EndsAt = &now })
	percentage("MEMBERS", func(c *order.CouponSpec) { c.RequiresLogin = true })
	percentage("BIG", func(c *order.CouponSpec) { c.MinSubtotal = new(int64(700_00)) })
	percentage("MUGS", func(c *order.CouponSpec) { c.ProductIDs = []string{"mug"} })
	percentage("DRINKS", func(c *order.CouponSpec) { c.CollectionIDs = []string{"drinks"} })
	percentage("LAMPS", func(c *order.CouponSpec) { c.ProductIDs = []string{"lamp"} })
	percentage("GONE", func(c *order.CouponSpec) { c.UsageLimit = new(int64(1)) })
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TAKA50", Kind: order.CouponFixed, Amount: new(int64(50_00))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "FREESHIP", Kind: order.CouponFreeDelivery})
	if _, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), order.CouponSpec{Code: "OFF", Kind: order.CouponFreeDelivery}); err != nil {
		t.Fatal(err)
	}
	last := guestOrder(wants(s.card, 1))
	last.CouponCode = new("GONE")
	s.mustPlace(t, access.Caller{}, last)

	const subtotal = 450_00 + 200_00
	for _, tc := range []struct {
		code     string
		caller   access.Caller
		refused  fault.Code
		discount int64
		delivery int64
	}{
		{code: "TEN", discount: 65_00, delivery: 70_00},
		{code: " ten ", discount: 65_00, delivery: 70_00},
		{code: "CAPPED", discount: 20_00, delivery: 70_00},
		{code: "TAKA50", discount: 50_00, delivery: 70_00},
		{code: "FREESHIP", discount: 0, delivery: 0},
		{code: "MUGS", discount: 45_00, delivery: 70_00},
		{code: "DRINKS", discount: 20_00, delivery: 70_00},
		{code: "MEMBERS", caller: caller, discount: 65_00, delivery: 70_00},
		{code: "NOPE", refused: fault.CodeCouponNotFound},
		{code: "' OR 1=1 --", refused: fault.CodeCouponNotFound},
		{code: "OFF", refused: fault.CodeCouponInactive},
		{code: "LATER", refused: fault.CodeCouponNotStarted},
		{code: "OVER", refused: fault.CodeCouponExpired},
		{code: "MEMBERS", refused: fault.CodeCouponRequiresLogin},
		{code: "BIG", refused: fault.CodeCouponMinSubtotal},
		{code: "LAMPS", refused: fault.CodeCouponNotApplicable},
		{code: "GONE", refused: fault.CodeCouponUsageLimit},
	} {
		t.Run(fmt.Sprintf("%s signed in %t", tc.code, tc.caller.Bearer != ""), func(t *testing.T) {
			t.Parallel()
			in := guestOrder(wants(s.mug, 1), wants(tea, 1))
			in.CouponCode = &tc.code
			verdict := s.verify(t, tc.caller, tc.code, in.Items...)
			quote, quoteErr := s.Orders.QuoteOrder(t.Context(), tc.caller, in)
			order, placeErr := s.Orders.PlaceOrder(t.Context(), tc.caller, in, "")
			if tc.refused != "" {
				if verdict.Valid || verdict.Reason == nil || *verdict.Reason != tc.refused || verdict.Message == "" ||
					verdict.Discount.Amount != 0 || verdict.Total.Amount != subtotal {
					t.Errorf("got result %+v", verdict)
				}
				for _, err := range []error{quoteErr, placeErr} {
					if shoptest.ErrorCode(err) != tc.refused || shop.AsError(err).Message != verdict.Message {
						t.Errorf("got %v, want %s", err, tc.refused)
					}
				}
				return
			}
			if quoteErr != nil || placeErr != nil {
				t.Fatal(quoteErr, placeErr)
			}
			if !verdict.Valid || verdict.Reason != nil || verdict.Subtotal.Amount != subtotal || verdict.Total.Amount != subtotal-tc.discount {
				t.Errorf("got result %+v", verdict)
			}
			want := [2]int64{tc.discount, tc.delivery}
			for what, got := range map[string][2]int64{
				"verdict": {verdict.Discount.Amount, tc.delivery},
				"quote":   {quote.Discount.Amount, quote.DeliveryCharge.Amount},
				"order":   {order.Discount.Amount, order.DeliveryCharge.Amount},
			} {
				if got != want {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
		})
	}
	t.Cleanup(func() { s.checkBooks(t) })
}

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

func TestVerifyCoupon_InvalidInput(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, tc := range map[string]struct {
		caller access.Caller
		in     order.CouponInput
		code   fault.Code
	}{
		"no code":  {in: order.CouponInput{Code: " ", Items: []order.ItemInput{wants(s.mug, 1)}}, code: fault.CodeValidationFailed},
		"no items": {in: order.CouponInput{Code: "X"}, code: fault.CodeValidationFailed},
		"unknown product": {in: order.CouponInput{Code: "X", Items: []order.ItemInput{{ProductID: "nope", Quantity: 1}}},
			code: fault.CodeValidationFailed},
		"bad token": {caller: access.Caller{Bearer: "x"}, in: order.CouponInput{Code: "X", Items: []order.ItemInput{wants(s.mug, 1)}},
			code: fault.CodeTokenInvalid},
	} {
		if _, err := s.Orders.VerifyCoupon(t.Context(), tc.caller, tc.in); shoptest.ErrorCode(err) != tc.code {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if verdict := s.verify(t, access.Caller{}, "X", wants(s.mug, 11)); verdict.Subtotal.Amount != 11*450_00 {
		t.Errorf("more than the stock: got %+v, want it priced", verdict)
	}
}

func TestSaveCoupon(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), catalogue.CollectionInput{Handle: "drinks", Title: "Drinks"}); err != nil {
		t.Fatal(err)
	}
	spec := order.CouponSpec{
		Code: "Eid 25", Kind: order.CouponPercentage, BasisPoints: new(int64(2500)), MaxDiscount: new(int64(500_00)),
		MinSubtotal: new(int64(100_00)), StartsAt: new(s.clock.Now()), EndsAt: new(s.clock.Now().Add(time.Hour)),
		UsageLimit: new(int64(10)), CustomerLimit: new(int64(2)), RequiresLogin: true,
		ProductIDs: []string{"mug", "lamp"}, CollectionIDs: []string{"drinks"},
	}
	first := s.mustSaveCoupon(t, spec)
	version, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	again := s.mustSaveCoupon(t, spec)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("coupon (-saved +saved again):\n%s", diff)
	}
	if now, err := s.Version(t.Context()); err != nil || now != version {
		t.Errorf("saving the coupon again: got version %d, want %d; error %v", now, version, err)
	}
	list, err := listCoupons(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]order.Coupon{*first}, list); diff != "" {
		t.Error(diff)
	}

	spec.Code, spec.CollectionIDs, spec.MaxDiscount = "EID 25", nil, nil
	changed := s.mustSaveCoupon(t, spec)
	if changed.ID != first.ID || changed.Code != "EID 25" || len(changed.Collections) != 0 || changed.MaxDiscount != nil ||
		!changed.UpdatedAt.After(first.UpdatedAt) {
		t.Errorf("got changed coupon %+v", changed)
	}
	if list, err = listCoupons(t, s); err != nil || cmp.Diff([]order.Coupon{*changed}, list) != "" {
		t.Errorf("got list %+v, %v", list, err)
	}
}

func TestSaveCoupon_InvalidInput(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "USED", Kind: order.CouponFreeDelivery})
	for range 2 {
		in := guestOrder(wants(s.card, 1))
		in.CouponCode = new("USED")
		s.mustPlace(t, access.Caller{}, in)
	}
	now := s.clock.Now()
	for field, spec := range map[string]order.CouponSpec{
		"code":             {Kind: order.CouponFreeDelivery},
		"kind":             {Code: "A", Kind: "gift"},
		"basisPoints":      {Code: "A", Kind: order.CouponPercentage, BasisPoints: new(int64(10_001))},
		"amount":           {Code: "A", Kind: order.CouponFixed},
		"maxDiscount":      {Code: "A", Kind: order.CouponFixed, Amount: new(int64(1)), MaxDiscount: new(int64(1))},
		"minSubtotal":      {Code: "A", Kind: order.CouponFreeDelivery, MinSubtotal: new(int64(-1))},
		"customerLimit":    {Code: "A", Kind: order.CouponFreeDelivery, CustomerLimit: new(int64(0))},
		"endsAt":           {Code: "A", Kind: order.CouponFreeDelivery, StartsAt: &now, EndsAt: &now},
		"productIds[1]":    {Code: "A", Kind: order.CouponFreeDelivery, ProductIDs: []string{"mug", "nope"}},
		"collectionIds[0]": {Code: "A", Kind: order.CouponFreeDelivery, CollectionIDs: []string{"nope"}},
		"usageLimit":       {Code: "used", Kind: order.CouponFreeDelivery, UsageLimit: new(int64(1))},
	} {
		_, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), spec)
		if shoptest.ErrorCode(err) != fault.CodeValidationFailed || shop.AsError(err).Fields[0].Field != field {
			t.Errorf("%s: got %v, fields %v", field, err, fieldsOf(err))
		}
	}
	if n := s.number(t, `SELECT COUNT(*) FROM coupons`); n != 1 {
		t.Errorf("got %d coupons", n)
	}
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

// TestCoupons_ScopeDeleted checks that a coupon whose scope is deleted does not apply to all
// products.
func TestCoupons_ScopeDeleted(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	spec := order.CouponSpec{Code: "MUGS", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), ProductIDs: []string{"mug"}}
	s.mustSaveCoupon(t, spec)
	s.exec(t, `DELETE FROM products WHERE id = ?`, s.mug.ID)
	if v := s.verify(t, access.Caller{}, "MUGS", wants(s.card, 1)); v.Valid || *v.Reason != fault.CodeCouponNotApplicable {
		t.Errorf("after deletion of its product: got %+v, want coupon_not_applicable", v)
	}
	if changed, err := s.Orders.UpdateCoupon(t.Context(), access.Operator(), "MUGS", order.CouponChange{
		BasisPoints: new(new(int64(2000))), CollectionIDs: []string{},
	}); err != nil || !changed.Scoped {
		t.Errorf("after a change of another rule: got %+v, %v, want a coupon for nothing", changed, err)
	}
	spec.ProductIDs = nil
	if coupon := s.mustSaveCoupon(t, spec); coupon.Scoped {
		t.Errorf("got %+v, want a coupon for all products", coupon)
	}
	if v := s.verify(t, access.Caller{}, "MUGS", wants(s.card, 1)); !v.Valid {
		t.Errorf("got %+v, want a valid coupon", v)
	}
}

func TestDisableCoupon(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "Ten", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), ProductIDs: []string{"mug"}})
	for range 2 {
		coupon, err := s.Orders.DisableCoupon(t.Context(), access.Operator(), " ten ")
		if err != nil || coupon.Active || !coupon.Scoped || len(coupon.Products) != 1 {
			t.Errorf("disabled: got %+v, %v", coupon, err)
		}
	}
	if v := s.verify(t, access.Caller{}, "TEN", wants(s.mug, 1)); v.Valid || *v.Reason != fault.CodeCouponInactive {
		t.Errorf("disabled coupon: got %+v, want coupon_inactive", v)
	}
	if _, err := s.Orders.DisableCoupon(t.Context(), access.Operator(), "NOPE"); shoptest.ErrorCode(err) != fault.CodeNotFound {
		t.Errorf("unknown code: got %v, want not_found", err)
	}
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

// listCoupons returns all coupons of a shop.
func listCoupons(tb testing.TB, s *orderShop) ([]order.Coupon, error) {
	tb.Helper()
	list, err := s.Orders.ListCoupons(tb.Context(), access.Operator(), order.CouponFilter{})
	if err != nil {
		return nil, err
	}
	return list.Nodes, nil
}

func TestListCoupons_Filter(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for _, code := range []string{"EID10", "EID20", "PUJA", "eidul"} {
		s.mustSaveCoupon(t, order.CouponSpec{Code: code, Kind: order.CouponFreeDelivery})
	}
	if _, err := s.Orders.DisableCoupon(t.Context(), access.Operator(), "EID20"); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		filter order.CouponFilter
		want   []string
		total  int
	}{
		"all":      {order.CouponFilter{}, []string{"EID10", "EID20", "eidul", "PUJA"}, 4},
		"page":     {order.CouponFilter{Request: page.Request{Page: new(2), Limit: new(3)}}, []string{"PUJA"}, 4},
		"search":   {order.CouponFilter{Search: "Eid"}, []string{"EID10", "EID20", "eidul"}, 3},
		"disabled": {order.CouponFilter{Active: new(false)}, []string{"EID20"}, 1},
		"none":     {order.CouponFilter{Search: "id"}, nil, 0},
	} {
		list, err := s.Orders.ListCoupons(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, coupon := range list.Nodes {
			codes = append(codes, coupon.Code)
		}
		if diff := cmp.Diff(tc.want, codes); diff != "" || list.Meta.TotalCount != tc.total {
			t.Errorf("%s: got total %d, coupons (-want +got):\n%s", name, list.Meta.TotalCount, diff)
		}
	}
}
