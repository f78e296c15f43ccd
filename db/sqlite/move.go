package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"storefront/db"
)

// arrivingPrefix begins the name of the file of a tenant that moves to this folder. It is never the
// start of a UID.
const arrivingPrefix = ".arriving-"

func (s *Files) arrivingPath(id db.ID) string {
	return filepath.Join(s.dir, tenantsDir, arrivingPrefix+string(id)+suffix)
}

// frozen is a connection that holds the write lock of a tenant's file. It implements [db.Frozen].
type frozen struct {
	*conn
	ended bool
}

// Freeze implements [db.Mover].
func (e engine) Freeze(ctx context.Context, id db.ID) (_ db.Frozen, err error) {
	if err := e.with(ctx, id, func(*tenant) error { return nil }); err != nil { // upgrades it
		return nil, err
	}
	path := e.tenantPath(id)
	c, err := connectTenant(path, commonPragmas)
	if err != nil {
		return nil, err
	}
	f := &frozen{conn: c}
	defer func() {
		if err != nil {
			f.Thaw()
		}
	}()
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := beginEagerly(c); err != nil {
		return nil, err
	}
	// Nobody can drop or replace the file now, but it may have happened before.
	schema, err := c.number("PRAGMA user_version")
	if err == nil {
		err = checkMark(c)
	}
	switch {
	case errors.Is(err, errMoved), err == nil && !isNameOf(path, file):
		return nil, &db.Error{Kind: db.ErrBusy, Err: errors.New("its file is being replaced")}
	case err == nil && int(schema) != e.newest():
		return nil, db.ErrOtherServer
	}
	return f, err
}

// Leave implements [db.Frozen].
func (f *frozen) Leave(_ context.Context, _ int64) error {
	err := f.setNumber("application_id", awayID)
	if err == nil {
		err = f.run("COMMIT")
	}
	f.Thaw()
	return err
}

// Thaw implements [db.Frozen]. Closing the connection ends its transaction.
func (f *frozen) Thaw() {
	if !f.ended {
		f.ended = true
		_ = f.close() // it has written nothing, or committed
	}
}

// Arrive implements [db.Mover].
func (e engine) Arrive(ctx context.Context, id db.ID, _ int64, load, after func(db.Session) error) error {
	if err := e.checkOtherServers(); err != nil {
		return err
	}
	path, err := e.buildAside(id, func(path string) error { return e.load(ctx, path, load, after) })
	if err != nil {
		return err
	}
	if err := os.Rename(path, e.arrivingPath(id)); err != nil {
		return errors.Join(err, removeIfThere(path))
	}
	return SyncDir(filepath.Dir(path))
}

// Admit implements [db.Mover].
func (e engine) Admit(ctx context.Context, id db.ID, _ int64) error {
	unlock, err := e.lockLayout(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	exists, err := e.exists(id)
	if err != nil {
		return err
	}
	path := e.arrivingPath(id)
	switch _, err := os.Lstat(path); {
	case os.IsNotExist(err) && exists:
		return nil
	case os.IsNotExist(err):
		return db.ErrNoTenant
	case err != nil:
		return err
	case exists:
		return db.ErrExists
	}
	release, err := e.excludeOtherServers()
	if err != nil {
		return err
	}
	defer release()
	if err := dateBack(path); err != nil {
		return err
	}
	return e.publish(id, path)
}

// HasArrived implements [db.Mover].
func (e engine) HasArrived(_ context.Context, id db.ID, _ int64) (bool, error) {
	_, err := os.Lstat(e.arrivingPath(id))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// Withdraw implements [db.Mover].
func (e engine) Withdraw(_ context.Context, id db.ID, _ int64) error {
	return removeIfThere(e.arrivingPath(id))
}

// HasLeft implements [db.Mover].
func (e engine) HasLeft(_ context.Context, id db.ID, _ int64) (left bool, err error) {
	switch err := e.checkFileMark(id); {
	case errors.Is(err, db.ErrMoved):
		return true, nil
	case errors.Is(err, errMoved): // it is being discarded, or dropped
		return false, db.ErrNoTenant
	default:
		return false, err
	}
}

// checkFileMark is checkMark for a file that need not be open. Errors: [db.ErrNoTenant].
func (s *Files) checkFileMark(id db.ID) (err error) {
	exists, err := s.fileExists(id)
	if err != nil {
		return err
	}
	if !exists {
		return db.ErrNoTenant
	}
	c, err := connectTenant(s.tenantPath(id), commonPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return checkMark(c)
}

// Discard implements [db.Mover]. The file goes to the trash.
func (e engine) Discard(ctx context.Context, id db.ID, _ int64) error {
	free, err := e.acquireExclusive(ctx, id)
	if err != nil {
		return err
	}
	defer free()
	unlock, err := e.lockLayout(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	switch err := e.checkFileMark(id); {
	case err == nil, errors.Is(err, db.ErrNoTenant): // done before; another tenant may have the name
		return nil
	case errors.Is(err, db.ErrMoved):
		if err := e.mark(id); err != nil {
			return err
		}
	case !errors.Is(err, errMoved): // otherwise this was interrupted
		return err
	}
	if err := e.RecordDeleted(id, e.store.Now()); err != nil {
		return err
	}
	_, err = e.moveToTrash(id)
	return err
}

// CloseMoved closes a tenant that is in another engine now, if it is open.
func (s *Files) CloseMoved(id db.ID) {
	if t := s.opened(id); t != nil {
		s.retire(t)
	}
}
