package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of a tenant's data to dest, one file, while
// sales go on. The copy appears there whole or not at all. Errors:
// [ErrExists] if there is something at dest, [ErrNoTenant].
func (s *Store) Backup(ctx context.Context, id ID, dest string) error {
	if err := checkContext(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	own, err := s.inTenantsDir(dest)
	switch {
	case err != nil:
		return fmt.Errorf("backup: %w", err)
	case own:
		return fmt.Errorf("backup: %s is the folder of the tenants' own files: choose another", filepath.Dir(dest))
	}
	err = s.with(ctx, id, func(t *tenant) error { return t.backup(ctx, dest) })
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func (t *tenant) backup(ctx context.Context, dest string) (err error) {
	if err := t.refresh(ctx); err != nil { // the file may have moved
		return err
	}
	// A connection of its own, which may write (another file) and may be
	// interrupted.
	c, err := t.connect(commonPragmas)
	if err != nil {
		return err
	}
	return errors.Join(c.copyTo(ctx, dest), c.close())
}

// copyTo writes a copy of the connection's file to dest, whole or not at all.
func (c *conn) copyTo(ctx context.Context, dest string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s: %w", dest, ErrExists)
	}
	f, err := os.CreateTemp(filepath.Dir(dest), copyPrefix)
	if err != nil {
		return err
	}
	part := f.Name()
	defer func() { err = errors.Join(err, removeIfThere(part)) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := c.script(ctx, "VACUUM INTO ?", part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	return renameNoReplace(part, dest)
}

// copyPrefix begins the name of a copy that is not whole yet.
const copyPrefix = ".backup-"

// renameNoReplace renames a file to a name that must not be taken.
func renameNoReplace(from, to string) error {
	err := os.Link(from, to) // unlike Rename, never replaces a file
	switch {
	case os.IsExist(err):
		return fmt.Errorf("%s: %w", to, ErrExists)
	case err != nil: // the file system has no links
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return SyncDir(filepath.Dir(to))
}
