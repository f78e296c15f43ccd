package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/status"
)

// CallOutcome is the result of a call to a buyer.
//
//api:enum CallOutcome
type CallOutcome string

// The outcomes of calls.
const (
	CallConfirmed   CallOutcome = "confirmed"    // the buyer confirmed. Confirms the order.
	CallNoAnswer    CallOutcome = "no_answer"    // nobody answered
	CallLater       CallOutcome = "call_later"   // the buyer wants to be called at another time
	CallWrongNumber CallOutcome = "wrong_number" // the number is not the buyer's
	CallRefused     CallOutcome = "refused"      // the buyer does not want the order. Cancels it.
)

// CallOutcomes returns the outcomes of calls, in the order of display.
func CallOutcomes() []CallOutcome {
	return []CallOutcome{CallConfirmed, CallNoAnswer, CallLater, CallWrongNumber, CallRefused}
}

// refusedByPhone is the reason of orders that are cancelled by a call.
const refusedByPhone = "refused by phone"

// maxCallDelay limits the delay of a planned call.
const maxCallDelay = 90 * 24 * time.Hour

// CallInput is the input of [Orders.RecordCall].
type CallInput struct {
	Outcome CallOutcome
	Text    string     // a note; may be ""
	CallAt  *time.Time // time of the next call; required for call_later, possible for no_answer
}

// Calls sums up the calls to an order's buyer.
type Calls struct {
	Count       int          `json:"count"`
	LastOutcome *CallOutcome `json:"lastOutcome"`
	LastAt      *time.Time   `json:"lastAt"`
	DueAt       *time.Time   `json:"dueAt"` // time of the next call; null if not agreed
}

// callState is the stored state of an order's calls.
type callState struct {
	count   int
	outcome CallOutcome // of the newest; "" if there is none
	at      *int64      // of the newest
	dueAt   *int64
}

func (c *callState) view() Calls {
	calls := Calls{Count: c.count, LastAt: timeOfMillis(c.at), DueAt: timeOfMillis(c.dueAt)}
	if c.outcome != "" {
		calls.LastOutcome = &c.outcome
	}
	return calls
}

// timeOfMillis returns the time of a nullable column.
func timeOfMillis(millis *int64) *time.Time {
	if millis == nil {
		return nil
	}
	return new(db.FromMillis(*millis))
}

// RecordCall records a call to an order's buyer. An order that the buyer confirms is confirmed, and
// one that the buyer refuses is cancelled, in the same transaction. The buyer's timeline shows no
// calls. Codes: validation_failed, not_found, state_conflict (confirmed, and the order cannot be),
// not_cancellable (refused, and the shipment was picked up).
func (s *Orders) RecordCall(ctx context.Context, caller access.Caller, invoiceUID string, in CallInput) (*StaffOrder, error) {
	check := func() error { return in.check(s.now()) }
	return s.annotateOrder(ctx, caller, access.ToRecordCall, invoiceUID, check,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			return []access.Change{access.Set("call", in.Outcome)}, s.recordCall(tx, who, o, in)
		})
}

// recordCall is the change of [Orders.RecordCall].
func (s *Orders) recordCall(tx *db.Tx, who access.Staff, o *orderRow, in CallInput) error {
	if err := s.applyCall(tx, who, o, in.Outcome); err != nil {
		return err
	}
	note := Note{Kind: NoteCall, Outcome: &in.Outcome, Text: db.NullText(in.Text), CallAt: in.CallAt}
	if err := s.addNote(tx, who, o, &note); err != nil {
		return err
	}
	o.calls = callState{o.calls.count + 1, in.Outcome, new(db.Millis(note.At)), db.NullMillis(in.CallAt)}
	return saveCalls(tx, o)
}

func (in *CallInput) check(now time.Time) error {
	var bad fault.Invalid
	if !slices.Contains(CallOutcomes(), in.Outcome) {
		input.CheckValues(&bad, "outcome", []CallOutcome{in.Outcome}, CallOutcomes())
	}
	in.Text = input.CheckNote(&bad, "text", in.Text, MaxStaffNote)
	switch {
	case in.CallAt == nil && in.Outcome == CallLater:
		bad.Add("callAt", fault.CodeRequired, "The time of the next call is required.")
	case in.CallAt == nil:
	case in.Outcome != CallLater && in.Outcome != CallNoAnswer:
		bad.Add("callAt", fault.CodeInvalidValue, "The time of the next call must be omitted unless the outcome is %s or %s.", CallLater, CallNoAnswer)
	case !in.CallAt.After(now) || in.CallAt.After(now.Add(maxCallDelay)):
		bad.Add("callAt", fault.CodeInvalidValue, "The next call must be in the future, at most %d days ahead.", int(maxCallDelay.Hours()/24))
	}
	return bad.Err()
}

// applyCall confirms or cancels an order by the outcome of a call. An order that was confirmed in
// the meantime is left unchanged.
func (s *Orders) applyCall(tx *db.Tx, who access.Staff, o *orderRow, outcome CallOutcome) error {
	switch {
	case outcome == CallRefused:
		return s.changeAsStaff(tx, o, who).cancel(viewStaff, refusedByPhone)
	case outcome == CallConfirmed && o.status != status.OrderProcessing && o.status != status.OrderCompleted:
		return s.confirmOrder(tx, who, o)
	}
	return nil
}

func saveCalls(tx *db.Tx, o *orderRow) error {
	_, err := tx.Exec(`
		UPDATE orders
		SET call_count = ?, last_call = ?, last_call_at = ?, call_due_at = ?
		WHERE number = ?`, o.calls.count, o.calls.outcome, o.calls.at, o.calls.dueAt, o.number)
	if err != nil {
		return fmt.Errorf("save calls: %w", err)
	}
	return nil
}

// dropDueCall removes the planned call of an order with a changed status: its question is decided.
func (c *orderChange) dropDueCall() error {
	if c.o.calls.dueAt == nil || c.o.status == c.was.status {
		return nil
	}
	c.o.calls.dueAt = nil
	return saveCalls(c.tx, c.o)
}

// CallFilter selects orders by the calls to their buyers.
//
//api:enum CallFilter
type CallFilter string

// The filters of calls.
const (
	CallsNone CallFilter = "none" // nobody has called
	CallsSome CallFilter = "some" // somebody has called
	CallsDue  CallFilter = "due"  // the time of the next call has come
)

// CallFilters returns the filters of calls.
func CallFilters() []CallFilter { return []CallFilter{CallsNone, CallsSome, CallsDue} }
