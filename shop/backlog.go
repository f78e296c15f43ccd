package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Backlog counts what waits in a shop for a person, or for a server that runs.
type Backlog struct {
	// NeedReview payments have to be decided about, RefundDue ones to be given back.
	NeedReview, RefundDue int
	// Overdue payments should have been asked about at their gateway long ago.
	Overdue int
	// Calls of providers by what keeps them from being applied: Unmatched ones name nothing of ours,
	// Failed ones met a fault of ours, Stored ones were taken long ago and left.
	Unmatched, Failed, Stored int
	// Unanswered are orders of which it is not known whether a courier took a parcel, Stray ones are
	// cancelled and a courier still carries their parcel: invoice UIDs, some of them where there are many.
	Unanswered, Stray []string
}

// backlogAge is how old what the server does by itself gets before it counts as a backlog.
const backlogAge = time.Hour

// FindBacklog counts what waits, for the shop's staff.
func (s *Shop) FindBacklog(ctx context.Context) (waiting Backlog, err error) {
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		before := db.Millis(tx.Now().Add(-backlogAge))
		err := tx.QueryRow(`
			SELECT
				(SELECT COUNT(*) FROM payment_attempts WHERE status = 'needs_review'),
				(SELECT COUNT(*) FROM payment_attempts WHERE status = 'refund_due'),
				(SELECT COUNT(*) FROM payment_checks WHERE due_at <= ?) +
				(SELECT COUNT(*) FROM payment_attempts a WHERE a.status IN ('initiated', 'pending') AND a.created_at <= ?
					AND NOT EXISTS (SELECT 1 FROM payment_checks c WHERE c.attempt_id = a.id)),
				(SELECT COUNT(*) FROM provider_calls WHERE verdict = 'unmatched'),
				(SELECT COUNT(*) FROM provider_calls WHERE verdict = 'failed'),
				(SELECT COUNT(*) FROM provider_calls WHERE verdict = 'stored' AND received_at <= ?)`, before, before, before).
			Scan(&waiting.NeedReview, &waiting.RefundDue, &waiting.Overdue, &waiting.Unmatched, &waiting.Failed, &waiting.Stored)
		if err != nil {
			return fmt.Errorf("count what waits: %w", err)
		}
		return waiting.findShipments(tx)
	})
	return waiting, err
}

func (b *Backlog) findShipments(tx *db.Tx) error {
	var err1, err2 error
	b.Unanswered, err1 = db.Query(tx, db.ScanText, `
		SELECT order_id
		FROM parcel_bookings
		WHERE shipment_id IS NULL AND asked_at <= ?
		ORDER BY id
		LIMIT 10`, db.Millis(tx.Now().Add(-bookingPause)))
	b.Stray, err2 = db.Query(tx, db.ScanText, `
		SELECT DISTINCT o.id
		FROM orders o
		JOIN shipments p ON p.order_id = o.id
		WHERE o.status IN ('cancelled', 'expired') AND p.status NOT IN (
			'delivered', 'partially_delivered', 'exchanged', 'returning', 'returned', 'cancelled')
		ORDER BY o.id
		LIMIT 10`)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("find parcels that wait: %w", err)
	}
	return nil
}
