package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
)

// discountsOf returns the automatic discounts as "title amount".
func discountsOf(discounts []order.AppliedDiscount) []string {
	texts := []string{}
	for _, d := range discounts {
		texts = append(texts, fmt.Sprintf("%s %d", d.Title, d.Amount.Amount))
	}
	return texts
}

func (s *orderShop) wantUses(t *testing.T, what, id string, used int, given int64) {
	t.Helper()
	got, err := s.Orders.FindCoupon(t.Context(), access.Operator(), id)
	if err != nil || got.Used != used || got.DiscountGiven != given || (got.LastUsedAt != nil) != (used > 0) {
		t.Errorf("%s: got %d uses of %d at %v, %v; want %d of %d", what, got.Used, got.DiscountGiven, got.LastUsedAt, err, used, given)
	}
}

// disable ends a discount.
func (s *orderShop) disable(t *testing.T, id string) {
	t.Helper()
	if _, err := s.Orders.DisableCoupon(t.Context(), access.Operator(), id); err != nil {
		t.Fatal(err)
	}
}

// Quotes, orders and coupon checks name the automatic discounts, and an order has those that its
// quote had.
func TestDiscounts_PlaceOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Title: "Two mugs, one card", Kind: order.CouponBuyGet, BasisPoints: new(int64(10_000)),
		BuyQuantity: new(int64(2)), GetQuantity: new(int64(1)), ProductIDs: []string{s.mug.Handle}, GetProductIDs: []string{s.card.Handle}})
	s.mustSaveCoupon(t, order.CouponSpec{Title: "Mugs for less", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)),
		CollectionIDs: []string{}, ProductIDs: []string{s.mug.Handle}})
	s.mustSaveCoupon(t, order.CouponSpec{Title: "Free delivery", Kind: order.CouponFreeDelivery, MinSubtotal: new(int64(1000_00))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000))})
	mug, card := s.mug.Variants[0].Price.Amount, s.card.Variants[0].Price.Amount
	in := guestOrder(wants(s.mug, 3), wants(s.card, 2))
	in.CouponCode = new("TEN")
	quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
	if err != nil {
		t.Fatal(err)
	}
	// The percentage on three mugs is more than a card, and leaves no mug for a set.
	want := []string{fmt.Sprintf("Mugs for less %d", mug*3/10), fmt.Sprintf("Free delivery %d", 70_00)}
	if card > mug*3/10 {
		t.Fatalf("a card costs %d, a mug %d", card, mug)
	}
	if diff := cmp.Diff(want, discountsOf(quote.Discounts)); diff != "" {
		t.Errorf("quote (-want +got):\n%s", diff)
	}
	placed := s.mustPlace(t, access.Caller{}, in)
	if diff := cmp.Diff(quote.Discounts, placed.Discounts); diff != "" || placed.Total != quote.Total {
		t.Errorf("got a total of %v, want %v; discounts (-quote +order):\n%s", placed.Total, quote.Total, diff)
	}
	checkAmounts(t, &placed.Order)
	rest := mug*3 + card*2 - mug*3/10
	if placed.Coupon.Discount.Amount != rest/10 {
		t.Errorf("got %d by the coupon, want a tenth of %d", placed.Coupon.Discount.Amount, rest)
	}
	verdict := s.verify(t, access.Caller{}, "TEN", in.Items...)
	if diff := cmp.Diff(want[:1], discountsOf(verdict.Discounts)); diff != "" || verdict.Discount != placed.Coupon.Discount {
		t.Errorf("got %v by the coupon; discounts of the check (-want +got):\n%s", verdict.Discount, diff)
	}
	s.checkBooks(t)
}

// A discount that ends between the quote and the order does not apply, and the error has the new
// amounts.
func TestDiscounts_EndBeforeOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	sale := s.mustSaveCoupon(t, order.CouponSpec{
		Title: "Sale", Kind: order.CouponPercentage, BasisPoints: new(int64(5000)), EndsAt: new(s.clock.Now().Add(time.Hour)),
	})
	in := guestOrder(wants(s.mug, 2))
	quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
	if err != nil || len(quote.Discounts) != 1 {
		t.Fatalf("got %+v, %v", quote, err)
	}
	in.ExpectedTotal = &quote.Total.Amount
	s.clock.Advance(time.Hour)
	_, err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	refused := shop.AsError(err)
	if refused.Code != fault.CodePriceChanged {
		t.Fatalf("got %v, want price_changed", err)
	}
	if diff := cmp.Diff([]order.AppliedDiscount{}, refused.Details["discounts"]); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	s.wantUses(t, "after the refusal", sale.ID, 0, 0)
	in.ExpectedTotal = nil
	if placed := s.mustPlace(t, access.Caller{}, in); len(placed.Discounts) != 0 {
		t.Errorf("got %v after the end", placed.Discounts)
	}
}

func TestDiscounts_ConcurrentLimits(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	few := s.mustSaveCoupon(t, order.CouponSpec{Title: "The first seven", Kind: order.CouponFixed, Amount: new(int64(10_00)), UsageLimit: new(int64(7)),
		ProductIDs: []string{s.card.ID}})
	once := s.mustSaveCoupon(t, order.CouponSpec{Title: "Once each", Kind: order.CouponFreeDelivery, CustomerLimit: new(int64(1))})
	raceOrders(t, 40, func(i int) fault.Code {
		in := guestOrder(wants(s.card, 1))
		in.Customer.PhoneNumber = new(fmt.Sprintf("017110000%02d", i%20))
		_, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
		return shoptest.ErrorCode(err)
	})
	orders := s.number(t, `SELECT COUNT(*) FROM orders`)
	buyers := s.number(t, `SELECT COUNT(DISTINCT customer_phone) FROM orders`)
	if orders <= buyers {
		t.Fatalf("got %d orders of %d buyers, want more orders", orders, buyers)
	}
	s.wantUses(t, "limit of all orders", few.ID, 7, 70_00)
	s.wantUses(t, "limit of each buyer", once.ID, int(buyers), 0)
	s.checkBooks(t)
}

// The uses of a discount are those of the orders that are not cancelled or expired: a cancelled
// order releases it, and undoing the cancellation reserves it again.
func TestDiscounts_Release(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	sale := s.mustSaveCoupon(t, order.CouponSpec{Title: "Sale", Kind: order.CouponFixed, Amount: new(int64(20_00)), UsageLimit: new(int64(1))})
	first := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	s.wantUses(t, "placed", sale.ID, 1, 20_00)
	if second := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))); len(second.Discounts) != 0 {
		t.Errorf("beyond the limit: got %v", second.Discounts)
	}
	if err := s.Orders.DeleteCoupon(t.Context(), access.Operator(), sale.ID, nil); shoptest.ErrorCode(err) != fault.CodeStateConflict {
		t.Errorf("delete a used discount: got %v", err)
	}
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{OrderToken: first.OrderToken}, first.ID, ""); err != nil {
		t.Fatal(err)
	}
	s.wantUses(t, "cancelled", sale.ID, 0, 0)
	third := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 2)))
	if diff := cmp.Diff([]string{"Sale 2000"}, discountsOf(third.Discounts)); diff != "" {
		t.Errorf("after the release (-want +got):\n%s", diff)
	}
	s.clock.Advance(73 * time.Hour)
	s.expire(t)
	s.wantUses(t, "expired", sale.ID, 0, 0)
	s.checkBooks(t)
}

// An order retains its discounts: an edit after the end of a discount, or of its rules, prices
// the order by the rules that it was placed with. Others get nothing.
func TestDiscounts_EditOrder(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	sale := s.mustSaveCoupon(t, order.CouponSpec{Title: "Sale", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)),
		ProductIDs: []string{s.mug.ID}})
	mug := s.mug.Variants[0].Price.Amount
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	later := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	_, err := s.Orders.UpdateCoupon(t.Context(), access.Operator(), sale.ID, order.CouponChange{
		BasisPoints: new(new(int64(1))), ProductIDs: []string{s.shirt.ID}, Title: new("Changed"), UsageLimit: new(new(int64(1))),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.disable(t, sale.ID)
	edited := s.mustEdit(t, placed.ID, order.Edit{Items: &[]order.StaffItemInput{{VariantID: s.mug.Variants[0].ID, Quantity: 3}}})
	if diff := cmp.Diff([]string{fmt.Sprintf("Sale %d", mug*3/10)}, discountsOf(edited.Discounts)); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	checkAmounts(t, &edited.Order)
	s.wantUses(t, "edited", sale.ID, 1, mug*3/10)
	other := s.mustEdit(t, later.ID, order.Edit{Items: &[]order.StaffItemInput{{VariantID: s.mug.Variants[0].ID, Quantity: 1}}})
	if len(other.Discounts) != 0 {
		t.Errorf("an order without the discount: got %v", other.Discounts)
	}
	without := s.mustEdit(t, placed.ID, order.Edit{Items: &[]order.StaffItemInput{{VariantID: s.card.Variants[0].ID, Quantity: 1}}})
	if len(without.Discounts) != 0 {
		t.Errorf("without the product: got %v", without.Discounts)
	}
	s.wantUses(t, "without the product", sale.ID, 0, 0)
	s.checkBooks(t)
}

// A merged order can retain the discounts of both orders, and an order that replaces another can
// use the last use of a discount that the other one holds.
func TestDiscounts_MergeAndReplace(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	sale := s.mustSaveCoupon(t, order.CouponSpec{
		Title: "Sale", Kind: order.CouponFixed, Amount: new(int64(30_00)), UsageLimit: new(int64(1)), ProductIDs: []string{s.mug.ID},
	})
	first, second := guestOrder(wants(s.card, 1)), guestOrder(wants(s.mug, 1))
	into, from := s.mustPlace(t, access.Caller{}, first), s.mustPlace(t, access.Caller{}, second)
	s.disable(t, sale.ID)
	merged, err := s.Orders.MergeOrders(t.Context(), access.Operator(), into.ID, order.MergeInput{OrderID: from.ID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Sale 3000"}, discountsOf(merged.Discounts)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	s.wantUses(t, "merged", sale.ID, 1, 30_00)
	s.checkBooks(t)

	online := guestOrder(wants(s.shirt, 1))
	online.Items[0].VariantID = &s.shirt.Variants[0].ID
	last := s.mustSaveCoupon(t, order.CouponSpec{
		Title: "Last one", Kind: order.CouponFixed, Amount: new(int64(5_00)), CustomerLimit: new(int64(1)), UsageLimit: new(int64(1)),
	})
	replaced := s.mustPlace(t, access.Caller{}, online)
	online.ReplacesOrderID = &replaced.ID
	again := s.mustPlace(t, access.Caller{OrderToken: replaced.OrderToken}, online)
	if diff := cmp.Diff([]string{"Last one 500"}, discountsOf(again.Discounts)); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	s.wantUses(t, "replaced", last.ID, 1, 5_00)
	s.checkBooks(t)
}

func TestSaveCoupon_Automatic(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for name, tc := range map[string]struct {
		spec order.CouponSpec
		want []string // fields
	}{
		"neither a code nor a title": {order.CouponSpec{Kind: order.CouponFreeDelivery}, []string{"code: required"}},
		"both":                       {order.CouponSpec{Code: "A", Title: "A", Kind: order.CouponFreeDelivery}, []string{"title: invalid_value"}},
		"sets with a code": {order.CouponSpec{Code: "A", Kind: order.CouponBuyGet, BasisPoints: new(int64(1)),
			BuyQuantity: new(int64(1)), GetQuantity: new(int64(1))}, []string{"kind: invalid_value"}},
		"sets without quantities": {order.CouponSpec{Title: "A", Kind: order.CouponBuyGet, BasisPoints: new(int64(1)), GetQuantity: new(int64(1))},
			[]string{"buyQuantity: required"}},
		"units to get of a percentage": {order.CouponSpec{Title: "A", Kind: order.CouponPercentage, BasisPoints: new(int64(1)),
			GetProductIDs: []string{s.mug.ID}}, []string{"getProductIds: invalid_value"}},
		"too many units": {order.CouponSpec{Title: "A", Kind: order.CouponBuyGet, BasisPoints: new(int64(1)),
			BuyQuantity: new(int64(101)), GetQuantity: new(int64(1))}, []string{"buyQuantity: invalid_value"}},
	} {
		_, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), tc.spec)
		if diff := cmp.Diff(tc.want, fieldsOf(err)); diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	saved := s.mustSaveCoupon(t, order.CouponSpec{Title: " Eid  offer ", Kind: order.CouponBuyGet, BasisPoints: new(int64(5000)),
		BuyQuantity: new(int64(2)), GetQuantity: new(int64(1)), ProductIDs: []string{s.mug.Handle}, GetProductIDs: []string{s.card.Handle}})
	found, err := s.Orders.FindCoupon(t.Context(), access.Operator(), saved.ID)
	if err != nil || found.Title != "Eid offer" || !cmp.Equal(found.GetProducts, []string{s.card.Handle}) {
		t.Errorf("got %+v, %v", found, err)
	}
	if diff := cmp.Diff(saved, found); diff != "" {
		t.Errorf("saved and found (-saved +found):\n%s", diff)
	}
	free := s.mustSaveCoupon(t, order.CouponSpec{Title: "Free delivery", Kind: order.CouponFreeDelivery})
	_, err = s.Orders.UpdateCoupon(t.Context(), access.Operator(), free.ID, order.CouponChange{Code: new("EID"), Title: new("")})
	if diff := cmp.Diff([]string{"code: invalid_value"}, fieldsOf(err)); diff != "" {
		t.Errorf("a code for it: %v (-want +got):\n%s", err, diff)
	}
	for range 48 {
		s.mustSaveCoupon(t, order.CouponSpec{Title: "More", Kind: order.CouponFreeDelivery})
	}
	spec := order.CouponSpec{Title: "Too many", Kind: order.CouponFreeDelivery}
	off, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), spec)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Orders.EnableCoupon(t.Context(), access.Operator(), off.ID)
	if diff := cmp.Diff([]string{"active: invalid_value"}, fieldsOf(err)); diff != "" {
		t.Errorf("the 51st: %v (-want +got):\n%s", err, diff)
	}
}

// A discount for signed-in customers applies to their orders alone, and its uses count by account.
func TestDiscounts_SignedIn(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Title: "Members", Kind: order.CouponFixed, Amount: new(int64(5_00)),
		RequiresLogin: true, CustomerLimit: new(int64(1))})
	karim := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	for i, want := range []int{1, 0} {
		in := guestOrder(wants(s.mug, 1))
		in.Customer = nil
		if placed := s.mustPlace(t, karim, in); len(placed.Discounts) != want {
			t.Errorf("order %d: got %v, want %d", i, placed.Discounts, want)
		}
	}
	if placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))); len(placed.Discounts) != 0 {
		t.Errorf("a guest: got %v", placed.Discounts)
	}
	s.checkBooks(t)
}

// The report by discount counts an order for each of its discounts, and others in a row of their
// own.
func TestReportSales_ByDiscount(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	off := s.mustSaveCoupon(t, order.CouponSpec{Title: "Off", Kind: order.CouponFixed, Amount: new(int64(10_00)), ProductIDs: []string{s.mug.ID}})
	free := s.mustSaveCoupon(t, order.CouponSpec{Title: "Free", Kind: order.CouponFreeDelivery, ProductIDs: []string{s.mug.ID}})
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	report, err := s.ReportSales(t.Context(), access.Operator(), sales.Filter{By: sales.ByDiscount})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, row := range report.Rows {
		got[row.Key+" "+row.Name] = row.Sales.Amount
	}
	goods := placed.Subtotal.Amount - placed.Discount.Amount
	want := map[string]int64{off.ID + " Off": goods, free.ID + " Free": goods, " ": s.card.Variants[0].Price.Amount}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sales (-want +got):\n%s", diff)
	}
}
