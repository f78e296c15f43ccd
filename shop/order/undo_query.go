package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/message"
	"storefront/shop/outbox"
)

// undoKey identifies changes that are undone together.
type undoKey struct{ actor, name string }

func newUndoKey(who access.Staff, name string) undoKey {
	actor := who.Actor()
	return undoKey{string(actor.Kind) + ":" + actor.ID, name}
}

// undoRow is a stored change that can be undone.
type undoRow struct {
	number                int64 // of the order
	before, after         undoState
	firstEvent, lastEvent int64 // of the outbox
	at, until             time.Time
	undoneAt              *time.Time
}

// isSame reports whether two states are equal as they are stored.
func (s *undoState) isSame(other *undoState) (bool, error) {
	mine, err := json.Marshal(s)
	if err != nil {
		return false, fmt.Errorf("encode order's state: %w", err)
	}
	others, err := json.Marshal(other)
	if err != nil {
		return false, fmt.Errorf("encode order's state: %w", err)
	}
	return string(mine) == string(others), nil
}

// isUndone reports whether one of the changes was undone.
func (k undoKey) isUndone(tx *db.Tx) (undone bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM order_undos
			WHERE actor = ? AND name = ? AND undone_at IS NOT NULL)`, k.actor, k.name).Scan(&undone)
	if err != nil {
		return false, fmt.Errorf("find undone change: %w", err)
	}
	return undone, nil
}

const purgeUndosQuery = `
		DELETE FROM order_undos
		WHERE at < ?`

// insertUndo stores a change, and deletes old ones. Codes: state_conflict.
func insertUndo(tx *db.Tx, k undoKey, r undoRow) error {
	if err := tx.Do(purgeUndosQuery, db.Millis(tx.Now().Add(-undoRetention))); err != nil {
		return fmt.Errorf("purge changes: %w", err)
	}
	before, err := json.Marshal(r.before)
	if err != nil {
		return fmt.Errorf("encode order's state: %w", err)
	}
	after, err := json.Marshal(r.after)
	if err != nil {
		return fmt.Errorf("encode order's state: %w", err)
	}
	n, err := tx.Exec(`
		INSERT INTO order_undos (actor, name, order_number, before, after, first_event, last_event, at, until)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, k.actor, k.name, r.number, string(before), string(after), r.firstEvent, r.lastEvent,
		db.Millis(r.at), db.Millis(r.until))
	if err != nil {
		return fmt.Errorf("insert change: %w", err)
	}
	if n == 0 {
		return fault.Errorf(fault.CodeStateConflict, "Another change of the order has this name: use a new one.")
	}
	return nil
}

// findUndoOrders returns the orders of the changes, by number.
func findUndoOrders(tx *db.Tx, k undoKey) ([]UndoneOrder, error) {
	orders, err := db.Query(tx, func(r db.Row) (u UndoneOrder, err error) { return u, r.Scan(&u.InvoiceUID, &u.OrderNumber) }, `
		SELECT o.id, o.number
		FROM order_undos u
		JOIN orders o ON o.number = u.order_number
		WHERE u.actor = ? AND u.name = ?
		ORDER BY o.number`, k.actor, k.name)
	if err != nil {
		return nil, fmt.Errorf("find orders to restore: %w", err)
	}
	return orders, nil
}

func findUndo(tx *db.Tx, k undoKey, number int64) (undoRow, error) {
	r := undoRow{number: number}
	var before, after string
	err := tx.QueryRow(`
		SELECT before, after, first_event, last_event, at, until, undone_at
		FROM order_undos
		WHERE actor = ? AND name = ? AND order_number = ?`, k.actor, k.name, number).
		Scan(&before, &after, &r.firstEvent, &r.lastEvent, &r.at, &r.until, &r.undoneAt)
	if err != nil {
		return r, fmt.Errorf("find change: %w", err)
	}
	return r, errors.Join(json.Unmarshal([]byte(before), &r.before), json.Unmarshal([]byte(after), &r.after))
}

// extendUndo makes what waits because of the changes wait until a later time, unless its time is
// over.
func extendUndo(tx *db.Tx, k undoKey, until time.Time) error {
	rows, err := db.Query(tx, func(r db.Row) (u undoRow, err error) {
		return u, r.Scan(&u.number, &u.firstEvent, &u.lastEvent, &u.at)
	}, `
		SELECT order_number, first_event, last_event, at
		FROM order_undos
		WHERE actor = ? AND name = ? AND until > ? AND undone_at IS NULL`, k.actor, k.name, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("find changes: %w", err)
	}
	for _, r := range rows {
		if err := outbox.Extend(tx, r.firstEvent, r.lastEvent, until); err != nil {
			return err
		}
		if err := message.Extend(tx, r.number, r.at, until); err != nil {
			return err
		}
	}
	if err := tx.Do(`
		UPDATE order_undos
		SET until = ?
		WHERE actor = ? AND name = ? AND until > ? AND undone_at IS NULL`, db.Millis(until), k.actor, k.name,
		db.Millis(tx.Now())); err != nil {
		return fmt.Errorf("extend changes: %w", err)
	}
	return nil
}

func markUndone(tx *db.Tx, k undoKey, number int64) error {
	if err := tx.Do(`
		UPDATE order_undos
		SET undone_at = ?
		WHERE actor = ? AND name = ? AND order_number = ?`, db.Millis(tx.Now()), k.actor, k.name, number); err != nil {
		return fmt.Errorf("mark change as undone: %w", err)
	}
	return nil
}

// deleteTimelineEntry deletes an entry of a change that was undone.
func deleteTimelineEntry(tx *db.Tx, number int64, id string) error {
	if err := tx.Do(`
		DELETE FROM order_events
		WHERE order_number = ? AND id = ?`, number, id); err != nil {
		return fmt.Errorf("delete timeline entry: %w", err)
	}
	return nil
}
