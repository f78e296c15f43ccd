package postgres

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"storefront/db"
)

// Statements of moves.
const (
	findNumber = `SELECT number FROM shops WHERE space = $1 AND uid = $2`
	// lockState waits for the transaction of a process that may have lost its connection.
	lockState = `SELECT token, (state = 'moved')::int FROM engine_state
		WHERE shop = $1 AND state <> 'dropped' FOR UPDATE`
	leaveState = `UPDATE engine_state SET state = 'moved', token = $1 WHERE shop = $2`
	admitState = `UPDATE engine_state SET state = 'open', version = version + 1, touched = $1
		WHERE shop = $2 AND state = 'arriving' AND token = $3 RETURNING shop`
	countArriving = `SELECT e.shop FROM shops s JOIN engine_state e ON e.shop = s.number
		WHERE s.space = $1 AND s.uid = $2 AND e.state = 'arriving' AND e.token = $3`
	lockMoved      = `SELECT shop FROM engine_state WHERE shop = $1 AND state = 'moved' AND token = $2 FOR UPDATE`
	countOpen      = `SELECT shop FROM engine_state WHERE shop = $1 AND state = 'open'`
	dropState      = `UPDATE engine_state SET state = 'dropped' WHERE shop = $1 AND state = $2 AND token = $3`
	listUnfinished = `SELECT s.uid, e.state FROM shops s JOIN engine_state e ON e.shop = s.number
		WHERE s.space = $1 AND (e.state = 'arriving' OR e.state = 'moved') ORDER BY s.uid`
	reopenState = `UPDATE engine_state SET state = 'open', version = version + 1, touched = $1
		WHERE shop = $2 AND (state = 'arriving' OR state = 'moved') RETURNING shop`
)

// frozen is a transaction that holds a tenant's row of engine_state. Writers wait for the row. It
// implements [db.Frozen].
type frozen struct{ *session }

// Freeze implements [db.Mover].
func (e *Engine) Freeze(ctx context.Context, id db.ID) (_ db.Frozen, err error) {
	row, err := e.numbers(ctx, findShop, e.opts.Space, string(id))
	switch {
	case err != nil:
		return nil, err
	case row == nil:
		return nil, db.ErrNoTenant
	}
	l, err := e.pool.acquire(ctx, writing)
	if err != nil {
		return nil, err
	}
	f := &frozen{&session{engine: e, shop: row[0], ctx: ctx, link: l, part: -1}}
	defer func() {
		if err != nil {
			f.Thaw()
		}
	}()
	f.bare(beginWrite)
	// While the other engine works, nothing is sent.
	f.bare("SET LOCAL idle_in_transaction_session_timeout = 0")
	o, err := own(claim, db.Millis(e.store.Now()), rand.Int64(), f.shop)
	if err != nil {
		return nil, err
	}
	r, err := f.trip(o, true)
	if err != nil {
		return nil, err
	}
	switch row, err := r.row(); {
	case errors.Is(err, db.ErrNotFound):
		return nil, db.ErrNoTenant
	case err != nil:
		return nil, err
	case int(row[1]) != e.Schema():
		return nil, schemaError(int(row[1]), e.Schema())
	}
	return f, nil
}

// Leave implements [db.Frozen].
func (f *frozen) Leave(ctx context.Context, token int64) error {
	defer f.Thaw()
	f.ctx = ctx
	if err := f.change(leaveState, token, f.shop); err != nil {
		return err
	}
	commit := &op{text: "COMMIT", bare: true}
	_, err := f.trip(commit, false)
	if commit.tag == "COMMIT" {
		return nil
	}
	return cmp.Or(err, errNotCommitted)
}

// Thaw implements [db.Frozen].
func (f *frozen) Thaw() {
	if f.link != nil {
		f.link.rollBack()
		f.engine.pool.release(f.link, writing)
		f.link = nil
	}
}

// Arrive implements [db.Mover].
func (e *Engine) Arrive(ctx context.Context, id db.ID, token int64, load, after func(db.Session) error) error {
	return e.importWith(ctx, id, stateArriving, token, load, after)
}

// withNumber runs fn in a transaction with the number of a tenant. Errors: [db.ErrNoTenant].
func (e *Engine) withNumber(ctx context.Context, id db.ID, fn func(s *session, number int64) error) error {
	return e.transaction(ctx, func(s *session) error {
		number, ok, err := s.number(findNumber, e.opts.Space, string(id))
		switch {
		case err != nil:
			return err
		case !ok:
			return db.ErrNoTenant
		}
		return fn(s, number)
	})
}

// Admit implements [db.Mover].
func (e *Engine) Admit(ctx context.Context, id db.ID, token int64) error {
	return e.withNumber(ctx, id, func(s *session, number int64) error {
		_, ok, err := s.number(admitState, db.Millis(e.store.Now()), number, token)
		if err == nil && !ok {
			_, ok, err = s.number(countOpen, number)
		}
		if err == nil && !ok {
			err = db.ErrNoTenant
		}
		return err
	})
}

// HasArrived implements [db.Mover].
func (e *Engine) HasArrived(ctx context.Context, id db.ID, token int64) (bool, error) {
	row, err := e.numbers(ctx, countArriving, e.opts.Space, string(id), token)
	return row != nil, err
}

// Withdraw implements [db.Mover].
func (e *Engine) Withdraw(ctx context.Context, id db.ID, token int64) error {
	return e.deleteInState(ctx, id, stateArriving, token)
}

// Discard implements [db.Mover]. Processes that read the data release it first.
func (e *Engine) Discard(ctx context.Context, id db.ID, token int64) error {
	select {
	case <-time.After(2 * db.CheckInterval):
	case <-ctx.Done():
		return ctx.Err()
	}
	return e.deleteInState(ctx, id, stateMoved, token)
}

// ViewMoved runs fn on the data of a tenant that has left, and does nothing if it was discarded.
func (e *Engine) ViewMoved(ctx context.Context, id db.ID, token int64, fn func(db.Session) error) error {
	err := e.withNumber(ctx, id, func(s *session, number int64) error {
		s.bare("SET LOCAL idle_in_transaction_session_timeout = 0") // fn may wait for a disk
		_, isHere, err := s.number(lockMoved, number, token)
		if err != nil {
			return err
		}
		if !isHere {
			return nil
		}
		s.shop = number
		return fn(s)
	})
	if errors.Is(err, db.ErrNoTenant) {
		return nil
	}
	return err
}

// deleteInState removes a tenant in that state.
func (e *Engine) deleteInState(ctx context.Context, id db.ID, state string, token int64) error {
	err := e.withNumber(ctx, id, func(s *session, number int64) error {
		return s.change(dropState, number, state, token)
	})
	if errors.Is(err, db.ErrNoTenant) {
		return nil
	}
	if err == nil {
		e.purge(ctx, id)
	}
	return err
}

// HasLeft implements [db.Mover].
func (e *Engine) HasLeft(ctx context.Context, id db.ID, token int64) (left bool, err error) {
	err = e.withNumber(ctx, id, func(s *session, number int64) error {
		o, err := own(lockState, number)
		if err != nil {
			return err
		}
		r, err := s.trip(o, true)
		if err != nil {
			return err
		}
		row, err := r.row()
		if errors.Is(err, db.ErrNotFound) {
			return db.ErrNoTenant
		}
		if err != nil {
			return err
		}
		left = row[0] == token && row[1] == 1
		// The COMMIT waits until the standby has all earlier commits.
		return s.change(touchClaim, number)
	})
	return left, err
}

// Unfinished is a tenant in the middle of a move, which may have been interrupted.
type Unfinished struct {
	ID    db.ID
	State string // "arriving", or "moved" for one that has left
}

// Unfinished returns the unfinished moves, sorted by ID.
func (e *Engine) Unfinished(ctx context.Context) (list []Unfinished, err error) {
	err = e.rows(ctx, listUnfinished, []db.Value{e.opts.Space}, func(row []db.Value) error {
		uid, _ := row[0].(string)
		state, _ := row[1].(string)
		list = append(list, Unfinished{db.ID(uid), state})
		return nil
	})
	return list, err
}

// Reopen serves the data of an unfinished move. While there are two copies, both are complete, but
// the other one must not be served. Errors: [db.ErrNoTenant].
func (e *Engine) Reopen(ctx context.Context, id db.ID) error {
	return e.withNumber(ctx, id, func(s *session, number int64) error {
		_, ok, err := s.number(reopenState, db.Millis(e.store.Now()), number)
		if err == nil && !ok {
			err = db.ErrNoTenant
		}
		return err
	})
}
