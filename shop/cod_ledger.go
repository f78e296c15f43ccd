package shop

import (
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// entryKind is the kind of a COD ledger entry.
type entryKind string

const (
	cashDue       entryKind = "due"       // to collect from the buyer
	cashCollected entryKind = "collected" // collected from the buyer
	cashFee       entryKind = "fee"       // the courier's fee
	cashRemitted  entryKind = "remitted"  // paid out to the shop
)

// EntrySource is the source of a COD ledger entry.
type EntrySource string

// The sources of COD ledger entries.
const (
	CashFromOrder     EntrySource = "order"
	CashFromEvent     EntrySource = "event"
	CashFromStatement EntrySource = "statement"
)

// ledgerEntry is one fact about a shipment's cash. Entries are immutable: of each kind, the one
// with the newest time counts.
type ledgerEntry struct {
	shipmentID string
	kind       entryKind
	amount     *int64 // minor units; nil: paid out, without an amount
	source     EntrySource
	reference  string
	at         int64
}

// ledgerShipment is a shipment as the ledger knows it.
type ledgerShipment struct {
	id            string
	orderID       string
	provider      plugin.Provider
	consignmentID *string // nil: not assigned by the courier yet
	status        status.Shipment
	createdAt     int64
	movedAt       int64 // time of the status, by the courier's clock
}

// ledgerRow is a shipment with its current amounts, in minor units.
type ledgerRow struct {
	shipment   ledgerShipment
	total      int64 // of a cash order, less what was received beforehand; 0 for others
	due        int64 // to collect with this shipment; 0 if it is cancelled
	dueChanged bool  // by the courier
	collected  *int64
	fee        *int64
	feeWhole   bool  // the fee contains the share of the cash: it is a statement's
	rate       int64 // the courier's share of the collected cash, in basis points
	paidOut    bool
	remitted   *int64 // nil with paidOut: the outstanding amount
	reconciled bool   // a statement contains the payout
	source     EntrySource
	at         int64
	entryDue   *int64 // nil: no entry has the cash due
}

// add applies an entry that is newer than those applied before.
func (l *ledgerRow) add(e ledgerEntry) {
	switch e.kind {
	case cashDue:
		l.due, l.entryDue, l.dueChanged = amountOf(e.amount), e.amount, e.source == CashFromEvent
	case cashCollected:
		l.collected = e.amount
	case cashFee:
		l.fee, l.feeWhole = e.amount, e.source == CashFromStatement
	case cashRemitted:
		l.paidOut, l.remitted, l.reconciled = true, e.amount, l.reconciled || e.source == CashFromStatement
	}
	l.source, l.at = e.source, e.at
}

// collectedAmount returns the cash that the courier has collected; nil if none. A delivered
// shipment without a reported amount counts as collected in full.
func (l *ledgerRow) collectedAmount() *int64 {
	if l.collected == nil && l.shipment.status == status.ShipmentDelivered && l.due > 0 {
		return &l.due
	}
	return l.collected
}

// cashShare returns the courier's share of the collected cash, if it is not part of the fee.
func (l *ledgerRow) cashShare() int64 {
	collected := amountOf(l.collectedAmount())
	if l.feeWhole || l.rate == 0 || !money.IsAmount(collected) {
		return 0
	}
	return money.Share(collected, l.rate, plugin.MaxCashRate)
}

// outstanding returns what the courier owes the shop for the shipment. It is negative if the fee
// exceeds the cash, as for a returned shipment: the courier then deducts it from other shipments.
func (l *ledgerRow) outstanding() int64 {
	return amountOf(l.collectedAmount()) - amountOf(l.fee) - l.cashShare()
}

// explainsPayout reports whether a payout is what the courier owes. It may round its share of the
// cash to the next whole unit.
func (l *ledgerRow) explainsPayout(paid int64, currency money.Currency) bool {
	difference := paid - l.outstanding()
	if l.cashShare() == 0 {
		return difference == 0
	}
	unit := int64(currency.Scale())
	return -unit < difference && difference < unit
}

// amountPaid returns what the courier has paid out to the shop.
func (l *ledgerRow) amountPaid() int64 {
	switch {
	case !l.paidOut:
		return 0
	case l.remitted == nil:
		return l.outstanding()
	}
	return *l.remitted
}

// LacksCash reports whether the courier reported an exchange without the whole amount due, or a
// delivery without any cash.
func (l *ledgerRow) LacksCash() bool {
	if l.due == 0 {
		return false
	}
	switch collected := amountOf(l.collected); l.shipment.status {
	case status.ShipmentExchanged:
		return collected < l.due
	case status.ShipmentDelivered:
		return l.collected != nil && collected == 0
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
func ReportedEntries(shipmentID string, event plugin.CourierEvent, at int64) (all []ledgerEntry) {
	entry := ledgerEntry{shipmentID: shipmentID, source: CashFromEvent, reference: event.Event, at: at}
	for _, reported := range []struct {
		kind   entryKind
		amount *int64
	}{{cashDue, event.Due}, {cashCollected, event.Collected}, {cashFee, event.Fee}} {
		if reported.amount != nil {
			entry.kind, entry.amount = reported.kind, reported.amount
			all = append(all, entry)
		}
	}
	if event.PaidOut {
		entry.kind, entry.amount, entry.reference = cashRemitted, nil, event.Event+" "+event.Statement
		all = append(all, entry)
	}
	return all
}
