package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"storefront/db"
)

// drop waits for running work, closes a tenant and moves its file to the trash. Nothing is deleted.
func (s *Files) drop(ctx context.Context, id db.ID) error {
	free, err := s.acquireExclusive(ctx, id)
	if err != nil {
		return err
	}
	defer free()
	unlock, err := s.lockLayout(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.finishReplaceLocked(id); err != nil {
		return err
	}
	if err := s.mark(id); err != nil {
		return err
	}
	return s.finishDropLocked(id)
}

// finishDropLocked moves a file with the moved mark to the trash. The layout lock is held, so if
// the file is still there, a kill or a power cut has interrupted its removal.
func (s *Files) finishDropLocked(id db.ID) error {
	if err := s.RecordDeleted(id, s.store.Now()); err != nil {
		return err
	}
	if _, err := s.moveToTrash(id); err != nil && !os.IsNotExist(err) {
		return err
	}
	return removeIfThere(s.stoppedPath(id))
}

// finishDrop finishes an interrupted removal, if there is one.
func (s *Files) finishDrop(ctx context.Context, id db.ID) error {
	unlock, err := s.lockLayout(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.finishReplaceLocked(id); err != nil {
		return err
	}
	if err := s.checkFileMark(id); !errors.Is(err, errMoved) {
		if errors.Is(err, db.ErrNoTenant) {
			return nil
		}
		return err
	}
	s.log().Warn("interrupted deletion finished", "tenant", id)
	return s.finishDropLocked(id)
}

// mark marks a tenant's file as moved, see markMoved. The caller has exclusive use of the tenant
// and holds the layout lock.
func (s *Files) mark(id db.ID) error {
	path := s.tenantPath(id)
	if _, err := os.Lstat(path); err != nil {
		if os.IsNotExist(err) {
			return db.ErrNoTenant
		}
		return err
	}
	err := markMoved(path)
	if errors.Is(err, db.ErrCorrupt) { // other processes cannot write to it either
		s.log().Warn("damaged file moved to the trash without the moved mark", "tenant", id, "err", err)
		return nil
	}
	return err
}

// moveToTrash moves a marked file to the trash and returns its new path.
func (s *Files) moveToTrash(id db.ID) (dest string, err error) {
	path := s.tenantPath(id)
	trash := filepath.Join(s.dir, trashDir)
	dest, err = unusedName(trash, string(id)+"-"+s.stamp())
	if err != nil {
		return "", err
	}
	if err := s.resetShipping(id); err != nil {
		return "", err
	}
	// The data file first: a log without it is ignored, but a data file must not lose its log.
	if err := os.Rename(path, dest); err != nil {
		return "", err
	}
	return dest, errors.Join(
		renameIfThere(path+"-wal", dest+"-wal"),
		renameIfThere(path+"-shm", dest+"-shm"),
		SyncDir(filepath.Join(s.dir, tenantsDir)),
		SyncDir(trash),
	)
}

// trashLogs moves a log that has no data file to the trash.
func (s *Files) trashLogs(id db.ID) error {
	path := s.tenantPath(id)
	dest, err := unusedName(filepath.Join(s.dir, trashDir), string(id)+"-log-"+s.stamp())
	if err != nil {
		return err
	}
	return errors.Join(
		renameIfThere(path+"-wal", dest+"-wal"),
		renameIfThere(path+"-shm", dest+"-shm"),
	)
}

// markMoved commits the moved mark to the file at path. Other processes read it before their next
// write, which would otherwise succeed and be lost, since a renamed file stays writable.
func markMoved(path string) (err error) {
	c, err := connectTenant(path, commonPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := beginEagerly(c); err != nil {
		return err
	}
	if err := c.setNumber("application_id", movedID); err != nil {
		return err
	}
	if err := c.run("COMMIT"); err != nil {
		return err
	}
	// Best effort: in the trash, a file that needs no log is easier to use. It does not wait, since a
	// server that ships the log reads it permanently.
	if err := c.setNumber("busy_timeout", 0); err != nil {
		return err
	}
	if err := c.run("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil && !errors.Is(err, db.ErrBusy) {
		return err
	}
	return nil
}

// beginEagerly acquires the write lock of a file to which another process may be writing
// continuously. That process releases the lock for microseconds between two commits, which SQLite's
// own polling, at intervals of up to 100 ms, would hardly ever hit.
func beginEagerly(c *conn) error {
	const (
		poll    = 200 * time.Microsecond
		timeout = 30 * time.Second
	)
	if err := c.setNumber("busy_timeout", 0); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(poll) {
		err := c.run("BEGIN IMMEDIATE")
		if !errors.Is(err, db.ErrBusy) || time.Since(began) > timeout {
			return err
		}
	}
}
