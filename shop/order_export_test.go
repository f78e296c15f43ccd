package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/page"
)

// OrderQueries returns the statements about orders whose query plan is tested, by what they find.
func OrderQueries() map[string]string {
	few, _ := db.InList([]string{"1", "2"})
	one, _ := db.InList([]string{"1"})
	history, _ := orderQuery{customerID: "c"}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	staff, _ := orderQuery{}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	byStatus, _ := orderQuery{status: OrderPending}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	return map[string]string{
		"a variant":               saleVariantsQuery("v.id", one),
		"several variants":        saleVariantsQuery("v.id", few),
		"a product's variants":    saleVariantsQuery("p.id", one),
		"variants of several":     saleVariantsQuery("p.id", few),
		"uses of a coupon":        couponUsesQuery,
		"keys whose time is over": purgeKeysQuery,
		"due":                     dueOrdersQuery,
		"due next":                nextExpiryQuery,
		"a customer's orders":     history,
		"all orders":              staff,
		"all orders of a status":  byStatus,
	}
}

// BeginPayment adds a payment attempt, as placing an online order does.
func (s *Shop) BeginPayment(ctx context.Context, invoiceUID string, method PaymentMethod) (*Order, error) {
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		_, err := s.newAttempt(tx, o, method)
		return err
	})
}

// MoveAttempt changes the status of an order's i-th payment attempt, as an event of its gateway does.
func (s *Shop) MoveAttempt(ctx context.Context, invoiceUID string, i int, to AttemptStatus) (*Order, error) {
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		c := s.changeOrder(tx, o, Cause(o.attempts[i].method))
		c.moveAttempt(o.attempts[i], to)
		return c.save()
	})
}

// MoveShipment changes the status of an order's i-th shipment, as an event of its courier does.
func (s *Shop) MoveShipment(ctx context.Context, invoiceUID string, i int, to ShipmentStatus) (*Order, error) {
	return s.changeOrderAsStaff(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		p := o.shipments[i]
		c := s.changeOrder(tx, o, Cause(p.provider))
		c.moveShipment(p, to, c.now)
		return c.save()
	})
}
