package order_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// item returns an item that staff name by variant.
func item(id string, quantity int) order.StaffItemInput {
	return order.StaffItemInput{VariantID: id, Quantity: quantity}
}

func (s *orderShop) mustEdit(t *testing.T, uid string, edit order.Edit) *order.Edited {
	t.Helper()
	edited, err := s.Orders.EditOrder(t.Context(), access.Operator(), uid, edit)
	if err != nil {
		t.Fatalf("edit order: %v", err)
	}
	return edited
}

// An edited order has its new lines and amounts, its stock by the difference, and one entry in the
// buyer's timeline. A dry run returns the same and changes nothing.
func TestEditOrder_Items(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 2)))
	items := []order.StaffItemInput{item(s.mug.Variants[0].ID, 3), item(s.card.Variants[0].ID, 1)}
	edit := order.Edit{Items: &items, StaffDiscount: &order.StaffDiscount{Amount: 50_00, Reason: "Regular"}}
	edit.DryRun = true
	preview := s.mustEdit(t, placed.ID, edit)
	if got, want := preview.Total.Amount, int64(3*450_00+100_00-50_00+70_00); got != want {
		t.Errorf("dry run: got total %d, want %d", got, want)
	}
	if got := s.stock(t, s.mug, 0); got != 8 {
		t.Errorf("stock after the dry run: got %d, want 8", got)
	}
	edit.DryRun = false
	s.mustEdit(t, placed.ID, edit)
	bought, err := s.Orders.FindOrder(t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID)
	if err != nil {
		t.Fatal(err)
	}
	if bought.Total != preview.Total || bought.Discount.Amount != 50_00 || len(bought.Items) != 2 || s.stock(t, s.mug, 0) != 7 {
		t.Errorf("got %+v, stock %d, want what the dry run returned, stock 7", bought, s.stock(t, s.mug, 0))
	}
	last := bought.Timeline[len(bought.Timeline)-1]
	if last.Type != order.TimelineEdited || last.Message != "The shop changed the order." || last.Cause != order.ByStaff {
		t.Errorf("got last entry %+v, want the change by staff", last)
	}
	one := []order.StaffItemInput{item(s.mug.Variants[0].ID, 1)}
	s.mustEdit(t, placed.ID, order.Edit{Items: &one, StaffDiscount: &order.StaffDiscount{}})
	if got := s.stock(t, s.mug, 0); got != 9 {
		t.Errorf("stock after fewer: got %d, want 9", got)
	}
	many := []order.StaffItemInput{item(s.mug.Variants[0].ID, 11)}
	_, err = s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{Items: &many})
	shoptest.WantCode(t, err, fault.CodeOutOfStock)
	s.checkBooks(t)
}

// Lines retain the price at which they were ordered, new ones get today's; a price needs its
// permission.
func TestEditOrder_Prices(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	s.exec(t, `UPDATE variants SET price = 50000 WHERE id = ?`, s.mug.Variants[0].ID)
	s.exec(t, `UPDATE products SET price = 50000, price_max = 50000 WHERE id = ?`, s.mug.ID)
	items := []order.StaffItemInput{item(s.mug.Variants[0].ID, 2)}
	if got := s.mustEdit(t, placed.ID, order.Edit{Items: &items}).Subtotal.Amount; got != 900_00 {
		t.Errorf("got subtotal %d, want 90000 at the price of the order", got)
	}
	items[0].UnitPrice = new(int64(400_00))
	if got := s.mustEdit(t, placed.ID, order.Edit{Items: &items}).Subtotal.Amount; got != 800_00 {
		t.Errorf("got subtotal %d, want 80000", got)
	}
	for _, list := range [][]order.StaffItemInput{
		{item(s.card.Variants[0].ID, 1)}, {item(s.card.Variants[0].ID, 1), item(s.mug.Variants[0].ID, 1)},
	} {
		s.mustEdit(t, placed.ID, order.Edit{Items: &list})
	}
	order := s.mustFindAsStaff(t, placed.ID)
	if card, mug := order.Items[0].UnitPrice, order.Items[1].UnitPrice; card != s.card.Variants[0].Price || mug.Amount != 500_00 {
		t.Errorf("got prices %v and %v of new lines, want those of today", card, mug)
	}
	s.checkBooks(t)
}

// The coupon's own discount is apart from that of staff, and its use follows the order.
func TestEditOrder_Coupon(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustSaveCoupon(t, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), UsageLimit: new(int64(1))})
	in := guestOrder(wants(s.mug, 2))
	in.CouponCode = new("TEN")
	placed := s.mustPlace(t, access.Caller{}, in)
	edited := s.mustEdit(t, placed.ID, order.Edit{StaffDiscount: &order.StaffDiscount{Amount: 10_00, Reason: "Late"}})
	if edited.Discount.Amount != 100_00 || edited.Coupon.Discount.Amount != 90_00 {
		t.Errorf("got discount %d, coupon %d, want 10000, 9000", edited.Discount.Amount, edited.Coupon.Discount.Amount)
	}
	s.exec(t, `UPDATE coupons SET active = 0`)
	_, err := s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{StaffDiscount: &order.StaffDiscount{}})
	shoptest.WantCode(t, err, fault.CodeCouponInactive)
	if edited := s.mustEdit(t, placed.ID, order.Edit{CouponCode: new("")}); edited.Coupon != nil || edited.Discount.Amount != 10_00 {
		t.Errorf("got coupon %+v, discount %d, want none, 1000", edited.Coupon, edited.Discount.Amount)
	}
	if used := s.number(t, `SELECT used FROM coupons`); used != 0 {
		t.Errorf("got %d uses, want 0", used)
	}
	s.checkBooks(t)
}

// With a booked shipment the address can be changed and the items cannot; a pickup during the edit
// prevents both.
func TestEditOrder_Shipment(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	mustShip(t, s.Orders, placed.ID, plugin.CourierA, "C-1")
	edited := s.mustEdit(t, placed.ID, order.Edit{Name: new("Karim")})
	if !slices.Contains(edited.Warnings, order.WarnOldAddress) {
		t.Errorf("got warnings %v, want shipment_has_old_address", edited.Warnings)
	}
	flagged := func(when string, o order.StaffOrder, want bool) {
		t.Helper()
		if got := slices.ContainsFunc(o.Flags, func(f order.Flag) bool { return f.Code == order.FlagOldAddress }); got != want {
			t.Errorf("%s: got the flag old_address %t, want %t", when, got, want)
		}
	}
	flagged("a name", edited.StaffOrder, true)
	resolved, err := s.Orders.ResolveFlags(t.Context(), access.Operator(), placed.ID)
	if err != nil {
		t.Fatal(err)
	}
	flagged("resolved", *resolved, false)
	flagged("a note alone", s.mustEdit(t, placed.ID, order.Edit{Note: new("By noon")}).StaffOrder, false)
	flagged("another name", s.mustEdit(t, placed.ID, order.Edit{Name: new("Karima")}).StaffOrder, true)
	items := []order.StaffItemInput{item(s.mug.Variants[0].ID, 2)}
	_, err = s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{Items: &items})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = s.Orders.RecordAdvance(t.Context(), access.Operator(), placed.ID, order.AdvanceInput{Amount: 1_00, Method: order.AdvanceBkash})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	pickup := func(order.StaffOrder) error { return nil }
	if _, err := s.Orders.SetShipmentStatus(t.Context(), placed.ID, 0, status.ShipmentPicked); err != nil {
		t.Fatal(err)
	}
	_, err = s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{Name: new("Rahim"), Check: pickup})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	if _, err := s.Orders.SetShipmentStatus(t.Context(), placed.ID, 0, status.ShipmentDelivered); err != nil {
		t.Fatal(err)
	}
	delivered, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), placed.ID)
	if err != nil {
		t.Fatal(err)
	}
	flagged("delivered", *delivered, false)
}

// Of staff who edit and a buyer who cancels at once, each change is whole: stock and amounts agree.
func TestEditOrder_Concurrent(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 2)))
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			items := []order.StaffItemInput{item(s.mug.Variants[0].ID, 1+n)}
			_, err := s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{Items: &items})
			if code := shoptest.ErrorCode(err); code != "" && code != fault.CodeStateConflict {
				t.Errorf("edit: %v", err)
			}
		})
	}
	wg.Go(func() {
		if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{OrderToken: placed.OrderToken}, placed.ID, ""); err != nil {
			t.Errorf("cancel: %v", err)
		}
	})
	wg.Wait()
	if got := s.stock(t, s.mug, 0); got != 10 {
		t.Errorf("stock after the cancellation: got %d, want 10", got)
	}
	s.checkBooks(t)
}

// An advance is not collected by the courier, and is due for refund if the order is cancelled.
func TestAdvance(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	advance := func(amount int64) (*order.StaffOrder, error) {
		in := order.AdvanceInput{Amount: amount, Method: order.AdvanceBkash, Reference: new("8N7A")}
		return s.Orders.RecordAdvance(t.Context(), access.Operator(), placed.ID, in)
	}
	bought, err := advance(150_00)
	if err != nil || bought.CashToCollect.Amount != 370_00 || len(bought.Advances) != 1 || bought.PaymentStatus != status.PaymentUnpaid {
		t.Fatalf("got %+v, %v, want 37000 to collect", bought, err)
	}
	_, err = advance(370_01)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	if bought, err = advance(370_00); err != nil || bought.PaymentStatus != status.PaymentPaid || bought.CashToCollect.Amount != 0 {
		t.Fatalf("got %+v, %v, want a paid order", bought, err)
	}
	bought, err = s.Orders.RemoveAdvance(t.Context(), access.Operator(), placed.ID, bought.Advances[1].ID)
	if err != nil || bought.PaymentStatus != status.PaymentUnpaid {
		t.Fatalf("got %+v, %v, want an unpaid order", bought, err)
	}
	items := []order.StaffItemInput{item(s.card.Variants[0].ID, 1)}
	_, err = s.Orders.EditOrder(t.Context(), access.Operator(), placed.ID, order.Edit{Items: &items, DeliveryCharge: new(int64(0))})
	shoptest.WantCode(t, err, fault.CodeValidationFailed) // the total would be below the advance
	shipment := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C-1"}
	shipped, err := s.Orders.RecordShipment(t.Context(), access.Operator(), placed.ID, shipment)
	if err != nil || shipped.Shipments[0].AmountToCollect.Amount != 370_00 {
		t.Fatalf("got %+v, %v, want 37000 to collect with the shipment", shipped, err)
	}
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), placed.ID, ""); err != nil {
		t.Fatal(err)
	}
	refunded, err := s.Orders.MarkCashRefunded(t.Context(), access.Operator(), placed.ID, order.RefundInput{})
	if err != nil || refunded.PaymentStatus != status.PaymentRefunded || refunded.Payment.RefundedAmount.Amount != 150_00 {
		t.Errorf("got %+v, %v, want 15000 refunded", refunded, err)
	}
	s.checkBooks(t)
}

// Units that do not come back fit for sale are not in the stock; a correction changes only the
// difference.
func TestMarkReturned_Damaged(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 3)))
	mustShip(t, s.Orders, placed.ID, plugin.CourierA, "C-1")
	for _, step := range []struct{ fit, stock int }{{1, 8}, {1, 8}, {2, 9}, {0, 7}} {
		restock := []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Quantity: step.fit}}
		if _, err := s.Orders.MarkReturned(t.Context(), access.Operator(), placed.ID, restock); err != nil {
			t.Fatal(err)
		}
		if got := s.stock(t, s.mug, 0); got != int64(step.stock) {
			t.Errorf("%d fit for sale: got stock %d, want %d", step.fit, got, step.stock)
		}
	}
	_, err := s.Orders.MarkReturned(t.Context(), access.Operator(), placed.ID, []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Quantity: 4}})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	s.checkBooks(t)
}

// What came back of a delivered order is in the stock once, also if it is stated again, corrected,
// or if all of the order comes back after it. It reduces what the order costs, not its total.
func TestMarkDelivered_Restock(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	placed := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 3)))
	mustShip(t, s.Orders, placed.ID, plugin.CourierA, "C-1")
	units := func(n int) []order.RestockInput {
		return []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Quantity: n}}
	}
	for _, wrong := range [][]order.RestockInput{units(3), units(4), units(-1), append(units(1), units(1)...), {{VariantID: "none", Quantity: 1}}} {
		_, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), placed.ID, wrong)
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
	for _, step := range []struct {
		back  []order.RestockInput
		stock int64
	}{{units(1), 8}, {nil, 8}, {units(1), 8}, {units(2), 9}, {[]order.RestockInput{}, 7}, {units(1), 8}} {
		order, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), placed.ID, step.back)
		if err != nil || order.Status != status.OrderCompleted || order.PaymentStatus != status.PaymentPaid || order.Total != placed.Total {
			t.Fatalf("back %+v: got %+v, %v", step.back, order, err)
		}
		if got := s.stock(t, s.mug, 0); got != step.stock {
			t.Errorf("back %+v: got stock %d, want %d", step.back, got, step.stock)
		}
		back := (step.stock - 7) * placed.Items[0].UnitPrice.Amount
		if order.ReturnedAmount.Amount != back || order.Paid.Amount != placed.Total.Amount-back || order.Due.Amount != 0 {
			t.Errorf("back %+v: got %v returned, %v paid, %v due, want %d returned", step.back, order.ReturnedAmount, order.Paid, order.Due, back)
		}
		checkAmounts(t, order)
		s.checkBooks(t)
	}
	if _, err := s.Orders.MarkReturned(t.Context(), access.Operator(), placed.ID, units(3)); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("a return of three of the two units that the buyer has: got %v, want %s", err, fault.CodeValidationFailed)
	}
	for _, step := range []struct {
		fit   []order.RestockInput
		stock int64
	}{{nil, 10}, {units(1), 9}, {units(2), 10}} {
		if _, err := s.Orders.MarkReturned(t.Context(), access.Operator(), placed.ID, step.fit); err != nil {
			t.Fatal(err)
		}
		if got := s.stock(t, s.mug, 0); got != step.stock {
			t.Errorf("then returned with %+v fit for sale: got stock %d, want %d", step.fit, got, step.stock)
		}
		s.checkBooks(t)
	}
	_, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), placed.ID, units(1))
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

// An order that staff place has the prices and the stock of a buyer's, and names who placed it.
func TestPlaceOrderAsStaff(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	buyer := guestOrder()
	in := order.StaffInput{Items: []order.StaffItemInput{item(s.mug.Variants[0].ID, 2)}, Source: status.SourceWhatsApp,
		ShippingAddress: buyer.ShippingAddress}
	preview, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.CommandLine("rina"), in, true)
	if err != nil || preview.Order != nil || preview.Quote.Total.Amount != 970_00 {
		t.Fatalf("dry run: got %+v, %v, want a quote of 97000", preview, err)
	}
	_, err = s.Orders.PlaceOrderAsStaff(t.Context(), access.CommandLine("rina"), in, false)
	shoptest.WantCode(t, err, fault.CodePhoneRequired)
	in.Customer = buyer.Customer
	placed, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.CommandLine("rina"), in, false)
	if err != nil {
		t.Fatal(err)
	}
	o := placed.Order
	if o.Status != status.OrderConfirmed || o.Total != preview.Quote.Total || o.Source != status.SourceWhatsApp || o.PlacedBy.Name != "rina" ||
		o.Timeline[0].Cause != order.ByStaff || s.stock(t, s.mug, 0) != 8 {
		t.Errorf("got %+v, stock %d, want a confirmed order placed by rina", o, s.stock(t, s.mug, 0))
	}
	in.Confirm = new(false)
	if placed, err = s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), in, false); err != nil || placed.Order.Status != status.OrderPending {
		t.Errorf("got %+v, %v, want a pending order", placed, err)
	}
	s.checkBooks(t)
}

// A change while the courier may have the shipment is flagged at the order: the flag then follows
// the shipment, and ends if the courier has none or the new address.
func TestEditOrder_BookingWithoutResponse(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	flags := func(id string) (consignments []string) {
		t.Helper()
		o, err := s.Orders.FindOrderAsStaff(t.Context(), access.Operator(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Flags {
			if f.Code == order.FlagOldAddress {
				consignments = append(consignments, db.TextOf(f.ConsignmentID))
			}
		}
		return consignments
	}
	book := func(id string) error {
		_, err := s.Orders.BookShipment(t.Context(), access.Operator(), id, order.BookingInput{Provider: plugin.CourierA})
		return err
	}
	want := func(when, id string, consignments ...string) {
		t.Helper()
		if got := flags(id); !slices.Equal(got, consignments) {
			t.Errorf("%s: got the flag old_address of %q, want %q", when, got, consignments)
		}
	}
	edit := func(id string) {
		t.Helper()
		if _, err := s.Orders.EditOrder(t.Context(), access.Operator(), id, order.Edit{Name: new("Karim")}); err != nil {
			t.Fatal(err)
		}
	}
	found, refused, again := s.ids[0], s.ids[1], s.ids[2]

	s.courier.lost = true
	shoptest.WantCode(t, book(found), fault.CodeUnavailable)
	shoptest.WantCode(t, book(again), fault.CodeUnavailable)
	edit(found)
	edit(again)
	want("no response", found, "")
	s.Clock.Advance(time.Hour)
	s.courier.lost = false
	if err := book(found); err != nil {
		t.Fatal(err)
	}
	want("found at the courier", found, "C-"+found)
	for ref := range s.courier.booked {
		if strings.HasPrefix(ref, again) { // it never arrived there
			delete(s.courier.booked, ref)
		}
	}
	if err := book(again); err != nil {
		t.Fatal(err)
	}
	want("booked with the new address", again)

	s.courier.before = func(string) { edit(refused) }
	s.courier.refuse[refused] = true
	shoptest.WantCode(t, book(refused), fault.CodeStateConflict)
	want("refused", refused)
}
