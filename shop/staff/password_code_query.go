package staff

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/onetime"
)

// countTextCodes counts the codes of a staff member since a time: all of them, or those that one
// client requested if client is not nil.
func countTextCodes(tx *db.Tx, memberID string, client []byte, since time.Time) (n int, err error) {
	query, args := `
		SELECT count(*)
		FROM staff_codes
		WHERE staff_id = ? AND created_at > ? AND created_at <= ?`, []any{memberID, db.Millis(since), db.Millis(tx.Now())}
	if client != nil {
		query, args = query+` AND client = ?`, append(args, client)
	}
	if err := tx.QueryRow(query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count codes: %w", err)
	}
	return n, nil
}

func insertTextCode(tx *db.Tx, code onetime.Code) error {
	_, err := tx.Exec(`
		INSERT INTO staff_codes (id, staff_id, client, code_hash, state, message_id, created_at)
		VALUES (?, ?, ?, ?, 'sending', '', ?)`, code.ID, code.Recipient, code.Client, code.Hash, db.Millis(code.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert code: %w", err)
	}
	return nil
}
