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
	leaving bool          // will be closed; nobody may take it any more
	emptied chan struct{} // if set: closed when leaving and no longer in use

	ready chan struct{} // closed when opened, or not: err
	err   error
	gone  chan struct{} // closed when it has been closed and forgotten

	// Set before ready is closed.
	file     os.FileInfo // the file that was opened
	upgraded Upgrade     // when it was opened
	attached bool        // to the shipper
	writer   *writer
	readers  *readers

	version atomic.Uint64
	foreign atomic.Uint64 // the last version that another process may have made
	looked  atomic.Int64  // Store.elapsed at the last look, see fresh
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
	movedPause = 10 * time.Millisecond
	movedTries = 100
)

// open opens the tenant's file, and brings it to the newest schema if need be.
func (t *tenant) open() error {
	for try := 0; ; try++ {
		c, seen, err := t.openWriter()
		if errors.Is(err, errMoved) || errors.Is(err, ErrNoTenant) {
			replaced, rerr := t.store.finishReplace(t.id)
			if rerr != nil {
				return fmt.Errorf("replace the tenant's file: %w", rerr)
			}
			if replaced && try < movedTries {
				continue
			}
		}
		switch {
		case err == nil:
			t.readers = newReaders(t.store.opts.Readers)
			t.raiseForeign()
			t.writer = newWriter(t, c, seen)
			return nil
		case errors.Is(err, errMoved) && try < movedTries:
			time.Sleep(movedPause)
		case errors.Is(err, errMoved):
			return fmt.Errorf("%w: its removal was interrupted; repeat it", ErrNoTenant)
		default:
			return err
		}
	}
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
	if t.upgraded, err = t.store.upgrade(t.id, t.path); err != nil {
		return nil, 0, err
	}
	return t.connectWriter()
}

// connectWriter opens the writing connection and takes the data version from
// which later looks count. It refuses a file that is not t.file any more.
func (t *tenant) connectWriter() (_ *conn, seen int64, err error) {
	began := t.store.elapsed()
	c, err := connectTenant(t.path, t.writerPragmas())
	if err != nil {
		if _, serr := os.Stat(t.path); os.IsNotExist(serr) {
			return nil, 0, errMoved
		}
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
	info, err := os.Stat(t.path)
	if err != nil || !os.SameFile(info, t.file) {
		return nil, 0, errMoved
	}
	t.looked.Store(int64(began))
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
		return ErrForeign
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

type insideKey struct{}

// inside marks the context that a transaction's function gets, so that another
// one inside is refused instead of waiting for itself.
func inside(ctx context.Context, t *tenant) context.Context {
	return context.WithValue(ctx, insideKey{}, t)
}

// insideOf returns the tenant in whose transaction ctx was made, or nil.
func insideOf(ctx context.Context) *tenant {
	t, _ := ctx.Value(insideKey{}).(*tenant)
	return t
}
