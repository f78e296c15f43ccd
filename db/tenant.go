package db

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// tenant is one open file: a writer, readers, and the version of its data.
type tenant struct {
	id    ID
	path  string
	store *Store

	// Guarded by Store.mu.
	refs    int
	idle    *list.Element // in Store.idle; nil while in use
	closing bool          // will be closed and must not be acquired
	drained chan struct{} // if not nil, closed when closing is set and t is no longer in use

	ready chan struct{} // closed when opening has ended, with err
	err   error
	gone  chan struct{} // closed when t has been closed and unregistered

	// Set before ready is closed.
	file     os.FileInfo // the file that was opened
	upgraded Upgrade     // result of the upgrade when it was opened
	attached bool        // to the shipper
	writer   *writer
	readers  *readers

	version   atomic.Uint64
	content   atomic.Uint64 // the version of the public content
	external  atomic.Uint64 // the last version that another process may have caused
	checkedAt atomic.Int64  // Store.elapsed at the last check, see fresh
}

func (s *Store) newTenant(id ID) *tenant {
	return &tenant{
		id: id, path: s.tenantPath(id), store: s,
		ready: make(chan struct{}), gone: make(chan struct{}),
	}
}

// While a file has the moved mark, its name is about to disappear or to belong to another file.
// Opening it waits for up to maxMovedAttempts times movedDelay.
const (
	movedDelay       = 10 * time.Millisecond
	maxMovedAttempts = 100
)

// open opens the tenant's file and upgrades it to the newest schema if necessary.
func (t *tenant) open() error {
	for attempt := 0; ; attempt++ {
		c, seen, err := t.openWriter()
		if err == nil {
			t.readers = newReaders(t.store.opts.Readers)
			t.bumpExternal()
			t.bumpContent()
			t.writer = newWriter(t, c, seen)
			return nil
		}
		isMoved := errors.Is(err, errMoved)
		switch {
		case !isMoved && !errors.Is(err, ErrNoTenant):
			return err
		case isMoved && attempt >= maxMovedAttempts:
			return fmt.Errorf("%w: its removal was interrupted; repeat it", ErrNoTenant)
		case attempt >= maxMovedAttempts:
			return err
		}
		replaced, rerr := t.store.finishReplace(t.id)
		if rerr != nil {
			return fmt.Errorf("replace the tenant's file: %w", rerr)
		}
		if replaced {
			continue
		}
		if isMoved {
			time.Sleep(movedDelay)
			continue
		}
		// Its file may have been renamed between the two checks.
		if there, terr := t.store.fileExists(t.id); !there {
			return errors.Join(err, terr)
		}
	}
}

// connect opens another connection to t.file, or returns errMoved if that is no longer the tenant's
// file. SQLite opens the file, its log and the log's index by name, one after the other, and in
// between another process may rename other files to these names. A mixture of them must be neither
// read nor written. The data file is always renamed first, so all three were the tenant's if the
// name still belongs to t.file afterwards.
func (t *tenant) connect(pragmas []pragma) (*conn, error) {
	c, err := connectTenant(t.path, pragmas)
	info, serr := os.Stat(t.path)
	if serr == nil && os.SameFile(info, t.file) {
		return c, err
	}
	if c != nil {
		if cerr := c.close(); cerr != nil {
			return nil, cerr
		}
	}
	if serr == nil || os.IsNotExist(serr) {
		return nil, errMoved
	}
	return nil, serr
}

func (t *tenant) openWriter() (_ *conn, _ int64, err error) {
	if t.file, err = os.Stat(t.path); err != nil {
		if os.IsNotExist(err) {
			return nil, 0, ErrNoTenant
		}
		return nil, 0, fmt.Errorf("open tenant: %w", err)
	}
	t.attach()
	defer func() {
		if err != nil {
			t.detach()
		}
	}()
	c, seen, err := t.connectWriter()
	if err != nil {
		return nil, 0, err
	}
	have, err := c.number("PRAGMA user_version")
	if newest := t.store.newest(); err == nil && int(have) == newest {
		t.upgraded = Upgrade{From: newest, To: newest}
		return c, seen, nil
	}
	if cerr := c.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, 0, err
	}
	if t.upgraded, err = t.upgrade(); err != nil {
		return nil, 0, err
	}
	return t.connectWriter()
}

// connectWriter opens the writing connection and returns its data version, with which later checks
// compare theirs.
func (t *tenant) connectWriter() (_ *conn, seen int64, err error) {
	began := t.store.elapsed()
	c, err := t.connect(t.writerPragmas())
	if err != nil {
		return nil, 0, fmt.Errorf("open tenant: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err := checkMark(c); err != nil {
		return nil, 0, err
	}
	if seen, err = c.number("PRAGMA data_version"); err != nil {
		return nil, 0, err
	}
	t.checkedAt.Store(int64(began))
	return c, seen, nil
}

// checkMark returns [ErrNotTenantFile] or errMoved for a file that is not, or no longer, a tenant's.
func checkMark(c *conn) error {
	mark, err := c.number("PRAGMA application_id")
	switch {
	case err != nil:
		return err
	case mark == movedID:
		return errMoved
	case mark != appID:
		return ErrNotTenantFile
	}
	return nil
}

// shut closes the connections, which must not be in use.
func (t *tenant) shut() {
	t.writer.stop()
	for _, err := range t.readers.close() {
		if err != nil {
			t.store.log.Warn("connection not closed cleanly", "tenant", t.id, "err", err)
		}
	}
	t.detach()
}

type tenantKey struct{}

// withTenant returns the context for a transaction's function, so that a nested transaction is
// refused instead of deadlocking.
func withTenant(ctx context.Context, t *tenant) context.Context {
	return context.WithValue(ctx, tenantKey{}, t)
}

// tenantFromContext returns the tenant whose transaction ctx belongs to, or nil.
func tenantFromContext(ctx context.Context) *tenant {
	t, _ := ctx.Value(tenantKey{}).(*tenant)
	return t
}
