package order

import (
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

const selectNotes = `
		SELECT id, at, author, kind, outcome, text, call_at
		FROM order_notes
		WHERE order_number = ?`

func scanNote(r db.Row) (n Note, err error) {
	var author, outcome, text string
	if err := r.Scan(&n.ID, &n.At, &author, &n.Kind, &outcome, &text, &n.CallAt); err != nil {
		return n, err
	}
	n.Text = db.NullText(text)
	if outcome != "" {
		n.Outcome = new(CallOutcome(outcome))
	}
	n.By, err = parseActor(author)
	return n, err
}

// findNotes returns the notes and calls of an order, oldest first.
func findNotes(tx *db.Tx, number int64) ([]Note, error) {
	notes, err := db.Query(tx, scanNote, selectNotes+`
		ORDER BY id`, number)
	if err != nil {
		return nil, fmt.Errorf("find notes: %w", err)
	}
	return db.OrEmpty(notes), nil
}

// findNote returns a note or call of an order. Codes: not_found.
func findNote(tx *db.Tx, number int64, id string) (Note, error) {
	notes, err := db.Query(tx, scanNote, selectNotes+` AND id = ?`, number, id)
	if err != nil {
		return Note{}, fmt.Errorf("find note: %w", err)
	}
	if len(notes) == 0 {
		return Note{}, fault.Errorf(fault.CodeNotFound, "The order has no such note.")
	}
	return notes[0], nil
}

func countNotes(tx *db.Tx, number int64) (count int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM order_notes
		WHERE order_number = ?`, number).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count notes: %w", err)
	}
	return count, nil
}

func insertNote(tx *db.Tx, number int64, n *Note) error {
	author, err := formatActor(n.By)
	if err != nil {
		return err
	}
	outcome := ""
	if n.Outcome != nil {
		outcome = string(*n.Outcome)
	}
	_, err = tx.Exec(`
		INSERT INTO order_notes (order_number, id, at, author, kind, outcome, text, call_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, number, n.ID, db.Millis(n.At), author, n.Kind, outcome, db.TextOf(n.Text), db.NullMillis(n.CallAt))
	if err != nil {
		return fmt.Errorf("insert note: %w", err)
	}
	return nil
}

func deleteNote(tx *db.Tx, number int64, id string) error {
	_, err := tx.Exec(`
		DELETE FROM order_notes
		WHERE order_number = ? AND id = ?`, number, id)
	if err != nil {
		return fmt.Errorf("delete note: %w", err)
	}
	return nil
}

// touchOrder saves that an order was changed now.
func touchOrder(tx *db.Tx, o *orderRow) error {
	o.updatedAt = db.Millis(tx.Now())
	_, err := tx.Exec(`
		UPDATE orders
		SET updated_at = ?
		WHERE number = ?`, o.updatedAt, o.number)
	if err != nil {
		return fmt.Errorf("save change of order: %w", err)
	}
	return nil
}

// eraseAnnotations deletes staff's texts about an order, which can name the buyer: notes, tags and
// the texts of calls.
func eraseAnnotations(tx *db.Tx, number int64) error {
	var errs []error
	for _, query := range []string{
		`DELETE FROM order_notes WHERE order_number = ? AND kind = 'note'`,
		`UPDATE order_notes SET text = '' WHERE order_number = ?`,
		`DELETE FROM order_tags WHERE order_number = ?`,
		`DELETE FROM order_undos WHERE order_number = ?`,
	} {
		_, err := tx.Exec(query, number)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("erase what staff wrote about an order: %w", err)
	}
	return nil
}

// parseActor returns an actor in its stored form.
func parseActor(text string) (a access.Actor, err error) {
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("read actor: %w", err)
	}
	return a, nil
}

func formatActor(a access.Actor) (string, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("encode actor: %w", err)
	}
	return string(text), nil
}
