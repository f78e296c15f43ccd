package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// checkInterval is how old the last look for another process's commits may be
// when a version is answered. A look for each request would cost a third of
// the throughput of cached answers.
const checkInterval = 50 * time.Millisecond

// look is a look that callers wait for.
type externalCheck struct {
	done chan struct{}
	err  error
}

// Version returns the version of a tenant's data. Every commit raises it, this
// process's before Update returns, another's at most 50 ms later. Two answers
// with equal versions mean equal data, for as long as this process lives. Take
// it before the View whose result is kept by it.
func (s *Store) Version(ctx context.Context, id ID) (uint64, error) {
	version, _, err := s.Versions(ctx, id)
	return version, err
}

// ExternalVersion is like Version, but this process's own commits do not raise
// it. What is kept by it must be dropped by whoever changes it here.
func (s *Store) ExternalVersion(ctx context.Context, id ID) (uint64, error) {
	_, foreign, err := s.Versions(ctx, id)
	return foreign, err
}

// Versions returns both, at the cost of one.
func (s *Store) Versions(ctx context.Context, id ID) (version, foreign uint64, err error) {
	if t := s.opened(id); t != nil && t.fresh() {
		return t.version.Load(), t.external.Load(), nil
	}
	// Inside a transaction its own tenant must not be waited for.
	if t := tenantFromContext(ctx); t != nil && t.id == id {
		return t.version.Load(), t.external.Load(), nil
	}
	err = s.with(ctx, id, func(t *tenant) error {
		if err := t.refresh(ctx); err != nil {
			return err
		}
		version, foreign = t.version.Load(), t.external.Load()
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("version: %w", err)
	}
	return version, foreign, nil
}

// bumpVersion gives the tenant a version that no tenant of this store has had.
func (t *tenant) bumpVersion() { t.version.Store(t.store.versions.Add(1)) }

// bumpExternal is raise for a change that this process need not have made.
func (t *tenant) bumpExternal() {
	t.bumpVersion()
	t.external.Store(t.version.Load())
}

// fresh reports whether the last look is recent enough.
func (t *tenant) fresh() bool {
	return t.store.elapsed()-time.Duration(t.checkedAt.Load()) < checkInterval
}

func (t *tenant) markFresh() { t.checkedAt.Store(int64(t.store.elapsed())) }

// refresh has the writer look for other processes' commits, if the last look
// is too old. It does not wait while the writer holds the write lock (nobody
// else can commit) or waits for it (the version as it stands must do).
func (t *tenant) refresh(ctx context.Context) error {
	if t.fresh() {
		return nil
	}
	w := t.writer
	w.mu.Lock()
	if w.phase != idle {
		w.mu.Unlock()
		return nil
	}
	if w.check == nil {
		w.check = &externalCheck{done: make(chan struct{})}
	}
	wanted := w.check
	w.mu.Unlock()
	w.signal()
	select {
	case <-wanted.done:
		return wanted.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkExternalCommits asks SQLite whether another process has committed. Only the writer's
// connection can tell: on others our own commits count too. If so, the file
// may also have been dropped or replaced: writes into it would succeed, and be
// lost.
func (w *writer) checkExternalCommits() error {
	if err := w.reconnect(); err != nil {
		return err
	}
	began := w.t.store.elapsed()
	seen, err := w.conn.number("PRAGMA data_version")
	if err != nil {
		w.disconnect() // the next look tries another connection
		return fmt.Errorf("look: %w", err)
	}
	if seen != w.seen {
		mark, err := w.conn.number("PRAGMA application_id")
		if err != nil {
			return fmt.Errorf("look: %w", err)
		}
		schema, err := w.conn.number("PRAGMA user_version")
		switch {
		case err != nil:
			return fmt.Errorf("look: %w", err)
		case mark != appID, int(schema) != w.t.store.newest():
			return errMoved // or upgraded by a newer program: opening it will tell
		}
		w.seen = seen
		w.t.bumpExternal()
		w.t.ship()
	}
	w.t.checkedAt.Store(int64(began))
	return nil
}

// noTransaction reports that ROLLBACK found nothing to roll back: SQLite gives
// it the generic code 1, and no other failure of ROLLBACK has that.
func isNoTransaction(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == 1
}
