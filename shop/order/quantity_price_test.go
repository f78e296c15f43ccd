package order_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// newPriceShop returns a shop that also sells a panjabi of ৳600 in the sizes M and L, two for
// ৳1,100 and three for ৳1,500.
func newPriceShop(t *testing.T) (s *orderShop, panjabi catalogue.Product) {
	t.Helper()
	s = newOrderShop(t, nil)
	panjabi = s.sell(t, catalogue.ProductInput{
		Title: "Panjabi", Options: []string{"Size"},
		Variants: []catalogue.VariantInput{
			{Options: []string{"M"}, Price: 600_00, Tracked: true, Stock: new(50)},
			{Options: []string{"L"}, Price: 600_00, Tracked: true, Stock: new(50)},
		},
		QuantityPrices: catalogue.QuantityPrices{{Quantity: 2, Price: 1100_00}, {Quantity: 3, Price: 1500_00}},
	})
	return s, panjabi
}

func (s *orderShop) setQuantityPrices(t *testing.T, p catalogue.Product, prices catalogue.QuantityPrices) {
	t.Helper()
	_, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), p.ID, catalogue.ProductChange{QuantityPrices: prices})
	if err != nil {
		t.Fatal(err)
	}
}

// goods are the amounts of an order without its delivery.
type goods struct {
	subtotal, quantityDiscount, discount, total int64
	lines                                       []int64
}

func goodsOf(o *order.Order) goods {
	g := goods{o.Subtotal.Amount, o.QuantityDiscount.Amount, o.Discount.Amount, o.Total.Amount - o.DeliveryCharge.Amount, nil}
	for _, item := range o.Items {
		g.lines = append(g.lines, item.Total.Amount)
	}
	return g
}

func (g goods) check(t *testing.T, what string, o *order.Order) {
	t.Helper()
	if diff := cmp.Diff(g, goodsOf(o), cmp.AllowUnexported(goods{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	checkAmounts(t, o)
}

// A quote and an order cost the cheapest combination of quantity prices, for all variants of a
// product together, however a buyer lists the units.
func TestQuantityPrices_PlaceOrder(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	for name, tc := range map[string]struct {
		items []order.ItemInput
		want  goods
	}{
		"one": {[]order.ItemInput{wantsVariant(panjabi, 0, 1)}, goods{600_00, 0, 0, 600_00, []int64{600_00}}},
		"two": {[]order.ItemInput{wantsVariant(panjabi, 0, 2)}, goods{1200_00, 100_00, 100_00, 1100_00, []int64{1100_00}}},
		"two in two sizes": {[]order.ItemInput{wantsVariant(panjabi, 0, 1), wantsVariant(panjabi, 1, 1)},
			goods{1200_00, 100_00, 100_00, 1100_00, []int64{550_00, 550_00}}},
		"one size in two lines": {[]order.ItemInput{wantsVariant(panjabi, 0, 1), wantsVariant(panjabi, 0, 1)},
			goods{1200_00, 100_00, 100_00, 1100_00, []int64{1100_00}}},
		"four": {[]order.ItemInput{wantsVariant(panjabi, 0, 4)}, goods{2400_00, 300_00, 300_00, 2100_00, []int64{2100_00}}},
		"beside another product": {[]order.ItemInput{wants(s.mug, 2), wantsVariant(panjabi, 1, 3)},
			goods{2700_00, 300_00, 300_00, 2400_00, []int64{900_00, 1500_00}}},
	} {
		in := guestOrder(tc.items...)
		quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
		if err != nil {
			t.Fatal(err)
		}
		placed := s.mustPlace(t, access.Caller{}, in)
		tc.want.check(t, name, &placed.Order)
		if diff := cmp.Diff(placed.Items, quote.Items); diff != "" || quote.Total != placed.Total ||
			quote.QuantityDiscount != placed.QuantityDiscount {
			t.Errorf("%s: got quote of %v, %v, want the order's amounts %s", name, quote.Total, quote.QuantityDiscount, diff)
		}
	}
	s.checkBooks(t)
}

// A price of several units that is not a multiple of them is exact.
func TestQuantityPrices_Exact(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{{Quantity: 3, Price: 1000_00}})
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 1), wantsVariant(panjabi, 1, 2)))
	goods{1800_00, 800_00, 800_00, 1000_00, []int64{333_33, 666_67}}.check(t, "three", &placed.Order)
	s.checkBooks(t)
}

// A coupon applies to what the items cost at their quantity prices, and has its own discount.
func TestQuantityPrices_Coupon(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), MinSubtotal: new(int64(1100_00))})
	in := guestOrder(wantsVariant(panjabi, 0, 2))
	in.CouponCode = new("TEN")
	placed := s.mustPlace(t, access.Caller{}, in)
	goods{1200_00, 100_00, 210_00, 990_00, []int64{990_00}}.check(t, "with a coupon", &placed.Order)
	if placed.Coupon.Discount.Amount != 110_00 {
		t.Errorf("got coupon discount %d, want 11000", placed.Coupon.Discount.Amount)
	}
	check := s.verify(t, access.Caller{}, "TEN", in.Items...)
	if !check.Valid || check.Subtotal.Amount != 1100_00 || check.Discount.Amount != 110_00 || check.Total.Amount != 990_00 {
		t.Errorf("got %+v, want 110000 - 11000 = 99000", check)
	}
	s.exec(t, `UPDATE coupons SET min_subtotal = 110001`)
	if check := s.verify(t, access.Caller{}, "TEN", in.Items...); check.Valid || *check.Reason != fault.CodeCouponMinSubtotal {
		t.Errorf("got %+v, want %s: the minimum is not met at quantity prices", check, fault.CodeCouponMinSubtotal)
	}
	s.checkBooks(t)
}

// An order at a quantity price that has changed since the quote is refused with the new total.
func TestQuantityPrices_Changed(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	in := guestOrder(wantsVariant(panjabi, 0, 2))
	quote, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, in)
	if err != nil {
		t.Fatal(err)
	}
	in.ExpectedTotal = &quote.Total.Amount
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{{Quantity: 2, Price: 1150_00}})
	_, err = s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	shoptest.WantCode(t, err, fault.CodePriceChanged)
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{{Quantity: 2, Price: 1100_00}})
	s.mustPlace(t, access.Caller{}, in)
}

// A sale that is cheaper than a quantity price wins.
func TestQuantityPrices_Sale(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	_, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), panjabi.ID, catalogue.ProductChange{
		Reprice: &catalogue.PriceChange{Amount: -100_00, CompareAt: catalogue.CompareAtSet},
	})
	if err != nil {
		t.Fatal(err)
	}
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 2)))
	goods{1000_00, 0, 0, 1000_00, []int64{1000_00}}.check(t, "on sale", &placed.Order)
}

// An edited order retains the quantity prices at which it was placed, and applies them to its new
// units. A price of staff applies instead.
func TestQuantityPrices_EditOrder(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 1)))
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{})
	two := []order.StaffItemInput{item(panjabi.Variants[0].ID, 2)}
	edited := s.mustEdit(t, placed.ID, order.Edit{Items: &two})
	goods{1200_00, 100_00, 100_00, 1100_00, []int64{1100_00}}.check(t, "two", &edited.Order)
	edited = s.mustEdit(t, placed.ID, order.Edit{StaffDiscount: &order.StaffDiscount{Amount: 50_00, Reason: "Regular"}})
	goods{1200_00, 100_00, 150_00, 1050_00, []int64{1050_00}}.check(t, "with a discount of staff", &edited.Order)
	two[0].UnitPrice = new(int64(580_00))
	edited = s.mustEdit(t, placed.ID, order.Edit{Items: &two, StaffDiscount: &order.StaffDiscount{}})
	goods{1160_00, 0, 0, 1160_00, []int64{1160_00}}.check(t, "at a price of staff", &edited.Order)
	edited = s.mustEdit(t, placed.ID, order.Edit{DeliveryCharge: new(int64(0))})
	goods{1160_00, 0, 0, 1160_00, []int64{1160_00}}.check(t, "after another edit", &edited.Order)
	three := []order.StaffItemInput{item(panjabi.Variants[0].ID, 1), item(panjabi.Variants[1].ID, 2)}
	edited = s.mustEdit(t, placed.ID, order.Edit{Items: &three})
	goods{1780_00, 0, 0, 1780_00, []int64{580_00, 1200_00}}.check(t, "with a line at the present price", &edited.Order)
	s.checkBooks(t)
}

// Staff quote and place orders at quantity prices, unless they set a price.
func TestQuantityPrices_PlaceOrderAsStaff(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	buyer := guestOrder()
	in := order.StaffInput{
		Items: []order.StaffItemInput{item(panjabi.Variants[0].ID, 1), item(panjabi.Variants[1].ID, 1)}, Source: status.SourcePhone,
		ShippingAddress: buyer.ShippingAddress, Customer: buyer.Customer,
	}
	for _, step := range []struct {
		unitPrice *int64
		want      goods
	}{
		{nil, goods{1200_00, 100_00, 100_00, 1100_00, []int64{550_00, 550_00}}},
		{new(int64(700_00)), goods{1300_00, 0, 0, 1300_00, []int64{700_00, 600_00}}},
	} {
		in.Items[0].UnitPrice = step.unitPrice
		preview, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), in, true)
		if err != nil {
			t.Fatal(err)
		}
		placed, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), in, false)
		if err != nil {
			t.Fatal(err)
		}
		step.want.check(t, "by staff", &placed.Order.Order)
		if preview.Quote.Total != placed.Order.Total || preview.Quote.QuantityDiscount != placed.Order.QuantityDiscount {
			t.Errorf("got quote %+v, want the order's amounts", preview.Quote)
		}
	}
	s.checkBooks(t)
}

// Merged orders have the quantity prices of both for their units together.
func TestQuantityPrices_MergeOrders(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	first := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 1)))
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{{Quantity: 2, Price: 1080_00}})
	other := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 1), wantsVariant(panjabi, 1, 1)))
	merged, err := s.merge(t, first.ID, other.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	goods{1800_00, 300_00, 300_00, 1500_00, []int64{1000_00, 500_00}}.check(t, "merged", &merged.Order)
	s.checkBooks(t)
}

// Units that come back are credited with their share of what was paid, all of them with the whole.
func TestQuantityPrices_Returned(t *testing.T) {
	t.Parallel()
	s, panjabi := newPriceShop(t)
	s.setQuantityPrices(t, panjabi, catalogue.QuantityPrices{{Quantity: 3, Price: 1000_00}})
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wantsVariant(panjabi, 0, 3)))
	mustShip(t, s.Orders, placed.ID, plugin.CourierA, "C-1")
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), placed.ID, nil); err != nil {
		t.Fatal(err)
	}
	for i, back := range []int64{333_33, 666_66, 1000_00} {
		refunded, err := s.Orders.MarkCashRefunded(t.Context(), access.Operator(), placed.ID, order.RefundInput{
			Items: []order.RefundItem{{VariantID: panjabi.Variants[0].ID, Quantity: 1, Restock: 1}}, ConfirmDuplicate: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		if refunded.ReturnedAmount.Amount != back {
			t.Errorf("after %d units: got %d returned, want %d", i+1, refunded.ReturnedAmount.Amount, back)
		}
		checkAmounts(t, refunded)
	}
	s.checkBooks(t)
}
