package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a consistent copy of a tenant's data to the file dest without blocking updates. The
// copy appears there complete or not at all. Errors: [ErrExists] if dest exists, [ErrNoTenant].
func (s *Store) Backup(ctx context.Context, id ID, dest string) error {
	if err := checkContext(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	inside, err := s.inTenantsDir(dest)
	switch {
	case err != nil:
		return fmt.Errorf("backup: %w", err)
	case inside:
		return fmt.Errorf("backup: %s holds the tenants' files: choose another folder", filepath.Dir(dest))
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
	// A separate connection, since it must be able to write (another file) and to be interrupted.
	c, err := t.connect(commonPragmas)
	if err != nil {
		return err
	}
	return errors.Join(c.copyTo(ctx, dest), c.close())
}

// copyTo writes a copy of the connection's file to dest, complete or not at all.
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

// copyPrefix starts the name of an unfinished copy.
const copyPrefix = ".backup-"

// renameNoReplace renames a file. It returns [ErrExists] if the new name exists.
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
