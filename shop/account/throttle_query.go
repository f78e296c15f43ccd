package account

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// maxFailureRows bounds what a flood from countless addresses can make a shop remember; beyond it
// the counts that would be forgotten first are forgotten at once.
const maxFailureRows = 20_000

// failureRow is a count of failures; the zero value stands for none.
type failureRow struct {
	count           int64
	firstAt, lastAt time.Time
}

// findFailures gives the count under key; none where it bears a time still to come, since the clock
// was set back then.
func findFailures(tx *db.Tx, key []byte) (row failureRow, err error) {
	var first, last int64
	err = tx.QueryRow(`
		SELECT count, first_at, last_at
		FROM failures
		WHERE key = ? AND expires_at > ? AND last_at <= ?`, key, db.Millis(tx.Now()), db.Millis(tx.Now())).Scan(&row.count, &first, &last)
	if errors.Is(err, db.ErrNotFound) {
		return failureRow{}, nil
	}
	if err != nil {
		return failureRow{}, fmt.Errorf("find failures: %w", err)
	}
	row.firstAt, row.lastAt = db.FromMillis(first), db.FromMillis(last)
	return row, nil
}

func saveFailures(tx *db.Tx, key []byte, row failureRow, expires time.Time) error {
	if row.count == 1 { // a row more
		if err := pruneFailures(tx); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`
		INSERT INTO failures (key, count, first_at, last_at, expires_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET
			count = excluded.count,
			first_at = excluded.first_at,
			last_at = excluded.last_at,
			expires_at = excluded.expires_at`,
		key, row.count, db.Millis(row.firstAt), db.Millis(row.lastAt), db.Millis(expires))
	if err != nil {
		return fmt.Errorf("save failures: %w", err)
	}
	return nil
}

// pruneFailures forgets what no longer counts, and a bounded number of what is too much.
func pruneFailures(tx *db.Tx) error {
	_, err := tx.Exec(`
		DELETE FROM failures
		WHERE key IN (
			SELECT key
			FROM failures
			WHERE expires_at <= ?
			ORDER BY expires_at
			LIMIT 100
		)`, db.Millis(tx.Now()))
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM failures
			WHERE key IN (
				SELECT key
				FROM failures
				ORDER BY expires_at DESC
				LIMIT 100
				OFFSET ?
			)`, maxFailureRows)
	}
	if err != nil {
		return fmt.Errorf("forget failures: %w", err)
	}
	return nil
}

func reduceFailures(tx *db.Tx, key []byte) error {
	_, err := tx.Exec(`
		DELETE FROM failures
		WHERE key = ? AND count = 1`, key)
	if err == nil {
		_, err = tx.Exec(`
			UPDATE failures
			SET count = count - 1
			WHERE key = ?`, key)
	}
	if err != nil {
		return fmt.Errorf("take back a failure: %w", err)
	}
	return nil
}

func deleteFailures(tx *db.Tx, key []byte) error {
	_, err := tx.Exec(`
		DELETE FROM failures
		WHERE key = ?`, key)
	if err != nil {
		return fmt.Errorf("forgive failures: %w", err)
	}
	return nil
}
