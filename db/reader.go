package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// readers are a tenant's reading connections, opened on demand.
type readers struct {
	slots chan struct{} // one token per connection in use
	many  chan struct{} // one token per connection in use by ViewMany; has one less than slots

	mu   sync.Mutex
	free []*conn // a stack: the last one used is reused first
}

func newReaders(n int) *readers {
	return &readers{slots: make(chan struct{}, n), many: make(chan struct{}, max(n-1, 1))}
}

// viewKind is what the function of a view may do.
type viewKind int

const (
	viewFew  viewKind = iota // read some rows
	viewOne                  // run one statement; no transaction is begun
	viewMany                 // read many rows; one reader stays free for other views
)

// view runs fn on a snapshot of the tenant's data. When ctx ends, the running statement is
// interrupted.
func (t *tenant) view(ctx context.Context, kind viewKind, fn func(context.Context, *Tx) error) (err error) {
	if kind == viewMany {
		if err := acquireSlot(ctx, t.readers.many); err != nil {
			return err
		}
		defer func() { <-t.readers.many }()
	}
	c, err := t.getReader(ctx)
	if err != nil {
		return err
	}
	one := kind == viewOne
	stop := c.interruptAfter(ctx)
	tx := &Tx{ctx: withTenant(ctx, t), conn: c, now: t.store.now(), one: one}
	defer func() { // also if fn panics or ends its goroutine
		tx.done = true
		stop()
		t.store.counters.statements.Add(tx.statements)
		if !one {
			if rerr := c.run("ROLLBACK"); rerr != nil {
				t.putReader(nil, c)
				if err == nil {
					err = fmt.Errorf("end view: %w", rerr)
				}
				return
			}
		}
		t.putReader(c, nil)
	}()
	if !one {
		if err := c.run("BEGIN"); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	if err := fn(tx.ctx, tx); err != nil {
		return err
	}
	return tx.err
}

func (t *tenant) getReader(ctx context.Context) (*conn, error) {
	r := t.readers
	if err := acquireSlot(ctx, r.slots); err != nil {
		return nil, err
	}
	r.mu.Lock()
	if n := len(r.free); n > 0 {
		c := r.free[n-1]
		r.free = r.free[:n-1]
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	c, err := t.connectReader()
	if err != nil {
		<-r.slots
		return nil, err
	}
	return c, nil
}

func acquireSlot(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// putReader returns the connection c to the pool, or closes the broken one. One of them is nil.
func (t *tenant) putReader(c, broken *conn) {
	r := t.readers
	if c != nil {
		r.mu.Lock()
		r.free = append(r.free, c)
		r.mu.Unlock()
	}
	if broken != nil {
		if err := broken.close(); err != nil {
			t.store.log.Warn("connection not closed cleanly", "tenant", t.id, "err", err)
		}
	}
	<-r.slots
}

// connectReader opens another reader.
func (t *tenant) connectReader() (*conn, error) {
	c, err := t.connect(readerPragmas)
	if errors.Is(err, ErrTooManyFiles) && t.store.closeIdle() {
		c, err = t.connect(readerPragmas)
	}
	if err != nil {
		return nil, fmt.Errorf("open a reader: %w", err)
	}
	return c, nil
}

// close closes the free readers; none may be in use.
func (r *readers) close() []error {
	var errs []error
	for _, c := range r.free {
		errs = append(errs, c.close())
	}
	r.free = nil
	return errs
}
