package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/message"
	"storefront/shop/money"
	"storefront/shop/status"
)

// OrderAdvance is the advance that the shop requires before shipping a cash order.
type OrderAdvance struct {
	Amount   money.Money     `json:"amount" doc:"To be paid before shipping; the rest in cash on delivery"`
	Reason   AdvanceReason   `json:"reason"`
	Received money.Money     `json:"received" doc:"Paid in advance so far"`
	Due      money.Money     `json:"due" doc:"Still to be paid before the shop ships; zero once the order is shipped or closed"`
	Wallets  []Wallet        `json:"wallets" nullable:"false" doc:"Where to send it by hand; none if nothing is due, or without proof of the order"`
	Payments []WalletPayment `json:"payments" nullable:"false" doc:"Payments to wallets that the buyer has reported, oldest first"`
}

// handOverTime is the time within which the law demands that a courier gets the goods after an
// advance of more than a tenth of the total.
const handOverTime = 48 * time.Hour

// received returns what the buyer of a cash order has paid in advance.
func (o *orderRow) received() int64 { return o.advance + o.prepaid }

// advanceDue returns what the buyer still has to pay before the shop ships; 0 once a courier has
// the order, or may have it.
func (o *orderRow) advanceDue() int64 {
	isShipped := o.fulfillment != status.Unfulfilled || o.shipmentStatus != noShipment &&
		o.shipmentStatus != status.ShipmentCancelled && o.shipmentStatus != status.ShipmentReturned
	if o.method != status.PayCOD || o.status.IsClosed() || o.status == status.OrderCompleted || isShipped {
		return 0
	}
	return max(0, min(o.asked.amount, o.total-o.credited)-o.received())
}

// errAdvanceOpen returns the error of an order that waits for its advance.
func errAdvanceOpen() error {
	return fault.Errorf(fault.CodeStateConflict, "The order awaits an advance: confirm its payment, or waive it.")
}

// advanceView returns the advance for buyers; nil if the shop requires none.
func (o *orderRow) advanceView(shown Display) *OrderAdvance {
	if o.asked.amount == 0 {
		return nil
	}
	view := &OrderAdvance{
		Amount: shown.Money(o.asked.amount), Reason: o.asked.reason,
		Received: shown.Money(o.received()), Due: shown.Money(o.advanceDue()), Wallets: []Wallet{}, Payments: []WalletPayment{},
	}
	if o.advanceDue() > 0 {
		view.Wallets = db.OrEmpty(shown.Wallets)
	}
	for _, r := range o.reports {
		view.Payments = append(view.Payments, r.view(shown.Currency))
	}
	return view
}

// mustHandOver reports whether a courier has to get the goods within [handOverTime] of the advance.
func (o *orderRow) mustHandOver() bool {
	isOpen := o.method == status.PayCOD && !o.status.IsClosed() && o.status != status.OrderCompleted
	return isOpen && o.fulfillment == status.Unfulfilled && !o.shipmentStatus.IsHandedOver() && 10*o.received() > o.total
}

// handOverBy returns the time by which a courier has to get the goods; nil if there is none.
func (o *orderRow) handOverBy(advances []Advance) *time.Time {
	if !o.mustHandOver() {
		return nil
	}
	var first time.Time
	add := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for i := range advances {
		add(advances[i].At)
	}
	for _, a := range o.attempts {
		if a.advance && a.status == status.AttemptSucceeded {
			add(db.FromMillis(a.updatedAt))
		}
	}
	if first.IsZero() {
		return nil
	}
	return new(first.Add(handOverTime))
}

// advanceRefund returns the payment status of a cash order after a refund of an advance at its
// gateway, if there was one.
func (o *orderRow) advanceRefund() status.Payment {
	refunded := false
	for _, a := range o.attempts {
		refunded = refunded || a.advance && a.refunded > 0
	}
	switch {
	case !refunded:
	case o.cashHeld() == 0 && o.prepaid == 0:
		return status.PaymentRefunded
	case o.payment == status.PaymentPaid:
		return status.PaymentPartiallyRefunded
	}
	return o.payment
}

// flagLateAdvance raises a flag if an advance arrives while a courier is to collect the whole.
func (c *orderChange) flagLateAdvance() {
	if c.err != nil || c.o.advance <= c.was.advance || c.o.status.IsClosed() {
		return
	}
	collecting, err := c.o.collectsCash(c.tx)
	if c.err = err; collecting {
		c.raise("", flag{FlagLateAdvance,
			"An advance arrived after the shipment was booked: correct the amount at the courier, or refund the advance."})
	}
}

// confirmAdvanced confirms an order after its advance has arrived, if the shop confirms orders
// itself.
func (c *orderChange) confirmAdvanced() {
	o := c.o
	if c.err != nil || o.status != status.OrderPending || c.was.advanceDue() == 0 || o.advanceDue() > 0 ||
		o.received() <= c.was.received() {
		return
	}
	confirm, err := findFlag(c.tx, "autoConfirm")
	if c.err = err; confirm {
		by := c.cause
		c.cause = ByShop
		c.setStatus(status.OrderConfirmed)
		c.cause = by
	}
}

// WaiveAdvance ships an order without the rest of its advance: the shop does not require it any
// more. An order without one is returned unchanged. Codes: not_found.
func (s *Orders) WaiveAdvance(ctx context.Context, caller access.Caller, invoiceUID string) (*StaffOrder, error) {
	return s.changeStaffOrder(ctx, caller, access.ToWaiveAdvance, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			if o.advanceDue() == 0 {
				return nil, nil
			}
			c := s.changeAsStaff(tx, o, who)
			o.asked.amount = 0
			c.addTimeline(c.now, TimelineAdvance, "The shop does not require an advance any more.")
			return nil, c.save()
		})
}

// queueAdvanceRefused queues the message that the shop refused a reported payment.
func queueAdvanceRefused(tx *db.Tx, o *orderRow) error {
	set, err := message.FindSettings(tx)
	if err != nil {
		return err
	}
	return message.Queue(tx, set, o.number, o.recipient(), map[message.Event]string{message.AdvanceRefused: ""})
}

// findFlag reports whether a setting is on.
func findFlag(tx *db.Tx, key string) (bool, error) {
	rows, err := db.Query(tx, db.ScanText, `
		SELECT value
		FROM settings
		WHERE key = ?`, key)
	if err != nil {
		return false, fmt.Errorf("find setting: %w", err)
	}
	return len(rows) == 1 && rows[0] == "true", nil
}

// acceptsAdvance reports whether the order needs an advance that a gateway has received.
func (o *orderRow) acceptsAdvance(amount int64) bool {
	if o.status.IsClosed() || o.cashReceived() || amount > o.total-o.credited-o.received() {
		return false
	}
	return o.asked.amount == 0 || o.received() < o.asked.amount
}

// hasReport reports whether a reported payment waits.
func (o *orderRow) hasReport() bool {
	return slices.ContainsFunc(o.reports, func(r *walletPaymentRow) bool { return r.status == WalletWaiting })
}

// requireAdvance sets the advance of an order that becomes one on delivery.
func (c *orderChange) requireAdvance(set *Settings) error {
	buyer, err := set.findFacts(c.tx, c.o.phone)
	if err != nil {
		return err
	}
	o := c.o
	if o.asked = set.advanceOf(o.total, o.deliveryCharge, o.deliveryChargeID, buyer); o.asked.amount > 0 {
		c.addTimeline(c.now, TimelineAdvance, o.asked.message(set.Currency))
	}
	return nil
}

// message returns the entry of the timeline about an advance that is required.
func (a advanceAsked) message(currency money.Currency) string {
	return fmt.Sprintf("The shop requires %s in advance.", currency.Text(a.amount))
}
