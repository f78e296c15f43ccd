package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// readers are a tenant's reading connections, opened when they are needed.
type readers struct {
	slots chan struct{} // one token for each that may be in use

	mu   sync.Mutex
	free []*conn // the last one used is the first to be used again
}

func newReaders(n int) *readers { return &readers{slots: make(chan struct{}, n)} }

// view runs fn on one snapshot of the tenant's data, or for one statement.
func (t *tenant) view(ctx context.Context, one bool, fn func(context.Context, *Tx) error) (err error) {
	c, err := t.getReader(ctx)
	if err != nil {
		return err
	}
	tx := &Tx{ctx: withTenant(ctx, t), conn: c, now: t.store.now(), one: one}
	defer func() { // also when fn panics or ends its goroutine
		tx.done = true
		t.store.counters.statements.Add(tx.statements)
		if !one {
			if rerr := c.run("ROLLBACK"); rerr != nil {
				t.putReader(nil, c)
				if err == nil {
					err = fmt.Errorf("end of view: %w", rerr)
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

// putReader returns a connection, or closes one that is broken.
func (t *tenant) putReader(c, broken *conn) {
	r := t.readers
	if c != nil {
		r.mu.Lock()
		r.free = append(r.free, c)
		r.mu.Unlock()
	}
	if broken != nil {
		if err := broken.close(); err != nil {
			t.store.log.Warn("closing a connection failed", "tenant", t.id, "err", err)
		}
	}
	<-r.slots
}

// connectReader opens one more reader.
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
