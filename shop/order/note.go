package order

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
)

// Limits of notes.
const (
	MaxStaffNote  = 1000 // characters
	maxOrderNotes = 500  // per order, including calls
)

// NoteKind is the kind of a note.
//
//api:enum NoteKind
type NoteKind string

// The kinds of notes.
const (
	NoteText NoteKind = "note" // a text
	NoteCall NoteKind = "call" // a call to the buyer
)

// Note is a staff member's note about an order, or a call to its buyer. Buyers see neither.
type Note struct {
	ID      string       `json:"_id"`
	At      time.Time    `json:"at"`
	By      access.Actor `json:"by"`
	Kind    NoteKind     `json:"kind"`
	Outcome *CallOutcome `json:"outcome"` // result of a call; null in a note
	Text    *string      `json:"text"`
	CallAt  *time.Time   `json:"callAt"` // when the buyer is to be called again
}

// AddNote adds a note to an order. Codes: validation_failed, not_found, state_conflict (the order
// has too many).
func (s *Orders) AddNote(ctx context.Context, caller access.Caller, invoiceUID, text string) (*StaffOrder, error) {
	check := func() error {
		var bad fault.Invalid
		text = checkStaffNote(&bad, "text", text)
		return bad.Err()
	}
	return s.annotateOrder(ctx, caller, access.ToAddNote, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			note := Note{Kind: NoteText, Text: &text}
			return []access.Change{access.Set("note", text)}, s.addNote(tx, who, o, &note)
		})
}

// DeleteNote deletes a note: the caller's own, or any for an owner, a manager and the operator.
// Calls stay. Codes: not_found, forbidden (another's note), state_conflict (a call).
func (s *Orders) DeleteNote(ctx context.Context, caller access.Caller, invoiceUID, noteID string) (*StaffOrder, error) {
	return s.annotateOrder(ctx, caller, access.ToDeleteNote, invoiceUID, nil,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			note, err := findNote(tx, o.number, noteID)
			switch {
			case err != nil:
				return nil, err
			case note.Kind != NoteText:
				return nil, fault.Errorf(fault.CodeStateConflict, "Calls cannot be deleted. Add a note about the mistake instead.")
			case !isSame(note.By, who.Actor()) && !who.IsManager():
				return nil, fault.Errorf(fault.CodeForbidden, "This is another's note: its author, a manager or an owner of the shop can delete it.")
			}
			return []access.Change{{Field: "note", Before: db.TextOf(note.Text)}}, deleteNote(tx, o.number, note.ID)
		})
}

// isSame reports whether two actors are the same, regardless of their names then.
func isSame(a, b access.Actor) bool { return a.Kind == b.Kind && a.ID == b.ID }

func checkStaffNote(bad *fault.Invalid, field, text string) string {
	text = input.CheckNote(bad, field, text, MaxStaffNote)
	if text == "" {
		bad.Add(field, fault.CodeRequired, "The note must have a text.")
	}
	return text
}

// checkNoteCount checks that the order can have another note. Codes: state_conflict.
func checkNoteCount(tx *db.Tx, o *orderRow) error {
	count, err := countNotes(tx, o.number)
	if err != nil {
		return err
	}
	if count >= maxOrderNotes {
		return fault.Errorf(fault.CodeStateConflict, "The order has the maximum of %d notes and calls. Delete old notes.", count)
	}
	return nil
}

// addNote adds a note of the caller to an order. It sets its ID, time and author. Codes:
// state_conflict.
func (s *Orders) addNote(tx *db.Tx, who access.Staff, o *orderRow, note *Note) error {
	if err := checkNoteCount(tx, o); err != nil {
		return err
	}
	note.ID, note.At, note.By = s.ids.Next(tx.Now()), tx.Now(), who.Actor()
	return insertNote(tx, o.number, note)
}

// annotateOrder is changeStaffOrder for parts that only staff see. A change renews the caller's
// claim, and is published as an edit of the order.
func (s *Orders) annotateOrder(
	ctx context.Context, caller access.Caller, use access.UseCase, invoiceUID string, check func() error, change staffChange,
) (*StaffOrder, error) {
	return s.changeStaffOrder(ctx, caller, use, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			changes, err := change(tx, who, o)
			if err != nil {
				return nil, err
			}
			if len(changes) == 0 {
				return nil, nil
			}
			if err := renewClaim(tx, who, o); err != nil {
				return nil, err
			}
			if err := touchOrder(tx, o); err != nil {
				return nil, err
			}
			return changes, outbox.Append(tx, o.event(outbox.OrderEdited, string(o.status)))
		})
}
