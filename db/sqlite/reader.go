package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"storefront/db"
)

// readers are a tenant's reading connections, opened on demand.
type readers struct {
	slots chan struct{} // one token per connection in use
	many  chan struct{} // one token per connection in use by ReadMany; has one less than slots

	mu   sync.Mutex
	free []*reader // a stack: the last one used is reused first
}

func newReaders(n int) *readers {
	return &readers{slots: make(chan struct{}, n), many: make(chan struct{}, max(n-1, 1))}
}

// reader is a connection that reads a snapshot of a tenant's data. It implements [db.Reader].
type reader struct {
	*conn
	t    *tenant
	kind db.ReadKind
	stop func()        // ends the interrupts
	used time.Duration // Store.Elapsed of the end of its last use
}

// BeginRead implements [db.Tenant].
func (t *tenant) BeginRead(ctx context.Context, kind db.ReadKind) (_ db.Reader, err error) {
	if kind == db.ReadMany {
		if err := acquireSlot(ctx, t.readers.many); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				<-t.readers.many
			}
		}()
	}
	r, err := t.getReader(ctx)
	if err != nil {
		return nil, err
	}
	r.kind, r.stop = kind, r.interruptAfter(ctx)
	if kind != db.ReadOne {
		if err := r.run("BEGIN"); err != nil {
			r.stop()
			t.putReader(r, true)
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
	return r, nil
}

// End implements [db.Reader].
func (r *reader) End() error {
	r.stop()
	var err error
	if r.kind != db.ReadOne {
		err = r.run("ROLLBACK")
	}
	many := r.kind == db.ReadMany
	r.t.putReader(r, err != nil)
	if many {
		<-r.t.readers.many
	}
	return err
}

func (t *tenant) getReader(ctx context.Context) (*reader, error) {
	pool := t.readers
	if err := acquireSlot(ctx, pool.slots); err != nil {
		return nil, err
	}
	pool.mu.Lock()
	if n := len(pool.free); n > 0 {
		r := pool.free[n-1]
		pool.free = pool.free[:n-1]
		pool.mu.Unlock()
		return r, nil
	}
	pool.mu.Unlock()
	c, err := t.connectReader()
	if errors.Is(err, errMoved) {
		err = cmp.Or(t.recheck(ctx), err)
	}
	if err != nil {
		<-pool.slots
		return nil, err
	}
	return &reader{conn: c, t: t}, nil
}

func acquireSlot(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// putReader returns a connection to the pool, or closes a broken one. It also closes the reader
// that was unused for the longest time, once that was long.
func (t *tenant) putReader(r *reader, broken bool) {
	pool, unneeded := t.readers, r
	if !broken {
		r.used, unneeded = t.files.store.Elapsed(), nil
		pool.mu.Lock()
		if len(pool.free) > 0 && r.used-pool.free[0].used >= readerRest {
			unneeded = pool.free[0]
			pool.free = slices.Delete(pool.free, 0, 1)
		}
		pool.free = append(pool.free, r)
		pool.mu.Unlock()
	}
	if unneeded != nil {
		t.closeReader(unneeded)
	}
	<-pool.slots
}

// connectReader opens another reader.
func (t *tenant) connectReader() (*conn, error) {
	c, err := t.connect(readerPragmas)
	if errors.Is(err, db.ErrTooManyFiles) && t.files.closeIdle() {
		c, err = t.connect(readerPragmas)
	}
	if err != nil {
		return nil, fmt.Errorf("open a reader: %w", err)
	}
	return c, nil
}

// opened reports whether a free reader is open.
func (r *readers) opened() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.free) > 0
}

// closeReaders closes the free readers.
func (t *tenant) closeReaders() {
	pool := t.readers
	pool.mu.Lock()
	free := pool.free
	pool.free = nil
	pool.mu.Unlock()
	for _, r := range free {
		t.closeReader(r)
	}
}

func (t *tenant) closeReader(r *reader) {
	if err := r.close(); err != nil {
		t.files.log().Warn("connection not closed cleanly", "tenant", t.id, "err", err)
	}
}
