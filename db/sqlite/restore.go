package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"storefront/db"
)

// Restore creates or replaces the tenant id from the file src: a backup, or a file from the trash.
// src itself is not changed. A copy of it is checked, upgraded to the newest schema and passed to
// after, if after is not nil. Then it replaces the tenant's file. previous is the path of the
// replaced file in the trash, or "" if there was none. Errors: [db.ErrNotTenantFile],
// [db.ErrCorrupt], [db.ErrForeignSchema], [db.ErrNewer], and after's own.
func (s *Files) Restore(
	ctx context.Context, id db.ID, src string, after func(ctx context.Context, tx *db.Tx) error,
) (previous string, err error) {
	if err := errors.Join(id.Check(), db.CheckContext(ctx)); err != nil {
		return "", fmt.Errorf("restore tenant: %w", err)
	}
	if previous, err = s.restore(ctx, id, src, after); err != nil {
		return "", fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return previous, nil
}

// RestoreNew is [Files.Restore] for a tenant that must not exist yet. Errors: also [db.ErrExists].
func (s *Files) RestoreNew(ctx context.Context, id db.ID, src string, after func(ctx context.Context, tx *db.Tx) error) error {
	if err := errors.Join(id.Check(), db.CheckContext(ctx)); err != nil {
		return fmt.Errorf("restore tenant: %w", err)
	}
	err := s.create(ctx, id, func(path string) error { return s.installCopy(ctx, src, path, after) })
	if err != nil {
		return fmt.Errorf("restore tenant %s: %w", id, err)
	}
	return nil
}

func (s *Files) restore(ctx context.Context, id db.ID, src string, after func(context.Context, *db.Tx) error) (previous string, err error) {
	if err := s.checkOtherServers(); err != nil {
		return "", err
	}
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
	release, err := s.excludeOtherServers() // it could not open a file of this schema
	if err != nil {
		return "", err
	}
	defer release()
	if exists, err := s.exists(id); err != nil {
		return "", err
	} else if !exists {
		if err := dateBack(path); err != nil {
			return "", err
		}
	}
	return s.replace(id, path)
}

// installCopy writes a checked and upgraded copy of src to path and runs after on it.
func (s *Files) installCopy(ctx context.Context, src, path string, after func(context.Context, *db.Tx) error) error {
	if err := s.CheckSource(src); err != nil {
		return err
	}
	unpacked := false
	if s.opts.Unpack != nil {
		var err error
		if unpacked, err = s.opts.Unpack(ctx, src, path); err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
	}
	if !unpacked {
		if err := copyWithLog(src, path); err != nil {
			return err
		}
	}
	if err := s.prepareCopy(ctx, path); err != nil {
		return fmt.Errorf("%s: %w", src, err)
	}
	if after == nil {
		return ctx.Err()
	}
	return s.fill(ctx, path, func(session db.Session) error { return s.store.Run(ctx, session, after) })
}

// CheckSource returns an error for the current file of a tenant, which other code must not open.
func (s *Files) CheckSource(src string) error {
	inside, err := s.inTenantsDir(src)
	if err == nil && inside {
		err = fmt.Errorf("%s is a tenant's current file: back it up and restore the backup", src)
	}
	return err
}

// inTenantsDir reports whether a file is in the folder of the tenants' files, which other code must
// not open: see the package comment.
func (s *Files) inTenantsDir(path string) (bool, error) { return s.isIn(path, tenantsDir) }

// trashedFile matches the end of the name of a file in the trash, after the UID.
var trashedFile = regexp.MustCompile(`^-\d{8}T\d{6}\.\d{3}Z(?:-\d+)?\.(?:db|jsonl\.gz)$`)

// IsLastTrashed reports whether a file is the last one of a tenant that was moved to the trash.
func (s *Files) IsLastTrashed(id db.ID, path string) (bool, error) {
	in, err := s.isIn(path, trashDir)
	if err != nil {
		return false, err
	}
	if !in {
		return false, nil
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, trashDir)) // sorted, so by time for one tenant
	if err != nil {
		return false, err
	}
	last := ""
	for _, e := range entries {
		if rest, is := strings.CutPrefix(e.Name(), string(id)); is && trashedFile.MatchString(rest) {
			last = e.Name()
		}
	}
	return last == filepath.Base(path), nil
}

// isIn reports whether a file is in a folder of the store.
func (s *Files) isIn(path, folder string) (bool, error) {
	in, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	own, err := os.Stat(filepath.Join(s.dir, folder))
	if err != nil {
		return false, err
	}
	return os.SameFile(in, own), nil
}

// prepareCopy checks a copy, upgrades it to the newest schema, and removes the moved mark, which a
// file from the trash has.
func (s *Files) prepareCopy(ctx context.Context, path string) (err error) {
	c, err := connect(path, "rw", scratchPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := checkMark(c); err != nil && !errors.Is(err, errMoved) {
		return err
	}
	stop := c.interruptAfter(ctx) // the check reads all of the file
	faults, err := findFaults(c)
	stop()
	if err != nil {
		return orContext(ctx, err)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: %s", db.ErrCorrupt, faults[0])
	}
	if err := s.checkSchema(c); err != nil { // before a trigger could run in a schema step
		return err
	}
	did, err := s.applySteps(c, func() error { return c.run(beginImmediate) })
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
