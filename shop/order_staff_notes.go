package shop

import (
	"time"

	"storefront/db"
	"storefront/shop/access"
)

// StaffNotes are staff's records about an order and its buyer, and the remarks about it in lists.
type StaffNotes struct {
	UpdatedAt    time.Time `json:"updatedAt"`
	CancelReason *string   `json:"cancelReason"` // as staff or the buyer stated it
	Notes        []Note    `json:"notes" nullable:"false" doc:"Notes and calls, oldest first"`
	Tags         []string  `json:"tags" nullable:"false"`
	Calls        Calls     `json:"calls"`
	Printed      []Print   `json:"printed" nullable:"false" doc:"Documents that staff have printed, newest first, at most 50"`
	// the staff member who works on it; null means nobody
	ClaimedBy    *access.Actor `json:"claimedBy"`
	ClaimedUntil *time.Time    `json:"claimedUntil"`
	Record       Record        `json:"record" doc:"The orders with the same phone number"`
	RowFlags     []RowFlag     `json:"rowFlags" nullable:"false" doc:"The flags that lists of orders show"`
}

// staffNotesOf returns staff's records about an order.
func staffNotesOf(tx *db.Tx, o *orderRow) (n StaffNotes, err error) {
	n = StaffNotes{UpdatedAt: db.FromMillis(o.updatedAt), CancelReason: db.NullText(o.cancelReason), Calls: o.calls.view()}
	if n.Notes, err = findNotes(tx, o.number); err != nil {
		return n, err
	}
	if n.Tags, err = findTags(tx, o.number); err != nil {
		return n, err
	}
	if n.Printed, err = findPrints(tx, o.number); err != nil {
		return n, err
	}
	about, err := findRowFacts(tx, []*orderRow{o})
	if err != nil {
		return n, err
	}
	n.Record, n.RowFlags = about.records[o.phone], o.rowFlags(about.isDuplicate(o))
	if n.ClaimedBy, err = o.claim.holder(tx.Now()); n.ClaimedBy != nil {
		n.ClaimedUntil = timeOfMillis(o.claim.until)
	}
	return n, err
}
