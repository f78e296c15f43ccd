package order

import (
	"errors"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/message"
	"storefront/shop/outbox"
	"storefront/shop/status"
)

// check checks that the change can be undone: its time is not over, and nothing else has changed
// the order since. Codes: state_conflict.
func (r *undoRow) check(tx *db.Tx, o *orderRow) error {
	if !r.until.After(tx.Now()) {
		return errUndoLate()
	}
	now, err := o.undoState(tx)
	if err != nil {
		return err
	}
	same, err := now.isSame(&r.after)
	if err == nil && !same {
		err = errChangedSince()
	}
	if err != nil {
		return err
	}
	switch _, err := findOpenBooking(tx, o.id, ""); {
	case err == nil:
		return errChangedSince()
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	for _, a := range o.attempts {
		started, err := refundStarted(tx, a.id)
		if err == nil && started {
			err = errChangedSince()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func errUndoLate() error {
	return fault.Errorf(fault.CodeStateConflict, "It is too late to undo this change.")
}

func errChangedSince() error {
	return fault.Errorf(fault.CodeStateConflict, "The order has been changed since.")
}

// withdraw withdraws what waits to leave the shop. Codes: state_conflict (a part has left it).
func (r *undoRow) withdraw(tx *db.Tx) error {
	for _, withdraw := range []func() (bool, error){
		func() (bool, error) { return outbox.Withdraw(tx, r.firstEvent, r.lastEvent) },
		func() (bool, error) { return message.Withdraw(tx, r.number, r.at) },
	} {
		ok, err := withdraw()
		if err == nil && !ok {
			err = errUndoLate()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restore brings an order into the state before a change.
func (s *Orders) restore(tx *db.Tx, who access.Staff, o *orderRow, r *undoRow) error {
	was := &r.before
	c := s.changeAsStaff(tx, o, who)
	c.restores = true
	o.status, o.payment, o.cancelReason, o.expiresAt = was.Status, was.Payment, was.Reason, was.ExpiresAt
	o.client = was.Client
	for _, a := range o.attempts {
		if before := was.Attempts[a.id]; before != a.status {
			a.status, a.updatedAt = before, c.now
			if err := updateAttempt(tx, a); err != nil {
				return err
			}
		}
	}
	if c.was.status == status.OrderCancelled && o.status != status.OrderCancelled {
		if err := s.reserveRestored(tx, o); err != nil {
			return err
		}
	}
	if err := c.save(); err != nil {
		return err
	}
	o.calls = callState{was.Calls.Count, was.Calls.Outcome, was.Calls.At, was.Calls.DueAt}
	if err := saveCalls(tx, o); err != nil {
		return err
	}
	return restoreAnnotations(tx, o.number, was, &r.after)
}

// restoreAnnotations restores the tags, notes and timeline of an order.
func restoreAnnotations(tx *db.Tx, number int64, was, is *undoState) error {
	if !slices.Equal(was.Tags, is.Tags) {
		if err := saveTags(tx, number, was.Tags); err != nil {
			return err
		}
	}
	has := func(notes []Note, id string) bool {
		return slices.ContainsFunc(notes, func(n Note) bool { return n.ID == id })
	}
	for _, note := range is.Notes {
		if !has(was.Notes, note.ID) {
			if err := deleteNote(tx, number, note.ID); err != nil {
				return err
			}
		}
	}
	for _, note := range was.Notes {
		if !has(is.Notes, note.ID) {
			if err := insertNote(tx, number, &note); err != nil {
				return err
			}
		}
	}
	for _, id := range is.Events {
		if !slices.Contains(was.Events, id) {
			if err := deleteTimelineEntry(tx, number, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// reserveRestored reserves the stock and the coupon use of an order that is no longer cancelled.
// Codes: out_of_stock, state_conflict (the coupon was used up since).
func (s *Orders) reserveRestored(tx *db.Tx, o *orderRow) error {
	var reservations []catalogue.Reservation
	var movements []catalogue.Movement
	var titles []string
	sold := soldCounts{}
	for _, item := range o.items {
		sold.add(item.productID, item.quantity)
		units := item.outside()
		if !item.stockReserved || units == 0 {
			continue
		}
		reservations = append(reservations, catalogue.Reservation{VariantID: item.variantID, Units: units})
		movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: -int64(units)})
		titles = append(titles, item.title)
		if err := catalogue.TouchProduct(tx, item.productID); err != nil {
			return err
		}
	}
	ok, err := catalogue.ReserveVariants(tx, reservations)
	if err != nil {
		return err
	}
	if i := slices.Index(ok, false); i >= 0 {
		return fault.Errorf(fault.CodeOutOfStock, "Not enough stock of %s any more.", titles[i])
	}
	for _, use := range o.couponUses() {
		switch ok, err := use.reserve(tx); {
		case err != nil:
			return err
		case !ok:
			return fault.Errorf(fault.CodeStateConflict, "The coupon was used up since.")
		}
	}
	if err := sold.save(tx); err != nil {
		return err
	}
	return s.cfg.Catalogue.RecordMovements(tx, &o.number, catalogue.MovedByOrder, "", movements)
}

// changes returns what is audited of an undone change beside the statuses of the order.
func (r *undoRow) changes() (changes []access.Change) {
	changes = access.Changed("tags", strings.Join(r.after.Tags, ", "), strings.Join(r.before.Tags, ", "))
	changes = append(changes, access.Changed("calls", r.after.Calls.Count, r.before.Calls.Count)...)
	return append(changes, access.Changed("notes", len(r.after.Notes), len(r.before.Notes))...)
}
