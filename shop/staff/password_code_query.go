package staff

import (
	"fmt"
	"time"

	"storefront/db"
)

// The queries ignore codes created in the future, which were stored before the clock was set back.

// findLastTextCode returns the newest code of a staff member, the only one that can be live, or
// db.ErrNotFound.
func findLastTextCode(tx *db.Tx, memberID string) (textCodeRow, error) {
	row := textCodeRow{memberID: memberID}
	var used *int64
	err := tx.QueryRow(`
		SELECT id, code_hash, wrong_tries, used_at, created_at
		FROM staff_codes
		WHERE staff_id = ? AND created_at <= ?
		ORDER BY created_at DESC, id DESC
		LIMIT 1`, memberID, db.Millis(tx.Now())).Scan(&row.id, &row.hash, &row.failedAttempts, &used, &row.createdAt)
	if err != nil {
		return textCodeRow{}, fmt.Errorf("find code: %w", err)
	}
	row.usedAt = db.FromNullMillis(used)
	return row, nil
}

func countTextCodes(tx *db.Tx, memberID string, since time.Time) (n int, err error) {
	err = tx.QueryRow(`
		SELECT count(*)
		FROM staff_codes
		WHERE staff_id = ? AND created_at > ? AND created_at <= ?`, memberID, db.Millis(since), db.Millis(tx.Now())).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count codes: %w", err)
	}
	return n, nil
}

func insertTextCode(tx *db.Tx, row textCodeRow, client []byte) error {
	_, err := tx.Exec(`
		INSERT INTO staff_codes (id, staff_id, client, code_hash, state, message_id, created_at)
		VALUES (?, ?, ?, ?, 'sending', '', ?)`, row.id, row.memberID, client, row.hash, db.Millis(row.createdAt))
	if err != nil {
		return fmt.Errorf("insert code: %w", err)
	}
	return nil
}

func saveTextCodeState(tx *db.Tx, id, state, messageID string) error {
	_, err := tx.Exec(`
		UPDATE staff_codes
		SET state = ?, message_id = ?
		WHERE id = ?`, state, messageID, id)
	if err != nil {
		return fmt.Errorf("save state of message: %w", err)
	}
	return nil
}

func saveFailedTextCode(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		UPDATE staff_codes
		SET wrong_tries = wrong_tries + 1
		WHERE id = ? AND wrong_tries < ?`, id, textCodeAttempts)
	if err != nil {
		return fmt.Errorf("count wrong code: %w", err)
	}
	return nil
}

func deleteTextCode(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM staff_codes
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete code: %w", err)
	}
	return nil
}

// endTextCodes makes the codes of a staff member invalid. They still count towards the hour's
// limit.
func endTextCodes(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`
		UPDATE staff_codes
		SET used_at = ?
		WHERE staff_id = ? AND used_at IS NULL`, db.Millis(tx.Now()), memberID)
	if err != nil {
		return fmt.Errorf("end codes: %w", err)
	}
	return nil
}
