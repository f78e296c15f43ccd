package throttle

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// maxFailureRows limits the rows that a flood from many addresses can create in a shop's file.
// Above it, the counts that expire first are deleted early.
const maxFailureRows = 20_000

// failureRow is a count of failures. The zero value means none.
type failureRow struct {
	count           int64
	firstAt, lastAt time.Time
}

// findFailures returns the count under key. It ignores a count with a time in the future, which
// means that the clock was set back.
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
	if row.count == 1 { // a new row
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

// pruneFailures deletes up to 100 expired counts and up to 100 above maxFailureRows.
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
		return fmt.Errorf("prune failures: %w", err)
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
		return fmt.Errorf("uncount failure: %w", err)
	}
	return nil
}

func deleteFailures(tx *db.Tx, key []byte) error {
	_, err := tx.Exec(`
		DELETE FROM failures
		WHERE key = ?`, key)
	if err != nil {
		return fmt.Errorf("delete failures: %w", err)
	}
	return nil
}
