package order

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/inbox"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// OrderQueries returns the statements about orders whose query plan is tested, by what they find.
func OrderQueries() map[string]string {
	few, _ := db.InList([]string{"1", "2"})
	one, _ := db.InList([]string{"1"})
	history, _ := orderQuery{customerID: "c"}.slice(page.DefaultLimit, 0)
	staff, _ := orderQuery{}.slice(page.DefaultLimit, 0)
	filtered, _ := orderQuery{methods: []status.PaymentMethod{status.PayCOD}, statuses: []status.Order{status.OrderPending}}.slice(page.DefaultLimit, 0)
	sorted, _ := orderQuery{view: ViewDone, test: new(false), sortBy: SortTotal}.slice(page.DefaultLimit, 0)
	byStatus, _ := orderQuery{statuses: []status.Order{status.OrderPending}}.slice(page.DefaultLimit, 0)
	city, _ := orderQuery{city: "Dhaka", statuses: []status.Order{status.OrderPending, status.OrderConfirmed}}.slice(page.DefaultLimit, 0)
	cityTotal, _ := orderQuery{city: "Dhaka", minTotal: new(int64), sortBy: SortTotal}.slice(page.DefaultLimit, 0)
	walk, _ := orderQuery{methods: []status.PaymentMethod{status.PayCOD}, minTotal: new(int64), sortBy: SortTotal, plan: listPlan{walks: true}}.
		slice(page.DefaultLimit, 0)
	updates, _ := orderQuery{methods: []status.PaymentMethod{status.PayCOD}, sortBy: SortUpdated, plan: listPlan{walks: true}}.
		slice(page.DefaultLimit, 0)
	returned, _ := orderQuery{returned: time.Unix(0, 0), test: new(false)}.where()
	ended, _ := orderQuery{statuses: []status.Order{status.OrderReturned}}.slice(page.DefaultLimit, 0)
	status, _ := orderQuery{statuses: []status.Order{status.OrderReturned}, sortBy: SortTotal}.unsorted().where()
	return map[string]string{
		"a variant":                          saleVariantsQuery("v.id", one),
		"several variants":                   saleVariantsQuery("v.id", few),
		"a product's variants":               saleVariantsQuery("p.id", one),
		"variants of several":                saleVariantsQuery("p.id", few),
		"uses of a coupon":                   couponUsesQuery,
		"last use of a coupon":               lastCouponUseQuery,
		"keys whose time is over":            purgeKeysQuery,
		"due":                                dueOrdersQuery,
		"unconfirmed":                        unconfirmedOrdersQuery,
		"unconfirmed next":                   nextUnconfirmedQuery,
		"open by phone":                      fmt.Sprintf(openOrdersQuery, "customer_phone"),
		"open by client":                     fmt.Sprintf(openOrdersQuery, "client"),
		"due next":                           nextExpiryQuery,
		"a customer's orders":                history,
		"all orders":                         staff,
		"a method's orders":                  filtered,
		"city and status of orders":          city,
		"city's sorted orders":               cityTotal,
		"walk of sorted orders":              walk,
		"walk of updated orders":             updates,
		"returned today":                     "SELECT COUNT(*) FROM orders WHERE " + returned,
		"count of a status of sorted orders": "SELECT COUNT(*) FROM orders WHERE " + status,
		"a view's sorted orders":             sorted,
		"all orders of a status":             ended,
		"pending sorted orders":              byStatus,
		"orders of a product":                ordersOfProduct,
		"open orders of buyers":              openOfBuyersQuery(few),
		"stray orders":                       strayOrdersQuery,
		"to post":                            unpostedQuery,
	}
}

// change runs fn on an order, and returns the complete order.
func (s *Orders) change(
	ctx context.Context, invoiceUID string, fn func(tx *db.Tx, o *orderRow) error,
) (*Order, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var view Order
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		o, err := requireSentOrder(tx, invoiceUID)
		if err != nil {
			return err
		}
		if err := fn(tx, o); err != nil {
			return withStatus(err, o.auditState())
		}
		view = o.view(set.Display, viewStaff)
		return nil
	})
	return &view, err
}

// BeginPayment adds a payment attempt, as placing an online order does.
func (s *Orders) BeginPayment(ctx context.Context, invoiceUID string, method status.PaymentMethod) (*Order, error) {
	return s.change(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		if o.method == status.PayCOD && o.advanceDue() == 0 {
			return errAdvanceOpen()
		}
		_, err := s.newAttempt(tx, o, method)
		return err
	})
}

// SetAttemptStatus changes the status of an order's i-th payment attempt, as an event of its
// gateway does.
func (s *Orders) SetAttemptStatus(ctx context.Context, invoiceUID string, i int, to status.Attempt) (*Order, error) {
	return s.change(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		a := o.attempts[i]
		c := s.changeOrder(tx, o, Cause(a.method))
		if to == status.AttemptRefunded && status.AttemptTransitions.Allow(a.status, to) {
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
func (s *Orders) SetShipmentStatus(ctx context.Context, invoiceUID string, i int, to status.Shipment) (*Order, error) {
	return s.change(ctx, invoiceUID, func(tx *db.Tx, o *orderRow) error {
		shipment := o.shipments[i]
		c := s.changeOrder(tx, o, Cause(shipment.provider))
		c.setShipmentStatus(shipment, to, c.now)
		return c.save()
	})
}

// ApplyCourierEvent applies a courier's event, as its webhook does.
func (s *Orders) ApplyCourierEvent(ctx context.Context, provider plugin.Provider, event plugin.CourierEvent) error {
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		_, err := s.applyCourierEvent(tx, inbox.Incoming{Provider: provider, ReceivedAt: tx.Now()}, event)
		return err
	})
}
