package shop

import "storefront/db"

// cashKind is what an entry of the cash ledger tells of a parcel.
type cashKind string

const (
	cashDue       cashKind = "due"       // to be taken from the buyer
	cashCollected cashKind = "collected" // taken from the buyer
	cashFee       cashKind = "fee"       // what the courier keeps for its work
	cashRemitted  cashKind = "remitted"  // paid out to the shop
)

// cashSource is where an entry comes from.
type cashSource string

const (
	cashFromOrder     cashSource = "order"
	cashFromEvent     cashSource = "event"
	cashFromStatement cashSource = "statement"
)

// cashEntry is one thing that was said of a parcel's cash. Entries are never changed: of each kind
// the one with the newest time counts.
type cashEntry struct {
	shipmentID string
	kind       cashKind
	amount     *int64 // minor units; nil: paid out, and it was not told how much
	source     cashSource
	reference  string
	at         int64
}

// recordCourierCash enters what a courier tells of a parcel's cash.
func (s *Shop) recordCourierCash(tx *db.Tx, p *shipmentRow, notice CourierEvent, at int64) error {
	entry := cashEntry{shipmentID: p.id, source: cashFromEvent, reference: notice.Event, at: at}
	for _, told := range []struct {
		kind   cashKind
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
