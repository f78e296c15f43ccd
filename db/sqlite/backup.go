package sqlite

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"storefront/db"
)

// Backup writes a consistent copy of a tenant's data to the file dest without blocking updates.
// The copy appears there complete or not at all. Errors: [db.ErrExists] if dest exists,
// [db.ErrNoTenant].
func (s *Files) Backup(ctx context.Context, id db.ID, dest string) error {
	if err := db.CheckContext(ctx); err != nil {
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
	if errors.Is(err, db.ErrOutdated) {
		err = s.backupAside(ctx, id, dest)
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// backupAside copies a file that this process does not open, because of its older schema.
func (s *Files) backupAside(ctx context.Context, id db.ID, dest string) error {
	c, err := s.connectAside(ctx, id, commonPragmas) // a read-only connection could not write the copy
	if err != nil {
		return err
	}
	return errors.Join(c.copyTo(ctx, dest), c.close())
}

// FileSchema returns the schema version of a backup.
func FileSchema(path string) (int, error) {
	const offset = 60 // of user_version in the database header
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var version [4]byte
	if _, err := f.ReadAt(version[:], offset); err != nil {
		return 0, fmt.Errorf("read the schema version of %s: %w", path, err)
	}
	return int(binary.BigEndian.Uint32(version[:])), nil
}

func (t *tenant) backup(ctx context.Context, dest string) (err error) {
	if err := t.Refresh(ctx); err != nil { // the file may have moved
		return err
	}
	// A separate connection, since it must be able to write another file and to be interrupted.
	c, err := t.connect(commonPragmas)
	if errors.Is(err, errMoved) {
		err = cmp.Or(t.recheck(ctx), err)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.copyTo(ctx, dest), c.close())
}

// copyTo writes a copy of the connection's file to dest, complete or not at all.
func (c *conn) copyTo(ctx context.Context, dest string) error {
	return WriteNew(dest, func(part string) error { return c.script(ctx, "VACUUM INTO ?", part) })
}

// WriteNew creates the file dest, completely or not at all: write writes the empty file part.
// Errors: [db.ErrExists], and write's own.
func WriteNew(dest string, write func(part string) error) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s: %w", dest, db.ErrExists)
	}
	f, err := os.CreateTemp(filepath.Dir(dest), copyPrefix)
	if err != nil {
		return err
	}
	part := f.Name()
	defer func() { err = errors.Join(err, removeIfThere(part)) }()
	if err := errors.Join(InheritOwner(part), f.Close()); err != nil {
		return err
	}
	if err := write(part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	return renameNoReplace(part, dest)
}

// copyPrefix starts the name of an unfinished copy.
const copyPrefix = ".backup-"

// renameNoReplace renames a file. It returns [db.ErrExists] if the new name exists.
func renameNoReplace(from, to string) error {
	err := os.Link(from, to) // unlike Rename, never replaces a file
	switch {
	case os.IsExist(err):
		return fmt.Errorf("%s: %w", to, db.ErrExists)
	case err != nil: // the file system has no links
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	return SyncDir(filepath.Dir(to))
}
