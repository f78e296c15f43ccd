package order

import (
	"context"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/status"
)

// WorkView is a list of orders by what staff have to do with them, or by how they ended.
//
//api:enum WorkView
type WorkView string

// The views, in the order of a day's work. An order can be in several of the open ones.
const (
	ViewToConfirm  WorkView = "toConfirm"  // cash orders to be confirmed, by phone for example
	ViewToPack     WorkView = "toPack"     // to be packed and booked with a courier
	ViewToHandOver WorkView = "toHandOver" // booked, and waiting for the courier's rider
	ViewOnTheWay   WorkView = "onTheWay"   // with the courier
	ViewProblems   WorkView = "problems"   // staff must check the order: see its flags
	// Goods on their way back, and orders that were delivered in part until they are completed.
	ViewReturning WorkView = "returning"
	ViewToRefund  WorkView = "toRefund" // money is due for refund
	ViewUnpaid    WorkView = "unpaid"   // online orders that await their payment
	ViewDone      WorkView = "done"     // completed
	ViewClosed    WorkView = "closed"   // cancelled, expired or returned
	ViewAll       WorkView = "all"      // all orders
)

// Attention is the first reason for which staff must check an order.
type Attention string

// The reasons, the most urgent first.
const (
	AttentionNone   Attention = ""
	AttentionReview Attention = "review" // a payment needs to be checked
	// A booking without a response: it is unknown whether the courier has the shipment.
	AttentionUnanswered Attention = "unanswered"
	AttentionStray      Attention = "stray"    // a shipment of a closed order is under way
	AttentionShipment   Attention = "shipment" // a shipment is on hold, or its delivery failed
	AttentionFlag       Attention = "flag"     // a flag is not resolved: see [Orders.ListFlags]
)

// workRule selects orders by their work columns. A nil list accepts any value.
type workRule struct {
	statuses     []status.Order
	payments     []status.Payment
	fulfillments []status.Fulfillment
	shipments    []status.Shipment // noShipment: the order has none
	attention    bool              // any value but none
}

const noShipment status.Shipment = ""

// viewRules is a view with its rules; an order must match one of them.
type viewRules struct {
	view  WorkView
	open  bool // a view of open work
	rules []workRule
}

// workViews are all views. The lists and counts in SQL, and the column work, follow from this
// table.
var workViews = []viewRules{
	{ViewToConfirm, true, []workRule{{statuses: []status.Order{status.OrderPending}}}},
	{ViewToPack, true, []workRule{{
		statuses: []status.Order{status.OrderConfirmed, status.OrderProcessing}, fulfillments: []status.Fulfillment{status.Unfulfilled},
		shipments: []status.Shipment{noShipment, status.ShipmentCancelled},
	}}},
	{ViewToHandOver, true, []workRule{{
		statuses:  []status.Order{status.OrderPending, status.OrderPendingPayment, status.OrderConfirmed, status.OrderProcessing},
		shipments: []status.Shipment{status.ShipmentCreated, status.ShipmentPickupRequested},
	}}},
	{ViewOnTheWay, true, []workRule{
		{shipments: []status.Shipment{status.ShipmentPicked, status.ShipmentAtHub, status.ShipmentInTransit, status.ShipmentOutForDelivery}}}},
	{ViewProblems, true, []workRule{{attention: true}}},
	{ViewReturning, true, []workRule{
		{fulfillments: []status.Fulfillment{status.Returning}}, {shipments: []status.Shipment{status.ShipmentReturning}},
		{statuses: []status.Order{status.OrderProcessing}, fulfillments: []status.Fulfillment{status.PartiallyDelivered}}}},
	{ViewToRefund, true, []workRule{{payments: []status.Payment{status.PaymentRefundDue}}}},
	{ViewUnpaid, true, []workRule{{statuses: []status.Order{status.OrderPendingPayment}}}},
	{ViewDone, false, []workRule{{statuses: []status.Order{status.OrderCompleted}}}},
	{ViewClosed, false, []workRule{{statuses: []status.Order{status.OrderCancelled, status.OrderExpired, status.OrderReturned}}}},
	{ViewAll, false, []workRule{{}}},
}

// WorkViews returns the views, in the order of a day's work.
func WorkViews() []WorkView {
	views := make([]WorkView, len(workViews))
	for i, v := range workViews {
		views[i] = v.view
	}
	return views
}

func (r *workRule) matches(o *orderRow) bool {
	return accepts(r.statuses, o.status) && accepts(r.payments, o.payment) && accepts(r.fulfillments, o.fulfillment) &&
		accepts(r.shipments, o.shipmentStatus) && (!r.attention || o.attention != AttentionNone)
}

func accepts[S ~string](list []S, value S) bool { return list == nil || slices.Contains(list, value) }

// condition returns the rule in SQL. status is the column of the order's status.
func (r *workRule) condition(status string) string {
	all := []string{"1 = 1"}
	all = appendIn(all, status, r.statuses)
	all = appendIn(all, "payment_status", r.payments)
	all = appendIn(all, "fulfillment_status", r.fulfillments)
	all = appendIn(all, "shipment_status", r.shipments)
	if r.attention {
		all = append(all, "attention <> ''")
	}
	return strings.Join(all, " AND ")
}

// appendIn appends the condition that a column has one of these values, which are constants of this
// package.
func appendIn[S ~string](conditions []string, column string, values []S) []string {
	if values == nil {
		return conditions
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = "'" + string(value) + "'"
	}
	return append(conditions, column+" IN ("+strings.Join(quoted, ", ")+")")
}

// condition returns the view in SQL. status is the column of the order's status.
func (w *viewRules) condition(status string) string {
	either := make([]string, len(w.rules))
	for i, rule := range w.rules {
		either[i] = "(" + rule.condition(status) + ")"
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

func (w *viewRules) matches(o *orderRow) bool {
	return slices.ContainsFunc(w.rules, func(r workRule) bool { return r.matches(o) })
}

// findView returns the view with this name, nil if there is none.
func findView(name WorkView) *viewRules {
	for i := range workViews {
		if workViews[i].view == name {
			return &workViews[i]
		}
	}
	return nil
}

// isWork reports whether the order is in any of the open views.
func (o *orderRow) isWork() bool {
	return slices.ContainsFunc(workViews, func(w viewRules) bool { return w.open && w.matches(o) })
}

// setWork derives the work columns. waiting reports whether a booking has no response, flagged
// whether a flag is not resolved.
func (o *orderRow) setWork(waiting, flagged bool) {
	o.courier, o.shipmentStatus = "", noShipment
	if shipment := o.currentShipment(); shipment != nil {
		o.courier, o.shipmentStatus = shipment.provider, shipment.status
	}
	o.attention = AttentionNone
	for _, reason := range []struct {
		attention Attention
		holds     bool
	}{
		{AttentionReview, o.payment == status.PaymentNeedsReview},
		{AttentionUnanswered, waiting},
		{AttentionStray, o.status.IsClosed() && slices.ContainsFunc(o.shipments, (*shipmentRow).isUnderWay)},
		{AttentionShipment, slices.ContainsFunc(o.shipments, (*shipmentRow).isStuck)},
		{AttentionFlag, flagged},
	} {
		if reason.holds {
			o.attention = reason.attention
			break
		}
	}
	o.work = o.isWork()
}

// currentShipment returns the newest open shipment, or else the newest; nil if there is none. The
// views of open work use the newest open one. With the status of a newer, ended shipment, an order
// with an older one under way would be in none of the views.
func (o *orderRow) currentShipment() *shipmentRow {
	if open := o.openShipments(); len(open) > 0 {
		return open[len(open)-1]
	}
	if len(o.shipments) > 0 {
		return o.shipments[len(o.shipments)-1]
	}
	return nil
}

// isUnderWay reports whether the shipment has not ended and is not on its way back.
func (p *shipmentRow) isUnderWay() bool { return !slices.Contains(status.EndStatuses, p.status) }

// isStuck reports whether the courier needs help with the shipment.
func (p *shipmentRow) isStuck() bool {
	return p.status == status.ShipmentOnHold || p.status == status.ShipmentDeliveryFailed
}

// syncWork derives the order's work columns before it is saved.
func (c *orderChange) syncWork() error {
	var waiting, flagged bool
	if c.wrote.shipments || c.wrote.cash || c.wrote.flags || c.wrote.unanswered || c.was.attention != AttentionNone {
		before := c.now - bookingPause.Milliseconds()
		if c.wrote.unanswered || c.was.attention == AttentionUnanswered {
			before = c.now
		}
		var err error
		if waiting, flagged, err = findAttention(c.tx, c.o.id, before); err != nil {
			return err
		}
	}
	c.o.setWork(waiting, flagged)
	return nil
}

// markUnanswered records that a booking of the order has no response.
func (s *Orders) markUnanswered(tx *db.Tx, orderID string) error {
	return s.followRecords(tx, orderID, ByShop, facts{unanswered: true})
}

// SweepBookings records the bookings without a response, as after a crash. next is the time at
// which the next one counts as such; a zero time means that no booking is under way. It is called
// in the background.
func (s *Orders) SweepBookings(ctx context.Context) (next time.Time, err error) {
	var open []openBooking
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		open, err = findUnrecordedBookings(tx)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	for _, b := range open {
		if due := b.requestedAt.Add(bookingPause); due.After(s.now()) {
			return due, nil
		}
		err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return s.markUnanswered(tx, b.orderID) })
		if err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, nil
}

// WorkCount is the number of orders in a view.
type WorkCount struct {
	View    WorkView `json:"view"`
	Count   int      `json:"count"`
	Bounded bool     `json:"bounded"` // there are more than Count
}

// Work counts the open work of staff.
type Work struct {
	Views          []WorkCount
	Incomplete     int // orders that buyers have left; 0 if the caller must not change orders
	WalletPayments int // reported payments that wait for staff
}

// CountOrders returns the number of orders in each view, without those placed in sandbox mode, and
// the other work. The completed, closed and all orders are counted with the stored sums of days. As
// long as many days have none, these views are counted up to 10,000. Codes: unauthenticated,
// forbidden.
func (s *Orders) CountOrders(ctx context.Context, caller access.Caller) (*Work, error) {
	return access.ReadMany(ctx, s.data, caller, access.ToCountOrders,
		func(tx *db.Tx, who access.Staff) (work *Work, err error) {
			work = &Work{}
			if work.Views, err = s.countWork(tx); err != nil {
				return nil, err
			}
			if work.WalletPayments, err = countWaitingPayments(tx); err != nil {
				return nil, err
			}
			if who.Permits(access.OrdersWrite) {
				work.Incomplete, err = CountOpenIncomplete(tx)
			}
			return work, err
		})
}
