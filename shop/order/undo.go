package order

import (
	"context"
	"errors"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/outbox"
	"storefront/shop/status"
)

// Limits of undoing.
const (
	// UndoTime is the time for which a change can be undone. Messages to buyers, webhooks and
	// notifications about the change wait so long.
	UndoTime = 10 * time.Second
	// UndoManyTime is the same for an order of a job: its requester waits for the other orders.
	UndoManyTime = 30 * time.Second
	// MaxUndone is the maximum number of orders with changes of the same name.
	MaxUndone = job.MaxIDs
	// undoing is the time for which they wait while the changes are undone.
	undoing = 45 * time.Second
	// undoRetention is the time for which a name remains used.
	undoRetention = time.Hour
	maxUndoName   = 64
)

// undoState is the part of an order that a change which can be undone may change, and what must be
// as the change has left it.
type undoState struct {
	Status      status.Order       `json:"status"`
	Payment     status.Payment     `json:"payment"`
	Fulfillment status.Fulfillment `json:"fulfillment"`
	Reason      string             `json:"reason"`
	ExpiresAt   *int64             `json:"expiresAt"`
	Client      []byte             `json:"client"`

	Attempts  map[string]status.Attempt  `json:"attempts"`
	Shipments map[string]status.Shipment `json:"shipments"`

	Calls  undoCalls `json:"calls"`
	Tags   []string  `json:"tags"`
	Notes  []Note    `json:"notes"`
	Events []string  `json:"events"` // IDs in the timeline

	UpdatedAt int64 `json:"updatedAt"`
}

// undoCalls is a [callState].
type undoCalls struct {
	Count   int         `json:"count"`
	Outcome CallOutcome `json:"outcome"`
	At      *int64      `json:"at"`
	DueAt   *int64      `json:"dueAt"`
}

func (o *orderRow) undoState(tx *db.Tx) (state undoState, err error) {
	state = undoState{
		Status: o.status, Payment: o.payment, Fulfillment: o.fulfillment, Reason: o.cancelReason, ExpiresAt: o.expiresAt,
		Client: o.client, UpdatedAt: o.updatedAt,
		Attempts: map[string]status.Attempt{}, Shipments: map[string]status.Shipment{},
		Calls: undoCalls{o.calls.count, o.calls.outcome, o.calls.at, o.calls.dueAt},
	}
	for _, a := range o.attempts {
		state.Attempts[a.id] = a.status
	}
	for _, shipment := range o.shipments {
		state.Shipments[shipment.id] = shipment.status
	}
	for _, event := range o.events {
		state.Events = append(state.Events, event.id)
	}
	if state.Tags, err = findTags(tx, o.number); err != nil {
		return state, err
	}
	state.Notes, err = findNotes(tx, o.number)
	return state, err
}

// undoable is a change of an order that its caller wants to be able to undo. A nil one is any other
// change.
type undoable struct {
	key    undoKey
	until  time.Time
	before undoState
	events int64 // of the outbox, before the change
}

// beginUndoable prepares a change of an order: what leaves the shop because of it waits. It returns
// nil if the caller has not named the change. Codes: validation_failed, state_conflict (the change
// of this name was undone).
func beginUndoable(tx *db.Tx, who access.Staff, name string, o *orderRow) (*undoable, error) {
	if name == "" {
		return nil, nil
	}
	if err := checkUndoName(name); err != nil {
		return nil, err
	}
	u := &undoable{key: newUndoKey(who, name), until: tx.Now().Add(UndoTime)}
	if _, isOne := who.(*job.Item); isOne {
		u.until = tx.Now().Add(UndoManyTime)
	}
	undone, err := u.key.isUndone(tx)
	if err == nil && undone {
		err = fault.Errorf(fault.CodeStateConflict, "This change was undone.")
	}
	if err == nil {
		u.before, err = o.undoState(tx)
	}
	if err == nil {
		u.events, err = outbox.Last(tx)
	}
	if err != nil {
		return nil, err
	}
	outbox.Hold(tx, u.until)
	return u, nil
}

// checkUndoName checks the name of a change. Codes: validation_failed.
func checkUndoName(name string) error {
	var bad fault.Invalid
	isInvisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if name == "" || len(name) > maxUndoName || strings.ContainsFunc(name, isInvisible) {
		bad.Add("undo", fault.CodeInvalidValue, "The name of the change must be 1 to %d visible ASCII characters.", maxUndoName)
	}
	return bad.Err()
}

// save stores the change of the order. Codes: state_conflict (the name was used for another change
// of the order).
func (u *undoable) save(tx *db.Tx, o *orderRow) error {
	if u == nil {
		return nil
	}
	after, err := o.undoState(tx)
	if err != nil {
		return err
	}
	last, err := outbox.Last(tx)
	if err != nil {
		return err
	}
	return insertUndo(tx, u.key, undoRow{
		number: o.number, before: u.before, after: after, firstEvent: u.events + 1, lastEvent: last, at: tx.Now(),
		until: u.until,
	})
}

// Undone is the result of [Orders.UndoChange].
type Undone struct {
	Undone []UndoneOrder `json:"undone" nullable:"false"`
	Kept   []KeptOrder   `json:"kept" nullable:"false" doc:"Orders that could not be restored: their changes remain"`
}

// UndoneOrder is an order that is as before a change.
type UndoneOrder struct {
	InvoiceUID  string `json:"invoiceUid"`
	OrderNumber int64  `json:"orderNumber"`
}

// KeptOrder is an order that was not restored.
type KeptOrder struct {
	UndoneOrder
	Code    fault.Code `json:"code"`
	Message string     `json:"message"` // the reason, for people
}

// UndoChange undoes the caller's changes of a name: each order is as before, nothing that waited
// leaves the shop, and a cancelled order has its stock and its coupon use again. An order that was
// changed again, or lacks the stock now, remains as it is; if all do, the reason of the first is
// returned. Undoing again changes nothing. Codes: validation_failed, not_found, state_conflict,
// out_of_stock, unauthenticated, forbidden.
func (s *Orders) UndoChange(ctx context.Context, caller access.Caller, name string) (*Undone, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToUndoChange)
	if err != nil {
		return nil, err
	}
	if err := checkUndoName(name); err != nil {
		return nil, err
	}
	key := newUndoKey(who, name)
	var orders []UndoneOrder
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if orders, err = findUndoOrders(tx, key); err != nil {
			return err
		}
		return extendUndo(tx, key, tx.Now().Add(undoing))
	})
	if err == nil && len(orders) == 0 {
		err = fault.Errorf(fault.CodeNotFound, "There is no such change to undo.")
	}
	if err != nil {
		return nil, err
	}
	out := &Undone{Undone: []UndoneOrder{}, Kept: []KeptOrder{}}
	var first error
	for _, order := range orders {
		err := s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			return s.undoOrder(tx, who, key, order.InvoiceUID)
		})
		known, isFault := errors.AsType[*fault.Error](err)
		switch {
		case err == nil:
			out.Undone = append(out.Undone, order)
		case isFault && (known.Kind() == fault.KindConflict):
			out.Kept = append(out.Kept, KeptOrder{order, known.Code, known.Message})
			if first == nil {
				first = err
			}
		default:
			return nil, err
		}
	}
	if len(out.Undone) == 0 {
		return nil, first
	}
	return out, nil
}

// undoOrder undoes the change of one order. Codes: state_conflict, out_of_stock.
func (s *Orders) undoOrder(tx *db.Tx, who access.Staff, key undoKey, orderID string) error {
	o, err := findOrderRow(tx, orderID)
	if err != nil {
		return err
	}
	row, err := findUndo(tx, key, o.number)
	if err != nil {
		return err
	}
	if row.undoneAt != nil {
		return nil
	}
	if err := row.check(tx, o); err != nil {
		return err
	}
	if err := row.withdraw(tx); err != nil {
		return err
	}
	before := o.auditState()
	if err := s.restore(tx, who, o, &row); err != nil {
		return err
	}
	if err := markUndone(tx, key, o.number); err != nil {
		return err
	}
	changes := append(row.changes(), o.auditState().changes(before)...)
	return who.Audit(tx, o.subject(), changes...)
}
