package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const scratchPrefix = ".new-" // never the start of a UID

// Create creates a tenant with the data that init writes, completely or not at all. Errors:
// [ErrExists], and init's own.
func (s *Store) Create(ctx context.Context, id ID, init func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return fmt.Errorf("create tenant: %w", err)
	}
	err := s.create(ctx, id, func(path string) error {
		file, err := s.template.fill(ctx, s, init)
		if err != nil {
			return err
		}
		return os.WriteFile(path, file, 0o600)
	})
	if err != nil {
		return fmt.Errorf("create tenant %s: %w", id, err)
	}
	return nil
}

// create publishes the file that build writes to a temporary path.
func (s *Store) create(ctx context.Context, id ID, build func(path string) error) (err error) {
	if exists, err := s.Exists(ctx, id); err != nil || exists {
		return errors.Join(err, existsError(exists))
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
	if exists, err := s.Exists(ctx, id); err != nil || exists {
		return errors.Join(err, existsError(exists))
	}
	return s.publish(id, path)
}

func existsError(exists bool) error {
	if exists {
		return ErrExists
	}
	return nil
}

// buildAside calls build with a new temporary path, syncs the file and returns the path.
func (s *Store) buildAside(id ID, build func(path string) error) (string, error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, tenantsDir), scratchPrefix+string(id)+"-")
	if err != nil {
		return "", err
	}
	path := f.Name()
	err = f.Close()
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

// publish renames a finished file to its tenant's name. The layout lock is held, and no file has
// that name.
func (s *Store) publish(id ID, path string) error {
	// A log left by an interrupted removal would be read as this file's.
	if err := errors.Join(s.trashLogs(id), s.resetShipping(id)); err != nil {
		return err
	}
	if err := os.Rename(path, s.tenantPath(id)); err != nil {
		return err
	}
	if t := s.opened(id); t != nil { // the file that had this name before
		s.retire(t)
	}
	return SyncDir(filepath.Join(s.dir, tenantsDir))
}

// fill runs fn, unless it is nil, in a transaction on a file being built.
func (s *Store) fill(ctx context.Context, path string, fn func(context.Context, *Tx) error) (err error) {
	if fn == nil {
		return ctx.Err()
	}
	c, err := connect(path, "rw", withPragma(scratchPragmas, "foreign_keys", "ON"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.run("BEGIN"); err != nil {
		return err
	}
	tx := &Tx{ctx: withTenant(ctx, &tenant{store: s}), conn: c, now: s.now()}
	err = fn(tx.ctx, tx)
	tx.done = true
	if err = cmp.Or(err, tx.err, ctx.Err()); err != nil {
		return err
	}
	return c.run("COMMIT")
}
