package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// OrderQueries returns the statements about orders whose query plan is tested, by what they find.
func OrderQueries() map[string]string {
	few, _ := db.InList([]string{"1", "2"})
	one, _ := db.InList([]string{"1"})
	history, _ := orderQuery{customerID: "c"}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	staff, _ := orderQuery{}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	filtered, _ := orderQuery{city: "Dhaka", statuses: []OrderStatus{OrderPending}}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	sorted, _ := orderQuery{view: ViewDone, test: new(false), sortBy: SortTotal}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	byStatus, _ := orderQuery{statuses: []OrderStatus{OrderPending}}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
	return map[string]string{
		"a variant":               saleVariantsQuery("v.id", one),
		"several variants":        saleVariantsQuery("v.id", few),
		"a product's variants":    saleVariantsQuery("p.id", one),
		"variants of several":     saleVariantsQuery("p.id", few),
		"uses of a coupon":        couponUsesQuery,
		"keys whose time is over": purgeKeysQuery,
		"due":                     dueOrdersQuery,
		"unconfirmed":             unconfirmedOrdersQuery,
		"unconfirmed next":        nextUnconfirmedQuery,
		"open by phone":           fmt.Sprintf(openOrdersQuery, "customer_phone"),
		"open by client":          fmt.Sprintf(openOrdersQuery, "client"),
		"due next":                nextExpiryQuery,
		"a customer's orders":     history,
		"all orders":              staff,
		"a city's orders":         filtered,
		"a view's sorted orders":  sorted,
		"all orders of a status":  byStatus,
		"open orders of buyers":   openOfBuyersQuery(few),
		"stray orders":            strayOrdersQuery,
	}
}

// BeginPayment adds a payment attempt, as placing an online order does.
func (s *Shop) BeginPayment(ctx context.Context, invoiceUID string, method PaymentMethod) (*Order, error) {
	return s.changeOrderAsStaff(ctx, nil, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		_, err := s.newAttempt(tx, o, method)
		return err
	})
}

// SetAttemptStatus changes the status of an order's i-th payment attempt, as an event of its
// gateway does.
func (s *Shop) SetAttemptStatus(ctx context.Context, invoiceUID string, i int, to AttemptStatus) (*Order, error) {
	return s.changeOrderAsStaff(ctx, nil, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		a := o.attempts[i]
		c := s.changeOrder(tx, o, Cause(a.method))
		if to == AttemptRefunded && attemptTransitions.allow(a.status, to) {
			p := &payment{order: o, attempt: a, check: &attemptCheck{attemptID: a.id}}
			r, err := c.addRefund(p, a.amount-a.refunded)
			if err != nil {
				return err
			}
			if err := c.completeRefund(p, r); err != nil {
				return err
			}
		}
		c.setAttemptStatus(a, to)
		return c.save()
	})
}

// SetShipmentStatus changes the status of an order's i-th shipment, as an event of its courier
// does.
func (s *Shop) SetShipmentStatus(ctx context.Context, invoiceUID string, i int, to ShipmentStatus) (*Order, error) {
	return s.changeOrderAsStaff(ctx, nil, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		shipment := o.shipments[i]
		c := s.changeOrder(tx, o, Cause(shipment.provider))
		c.setShipmentStatus(shipment, to, c.now)
		return c.save()
	})
}
