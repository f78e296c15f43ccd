package staff

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/page"
)

func insertAudit(tx *db.Tx, e *AuditEntry) error {
	changes, err := json.Marshal(e.Changes)
	if err != nil {
		return fmt.Errorf("encode changes: %w", err)
	}
	_, err = tx.Exec(`
		INSERT INTO audit_log (id, at, actor_kind, actor_id, actor_name, via, client, request_id, action, subject_kind, subject_id, label, changes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.ID, db.Millis(e.At), e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Via, e.Client, e.RequestID,
		e.Action, e.Subject.Kind, e.Subject.ID, e.Subject.Label, string(changes))
	if err != nil {
		return fmt.Errorf("insert audit entry: %w", err)
	}
	return nil
}

// findOldestAudit returns the time of the oldest entry; nil if there is none.
func findOldestAudit(tx *db.Tx) (*int64, error) {
	var oldest *int64
	err := tx.QueryRow(`
		SELECT min(at)
		FROM audit_log`).Scan(&oldest)
	if err != nil {
		return nil, fmt.Errorf("find oldest audit entry: %w", err)
	}
	return oldest, nil
}

// findExcessAudit returns the time of the newest entry above the newest max; nil if there are no
// more than these.
func findExcessAudit(tx *db.Tx, max int) (*int64, error) {
	var at int64
	err := tx.QueryRow(`
		SELECT at
		FROM audit_log
		ORDER BY at DESC, id DESC
		LIMIT 1
		OFFSET ?`, max).Scan(&at)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find audit entries above the limit: %w", err)
	}
	return &at, nil
}

func deleteAudit(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM audit_log
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete audit entry: %w", err)
	}
	return nil
}

// deleteAuditUntil deletes at most limit entries that were written at that time or before.
func deleteAuditUntil(tx *db.Tx, at int64, limit int) error {
	_, err := tx.Exec(`
		DELETE FROM audit_log
		WHERE id IN (
			SELECT id
			FROM audit_log
			WHERE at <= ?
			ORDER BY at, id
			LIMIT ?
		)`, at, limit)
	if err != nil {
		return fmt.Errorf("delete old audit entries: %w", err)
	}
	return nil
}

// where returns the condition of a filter and its arguments.
func (f AuditFilter) where() (condition string, args []any) {
	all := []string{"1 = 1"}
	add := func(condition string, arg any) {
		all, args = append(all, condition), append(args, arg)
	}
	switch f.Actor {
	case "":
	case string(access.ActorStaff), string(access.ActorKey), string(access.ActorOperator), string(access.ActorCLI):
		add("actor_kind = ?", f.Actor)
	default:
		add("actor_id = ?", f.Actor)
	}
	if f.Action != "" {
		add("action = ?", f.Action)
	}
	if f.Subject != "" {
		add("subject_id = ?", f.Subject)
	}
	if !f.From.IsZero() {
		add("at >= ?", db.Millis(f.From))
	}
	if !f.Before.IsZero() {
		add("at < ?", db.Millis(f.Before))
	}
	return strings.Join(all, " AND "), args
}

// countAudit counts the entries, filtered ones up to [page.MaxCount].
func countAudit(tx *db.Tx, f AuditFilter) (count page.Count, err error) {
	condition, args := f.where()
	if len(args) == 0 {
		err = tx.QueryRow("SELECT COUNT(*) FROM audit_log").Scan(&count.Total)
	} else {
		err = tx.QueryRow(`
			SELECT COUNT(*)
			FROM (SELECT 1 FROM audit_log WHERE `+condition+` LIMIT ?) found`, append(args, page.MaxCount+1)...).Scan(&count.Total)
		count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	}
	if err != nil {
		return page.Count{}, fmt.Errorf("count audit entries: %w", err)
	}
	return count, nil
}

func findAudit(tx *db.Tx, f AuditFilter, w page.Window) ([]AuditEntry, error) {
	condition, args := f.where()
	query := `
		SELECT id, at, actor_kind, actor_id, actor_name, via, client, request_id, action, subject_kind, subject_id, label, changes
		FROM audit_log
		WHERE ` + condition + `
		ORDER BY at DESC, id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	list, err := db.Query(tx, scanAudit, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find audit entries: %w", err)
	}
	return list, nil
}

func scanAudit(r db.Row) (e AuditEntry, err error) {
	var changes string
	err = r.Scan(&e.ID, &e.At, &e.Actor.Kind, &e.Actor.ID, &e.Actor.Name, &e.Via, &e.Client, &e.RequestID, &e.Action,
		&e.Subject.Kind, &e.Subject.ID, &e.Subject.Label, &changes)
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(changes), &e.Changes)
}
