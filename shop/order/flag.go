package order

import (
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/cash"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// FlagCode is what staff must check about an order.
//
//api:enum FlagCode
type FlagCode string

// The flags of a shipment that follow from its events and its cash. They disappear with the cause,
// in any order of the events.
const (
	// The collected cash differs from the amount due.
	FlagCashDiffers FlagCode = "cash_differs"
	// Cash was collected with a shipment that was not delivered.
	FlagCashUndelivered FlagCode = "cash_undelivered"
	FlagCashUnreported  FlagCode = "cash_unreported" // an exchange without an amount
	// The courier changed the amount to collect.
	FlagDueChanged FlagCode = "due_changed"
	// A payout for a shipment that was not delivered.
	FlagPaidOutUndelivered FlagCode = "paid_out_undelivered"
	FlagPayoutNegative     FlagCode = "payout_negative"   // the fee exceeds the cash of a payout
	FlagNeverHandedOver    FlagCode = "never_handed_over" // delivered without a pick-up
	// Another end was reported after the end.
	FlagContradicted FlagCode = "contradicted"
)

// The other flags. They stay until a staff member resolves them.
const (
	// The courier reports a loss, or an invalid amount.
	FlagCourierProblem FlagCode = "courier_problem"
	// The courier does not know the shipment.
	FlagMissingAtCourier FlagCode = "missing_at_courier"
	// The courier delivered a cancelled or expired order.
	FlagDeliveredAfterCancel FlagCode = "delivered_after_cancel"
	// The recipient or the address was changed after the shipment was booked.
	FlagOldAddress FlagCode = "old_address"
	// An advance arrived after a courier was to collect the whole amount.
	FlagLateAdvance FlagCode = "late_advance"
)

// derivedFlags are the flags that syncFlags adds and removes.
var derivedFlags = []FlagCode{
	FlagCashDiffers, FlagCashUndelivered, FlagCashUnreported, FlagDueChanged, FlagPaidOutUndelivered, FlagPayoutNegative,
	FlagNeverHandedOver, FlagContradicted,
}

// Flag is a reason for which staff must check an order.
type Flag struct {
	OrderID     string `json:"orderId"`
	OrderNumber int64  `json:"orderNumber"`
	// of the shipment; null in a flag of the order
	Provider      *plugin.Provider `json:"provider"`
	ConsignmentID *string          `json:"consignmentId"` // of the shipment
	Code          FlagCode         `json:"code"`
	Message       string           `json:"message"`
	RaisedAt      time.Time        `json:"raisedAt"`
}

// flag is a flag to raise.
type flag struct {
	code    FlagCode
	message string
}

// raise raises a flag of a shipment, or of the order if shipmentID is "". A flag that is raised or
// resolved already stays as it is if its message is the same.
func (c *orderChange) raise(shipmentID string, f flag) {
	if c.err != nil {
		return
	}
	n, err := c.tx.Exec(`
		INSERT INTO order_flags (order_id, shipment_id, code, message, raised_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (order_id, shipment_id, code) DO UPDATE
		SET message = excluded.message, raised_at = excluded.raised_at, resolved_at = NULL
		WHERE order_flags.message <> excluded.message`, c.o.id, shipmentID, f.code, f.message, c.now)
	if err != nil {
		c.err = fmt.Errorf("raise flag: %w", err)
		return
	}
	if n > 0 {
		c.raised, c.wrote.flags = append(c.raised, f.message), true
	}
}

// raiseOldAddress raises FlagOldAddress for the order's open shipments, or for the order if a
// courier is about to have one, also if staff resolved it after an earlier change.
func (c *orderChange) raiseOldAddress() {
	ids := []string{}
	for _, p := range c.o.openShipments() {
		ids = append(ids, p.id)
	}
	if len(ids) == 0 {
		ids = []string{""}
	}
	for _, id := range ids {
		c.drop(id, FlagOldAddress)
		c.raise(id, flag{FlagOldAddress,
			"The recipient or the address was changed after the shipment was booked: correct it at the courier and print the label again."})
	}
}

// moveOldAddress moves FlagOldAddress from the order to the shipment of a booking, and the flag
// then ends with the shipment. A flag from before the booking was sent is dropped: the courier has
// the new address.
func (c *orderChange) moveOldAddress(shipmentID string, sent time.Time) {
	if c.err != nil {
		return
	}
	_, err := c.tx.Exec(`
		UPDATE order_flags
		SET shipment_id = ?
		WHERE order_id = ? AND shipment_id = '' AND code = ? AND raised_at >= ? AND NOT EXISTS (
			SELECT 1
			FROM order_flags AS f
			WHERE f.order_id = ? AND f.shipment_id = ? AND f.code = ?)`,
		shipmentID, c.o.id, FlagOldAddress, db.Millis(sent), c.o.id, shipmentID, FlagOldAddress)
	if err != nil {
		c.err = fmt.Errorf("move flag: %w", err)
		return
	}
	c.drop("", FlagOldAddress)
}

// drop removes a flag of a shipment, whether resolved or not.
func (c *orderChange) drop(shipmentID string, code FlagCode) {
	if c.err == nil {
		_, c.err = dropFlag(c.tx, c.o.id, shipmentID, code)
	}
}

// dropFlag removes a flag of an order's shipment, or of the order if shipmentID is "".
func dropFlag(tx *db.Tx, orderID, shipmentID string, code FlagCode) (dropped bool, err error) {
	n, err := tx.Exec(`
		DELETE FROM order_flags
		WHERE order_id = ? AND shipment_id = ? AND code = ?`, orderID, shipmentID, code)
	if err != nil {
		return false, fmt.Errorf("drop flag: %w", err)
	}
	return n > 0, nil
}

// resolveFlags marks all flags of the order as checked by staff, and returns their number.
func (c *orderChange) resolveFlags() (resolved int64) {
	resolved, err := c.tx.Exec(`
		UPDATE order_flags
		SET resolved_at = ?
		WHERE order_id = ? AND resolved_at IS NULL`, c.now, c.o.id)
	if err != nil {
		c.err = fmt.Errorf("resolve flags: %w", err)
	}
	c.wrote.flags = c.wrote.flags || resolved > 0
	return resolved
}

// syncFlags raises and drops the derived flags of the order's shipments.
func (c *orderChange) syncFlags() {
	if c.err != nil {
		return
	}
	currency, err := c.s.cfg.CurrencyIn(c.tx)
	if err != nil {
		c.err = err
		return
	}
	rows, err := c.ledger()
	if err != nil {
		c.err = err
		return
	}
	for _, l := range rows {
		i := slices.IndexFunc(c.o.shipments, func(p *shipmentRow) bool { return p.id == l.Shipment.ID })
		if i < 0 {
			return
		}
		events, err := findShipmentEvents(c.tx, l.Shipment.ID)
		if err != nil {
			c.err = err
			return
		}
		flags := append(cashFlags(l, currency), c.o.shipments[i].eventFlags(events)...)
		for _, f := range flags {
			c.raise(l.Shipment.ID, f)
		}
		c.dropOthers(l.Shipment.ID, flags)
		if len(status.ShipmentTransitions[l.Shipment.Status]) == 0 {
			c.drop(l.Shipment.ID, FlagOldAddress)
		}
	}
}

// dropOthers removes the derived flags of a shipment that are not among flags.
func (c *orderChange) dropOthers(shipmentID string, flags []flag) {
	for _, code := range derivedFlags {
		if !slices.ContainsFunc(flags, func(f flag) bool { return f.code == code }) {
			c.drop(shipmentID, code)
		}
	}
}

// cashFlags returns the flags that follow from a shipment's cash.
func cashFlags(l *cash.Row, currency money.Currency) (flags []flag) {
	add := func(code FlagCode, format string, args ...any) {
		flags = append(flags, flag{code, fmt.Sprintf(format, args...)})
	}
	st := l.Shipment.Status
	switch {
	case l.Collected == nil && st == status.ShipmentExchanged && l.Due > 0:
		add(FlagCashUnreported, "The courier exchanged the shipment and reported no cash: %s is still due.", currency.Text(l.Due))
	case l.Collected != nil && st.IsDone() && *l.Collected != l.Due:
		add(FlagCashDiffers, "The courier collected %s, and %s was due.", currency.Text(*l.Collected), currency.Text(l.Due))
	case l.Collected != nil && *l.Collected > 0 && !st.IsDone():
		add(FlagCashUndelivered, "The courier collected %s with a shipment that is %s.", currency.Text(*l.Collected), st)
	}
	if l.DueChanged && l.Due != l.Total {
		add(FlagDueChanged, "The courier changed the amount to collect to %s; %s was due.", currency.Text(l.Due), currency.Text(l.Total))
	}
	if l.PaidOut && !l.Reconciled {
		if !st.IsDone() && st != status.ShipmentReturned && st != status.ShipmentReturning {
			add(FlagPaidOutUndelivered, "The courier paid out for a shipment that is %s: it may be delivered.", st)
		}
		if out := l.Outstanding(); out < 0 {
			add(FlagPayoutNegative, "The courier deducted %s for the shipment instead of paying it out.", currency.Text(-out))
		}
	}
	return flags
}

// eventFlags returns the flags that follow from the shipment's events.
func (p *shipmentRow) eventFlags(events []shipmentEvent) (flags []flag) {
	st, endedAt := p.status, p.movedAt
	final := len(status.ShipmentTransitions[st]) == 0
	var delivering, handedOver, contradicted *shipmentEvent
	for i := range events {
		e := &events[i]
		switch {
		case e.event == staffEvent || e.isTracked():
			handedOver = e
		case e.status == st && st.IsDone() && e.at == endedAt:
			delivering = e
		case e.status.IsHandedOver():
			handedOver = e
		}
		later := e.at > endedAt && e.status != st && slices.Contains(status.EndStatuses, e.status)
		if later && final && !(st == status.ShipmentReturned && e.status == status.ShipmentReturning) && (contradicted == nil || e.at > contradicted.at) {
			contradicted = e
		}
	}
	if delivering != nil && handedOver == nil {
		flags = append(flags, flag{FlagNeverHandedOver,
			"The courier reported the shipment as " + string(st) + " and never picked it up: check that the buyer has it."})
	}
	if contradicted != nil {
		flags = append(flags, flag{FlagContradicted,
			fmt.Sprintf("The courier reported the shipment as %s after it was %s: check it in the courier's panel.", contradicted.status, st)})
	}
	return flags
}
