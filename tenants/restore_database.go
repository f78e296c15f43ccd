package tenants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop/catalogue"
)

// errInFile is returned for restoring a backup to the database although the shop is in a file,
// which would still be used.
var errInFile = errors.New("the shop is in a file: restore it to files, and move it to the database with storefront tenant move")

// restoringDir in the data folder has the shops that are being restored to the database. The lock
// of a shop's move protects its folder there.
const restoringDir = "restoring"

// restoreToDatabase restores a shop to the database, where it must not exist. It is checked,
// upgraded and changed in a file of its own before one transaction creates it in the database.
func (t *Tenants) restoreToDatabase(ctx context.Context, of, id db.ID, file string, after func(context.Context, *db.Tx) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("restore shop %s to the database: %w", id, err)
		}
	}()
	if err := t.files.CheckSource(file); err != nil {
		return err
	}
	unlock, err := t.engines.lockMove(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := t.engines.database(ctx)
	if err != nil {
		return err
	}
	if err := t.engines.finishLocked(ctx, id, p); err != nil {
		return err
	}
	if err := t.checkAbsent(ctx, id, p, id == of); err != nil {
		return err
	}
	scratch, remove, err := t.openScratch(id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := scratch.RestoreNew(ctx, id, file, after); err != nil {
		return err
	}
	return scratch.ViewMany(ctx, id, func(ctx context.Context, from *db.Tx) error {
		load := func(to db.Session) error { return db.CopyRows(ctx, from, to, catalogue.DerivedTables()) }
		index := func(to db.Session) error { return t.store.Run(ctx, to, rebuildIndexes) }
		return t.engines.Import(WithPlace(ctx, InPostgres), id, load, index)
	})
}

// checkAbsent returns an error if a shop exists, in any place.
func (t *Tenants) checkAbsent(ctx context.Context, id db.ID, p db.Engine, isSame bool) error {
	for _, place := range []struct {
		db.Engine
		err error
	}{{t.engines.own, errInFile}, {p, ErrInDatabase}} {
		exists, err := place.Exists(ctx, id)
		switch {
		case err != nil:
			return err
		case exists && !isSame:
			return db.ErrExists
		case exists:
			return place.err
		}
	}
	return nil
}

// openScratch opens a store of files in which a shop can be prepared. It removes the leftovers of a
// killed process. The lock of the shop's move is held.
func (t *Tenants) openScratch(id db.ID) (_ *sqlite.Store, remove func() error, err error) {
	parent := filepath.Join(t.dir, restoringDir)
	dir := filepath.Join(parent, string(id))
	if err := os.RemoveAll(dir); err != nil {
		return nil, nil, err
	}
	for _, path := range []string{parent, dir} {
		switch err := os.Mkdir(path, 0o700); {
		case os.IsExist(err):
		case err != nil:
			return nil, nil, err
		default:
			if err := sqlite.InheritOwner(path); err != nil {
				return nil, nil, err
			}
		}
	}
	s, err := sqlite.Open(dir, sqlite.Options{
		Schema: t.schema.text, Steps: t.schema.steps, Unpack: t.schema.unpack, Derived: catalogue.DerivedTables(), Now: t.now, Logger: t.log,
	})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, func() error { return errors.Join(s.Close(context.Background()), os.RemoveAll(dir)) }, nil
}
