package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"storefront/db"
)

// Statements of the directory.
const (
	findShop = `SELECT s.number, e.version, e.schema FROM shops s JOIN engine_state e ON e.shop = s.number
		WHERE s.space = $1 AND s.uid = $2 AND e.state = 'open'`
	insertShop  = `INSERT INTO shops (space, uid) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING number`
	insertState = `INSERT INTO engine_state (shop, version, schema, state, touched, token) VALUES ($1, 1, $2, $3, $4, $5)`
	closeState  = `UPDATE engine_state SET version = version + 1, state = 'dropped'
		WHERE state = 'open' AND shop = (SELECT number FROM shops WHERE space = $1 AND uid = $2) RETURNING shop`
	deleteState = `DELETE FROM engine_state WHERE shop = $1`
	deleteShop  = `DELETE FROM shops WHERE number = $1`
	listWritten = `SELECT s.uid, e.version FROM shops s JOIN engine_state e ON e.shop = s.number
		WHERE s.space = $1 AND e.state = 'open' AND e.touched > $2`
	listShops = `SELECT s.uid, e.touched FROM shops s JOIN engine_state e ON e.shop = s.number
		WHERE s.space = $1 AND e.state = 'open' ORDER BY s.uid`
)

// scopePrefix returns the prefix of a tenant's lexemes in an inverted index that all tenants share.
func scopePrefix(shop int64) string { return strconv.FormatInt(shop, 36) + "/" }

// transaction runs fn in a transaction of the engine.
func (e *Engine) transaction(ctx context.Context, fn func(s *session) error) error {
	l, err := e.pool.acquire(ctx, writing)
	if err != nil {
		return err
	}
	s := &session{engine: e, ctx: ctx, link: l, part: -1}
	commit := &op{text: "COMMIT", bare: true}
	defer func() { // also if fn panics
		l.rollBack()
		e.pool.release(l, writing)
	}()
	s.bare(beginWrite)
	if err := fn(s); err != nil {
		return err
	}
	_, err = s.trip(commit, false)
	switch {
	case commit.tag == "COMMIT":
		e.committed()
		return nil
	case isLost(err):
		return fmt.Errorf("%w: %w", db.ErrUnknownOutcome, err)
	case err == nil:
		return errNotCommitted
	}
	return err
}

// own returns the execution of one of the engine's statements.
func own(query string, args ...db.Value) (*op, error) {
	o := &op{text: query}
	for _, v := range args {
		a, err := encode(v, true)
		if err != nil {
			return nil, err
		}
		o.args = append(o.args, a)
	}
	return o, nil
}

// number runs one of the engine's statements and returns the first column of its first row. ok is
// false if there is none.
func (s *session) number(query string, args ...db.Value) (n int64, ok bool, err error) {
	o, err := own(query, args...)
	if err != nil {
		return 0, false, err
	}
	r, err := s.trip(o, true)
	if err != nil {
		return 0, false, err
	}
	row, err := r.row()
	if errors.Is(err, db.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return row[0], true, nil
}

// change adds a statement of the engine's own to the waiting ones.
func (s *session) change(query string, args ...db.Value) error {
	o, err := own(query, args...)
	if err == nil {
		s.later(o)
	}
	return err
}

// Create implements [db.Engine].
func (e *Engine) Create(ctx context.Context, id db.ID, build func(db.Session) error) error {
	return e.createWith(ctx, id, stateOpen, 0, func(s *session) error {
		if build == nil {
			return nil
		}
		return build(s)
	})
}

// Import implements [db.Engine].
func (e *Engine) Import(ctx context.Context, id db.ID, load, after func(db.Session) error) error {
	return e.importWith(ctx, id, stateOpen, 0, load, after)
}

func (e *Engine) importWith(ctx context.Context, id db.ID, state string, token int64, load, after func(db.Session) error) error {
	return e.createWith(ctx, id, state, token, func(s *session) error {
		s.bare("SET CONSTRAINTS ALL DEFERRED")
		if err := load(s); err != nil {
			if _, earlier := s.trip(nil, false); earlier != nil { // of a row that was waiting
				return earlier
			}
			return err
		}
		if _, err := s.trip(nil, false); err != nil {
			return err
		}
		s.analyze = true // the tables that were loaded last too, for the checks of references
		s.bare("SET CONSTRAINTS ALL IMMEDIATE")
		if _, err := s.trip(nil, false); err != nil {
			return err
		}
		if after == nil {
			return nil
		}
		s.bare("SET LOCAL idle_in_transaction_session_timeout = 0") // after may wait for a disk
		return after(s)
	})
}

// States of a tenant in engine_state. A tenant is served if it is open.
const (
	stateOpen     = "open"
	stateArriving = "arriving" // it moves here, see [db.Move]
	stateMoved    = "moved"    // it has moved to another engine
	stateDropped  = "dropped"  // its rows are being deleted
)

func (e *Engine) createWith(ctx context.Context, id db.ID, state string, token int64, build func(*session) error) error {
	if e.hasClosed() {
		return db.ErrClosed
	}
	err := e.create(ctx, id, state, token, build)
	if errors.Is(err, db.ErrExists) && e.purge(ctx, id) {
		err = e.create(ctx, id, state, token, build)
	}
	return err
}

func (e *Engine) create(ctx context.Context, id db.ID, state string, token int64, build func(*session) error) error {
	return e.transaction(ctx, func(s *session) error {
		number, ok, err := s.number(insertShop, e.opts.Space, string(id))
		switch {
		case err != nil:
			return err
		case !ok:
			return db.ErrExists
		}
		s.shop = number
		if err := s.change(insertState, number, int64(e.Schema()), state, db.Millis(e.store.Now()), token); err != nil {
			return err
		}
		for _, query := range e.schema.rows {
			st, err := s.Statement(query)
			if err == nil {
				_, err = st.Do(nil)
			}
			if err != nil {
				return err
			}
		}
		return build(s)
	})
}

func (e *Engine) hasClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isClosed
}

// Drop implements [db.Engine].
func (e *Engine) Drop(ctx context.Context, id db.ID) error {
	return e.DropAfter(ctx, id, func(db.Session) error { return nil })
}

// DropAfter is Drop for a tenant that before reads for the last time: no process writes to it any
// more. The tenant stays if before fails.
func (e *Engine) DropAfter(ctx context.Context, id db.ID, before func(db.Session) error) error {
	t, err := e.exclude(ctx, id)
	if err != nil {
		return err
	}
	err = e.transaction(ctx, func(s *session) error { return e.drop(s, id, before) })
	e.readmit(t, err == nil)
	if err == nil {
		e.purge(ctx, id)
	}
	return err
}

// exclude waits until nobody in this process uses a tenant, and lets nobody use it until readmit.
func (e *Engine) exclude(ctx context.Context, id db.ID) (*tenant, error) {
	for {
		e.mu.Lock()
		if e.isClosed {
			e.mu.Unlock()
			return nil, db.ErrClosed
		}
		t := e.tenants[id]
		switch {
		case t == nil:
			t = &tenant{id: id, engine: e, closing: true, excluded: true, gone: make(chan struct{}), ready: make(chan struct{})}
			close(t.ready)
			e.tenants[id] = t
			e.mu.Unlock()
			return t, nil
		case t.closing: // by another caller
			e.mu.Unlock()
			select {
			case <-t.gone:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		t.closing, t.excluded = true, true
		if t.idle != nil {
			e.idle.Remove(t.idle)
			t.idle = nil
		}
		if t.refs == 0 {
			e.mu.Unlock()
			return t, nil
		}
		drained := make(chan struct{})
		t.drained = drained
		e.mu.Unlock()
		select {
		case <-drained:
			return t, nil
		case <-ctx.Done():
			e.readmit(t, false)
			return nil, ctx.Err()
		}
	}
}

// readmit ends the exclusion of a tenant. Unless it was dropped, it stays in service.
func (e *Engine) readmit(t *tenant, dropped bool) {
	e.mu.Lock()
	t.closing, t.excluded, t.drained = false, false, nil
	found := t.committer != nil
	if dropped || !found {
		e.unregister(t)
	} else {
		// Callers that wait for gone check again.
		close(t.gone)
		t.gone = make(chan struct{})
		if t.refs == 0 {
			t.idle = e.idle.PushBack(t)
		}
	}
	e.mu.Unlock()
	if dropped && found {
		t.committer.Stop()
	}
}

// drop closes a tenant for all processes.
func (e *Engine) drop(s *session, id db.ID, before func(db.Session) error) error {
	s.bare("SET LOCAL idle_in_transaction_session_timeout = 0") // before may wait for a disk
	number, ok, err := s.number(closeState, e.opts.Space, string(id))
	switch {
	case err != nil:
		return err
	case !ok:
		return db.ErrNoTenant
	}
	s.shop = number
	return before(s)
}

// Exists implements [db.Engine].
func (e *Engine) Exists(ctx context.Context, id db.ID) (bool, error) {
	row, err := e.numbers(ctx, findShop, e.opts.Space, string(id))
	return row != nil, err
}

// List implements [db.Engine].
func (e *Engine) List(ctx context.Context) ([]db.ID, error) {
	ids := []db.ID{}
	err := e.rows(ctx, listShops, []db.Value{e.opts.Space}, func(row []db.Value) error {
		uid, _ := row[0].(string)
		ids = append(ids, db.ID(uid))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return ids, nil
}

// commitDelay is added to the time at which a transaction began, since it commits later.
const commitDelay = 2 * time.Second

// ModTimes implements [db.Engine].
func (e *Engine) ModTimes(ctx context.Context) (map[db.ID]time.Time, error) {
	times := map[db.ID]time.Time{}
	err := e.rows(ctx, listShops, []db.Value{e.opts.Space}, func(row []db.Value) error {
		uid, _ := row[0].(string)
		touched, _ := row[1].(int64)
		times[db.ID(uid)] = db.FromMillis(touched).Add(commitDelay)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return times, nil
}

// WrittenSince returns the tenants with commits since a time, with a version that every commit
// raises.
func (e *Engine) WrittenSince(ctx context.Context, since time.Time) (map[db.ID]int64, error) {
	versions := map[db.ID]int64{}
	args := []db.Value{e.opts.Space, db.Millis(since)}
	err := e.rows(ctx, listWritten, args, func(row []db.Value) error {
		uid, _ := row[0].(string)
		versions[db.ID(uid)], _ = row[1].(int64)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list written tenants: %w", err)
	}
	return versions, nil
}

// lockKey returns the key of an advisory lock.
func lockKey(namespace, space, name string) int64 {
	sum := sha256.Sum256([]byte(namespace + "\x00" + space + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// LockNamed implements [db.Engine]. The lock belongs to a connection of its own, so that the server
// releases it when this process ends.
func (e *Engine) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	key := strconv.FormatInt(lockKey(e.opts.Namespace, e.opts.Space, name), 10)
	l, err := e.pool.connect(context.WithoutCancel(ctx)) // a free lock is acquired even if ctx ends soon
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	free, err := l.number(context.WithoutCancel(ctx), "SELECT pg_try_advisory_lock("+key+")")
	for err == nil && free == 0 {
		if err = l.run(ctx, []string{"SELECT pg_advisory_lock(" + key + ")"}); err == nil {
			free = 1
		} else if errors.Is(err, db.ErrBusy) { // after lockTimeout
			err = nil
		}
	}
	if err != nil {
		l.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() error { l.close(); return nil }, nil
}
