package postgres

import (
	"container/list"
	"context"
	"errors"
	"time"

	"storefront/db"
)

// tenant is a tenant's data in use. It implements [db.Tenant].
type tenant struct {
	id       db.ID
	engine   *Engine
	versions *db.Versions

	// Guarded by Engine.mu.
	refs     int
	idle     *list.Element // in Engine.idle; nil while in use
	closing  bool          // must not be acquired
	excluded bool          // closing for a caller of Engine.exclude
	drained  chan struct{} // if not nil, closed when closing is set and t is no longer in use
	gone     chan struct{} // closed when t is no longer registered

	ready chan struct{} // closed when the search has ended, with err
	err   error

	// Set before ready is closed.
	number    int64
	committer *db.Committer
	reads     chan struct{} // one token per reader; some less than the pool has, for other tenants

	state state // guarded by Engine.polling
}

// state is a tenant's row of engine_state.
type state struct {
	at      time.Duration // time of reading, a [db.Store.Elapsed]
	read    bool
	open    bool
	version int64
	schema  int
}

// Versions implements [db.Tenant].
func (t *tenant) Versions() *db.Versions { return t.versions }

// Committer implements [db.Tenant].
func (t *tenant) Committer() *db.Committer { return t.committer }

// Refresh implements [db.Tenant].
func (t *tenant) Refresh(ctx context.Context) error { return t.committer.Refresh(ctx) }

// Acquire implements [db.Engine].
func (e *Engine) Acquire(ctx context.Context, id db.ID) (db.Tenant, error) {
	if err := id.Check(); err != nil {
		return nil, err
	}
	for {
		t, isNew, closed, err := e.register(id)
		if err != nil {
			return nil, err
		}
		if closed != nil {
			select {
			case <-closed:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if isNew {
			t.find(ctx)
			close(t.ready)
		}
		select {
		case <-t.ready:
		case <-ctx.Done():
			e.Release(t, nil)
			return nil, ctx.Err()
		}
		if t.err == nil {
			return t, nil
		}
		err = t.err
		e.discard(t)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil { // another caller's
			continue
		}
		return nil, err
	}
}

// register returns the tenant of that name and counts a use of it. While it is closing, register
// returns only a channel that is closed when it no longer is.
func (e *Engine) register(id db.ID) (t *tenant, isNew bool, closed <-chan struct{}, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isClosed {
		return nil, false, nil, db.ErrClosed
	}
	if t = e.tenants[id]; t == nil {
		t = &tenant{id: id, engine: e, versions: e.store.NewVersions(id), gone: make(chan struct{}), ready: make(chan struct{})}
		e.tenants[id] = t
		isNew = true
	}
	if t.closing {
		return nil, false, t.gone, nil
	}
	t.refs++
	if t.idle != nil {
		e.idle.Remove(t.idle)
		t.idle = nil
	}
	return t, isNew, nil, nil
}

// find reads the tenant from the directory.
func (t *tenant) find(ctx context.Context) {
	began := t.engine.store.Elapsed()
	row, err := t.engine.numbers(ctx, findShop, t.engine.opts.Space, string(t.id))
	switch {
	case err != nil:
		t.err = err
	case row == nil:
		t.err = db.ErrNoTenant
	case int(row[2]) != t.engine.Schema():
		t.err = schemaError(int(row[2]), t.engine.Schema())
	}
	if t.err != nil {
		return
	}
	t.number = row[0]
	t.reads = make(chan struct{}, t.engine.pool.shareOfReads())
	t.versions.RaiseAll()
	t.versions.SetFresh(began)
	t.committer = t.engine.store.NewCommitter(t.versions, newWriter(t, row[1]))
	t.engine.live.Store(t.id, t)
	t.engine.opened.Add(1)
}

// Release implements [db.Engine].
func (e *Engine) Release(used db.Tenant, err error) (moved bool) {
	t := used.(*tenant)
	if errors.Is(err, errMoved) || errors.Is(err, db.ErrNewer) || errors.Is(err, db.ErrOutdated) {
		moved = errors.Is(err, errMoved)
		e.retire(t)
	}
	e.mu.Lock()
	t.refs--
	var evicted *tenant
	switch {
	case t.refs > 0:
	case t.closing:
		if t.drained != nil {
			close(t.drained)
			t.drained = nil
		}
	case e.tenants[t.id] == t:
		t.idle = e.idle.PushBack(t)
		if e.idle.Len() > e.opts.MaxOpen {
			evicted = e.idle.Front().Value.(*tenant)
			e.evicted.Add(1)
			e.unregister(evicted)
		}
	}
	last := t.refs == 0 && t.closing && e.tenants[t.id] != t
	e.mu.Unlock()
	if evicted != nil {
		evicted.committer.Stop()
	}
	if last && t.committer != nil {
		t.committer.Stop()
	}
	return moved
}

// retire makes the next use read the directory again.
func (e *Engine) retire(t *tenant) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tenants[t.id] == t && !t.closing {
		e.unregister(t)
	}
}

// unregister removes a tenant. Uses of it may continue. e.mu is held.
func (e *Engine) unregister(t *tenant) {
	t.closing = true
	if t.idle != nil {
		e.idle.Remove(t.idle)
		t.idle = nil
	}
	delete(e.tenants, t.id)
	e.live.CompareAndDelete(t.id, t)
	close(t.gone)
}

// discard releases a tenant that was not found.
func (e *Engine) discard(t *tenant) {
	e.retire(t)
	e.Release(t, nil)
}

// Opened implements [db.Engine].
func (e *Engine) Opened(id db.ID) *db.Versions {
	if t, ok := e.live.Load(id); ok {
		return t.(*tenant).versions
	}
	return nil
}
