package staff

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/onetime"
)

// codesOf selects the codes of a staff member. The zero value selects all.
type codesOf struct {
	client, network []byte // that requested them; nil selects all
}

// countTextCodes counts codes of a staff member since a time.
func countTextCodes(tx *db.Tx, memberID string, of codesOf, since time.Time) (n int, err error) {
	query, args := `
		SELECT count(*)
		FROM staff_codes
		WHERE staff_id = ? AND created_at > ? AND created_at <= ?`, []any{memberID, db.Millis(since), db.Millis(tx.Now())}
	if of.client != nil {
		query, args = query+` AND client = ?`, append(args, of.client)
	}
	if of.network != nil {
		query, args = query+` AND network = ?`, append(args, of.network)
	}
	if err := tx.QueryRow(query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count codes: %w", err)
	}
	return n, nil
}

func insertTextCode(tx *db.Tx, code onetime.Code, network []byte) error {
	_, err := tx.Exec(`
		INSERT INTO staff_codes (id, staff_id, client, network, code_hash, state, message_id, created_at)
		VALUES (?, ?, ?, ?, ?, 'sending', '', ?)`, code.ID, code.Recipient, code.Client, network, code.Hash, db.Millis(code.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert code: %w", err)
	}
	return nil
}
