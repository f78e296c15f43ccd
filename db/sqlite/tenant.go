package sqlite

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"storefront/db"
)

// tenant is one open file: a writer, readers, and the version of its data.
type tenant struct {
	id       db.ID
	path     string
	versions *db.Versions
	files    *Files

	// Guarded by Files.mu.
	refs    int
	kept    bool          // somebody used it who may return
	used    time.Duration // Store.Elapsed of the last such use, or when it was opened
	idle    *list.Element // in Files.idle; nil while in use
	closing bool          // will be closed and must not be acquired
	drained chan struct{} // if not nil, closed when closing is set and t is no longer in use

	ready chan struct{} // closed when opening has ended, with err
	err   error
	gone  chan struct{} // closed when t has been closed and unregistered

	// Set before ready is closed.
	file     os.FileInfo // the file that was opened
	log      os.FileInfo // its log; nil if unknown
	index    os.FileInfo // the log's index; nil if unknown
	upgraded Upgrade     // result of the upgrade when it was opened
	attached bool        // to the shipper
	writer   *writer
	readers  *readers

	committer *db.Committer
}

func (s *Files) newTenant(id db.ID) *tenant {
	return &tenant{
		id: id, path: s.tenantPath(id), files: s, versions: s.store.NewVersions(id), used: s.store.Elapsed(),
		ready: make(chan struct{}), gone: make(chan struct{}),
	}
}

// maxOpenAttempts is how often a file that another process replaces is opened. While a file has the
// moved mark, its name is about to disappear or to belong to another file.
const maxOpenAttempts = 100

// open opens the tenant's file and upgrades it to the newest schema if necessary.
func (t *tenant) open() error {
	for attempt := 0; ; attempt++ {
		c, seen, err := t.openWriter()
		if err == nil {
			t.recordFiles()
			t.readers = newReaders(t.files.opts.Readers)
			t.versions.RaiseAll()
			t.writer = &writer{t: t, conn: c, seen: seen}
			t.committer = t.files.store.NewCommitter(t.versions, t.writer)
			return nil
		}
		isMoved := errors.Is(err, errMoved)
		switch {
		case !isMoved && !errors.Is(err, db.ErrNoTenant):
			return err
		case attempt >= maxOpenAttempts:
			return fmt.Errorf("%w: its file is replaced again and again", db.ErrNoTenant)
		}
		replaced, rerr := t.files.finishReplace(t.id)
		if rerr != nil {
			return fmt.Errorf("replace the tenant's file: %w", rerr)
		}
		if replaced {
			continue
		}
		if isMoved {
			if err := t.files.finishDrop(context.Background(), t.id); err != nil {
				return fmt.Errorf("finish the deletion: %w", err)
			}
			continue
		}
		// Its file may have been renamed between the two checks.
		if there, terr := t.files.fileExists(t.id); !there {
			return errors.Join(err, terr)
		}
	}
}

// connect opens another connection to t.file, or returns errMoved if it is no longer the tenant's
// file. SQLite opens the file, its log and the log's index by name, one after the other, and in
// between another process may rename other files to these names. A mixture of them must be neither
// read nor written. The data file is always renamed first, so all three were the tenant's if the
// name still belongs to t.file afterwards.
func (t *tenant) connect(pragmas []pragma) (*conn, error) {
	if !t.inPlace() { // connecting would create the missing files
		return nil, errMoved
	}
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
			return nil, 0, db.ErrNoTenant
		}
		return nil, 0, fmt.Errorf("open tenant: %w", err)
	}
	paused, err := t.files.checkStopped(t.id, t.file)
	if err != nil {
		return nil, 0, err
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
	if paused {
		if err := t.files.resume(t.id, c); err != nil {
			return nil, 0, errors.Join(err, c.close())
		}
	}
	have, err := c.number("PRAGMA user_version")
	if newest := t.files.newest(); err == nil && int(have) == newest {
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

// connectWriter opens the writing connection and returns its data version, for comparison in later
// checks.
func (t *tenant) connectWriter() (_ *conn, seen int64, err error) {
	began := t.files.store.Elapsed()
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
	t.versions.SetFresh(began)
	return c, seen, nil
}

// checkMark returns [db.ErrNotTenantFile], errMoved or [db.ErrMoved] for a file that is not, or no
// longer, a tenant's.
func checkMark(c *conn) error {
	mark, err := c.number("PRAGMA application_id")
	switch {
	case err != nil:
		return err
	case mark == movedID:
		return errMoved
	case mark == awayID:
		return db.ErrMoved
	case mark != appID:
		return db.ErrNotTenantFile
	}
	return nil
}

// shut closes the connections, which must not be in use.
func (t *tenant) shut() {
	t.committer.Stop()
	t.closeReaders()
	t.detach()
}

// Versions implements [db.Tenant].
func (t *tenant) Versions() *db.Versions { return t.versions }

// Committer implements [db.Tenant].
func (t *tenant) Committer() *db.Committer { return t.committer }

// Refresh implements [db.Tenant].
func (t *tenant) Refresh(ctx context.Context) error { return t.committer.Refresh(ctx) }

// recheck is Refresh for a tenant whose files are no longer in place: the writer must save their
// data before they are closed, unless another process has dropped or restored the tenant.
func (t *tenant) recheck(ctx context.Context) error {
	t.versions.SetStale()
	return t.Refresh(ctx)
}
