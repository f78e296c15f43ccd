package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"storefront/db"
)

const scratchPrefix = ".new-" // never the start of a UID

// createdBefore is the time by which a new tenant's file is dated back: the clock resolution of
// coarse file systems. Its first commit then changes the modification time.
const createdBefore = 2 * time.Second

// dateBack dates back the file of a tenant that has none yet.
func dateBack(path string) error {
	created := time.Now().Add(-createdBefore)
	return os.Chtimes(path, created, created)
}

// create publishes the file that build writes to a temporary path.
func (s *Files) create(ctx context.Context, id db.ID, build func(path string) error) (err error) {
	if exists, err := s.exists(id); err != nil || exists {
		return errors.Join(err, existsError(exists))
	}
	if err := s.checkOtherServers(); err != nil {
		return err
	}
	path, err := s.buildAside(id, build)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeIfThere(path)) }()
	unlock, err := s.lockLayout(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if exists, err := s.exists(id); err != nil || exists {
		return errors.Join(err, existsError(exists))
	}
	release, err := s.excludeOtherServers() // it could not open a file of this schema
	if err != nil {
		return err
	}
	defer release()
	if err := dateBack(path); err != nil {
		return err
	}
	return s.publish(id, path)
}

func existsError(exists bool) error {
	if exists {
		return db.ErrExists
	}
	return nil
}

// buildAside calls build with a new temporary path, syncs the file and returns the path.
func (s *Files) buildAside(id db.ID, build func(path string) error) (string, error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, tenantsDir), scratchPrefix+string(id)+"-")
	if err != nil {
		return "", err
	}
	path := f.Name()
	err = errors.Join(s.SetOwner(path), f.Close())
	if err == nil {
		err = build(path)
	}
	if err == nil {
		err = syncFile(path)
	}
	if err != nil {
		return "", errors.Join(err, removeIfThere(path), removeIfThere(path+"-wal"), removeIfThere(path+"-shm"))
	}
	return path, nil
}

// checkOtherServers returns [db.ErrOtherServer] before work with a result that must not be
// published.
func (s *Files) checkOtherServers() error {
	release, err := s.excludeOtherServers()
	if err != nil {
		return err
	}
	release()
	return nil
}

// publish renames a finished file to its tenant's name. The layout lock is held, and no file has
// that name.
func (s *Files) publish(id db.ID, path string) error {
	// An interrupted removal's log would be read as this file's.
	if err := errors.Join(s.trashLogs(id), s.resetShipping(id)); err != nil {
		return err
	}
	if err := os.Rename(path, s.tenantPath(id)); err != nil {
		return err
	}
	if err := errors.Join(removeIfThere(s.deletedPath(id)), removeIfThere(s.stoppedPath(id))); err != nil {
		return err
	}
	if t := s.opened(id); t != nil { // an earlier file of this name
		s.retire(t)
	}
	return SyncDir(filepath.Join(s.dir, tenantsDir))
}

// load writes a file that is being built. load runs first, without foreign key checks, and then
// after.
func (s *Files) load(ctx context.Context, path string, load, after func(db.Session) error) error {
	blank, err := s.template().fill(s, nil)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, blank, 0o600); err != nil {
		return err
	}
	err = write(path, scratchPragmas, func(c *conn) error {
		if err := load(c); err != nil {
			return err
		}
		return checkForeignKeys(c) // not earlier, since rows of one table may refer to each other
	})
	if err != nil {
		return err
	}
	return s.fill(ctx, path, after)
}

// Build writes a tenant's file of the schema of opts to path, with the rows that load writes. It
// belongs to no store.
func Build(ctx context.Context, path string, opts Options, load func(db.Session) error) error {
	s := &Files{opts: opts}
	return s.load(ctx, path, load, nil)
}

// fill runs fn, unless it is nil, in a transaction on a file being built.
func (s *Files) fill(ctx context.Context, path string, fn func(db.Session) error) error {
	if fn == nil {
		return ctx.Err()
	}
	return write(path, withPragma(scratchPragmas, "foreign_keys", "ON"), func(c *conn) error { return fn(c) })
}

// write runs fn in a transaction on a file being built.
func write(path string, pragmas []pragma, fn func(*conn) error) (err error) {
	c, err := connect(path, "rw", pragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.run("BEGIN"); err != nil {
		return err
	}
	if err := fn(c); err != nil {
		return err
	}
	return c.run("COMMIT")
}
