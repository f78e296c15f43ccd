package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Restore creates or replaces the tenant id from the file src: a backup, or a file from the trash.
// src itself is not changed. A copy of it is checked, upgraded to the newest schema and passed to
// after, unless that is nil, before it replaces the tenant's file. previous is the path of the
// replaced file in the trash, or "" if there was none. Errors: [ErrNotTenantFile], [ErrCorrupt],
// [ErrForeignSchema], [ErrNewer], and after's own.
func (s *Store) Restore(
	ctx context.Context, id ID, src string, after func(ctx context.Context, tx *Tx) error,
) (previous string, err error) {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return "", fmt.Errorf("restore tenant: %w", err)
	}
	if previous, err = s.restore(ctx, id, src, after); err != nil {
		return "", fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return previous, nil
}

// RestoreNew is [Store.Restore] for a tenant that must not exist yet. Errors: also [ErrExists].
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

func (s *Store) restore(ctx context.Context, id ID, src string, after func(context.Context, *Tx) error) (previous string, err error) {
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

// installCopy writes a checked and upgraded copy of src to path and runs after on it.
func (s *Store) installCopy(ctx context.Context, src, path string, after func(context.Context, *Tx) error) error {
	inside, err := s.inTenantsDir(src)
	switch {
	case err != nil:
		return err
	case inside:
		return fmt.Errorf("%s is a tenant's current file: back it up and restore the backup", src)
	}
	if err := copyWithLog(src, path); err != nil {
		return err
	}
	if err := s.prepareCopy(path); err != nil {
		return fmt.Errorf("%s: %w", src, err)
	}
	return s.fill(ctx, path, after)
}

// inTenantsDir reports whether a file is in the folder of the tenants' files, which other code must
// not open: see the package comment.
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

// prepareCopy checks a copy, upgrades it to the newest schema, and removes the moved mark, which a
// file from the trash has.
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
	if err := s.checkSchema(c); err != nil { // before a trigger could run in a schema step
		return err
	}
	did, err := s.applySteps(c)
	if err == nil && did {
		err = s.checkSchema(c)
	}
	if err != nil {
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
