package order

import (
	"context"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// CloseIncomplete closes an incomplete order without an order. One that is done is returned
// unchanged. Codes: not_found, state_conflict.
func (s *Orders) CloseIncomplete(ctx context.Context, caller access.Caller, id string) (*IncompleteOrder, error) {
	return s.moveIncomplete(ctx, caller, access.ToCloseIncomplete, id, IncompleteOpen, IncompleteDone)
}

// ReopenIncomplete opens an incomplete order that staff have closed. An open one is returned
// unchanged. Codes: not_found, state_conflict (also if the buyer has begun another order).
func (s *Orders) ReopenIncomplete(ctx context.Context, caller access.Caller, id string) (*IncompleteOrder, error) {
	return s.moveIncomplete(ctx, caller, access.ToReopenIncomplete, id, IncompleteDone, IncompleteOpen)
}

func (s *Orders) moveIncomplete(
	ctx context.Context, caller access.Caller, use access.UseCase, id string, from, to IncompleteStatus,
) (*IncompleteOrder, error) {
	return s.changeIncomplete(ctx, caller, use, id, func(tx *db.Tx, who access.Staff, row *incompleteRow) error {
		if row.status == to {
			return nil
		}
		if row.status != from {
			return errIncompleteStatus(row)
		}
		if to == IncompleteOpen {
			if _, err := findOpenIncomplete(tx, row.session); err == nil {
				return fault.Errorf(fault.CodeStateConflict, "The buyer has begun another order, which is open.")
			}
		}
		return row.move(tx, who, to)
	})
}

// BlockIncomplete blocks the phone number of an incomplete order from ordering, and closes all open
// ones with the number. Codes: not_found, state_conflict.
func (s *Orders) BlockIncomplete(ctx context.Context, caller access.Caller, id string) (*IncompleteOrder, error) {
	return s.changeIncomplete(ctx, caller, access.ToBlockIncomplete, id, func(tx *db.Tx, who access.Staff, row *incompleteRow) error {
		if row.status == IncompleteOrdered {
			return errIncompleteStatus(row)
		}
		contact, err := findContactRow(tx, row.phone)
		if err != nil {
			return err
		}
		blocked := (&ContactChange{Blocked: new(BlockAll)}).apply(contact)
		if len(blocked) > 0 {
			if err := saveContact(tx, contact); err != nil {
				return err
			}
		}
		others, err := findIncompleteOfPhone(tx, row.phone, IncompleteOpen)
		if err != nil {
			return err
		}
		for i := range others {
			if others[i].id == row.id {
				continue
			}
			if err := others[i].move(tx, who, IncompleteBlocked); err != nil {
				return err
			}
		}
		return row.move(tx, who, IncompleteBlocked, blocked...)
	})
}

// changeIncomplete runs fn on an incomplete order, and returns the order afterwards.
func (s *Orders) changeIncomplete(
	ctx context.Context, caller access.Caller, use access.UseCase, id string, fn func(tx *db.Tx, who access.Staff, row *incompleteRow) error,
) (*IncompleteOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (*IncompleteOrder, error) {
		if err := closeOrderedIncomplete(tx, id, 1); err != nil { // what follows depends on its status
			return nil, err
		}
		row, err := requireIncomplete(tx, id)
		if err != nil {
			return nil, err
		}
		if err := fn(tx, who, row); err != nil {
			return nil, err
		}
		view, err := row.view(set.Currency)
		return &view, err
	})
}

// move saves another status without an order, and audits it with further changes.
func (r *incompleteRow) move(tx *db.Tx, who access.Staff, to IncompleteStatus, more ...access.Change) error {
	changes := append(access.Changed("status", r.status, to), more...)
	if len(changes) == 0 {
		return nil
	}
	if err := r.audit(tx, who, changes...); err != nil {
		return err
	}
	if r.status == to {
		return nil
	}
	if r.status, r.closedAt = to, nil; to != IncompleteOpen {
		r.closedAt = new(db.Millis(tx.Now()))
	}
	return setIncompleteStatus(tx, r)
}

// audit writes an entry, which is stored longer than the row and so contains the goods alone.
func (r *incompleteRow) audit(tx *db.Tx, who access.Staff, changes ...access.Change) error {
	titles, err := r.titles()
	if err != nil {
		return err
	}
	return who.Audit(tx, access.Subject{Kind: access.SubjectIncomplete, ID: r.id, Label: strings.Join(titles, ", ")}, changes...)
}

func errIncompleteStatus(r *incompleteRow) error {
	if r.orderNumber != nil {
		return fault.Errorf(fault.CodeStateConflict, "Order %d has this phone number since.", *r.orderNumber)
	}
	return fault.Errorf(fault.CodeStateConflict, "The incomplete order is closed already.")
}

// DeleteIncomplete deletes an incomplete order, as a buyer may demand. Codes: not_found.
func (s *Orders) DeleteIncomplete(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, s.data, caller, access.ToDeleteIncomplete, func(tx *db.Tx, who access.Staff) error {
		row, err := requireIncomplete(tx, id)
		if err != nil {
			return err
		}
		if err := row.audit(tx, who); err != nil {
			return err
		}
		return deleteIncomplete(tx, id)
	})
}

// requireOpenIncomplete returns an open incomplete order, from which staff place an order. A nil id
// means none. Codes: validation_failed, state_conflict.
func requireOpenIncomplete(tx *db.Tx, id *string) (*incompleteRow, error) {
	if id == nil {
		return nil, nil
	}
	if err := closeOrderedIncomplete(tx, *id, 1); err != nil {
		return nil, err
	}
	row, err := requireIncomplete(tx, *id)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, fault.InputError(fault.FieldError{
			Field: "incompleteOrderId", Code: fault.CodeInvalidValue, Message: "No incomplete order has this ID.",
		})
	}
	if err != nil {
		return nil, err
	}
	if row.status != IncompleteOpen {
		return nil, errIncompleteStatus(row)
	}
	return row, nil
}

// recover closes an open row by the order that staff have placed from it. A nil row means none.
func (r *incompleteRow) recover(tx *db.Tx, o *orderRow) error {
	if r == nil {
		return nil
	}
	return r.end(tx, o.number, true)
}

// end closes an open row by an order, and counts it.
func (r *incompleteRow) end(tx *db.Tx, number int64, recovered bool) error {
	r.status, r.orderNumber, r.recovered, r.closedAt = IncompleteOrdered, &number, recovered, new(db.Millis(tx.Now()))
	if err := setIncompleteStatus(tx, r); err != nil {
		return err
	}
	return countOrdered(tx, r.day, recovered)
}

// closeOrderedIncomplete closes open rows if an order has their number since they began, at most
// limit; the row with an ID if it is not "".
func closeOrderedIncomplete(tx *db.Tx, id string, limit int) error {
	found, err := findOrderedIncomplete(tx, id, limit)
	if err != nil {
		return err
	}
	for _, one := range found {
		left := db.FromMillis(one.placedAt).Sub(db.FromMillis(one.row.updatedAt)) >= leftAfter
		if err := one.row.end(tx, one.number, left); err != nil {
			return err
		}
	}
	return nil
}

const incompleteBatch = 100

// CloseOrderedIncomplete closes the incomplete orders after an order with their number: the order
// itself does not wait for it. It returns a zero time: orders make it due.
func (s *Orders) CloseOrderedIncomplete(ctx context.Context) (next time.Time, err error) {
	for {
		var found []orderedIncomplete
		err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			found, err = findOrderedIncomplete(tx, "", incompleteBatch)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
		if len(found) == 0 {
			return time.Time{}, nil
		}
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return closeOrderedIncomplete(tx, "", incompleteBatch) })
		if err != nil {
			return time.Time{}, err
		}
	}
}

// PurgeIncomplete deletes incomplete orders [IncompleteDays] days after their last change by the
// buyer. It returns the time at which the next one is due; a zero time means that there is none.
func (s *Orders) PurgeIncomplete(ctx context.Context) (next time.Time, err error) {
	for {
		next = time.Time{}
		err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
			oldest, err := findOldestIncomplete(tx)
			if err == nil && oldest != nil {
				next = db.FromMillis(*oldest).Add(incompleteRetention)
			}
			return err
		})
		if err != nil {
			return next, err
		}
		if next.IsZero() || next.After(s.now()) {
			return next, nil
		}
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			return purgeIncomplete(tx, tx.Now().Add(-incompleteRetention), 1_000)
		})
		if err != nil {
			return next, err
		}
	}
}
