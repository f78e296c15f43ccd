package order_test

import (
	"context"
	"fmt"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// orderShop is a shop with products, and its store for reading the file.
type orderShop struct {
	*shoptest.Stocked
	store *db.Store
	clock *shoptest.Clock
	// mug has one variant of ৳450, 10 in stock; shirt has sizes S and M of ৳990.50, 5 and 0 in
	// stock; card is not tracked, ৳100; lamp may be sold below zero, ৳1,200, 1 in stock.
	mug, shirt, card, lamp catalogue.Product
}

func newOrderShop(tb testing.TB, settings map[string]any) *orderShop {
	tb.Helper()
	clock := shoptest.NewClock()
	return newOrderShopIn(tb, shoptest.NewStore(tb, clock), clock, "", settings)
}

// newOrderShopIn is newOrderShop for a shop with that UID in a store with other shops.
func newOrderShopIn(tb testing.TB, store *db.Store, clock *shoptest.Clock, uid string, settings map[string]any) *orderShop {
	tb.Helper()
	if settings == nil { // these tests place many orders of one guest
		settings = map[string]any{"openOrdersPerPhone": 10_000}
	}
	return newOrderShopWith(tb, &shoptest.Options{UID: uid, Store: store, Clock: clock, Settings: settings})
}

// newOrderShopWith is newOrderShop with options, which must have a store and a clock.
func newOrderShopWith(tb testing.TB, opts *shoptest.Options) *orderShop {
	tb.Helper()
	return orderShopOf(shoptest.NewStocked(tb, opts))
}

func orderShopOf(o *shoptest.Stocked) *orderShop {
	return &orderShop{
		Stocked: o, store: o.Store, clock: o.Clock, mug: o.Mug, shirt: o.Shirt, card: o.Card, lamp: o.Lamp,
	}
}

func (s *orderShop) sell(tb testing.TB, in catalogue.ProductInput) catalogue.Product {
	tb.Helper()
	return s.Sell(tb, in)
}

// wantsVariant returns an item of the i-th variant.
func wantsVariant(p catalogue.Product, i, quantity int) order.ItemInput {
	return order.ItemInput{ProductID: p.ID, VariantID: &p.Variants[i].ID, Quantity: quantity}
}

func (s *orderShop) mustPlace(tb testing.TB, caller access.Caller, in order.Input) *order.Placed {
	tb.Helper()
	return s.Place(tb, caller, in)
}

func (s *orderShop) mustSaveCoupon(tb testing.TB, spec order.CouponSpec) *order.Coupon {
	tb.Helper()
	spec.Active = true
	coupon, err := s.Orders.SaveCoupon(context.Background(), access.Operator(), spec)
	if err != nil {
		tb.Fatalf("save coupon %s: %v", spec.Code, err)
	}
	return coupon
}

// exec changes the file directly, for states that no single use case of the shop produces.
func (s *orderShop) exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	shoptest.Exec(tb, s.store, s.UID(), query, args...)
}

// number reads one number from the file.
func (s *orderShop) number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	return shoptest.Number(tb, s.store, s.UID(), query, args...)
}

func (s *orderShop) stock(tb testing.TB, p catalogue.Product, i int) int64 {
	tb.Helper()
	return s.number(tb, `SELECT stock FROM variants WHERE id = ?`, p.Variants[i].ID)
}

func (s *orderShop) checkBooks(tb testing.TB) {
	tb.Helper()
	s.CheckBooks(tb)
}

// cashShop is [shoptest.NewDelivered].
func cashShop(tb testing.TB, orders int) (s *orderShop, statement string) {
	tb.Helper()
	of, statement := shoptest.NewDelivered(tb, orders)
	return orderShopOf(of), statement
}

// report returns the report of the ledger.
func (s *orderShop) report(tb testing.TB) *cash.Report {
	tb.Helper()
	report, err := s.Cash.ReportCash(tb.Context(), access.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// fieldsOf returns the input fields in an error, each with its code.
func fieldsOf(err error) []string {
	fields := []string{}
	for _, f := range shop.AsError(err).Fields {
		fields = append(fields, fmt.Sprintf("%s: %s", f.Field, f.Code))
	}
	return fields
}

func (s *orderShop) findByHandle(tb testing.TB, handle string) *catalogue.Product {
	tb.Helper()
	product, err := s.Catalogue.FindProductByHandle(context.Background(), handle)
	if err != nil {
		tb.Fatalf("find %s: %v", handle, err)
	}
	return product
}

// orderOf returns an order without what only staff see.
func orderOf(view *order.StaffOrder, err error) (*order.Order, error) {
	if err != nil {
		return nil, err
	}
	return &view.Order, nil
}

// mustShip records a shipment that was booked elsewhere.
func mustShip(
	tb testing.TB, orders *order.Orders, uid string, courier plugin.Provider, consignment string,
) {
	tb.Helper()
	in := order.ShipmentInput{Provider: courier, ConsignmentID: consignment}
	if _, err := orders.RecordShipment(tb.Context(), access.Operator(), uid, in); err != nil {
		tb.Fatalf("record shipment %s: %v", consignment, err)
	}
}

func wants(p catalogue.Product, quantity int) order.ItemInput { return shoptest.Wants(p, quantity) }

func guestOrder(items ...order.ItemInput) order.Input { return shoptest.RahimasOrder(items...) }

func (s *orderShop) mustRegister(tb testing.TB, in account.RegisterInput) access.Caller {
	tb.Helper()
	return s.Register(tb, in)
}
