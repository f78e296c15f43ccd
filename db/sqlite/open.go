package sqlite

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// with runs do on the tenant, which it opens if necessary. If do returns errMoved, do runs again on
// the tenant's current file.
func (s *Files) with(ctx context.Context, id db.ID, do func(*tenant) error) error {
	for {
		t, err := s.acquire(ctx, id)
		if err != nil {
			return err
		}
		var moved bool
		err = func() (err error) {
			defer func() { moved = s.done(t, err) }() // also when do panics
			return do(t)
		}()
		if !moved {
			return err
		}
	}
}

// done ends a use of the tenant with the result err. It reports whether the use must be repeated on
// the tenant's current file.
func (s *Files) done(t *tenant, err error) (moved bool) {
	s.release(t)
	switch {
	case err == nil:
	case errors.Is(err, errMoved), errors.Is(err, db.ErrMoved):
		s.retire(t)
		return true
	case isFileFault(err):
		s.recordFailure(t.id, err, false)
		s.retire(t) // the next use reopens the file, which may have recovered
	case errors.Is(err, db.ErrFilesRemoved):
		s.recordFailure(t.id, err, false)
	}
	return false
}

// acquire returns the tenant, which stays open until release. Concurrent callers share one opening
// of the file. A failed opening is not cached: the next call opens the file again. If ctx has
// ended, acquire opens nothing.
func (s *Files) acquire(ctx context.Context, id db.ID) (*tenant, error) {
	if err := id.Check(); err != nil {
		return nil, err
	}
	briefly := ctx.Value(brieflyKey{}) != nil // before the lock: a context can use this store
	t, err := s.lockTenant(ctx, id)
	if err != nil {
		return nil, err
	}
	if t == nil {
		t = s.newTenant(id)
		s.tenants[id] = t
		s.evict()
		go s.open(t)
	}
	t.refs++
	if !briefly {
		t.keep()
	}
	s.updateIdle(t)
	s.mu.Unlock()

	if err := wait(ctx, t.ready); err != nil {
		s.release(t)
		return nil, err
	}
	if t.err != nil {
		return nil, fmt.Errorf("tenant %s: %w", id, t.err)
	}
	return t, nil
}

// lockTenant locks s.mu and returns the tenant, or nil if it is not registered. It waits for the
// end of one that is closing. If it returns an error, s.mu is not locked.
func (s *Files) lockTenant(ctx context.Context, id db.ID) (*tenant, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.isClosed() {
			s.mu.Unlock()
			return nil, db.ErrClosed
		}
		t := s.tenants[id]
		if t == nil || !t.closing {
			return t, nil
		}
		s.mu.Unlock()
		if err := wait(ctx, t.gone); err != nil {
			return nil, err
		}
	}
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// open opens t for all callers that wait for it. It runs in a goroutine of its own, so that a
// caller whose context ends does not interrupt it for the others.
func (s *Files) open(t *tenant) {
	err := t.open()
	if errors.Is(err, db.ErrTooManyFiles) && s.closeIdle() {
		err = t.open()
	}
	s.recordOpened(t.id, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.err = err
	if err != nil {
		close(t.ready)
		s.unregister(t)
		if t.drained != nil {
			close(t.drained)
		}
		return
	}
	s.counters.opened.Add(1)
	if !t.closing {
		s.live.Store(t.id, t)
	}
	close(t.ready)
	s.releaseLocked(t)
}

// release ends a use of t.
func (s *Files) release(t *tenant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.refs--
	s.releaseLocked(t)
}

// releaseLocked closes t or adds it to the idle list if it is no longer in use. s.mu is held.
func (s *Files) releaseLocked(t *tenant) {
	select {
	case <-t.ready:
	default:
		return // open calls this again
	}
	switch {
	case t.refs > 0 || t.err != nil:
	case t.drained != nil:
		close(t.drained)
		t.drained = nil
	case t.closing:
		go s.shut(t)
	default:
		s.updateIdle(t)
		s.evict()
	}
}

// updateIdle adds t to the idle list or removes it from there. s.mu is held.
func (s *Files) updateIdle(t *tenant) {
	if t.idle != nil {
		s.idle.Remove(t.idle)
		t.idle = nil
	}
	if t.refs > 0 {
		return
	}
	last := s.idle.Back()
	for last != nil && last.Value.(*tenant).used > t.used {
		last = last.Prev()
	}
	if last == nil {
		t.idle = s.idle.PushFront(t)
	} else {
		t.idle = s.idle.InsertAfter(t, last)
	}
}

// evict closes the least recently used idle tenants while more than MaxOpen are open. s.mu is held.
func (s *Files) evict() {
	for len(s.tenants)-s.closing > s.opts.MaxOpen && s.idle.Len() > 0 {
		s.counters.evicted.Add(1)
		s.retireLocked(s.idle.Front().Value.(*tenant))
	}
}

// isFileFault reports whether an error is caused by the file or its disk. An open connection may
// repeat such an error after the cause is gone.
func isFileFault(err error) bool {
	return errors.Is(err, db.ErrCorrupt) || errors.Is(err, db.ErrIO) || errors.Is(err, db.ErrReadOnly)
}

// closeIdleBatch is the number of tenants to close when the process has reached its limit of open
// files.
const closeIdleBatch = 16

// closeIdle closes the least recently used idle tenants and waits until they are closed. It reports
// whether it closed any.
func (s *Files) closeIdle() bool {
	s.mu.Lock()
	var gone []chan struct{}
	for len(gone) < closeIdleBatch && s.idle.Len() > 0 {
		t := s.idle.Front().Value.(*tenant)
		gone = append(gone, t.gone)
		s.counters.evicted.Add(1)
		s.retireLocked(t)
	}
	s.mu.Unlock()
	for _, closed := range gone {
		<-closed
	}
	if len(gone) > 0 {
		s.log().Warn("too many open files, idle tenants closed", "closed", len(gone))
	}
	return len(gone) > 0
}

// retireLocked closes t as soon as it is no longer in use. s.mu is held.
func (s *Files) retireLocked(t *tenant) {
	if t.closing {
		return
	}
	t.closing = true
	s.closing++
	s.live.Delete(t.id)
	if t.idle != nil {
		s.idle.Remove(t.idle)
		t.idle = nil
		s.releaseLocked(t)
	}
}

// retire closes t as soon as it is no longer in use, so that the next use opens the tenant's
// current file.
func (s *Files) retire(t *tenant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retireLocked(t)
}

// shut closes t's file and unregisters t.
func (s *Files) shut(t *tenant) {
	t.shut()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unregister(t)
}

// unregister removes t from the store, so that the tenant can be opened again. s.mu is held.
func (s *Files) unregister(t *tenant) {
	delete(s.tenants, t.id)
	if t.closing {
		s.closing--
	}
	close(t.gone)
}

// acquireExclusive waits until a tenant is no longer in use and closes its file. Nothing opens the
// tenant until free is called.
func (s *Files) acquireExclusive(ctx context.Context, id db.ID) (free func(), err error) {
	for {
		t, err := s.lockTenant(ctx, id)
		if err != nil {
			return nil, err
		}
		free = func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.unregister(t)
		}
		if t == nil { // register a placeholder
			t = s.newTenant(id)
			t.closing = true
			s.closing++
			s.tenants[id] = t
			s.mu.Unlock()
			return free, nil
		}
		drained := make(chan struct{})
		t.drained = drained
		s.retireLocked(t)
		s.mu.Unlock()
		if err := wait(ctx, drained); err != nil {
			s.abandonExclusive(t)
			return nil, err
		}
		if t.err == nil {
			t.shut()
			return free, nil
		}
	}
}

// abandonExclusive ends an acquireExclusive after its context has ended: the tenant is closed as by
// retire.
func (s *Files) abandonExclusive(t *tenant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.drained == nil && t.err == nil {
		go s.shut(t)
	}
	t.drained = nil
}

// opened returns the tenant, or nil if it is not open. It does not hold it open.
func (s *Files) opened(id db.ID) *tenant {
	t, ok := s.live.Load(id)
	if !ok {
		return nil
	}
	return t.(*tenant)
}

func (s *Files) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}
