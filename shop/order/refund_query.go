package order

import (
	"fmt"

	"storefront/db"
	"storefront/shop/input"
)

const refundColumns = `id, attempt_id, amount, status, by_hand, external_id, reason, claimed_at, due_at, created_at, updated_at`

func scanRefund(row db.Row) (*refundRow, error) {
	r := new(refundRow)
	return r, row.Scan(&r.id, &r.attemptID, &r.amount, &r.state, &r.byHand, &r.externalID, &r.reason, &r.claimedAt, &r.dueAt,
		&r.createdAt, &r.updatedAt)
}

// findRefunds returns the refunds of a payment attempt, oldest first.
func findRefunds(tx *db.Tx, attemptID string) ([]*refundRow, error) {
	rows, err := db.Query(tx, scanRefund, `
		SELECT `+refundColumns+`
		FROM refunds
		WHERE attempt_id = ?
		ORDER BY id`, attemptID)
	if err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	return rows, nil
}

// findPaymentOfRefund returns the payment of a refund. The error is db.ErrNotFound if there is no
// such refund.
func findPaymentOfRefund(tx *db.Tx, refundID string) (*payment, error) {
	var attemptID string
	err := tx.QueryRow(`
		SELECT attempt_id
		FROM refunds
		WHERE id = ?`, refundID).Scan(&attemptID)
	if err != nil {
		return nil, err
	}
	return findPayment(tx, attemptID)
}

func saveRefund(tx *db.Tx, r *refundRow) error {
	_, err := tx.Exec(`
		INSERT INTO refunds (`+refundColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET
			status = excluded.status, by_hand = excluded.by_hand, external_id = excluded.external_id, reason = excluded.reason,
			claimed_at = excluded.claimed_at, due_at = excluded.due_at, updated_at = excluded.updated_at`,
		r.id, r.attemptID, r.amount, r.state, db.BoolInt(r.byHand), r.externalID, input.Clean(r.reason), r.claimedAt, r.dueAt,
		r.createdAt, r.updatedAt)
	if err != nil {
		return fmt.Errorf("save refund: %w", err)
	}
	return nil
}

// findDueRefunds returns the IDs of at most limit refunds with a query due at now.
func findDueRefunds(tx *db.Tx, now int64, limit int) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM refunds
		WHERE due_at IS NOT NULL AND due_at <= ?
		ORDER BY due_at
		LIMIT ?`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find due refunds: %w", err)
	}
	return ids, nil
}

// findNextRefund returns the time at which the next refund is due to be queried, nil if there is
// none.
func findNextRefund(tx *db.Tx) (due *int64, err error) {
	err = tx.QueryRow(`
		SELECT MIN(due_at)
		FROM refunds
		WHERE due_at IS NOT NULL`).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("find next refund: %w", err)
	}
	return due, nil
}
