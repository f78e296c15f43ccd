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

	mu   sync.Mutex
	free []*conn // a stack: the last one used is reused first
}

func newReaders(n int) *readers { return &readers{slots: make(chan struct{}, n)} }

// view runs fn on a snapshot of the tenant's data. If one is set, fn may run only one statement and
// no transaction is begun.
func (t *tenant) view(ctx context.Context, one bool, fn func(context.Context, *Tx) error) (err error) {
	c, err := t.getReader(ctx)
	if err != nil {
		return err
	}
	tx := &Tx{ctx: withTenant(ctx, t), conn: c, now: t.store.now(), one: one}
	defer func() { // also if fn panics or ends its goroutine
		tx.done = true
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
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
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
