package message

import (
	"fmt"
	"time"

	"storefront/db"
)

// The messages that a change has queued have its order and its time.

const isUnsent = `order_number = ? AND created_at = ? AND attempts = 0 AND status IN ('queued', 'skipped')`

// Extend holds the messages of an order's change until a later time. Those that are due after it
// remain so.
func Extend(tx *db.Tx, number int64, changedAt, until time.Time) error {
	if err := tx.Do(`
		UPDATE buyer_messages
		SET due_at = ?
		WHERE `+isUnsent+` AND due_at < ?`, db.Millis(until), number, db.Millis(changedAt), db.Millis(until)); err != nil {
		return fmt.Errorf("hold messages: %w", err)
	}
	return nil
}

// Withdraw deletes the messages of an order's change. ok is false, and nothing is changed, if one
// of them is being sent or was.
func Withdraw(tx *db.Tx, number int64, changedAt time.Time) (ok bool, err error) {
	var sent bool
	at := db.Millis(changedAt)
	if err := tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM buyer_messages
			WHERE order_number = ? AND created_at = ? AND NOT (attempts = 0 AND status IN ('queued', 'skipped')))`,
		number, at).Scan(&sent); err != nil {
		return false, fmt.Errorf("find sent messages: %w", err)
	}
	if sent {
		return false, nil
	}
	if err := tx.Do(`
		DELETE FROM buyer_messages
		WHERE `+isUnsent, number, at); err != nil {
		return false, fmt.Errorf("withdraw messages: %w", err)
	}
	return true, nil
}
