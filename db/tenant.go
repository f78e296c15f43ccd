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
	idle    *list.Element // its place among the idle, nil while in use
	closing bool          // will be closed; nobody may take it any more
	drained chan struct{} // if set: closed when leaving and no longer in use

	ready chan struct{} // closed when opened, or not: err
	err   error
	gone  chan struct{} // closed when it has been closed and forgotten

	// Set before ready is closed.
	file     os.FileInfo // the file that was opened
	upgraded Upgrade     // when it was opened
	attached bool        // to the shipper
	writer   *writer
	readers  *readers

	version   atomic.Uint64
	external  atomic.Uint64 // the last version that another process may have made
	checkedAt atomic.Int64  // Store.elapsed at the last look, see fresh
}

func (s *Store) newTenant(id ID) *tenant {
	return &tenant{
		id: id, path: s.tenantPath(id), store: s,
		ready: make(chan struct{}), gone: make(chan struct{}),
	}
}

// How long an opener waits for a file that bears the mark of being moved away:
// its name is about to vanish, or to belong to another file.
const (
	movedDelay       = 10 * time.Millisecond
	maxMovedAttempts = 100
)

// open opens the tenant's file, and brings it to the newest schema if need be.
func (t *tenant) open() error {
	for try := 0; ; try++ {
		c, seen, err := t.openWriter()
		if err == nil {
			t.readers = newReaders(t.store.opts.Readers)
			t.bumpExternal()
			t.writer = newWriter(t, c, seen)
			return nil
		}
		isMoved := errors.Is(err, errMoved)
		switch {
		case !isMoved && !errors.Is(err, ErrNoTenant):
			return err
		case isMoved && try >= maxMovedAttempts:
			return fmt.Errorf("%w: its removal was interrupted; repeat it", ErrNoTenant)
		case try >= maxMovedAttempts:
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
		// Unless its file got its name between the two looks.
		if there, terr := t.store.fileExists(t.id); !there {
			return errors.Join(err, terr)
		}
	}
}

// connect opens one more connection to the tenant's own file: to t.file, or
// errMoved. SQLite opens the file, its log and the log's index by name, one
// after the other, and in between another process may give the names to other
// files. A mixture of them may be read as anything and must not be written to.
// Since the file itself is always the first to lose its name, all three were
// the tenant's if the name is still t.file's afterwards.
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

// connectWriter opens the writing connection and takes the data version from
// which later looks count.
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

// checkMark refuses files that are not, or no longer, a tenant's.
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

// shut closes the connections. Nobody may be using them.
func (t *tenant) shut() {
	t.writer.stop()
	for _, err := range t.readers.close() {
		if err != nil {
			t.store.log.Warn("closing a connection failed", "tenant", t.id, "err", err)
		}
	}
	t.detach()
}

type tenantKey struct{}

// inside marks the context that a transaction's function gets, so that another
// one inside is refused instead of waiting for itself.
func withTenant(ctx context.Context, t *tenant) context.Context {
	return context.WithValue(ctx, tenantKey{}, t)
}

// insideOf returns the tenant in whose transaction ctx was made, or nil.
func tenantFromContext(ctx context.Context) *tenant {
	t, _ := ctx.Value(tenantKey{}).(*tenant)
	return t
}
