package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// writer is the one connection that writes to a tenant's file. It implements [db.Writer].
type writer struct {
	t     *tenant
	*conn       // nil after a failure that may have left it unusable
	seen  int64 // data_version at the last check

	// if the tenant's files were removed, see saveFiles
	saved      bool // in the tenant's file or in a copy
	intact     bool // in the tenant's file
	alarmed    time.Time
	largeCache bool // conn has largeCacheSize
}

// Begin implements [db.Writer].
func (w *writer) Begin(wanted func() bool) error {
	if err := w.reconnect(); err != nil {
		return err
	}
	if err := w.beginImmediate(wanted); err != nil {
		if !errors.Is(err, db.ErrBusy) {
			w.Close()
		}
		return fmt.Errorf("begin: %w", err)
	}
	if err := w.checkExternalCommits(); err != nil {
		w.Rollback()
		if errors.Is(err, errNotInPlace) {
			err = w.saveFiles()
		}
		return err
	}
	return nil
}

// Prepare enlarges the cache for a transaction that writes a lot, so that all changed pages fit.
// With the common size a large import would read and write its pages several times while it holds
// the write lock.
func (w *writer) Prepare(large bool) {
	if large == w.largeCache {
		return
	}
	size := cacheSize
	if large {
		size = largeCacheSize
	}
	if err := w.script(context.Background(), "PRAGMA cache_size = "+size); err != nil {
		w.t.files.log().Warn("cache not resized", "tenant", w.t.id, "err", err)
		return
	}
	w.largeCache = large
}

// Savepoint implements [db.Writer].
func (w *writer) Savepoint() error { return w.run("SAVEPOINT job") }

// Release implements [db.Writer].
func (w *writer) Release() error { return w.run("RELEASE job") }

// Flush implements [db.Writer]: all statements were executed.
func (w *writer) Flush() error { return nil }

// RollbackTo implements [db.Writer].
func (w *writer) RollbackTo() error {
	if err := w.run("ROLLBACK TO job"); err != nil {
		return err
	}
	return w.Release()
}

// Commit implements [db.Writer].
func (w *writer) Commit() error {
	files := w.t.files
	w.t.versions.SetFresh(files.store.Elapsed()) // until here no other process could commit
	commit := func() error { return w.run("COMMIT") }
	var err error
	if fault := files.commitFault; fault != nil {
		err = translate(fault(commit))
	} else {
		err = commit()
	}
	switch {
	case err == nil:
		w.t.ship()
		files.counters.lastCommit.Store(int64(files.store.Elapsed()))
		return w.checkCommitted()
	case rolledBack(err):
		w.Rollback()
		return err
	default:
		w.Close()
		return fmt.Errorf("%w: %w", db.ErrUnknownOutcome, err)
	}
}

// checkCommitted returns [db.ErrUnknownOutcome] for a commit to files that no longer belong to the
// tenant, unless it was saved.
func (w *writer) checkCommitted() error {
	if err := w.checkInPlace(); !errors.Is(err, errNotInPlace) {
		return nil // a file that was dropped or restored after the commit is in the trash with it
	}
	if err := w.saveFiles(); !errors.Is(err, errMoved) {
		return fmt.Errorf("%w: %w", db.ErrUnknownOutcome, err)
	}
	if !w.intact {
		return fmt.Errorf("%w: %w", db.ErrUnknownOutcome, db.ErrFilesRemoved)
	}
	return nil
}

// Rollback ends the transaction unless SQLite has already ended it.
func (w *writer) Rollback() {
	if w.conn == nil {
		return
	}
	if err := w.run("ROLLBACK"); err != nil && !isNoTransaction(err) {
		w.t.files.log().Warn("rollback failed", "tenant", w.t.id, "err", err)
		w.Close()
	}
}

// Check implements [db.Writer].
func (w *writer) Check() error {
	err := w.checkExternalCommits()
	if errors.Is(err, errNotInPlace) {
		err = w.saveFiles()
	}
	return err
}

// checkExternalCommits checks whether another process has committed, by the data version of the
// writer's connection: on other connections this process's commits would count too. If so, the file
// may also have been dropped or replaced, and writes to it would succeed and be lost.
func (w *writer) checkExternalCommits() error {
	if err := w.reconnect(); err != nil {
		return err
	}
	began := w.t.files.store.Elapsed()
	seen, err := w.number("PRAGMA data_version")
	if err != nil {
		w.Close() // the next check opens another connection
		return fmt.Errorf("check external commits: %w", err)
	}
	if seen != w.seen {
		mark, err := w.number("PRAGMA application_id")
		if err != nil {
			return fmt.Errorf("check external commits: %w", err)
		}
		schema, err := w.number("PRAGMA user_version")
		switch {
		case err != nil:
			return fmt.Errorf("check external commits: %w", err)
		case mark != appID, int(schema) != w.t.files.newest():
			return errMoved // or upgraded by a newer program, which reopening it reports
		}
		w.seen = seen
		if err := w.t.versions.RaiseExternal(w.conn); err != nil {
			w.Close() // the next connection raises all versions
			return err
		}
		w.t.ship()
	}
	if err := w.checkInPlace(); err != nil {
		return err
	}
	w.t.versions.SetFresh(began)
	return nil
}

// reconnect opens the connection if a failure has closed it.
func (w *writer) reconnect() error {
	if w.conn != nil {
		return nil
	}
	c, seen, err := w.t.connectWriter()
	if err != nil {
		return fmt.Errorf("reopen: %w", err)
	}
	w.conn, w.seen, w.largeCache = c, seen, false
	w.t.versions.RaiseAll() // other processes may have committed since
	w.t.ship()
	return nil
}

// Close implements [db.Writer].
func (w *writer) Close() {
	if w.conn == nil {
		return
	}
	if err := w.close(); err != nil {
		w.t.files.log().Warn("connection not closed cleanly", "tenant", w.t.id, "err", err)
	}
	w.conn = nil
}
