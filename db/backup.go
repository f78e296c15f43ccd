package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of a tenant's data to dest, one file, while
// sales go on. The copy appears there whole or not at all. Errors:
// [ErrExists] if there is something at dest, [ErrNoTenant].
func (s *Store) Backup(ctx context.Context, id ID, dest string) error {
	if err := refuse(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	err := s.with(ctx, id, func(t *tenant) error { return t.backup(ctx, dest) })
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func (t *tenant) backup(ctx context.Context, dest string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s: %w", dest, ErrExists)
	}
	f, err := os.CreateTemp(filepath.Dir(dest), ".backup-")
	if err != nil {
		return err
	}
	part := f.Name()
	defer func() { err = errors.Join(err, removeIfThere(part)) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := t.refresh(ctx); err != nil { // the file may have moved
		return err
	}
	// A connection of its own, which may write (another file) and may be
	// interrupted.
	c, err := connectTenant(t.path, commonPragmas)
	if err != nil {
		return err
	}
	err = c.script(ctx, "VACUUM INTO ?", part)
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	return giveName(part, dest)
}

// giveName renames a file to a name that must not be taken.
func giveName(from, to string) error {
	err := os.Link(from, to) // unlike Rename, never replaces a file
	switch {
	case os.IsExist(err):
		return fmt.Errorf("%s: %w", to, ErrExists)
	case err != nil: // the file system has no links
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return syncDir(filepath.Dir(to))
}

// Restore makes the tenant id from a copy: a backup, or a file from the trash.
// The copy is checked, brought to the newest schema, and changed by after
// (which may be nil) before it replaces anything; a tenant that it replaces
// goes to the trash. Errors: [ErrForeign], [ErrCorrupt], [ErrNewer], after's.
func (s *Store) Restore(ctx context.Context, id ID, src string, after func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.check(), refuse(ctx)); err != nil {
		return fmt.Errorf("restore tenant: %w", err)
	}
	if err := s.restore(ctx, id, src, after); err != nil {
		return fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return nil
}

func (s *Store) restore(ctx context.Context, id ID, src string, after func(context.Context, *Tx) error) (err error) {
	if err := s.refuseOpenFile(src); err != nil {
		return err
	}
	path, err := s.buildAside(id, func(path string) error {
		if err := copyWithLog(src, path); err != nil {
			return err
		}
		if err := s.adopt(path); err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		return s.fill(ctx, path, after)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeIfThere(path)) }()

	free, err := s.seize(ctx, id)
	if err != nil {
		return err
	}
	defer free()
	unlock, err := s.lockShape(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.moveAway(id); err != nil && !errors.Is(err, ErrNoTenant) {
		return err
	}
	return s.publish(id, path)
}

// refuseOpenFile keeps tenants' files from being read as if they were copies:
// see the package comment.
func (s *Store) refuseOpenFile(src string) error {
	in, err := os.Stat(filepath.Dir(src))
	if err != nil {
		return err
	}
	tenants, err := os.Stat(filepath.Join(s.dir, tenantsDir))
	if err != nil {
		return err
	}
	if os.SameFile(in, tenants) {
		return fmt.Errorf("%s is a tenant's own file: make a backup of it and restore that", src)
	}
	return nil
}

// adopt makes a sound tenant's file of a copy.
func (s *Store) adopt(path string) (err error) {
	c, err := connect(path, "rw", scratchPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := checkMark(c); err != nil && !errors.Is(err, errMoved) {
		return err
	}
	faults, err := faultsOf(c)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: %s", ErrCorrupt, faults[0])
	}
	if _, err := s.applySteps(c); err != nil {
		return err
	}
	return c.setNumber("application_id", appID)
}

// copyWithLog copies a database file, and its log if it has one.
func copyWithLog(src, dest string) error {
	if err := copyFile(src, dest); err != nil {
		return err
	}
	if err := copyFile(src+"-wal", dest+"-wal"); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func copyFile(src, dest string) error {
	from, err := os.Open(src)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
