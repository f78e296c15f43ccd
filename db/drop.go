package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Drop takes a tenant out of service and moves its file to the trash, waiting
// for running work. Nothing is deleted. Errors: [ErrNoTenant], [ErrBusy].
func (s *Store) Drop(ctx context.Context, id ID) error {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return fmt.Errorf("drop tenant: %w", err)
	}
	if err := s.drop(ctx, id); err != nil {
		return fmt.Errorf("drop tenant %s: %w", id, err)
	}
	return nil
}

func (s *Store) drop(ctx context.Context, id ID) error {
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
	_, err = s.moveToTrash(id)
	return err
}

// mark commits the mark that a tenant's file is no tenant's any more. The
// tenant is seized, and the shape lock held.
func (s *Store) mark(id ID) error {
	path := s.tenantPath(id)
	if _, err := os.Lstat(path); err != nil {
		if os.IsNotExist(err) {
			return ErrNoTenant
		}
		return err
	}
	err := markMoved(path)
	if errors.Is(err, ErrCorrupt) { // nobody can write into it either
		s.log.Warn("a damaged file moves to the trash without its mark", "tenant", id, "err", err)
		return nil
	}
	return err
}

// toTrash moves a marked file to the trash and returns where it is there.
func (s *Store) moveToTrash(id ID) (dest string, err error) {
	path := s.tenantPath(id)
	trash := filepath.Join(s.dir, trashDir)
	dest, err = unusedName(trash, string(id)+"-"+s.stamp())
	if err != nil {
		return "", err
	}
	if err := s.resetShipping(id); err != nil {
		return "", err
	}
	// The file first: without it, its log is nothing, but not the reverse.
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

// trashLogs moves a log without its file out of the way.
func (s *Store) trashLogs(id ID) error {
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

// markMoved commits the mark by which other processes know, before their next
// write, that the file is no longer a tenant's: writes into a renamed file
// succeed.
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
	// Best effort: whole without its log, the file is handier in the trash. A server that ships the
	// log reads it all the time, and is not waited for.
	if err := c.setNumber("busy_timeout", 0); err != nil {
		return err
	}
	if err := c.run("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil && !errors.Is(err, ErrBusy) {
		return err
	}
	return nil
}

// beginEagerly takes the write lock of a file that another process may write to
// without a break: it lets go for microseconds only between two commits, which
// the engine's own waiting, in steps of up to 100 ms, would hardly ever meet.
func beginEagerly(c *conn) error {
	const (
		poll    = 200 * time.Microsecond
		patient = 30 * time.Second
	)
	if err := c.setNumber("busy_timeout", 0); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(poll) {
		err := c.run("BEGIN IMMEDIATE")
		if !errors.Is(err, ErrBusy) || time.Since(began) > patient {
			return err
		}
	}
}
