package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// checkInterval is the maximum age of the last check for another process's commits when a version is
// returned. A check per request would cost a third of the throughput of cached responses.
const checkInterval = 50 * time.Millisecond

// externalCheck is a check for commits of other processes that callers wait for.
type externalCheck struct {
	done chan struct{}
	err  error
}

// Version returns the version of a tenant's data. Every commit increases it: a commit of this process
// before Update returns, one of another process at most 50 ms later. Within this process equal
// versions mean equal data. To cache the result of a View by version, get the version before the
// View.
func (s *Store) Version(ctx context.Context, id ID) (uint64, error) {
	version, _, err := s.Versions(ctx, id)
	return version, err
}

// ExternalVersion is like [Store.Version], but commits of this process do not increase it. Code of
// this process that changes data must evict what is cached by it.
func (s *Store) ExternalVersion(ctx context.Context, id ID) (uint64, error) {
	_, external, err := s.Versions(ctx, id)
	return external, err
}

// Versions returns the results of [Store.Version] and [Store.ExternalVersion], at the cost of one.
func (s *Store) Versions(ctx context.Context, id ID) (version, external uint64, err error) {
	err = s.readVersions(ctx, id, func(t *tenant) { version, external = t.version.Load(), t.external.Load() })
	return version, external, err
}

// readVersions calls read with the tenant once its versions are up to date.
func (s *Store) readVersions(ctx context.Context, id ID, read func(*tenant)) error {
	if t := s.opened(id); t != nil && t.fresh() {
		read(t)
		return nil
	}
	// Inside a transaction, waiting for its own tenant would deadlock.
	if t := tenantFromContext(ctx); t != nil && t.id == id {
		read(t)
		return nil
	}
	err := s.with(ctx, id, func(t *tenant) error {
		if err := t.refresh(ctx); err != nil {
			return err
		}
		read(t)
		return nil
	})
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	return nil
}

// bumpVersion sets the tenant's version to one that no tenant of this store has had.
func (t *tenant) bumpVersion() { t.version.Store(t.store.versions.Add(1)) }

// bumpExternal is bumpVersion for a change that may be another process's.
func (t *tenant) bumpExternal() {
	t.bumpVersion()
	t.external.Store(t.version.Load())
}

// fresh reports whether the last check is recent enough.
func (t *tenant) fresh() bool {
	return t.store.elapsed()-time.Duration(t.checkedAt.Load()) < checkInterval
}

func (t *tenant) markFresh() { t.checkedAt.Store(int64(t.store.elapsed())) }

// refresh waits for the writer to check for other processes' commits if the last check is too old.
// It does not wait while the writer holds the write lock, since no other process can commit then, nor
// while the writer waits for the lock, since that may last long: the current version is used.
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

// checkExternalCommits checks whether another process has committed, by the data version of the
// writer's connection: on other connections this process's commits would count too. If so, the file
// may also have been dropped or replaced, and writes to it would succeed and be lost.
func (w *writer) checkExternalCommits() error {
	if err := w.reconnect(); err != nil {
		return err
	}
	began := w.t.store.elapsed()
	seen, err := w.conn.number("PRAGMA data_version")
	if err != nil {
		w.disconnect() // the next check opens another connection
		return fmt.Errorf("check external commits: %w", err)
	}
	if seen != w.seen {
		mark, err := w.conn.number("PRAGMA application_id")
		if err != nil {
			return fmt.Errorf("check external commits: %w", err)
		}
		schema, err := w.conn.number("PRAGMA user_version")
		switch {
		case err != nil:
			return fmt.Errorf("check external commits: %w", err)
		case mark != appID, int(schema) != w.t.store.newest():
			return errMoved // or upgraded by a newer program, which reopening it reports
		}
		w.seen = seen
		// The content version last: a reader that sees it must also see that cached settings are outdated.
		w.t.bumpExternal()
		if err := w.checkContent(); err != nil {
			w.disconnect() // the next connection changes the content version
			return err
		}
		w.t.ship()
	}
	w.t.checkedAt.Store(int64(began))
	return nil
}

// isNoTransaction reports whether an error of ROLLBACK means that no transaction is active. SQLite
// returns the generic code 1 then, and only then.
func isNoTransaction(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == 1
}
