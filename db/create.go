package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const scratchPrefix = ".new-" // never a tenant's name

// Create makes a tenant whose data is what init writes: with all of it, or not
// at all. Errors: [ErrExists], and init's own.
func (s *Store) Create(ctx context.Context, id ID, init func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.check(), checkContext(ctx)); err != nil {
		return fmt.Errorf("create tenant: %w", err)
	}
	err := s.create(ctx, id, func(path string) error {
		made, err := s.template.fill(ctx, s, init)
		if err != nil {
			return err
		}
		return os.WriteFile(path, made, 0o600)
	})
	if err != nil {
		return fmt.Errorf("create tenant %s: %w", id, err)
	}
	return nil
}

// create publishes the file that build has made at a path of its own.
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

// buildAside has build make a file, and sees it safely on disk.
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

// publish gives a finished file its tenant's name. The shape lock is held, and
// no file has the name.
func (s *Store) publish(id ID, path string) error {
	// A log left by a removal that was cut short would be taken for this
	// file's.
	if err := errors.Join(s.trashLogs(id), s.resetShipping(id)); err != nil {
		return err
	}
	if err := os.Rename(path, s.tenantPath(id)); err != nil {
		return err
	}
	if t := s.opened(id); t != nil { // of the file that had this name before
		s.retire(t)
	}
	return SyncDir(filepath.Join(s.dir, tenantsDir))
}

// fill runs fn, if there is one, in a transaction on a file being built.
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
