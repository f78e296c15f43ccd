package shop

import "storefront/db"

// entryKind is what an entry of the cash ledger tells of a parcel.
type entryKind string

const (
	cashDue       entryKind = "due"       // to be taken from the buyer
	cashCollected entryKind = "collected" // taken from the buyer
	cashFee       entryKind = "fee"       // what the courier keeps for its work
	cashRemitted  entryKind = "remitted"  // paid out to the shop
)

// entrySource is where an entry comes from.
type entrySource string

const (
	cashFromOrder     entrySource = "order"
	cashFromEvent     entrySource = "event"
	cashFromStatement entrySource = "statement"
)

// ledgerEntry is one thing that was said of a parcel's cash. Entries are never changed: of each kind
// the one with the newest time counts.
type ledgerEntry struct {
	shipmentID string
	kind       entryKind
	amount     *int64 // minor units; nil: paid out, and it was not told how much
	source     entrySource
	reference  string
	at         int64
}

// recordCourierCash enters what a courier tells of a parcel's cash.
func (s *Shop) recordCourierCash(tx *db.Tx, p *shipmentRow, notice CourierEvent, at int64) error {
	entry := ledgerEntry{shipmentID: p.id, source: cashFromEvent, reference: notice.Event, at: at}
	for _, told := range []struct {
		kind   entryKind
		amount *int64
	}{{cashCollected, notice.Collected}, {cashFee, notice.Fee}} {
		if told.amount == nil {
			continue
		}
		entry.kind, entry.amount = told.kind, told.amount
		if err := s.addLedgerEntry(tx, entry); err != nil {
			return err
		}
	}
	if !notice.PaidOut {
		return nil
	}
	entry.kind, entry.amount, entry.reference = cashRemitted, nil, notice.Event+" "+notice.Statement
	return s.addLedgerEntry(tx, entry)
}
