package cash

import (
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// EntryKind is the kind of a COD ledger entry.
type EntryKind string

const (
	EntryDue       EntryKind = "due"       // to collect from the buyer
	EntryCollected EntryKind = "collected" // collected from the buyer
	EntryFee       EntryKind = "fee"       // the courier's fee
	EntryRemitted  EntryKind = "remitted"  // paid out to the shop
)

// EntrySource is what reported an amount of the ledger.
//
//api:enum LedgerSource
type EntrySource string

// The sources of COD ledger entries.
const (
	FromOrder     EntrySource = "order"     // the order, when its shipment was booked
	FromEvent     EntrySource = "event"     // an event of the courier
	FromStatement EntrySource = "statement" // a statement of the courier
)

// Entry is one fact about a shipment's cash. Entries are immutable: the newest of each kind counts.
type Entry struct {
	ShipmentID string
	Kind       EntryKind
	Amount     *int64 // minor units; nil if paid out without an amount
	Source     EntrySource
	reference  string
	At         int64
}

// Shipment is a shipment as the ledger knows it.
type Shipment struct {
	ID            string
	orderID       string
	orderNumber   int64
	provider      plugin.Provider
	consignmentID *string // nil means not assigned by the courier yet
	Status        status.Shipment
	createdAt     int64
	movedAt       int64 // time of the status, by the courier's clock
}

// Row is a shipment with its current amounts, in minor units.
type Row struct {
	Shipment   Shipment
	Total      int64 // of a cash order, less its advances and what the buyer did not accept; 0 for others
	Due        int64 // to collect with this shipment; 0 if it is cancelled
	DueChanged bool  // by the courier
	Collected  *int64
	fee        *int64
	feeWhole   bool  // the fee contains the share of the cash: it is from a statement
	rate       int64 // the courier's share of the collected cash, in basis points
	PaidOut    bool
	remitted   *int64 // nil with PaidOut means the outstanding amount
	Reconciled bool   // a statement contains the payout
	source     EntrySource
	at         int64
	entryDue   *int64 // nil if no entry has the cash due
	reduced    bool   // the buyer did not accept all of the order: no more than Total is due
	elsewhere  int64  // cash that couriers collected with the order's other shipments, or may have
}

// add applies an entry that is newer than those applied before.
func (l *Row) add(e Entry) {
	switch e.Kind {
	case EntryDue:
		l.Due, l.entryDue, l.DueChanged = amountOf(e.Amount), e.Amount, e.Source == FromEvent
	case EntryCollected:
		l.Collected = e.Amount
	case EntryFee:
		l.fee, l.feeWhole = e.Amount, e.Source == FromStatement
	case EntryRemitted:
		l.PaidOut, l.remitted, l.Reconciled = true, e.Amount, l.Reconciled || e.Source == FromStatement
	}
	l.source, l.at = e.Source, e.At
}

// collectedAmount returns the cash that the courier has collected; nil if none. A delivered
// shipment without a reported amount counts as collected in full, less what couriers collected for
// the order with other shipments.
func (l *Row) collectedAmount() *int64 {
	if assumed := l.assumedAmount(); l.Collected == nil && assumed > 0 {
		return &assumed
	}
	return l.Collected
}

// assumedAmount returns the cash that counts as collected although the courier did not report it.
func (l *Row) assumedAmount() int64 {
	if l.Collected != nil || l.Shipment.Status != status.ShipmentDelivered {
		return 0
	}
	return max(0, min(l.Due, max(l.Total, l.Due)-l.elsewhere))
}

// addElsewhere adds what couriers collected with the other shipments of each order. The rows are
// all shipments of their orders, oldest first.
func addElsewhere(rows []*Row) {
	reported := map[string]int64{}
	for _, l := range rows {
		reported[l.Shipment.orderID] += amountOf(l.Collected)
	}
	for _, l := range rows {
		l.elsewhere = reported[l.Shipment.orderID] - amountOf(l.Collected)
		if l.Collected == nil && l.Shipment.Status == status.ShipmentDelivered {
			reported[l.Shipment.orderID] += l.Due
		}
	}
}

// cashShare returns the courier's share of the collected cash, if it is not part of the fee.
func (l *Row) cashShare() int64 {
	collected := amountOf(l.collectedAmount())
	if l.feeWhole || l.rate == 0 || !money.IsAmount(collected) {
		return 0
	}
	return money.Share(collected, l.rate, plugin.MaxCashRate)
}

// Outstanding returns the amount that the courier owes the shop for the shipment. It is negative if
// the fee exceeds the cash, as for a returned shipment: the courier then deducts it from other
// shipments.
func (l *Row) Outstanding() int64 {
	return amountOf(l.collectedAmount()) - amountOf(l.fee) - l.cashShare()
}

// explainsPayout reports whether a payout is what the courier owes. It may round its share of the
// cash to the next whole unit.
func (l *Row) explainsPayout(paid int64, currency money.Currency) bool {
	difference := paid - l.Outstanding()
	if l.cashShare() == 0 {
		return difference == 0
	}
	unit := int64(currency.Scale())
	return -unit < difference && difference < unit
}

// amountPaid returns what the courier has paid out to the shop.
func (l *Row) amountPaid() int64 {
	switch {
	case !l.PaidOut:
		return 0
	case l.remitted == nil:
		return l.Outstanding()
	}
	return *l.remitted
}

// CollectedAmount returns the cash that couriers collected with all shipments of an order.
func CollectedAmount(rows []*Row) (sum int64) {
	for _, l := range rows {
		sum += amountOf(l.collectedAmount())
	}
	return sum
}

// limitDue limits the cash due with the shipment to the cash due for the order.
func (l *Row) limitDue() {
	if l.reduced {
		l.Due = min(l.Due, l.Total)
	}
	if l.Shipment.Status == status.ShipmentCancelled {
		l.Due = 0
	}
}

// MayHold returns the cash that the courier collects if the buyer receives the shipment, or has
// collected.
func (l *Row) MayHold() int64 {
	if l.Collected == nil && l.Shipment.Status.MayBeDue() {
		return l.Due
	}
	return amountOf(l.collectedAmount())
}

// LacksCash reports whether the courier reported an exchange without the whole amount due, or a
// delivery without any cash.
func (l *Row) LacksCash() bool {
	if l.Due == 0 {
		return false
	}
	switch collected := amountOf(l.Collected); l.Shipment.Status {
	case status.ShipmentExchanged:
		return collected < l.Due
	case status.ShipmentDelivered:
		return l.Collected != nil && collected == 0
	}
	return false
}

// amountOf returns the amount; 0 if it is nil.
func amountOf(amount *int64) int64 {
	if amount == nil {
		return 0
	}
	return *amount
}

// ReportedEntries returns the entries of what a courier's event reports about the cash of a
// shipment.
func ReportedEntries(shipmentID string, event plugin.CourierEvent, at int64) (all []Entry) {
	entry := Entry{ShipmentID: shipmentID, Source: FromEvent, reference: event.Event, At: at}
	for _, reported := range []struct {
		kind   EntryKind
		amount *int64
	}{{EntryDue, event.Due}, {EntryCollected, event.Collected}, {EntryFee, event.Fee}} {
		if reported.amount != nil {
			entry.Kind, entry.Amount = reported.kind, reported.amount
			all = append(all, entry)
		}
	}
	if event.PaidOut {
		entry.Kind, entry.Amount, entry.reference = EntryRemitted, nil, event.Event+" "+event.Statement
		all = append(all, entry)
	}
	return all
}
