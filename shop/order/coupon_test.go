package order_test

import (
	"fmt"
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
	drinks := catalogue.CollectionInput{Handle: "drinks", Title: "Drinks"}
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), drinks, nil); err != nil {
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
	drinks := catalogue.CollectionInput{Handle: "drinks", Title: "Drinks"}
	if _, err := s.Catalogue.SaveCollection(t.Context(), access.Operator(), drinks, nil); err != nil {
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
		"disabled": {order.CouponFilter{Active: page.Some(false)}, []string{"EID20"}, 1},
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

func TestEnableCoupon_Unknown(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	_, err := a.Orders.EnableCoupon(t.Context(), access.Operator(), "NONE")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.Orders.DisableCoupon(t.Context(), access.Operator(), "NONE")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	shoptest.WantCode(t, a.Orders.DeleteCoupon(t.Context(), access.Operator(), "NONE", nil), fault.CodeNotFound)
}
