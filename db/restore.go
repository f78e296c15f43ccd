package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Restore makes the tenant id from a copy: a backup, or a file from the trash.
// The copy itself is left as it is; what becomes of it is checked, brought to
// the newest schema, and changed by after (which may be nil) before it replaces
// anything. kept is where the file that it replaced is now, "" if there was
// none. Errors: [ErrNotTenantFile], [ErrCorrupt], [ErrNewer], after's.
func (s *Store) Restore(ctx context.Context, id ID, src string, after func(ctx context.Context, tx *Tx) error) (kept string, err error) {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return "", fmt.Errorf("restore tenant: %w", err)
	}
	if kept, err = s.restore(ctx, id, src, after); err != nil {
		return "", fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return kept, nil
}

// RestoreNew is Restore for a tenant that must not be there yet. Errors: also
// [ErrExists].
func (s *Store) RestoreNew(ctx context.Context, id ID, src string, after func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return fmt.Errorf("restore tenant: %w", err)
	}
	err := s.create(ctx, id, func(path string) error { return s.installCopy(ctx, src, path, after) })
	if err != nil {
		return fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return nil
}

func (s *Store) restore(ctx context.Context, id ID, src string, after func(context.Context, *Tx) error) (kept string, err error) {
	path, err := s.buildAside(id, func(path string) error { return s.installCopy(ctx, src, path, after) })
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, removeIfThere(path)) }()

	free, err := s.acquireExclusive(ctx, id)
	if err != nil {
		return "", err
	}
	defer free()
	unlock, err := s.lockLayout(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	return s.replace(id, path)
}

// installCopy makes a sound tenant's file at path from the copy src.
func (s *Store) installCopy(ctx context.Context, src, path string, after func(context.Context, *Tx) error) error {
	own, err := s.inTenantsDir(src)
	switch {
	case err != nil:
		return err
	case own:
		return fmt.Errorf("%s is a tenant's own file: make a backup of it and restore that", src)
	}
	if err := copyWithLog(src, path); err != nil {
		return err
	}
	if err := s.prepareCopy(path); err != nil {
		return fmt.Errorf("%s: %w", src, err)
	}
	return s.fill(ctx, path, after)
}

// isTenants reports whether a file is in the folder of the tenants' own files:
// see the package comment.
func (s *Store) inTenantsDir(path string) (bool, error) {
	in, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	tenants, err := os.Stat(filepath.Join(s.dir, tenantsDir))
	if err != nil {
		return false, err
	}
	return os.SameFile(in, tenants), nil
}

// ready checks a copy, brings it to the newest schema, and takes the mark of a
// file that was moved away from it.
func (s *Store) prepareCopy(path string) (err error) {
	c, err := connect(path, "rw", scratchPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := checkMark(c); err != nil && !errors.Is(err, errMoved) {
		return err
	}
	faults, err := findFaults(c)
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
