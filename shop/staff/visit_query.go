package staff

import (
	"fmt"
	"time"

	"storefront/db"
)

const visitColumns = `id, operator_id, operator_name, session_id, language, reason, created_at, expires_at`

func scanVisit(r db.Row) (v visitRow, err error) {
	return v, r.Scan(&v.ID, &v.operatorID, &v.Operator, &v.session, &v.language, &v.Reason, &v.CreatedAt, &v.ExpiresAt)
}

// findVisit returns the visit with the hash of its token, or db.ErrNotFound.
func findVisit(tx *db.Tx, hash []byte) (visitRow, error) {
	return scanVisit(tx.QueryRow(`SELECT `+visitColumns+` FROM operator_visits WHERE hash = ?`, hash))
}

// findVisits returns the visits that have not ended, newest first.
func findVisits(tx *db.Tx) ([]Visit, error) {
	list, err := db.Query(tx, func(r db.Row) (Visit, error) {
		v, err := scanVisit(r)
		return v.Visit, err
	}, `SELECT `+visitColumns+` FROM operator_visits WHERE expires_at > ? ORDER BY created_at DESC, id DESC`, db.Millis(tx.Now()))
	if err != nil {
		return nil, fmt.Errorf("find visits: %w", err)
	}
	return db.OrEmpty(list), nil
}

// isVisitor reports whether an operator has a visit that has not ended.
func isVisitor(tx *db.Tx, operatorID string) (is bool, err error) {
	var n int64
	err = tx.QueryRow(`SELECT COUNT(*) FROM operator_visits WHERE operator_id = ? AND expires_at > ?`, operatorID, db.Millis(tx.Now())).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find visits: %w", err)
	}
	return n > 0, nil
}

func insertVisit(tx *db.Tx, v *visitRow, hash []byte, client, agent string) error {
	_, err := tx.Exec(`
		INSERT INTO operator_visits (hash, `+visitColumns+`, client, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, v.ID, v.operatorID, v.Operator, v.session, string(v.language), v.Reason,
		db.Millis(v.CreatedAt), db.Millis(v.ExpiresAt), client, agent)
	if err != nil {
		return fmt.Errorf("insert visit: %w", err)
	}
	return nil
}

func endVisit(tx *db.Tx, id string) error {
	if _, err := tx.Exec(`UPDATE operator_visits SET expires_at = ? WHERE id = ?`, db.Millis(tx.Now()), id); err != nil {
		return fmt.Errorf("end visit: %w", err)
	}
	return nil
}

func deleteVisitsBefore(tx *db.Tx, at time.Time) error {
	if _, err := tx.Exec(`DELETE FROM operator_visits WHERE expires_at < ?`, db.Millis(at)); err != nil {
		return fmt.Errorf("delete visits: %w", err)
	}
	return nil
}
