package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"storefront/db"
)

// A tenant's file is replaced in four steps: the new file is renamed to its pending name; the old
// file is marked as moved; the old file is moved to the trash; the pending file is renamed to the
// tenant's name. If a kill or a power cut interrupts this after the mark, the next process that
// finds the pending file finishes the replacement; before the mark, it undoes it. So a tenant
// always has exactly one of the two files.
const pendingPrefix = ".next-" // never the start of a UID

func (s *Files) pendingPath(id db.ID) string {
	return filepath.Join(s.dir, tenantsDir, pendingPrefix+string(id)+suffix)
}

// pendingID returns the tenant of a pending file.
func pendingID(name string) (db.ID, bool) {
	name, isPending := strings.CutPrefix(name, pendingPrefix)
	name, isFile := strings.CutSuffix(name, suffix)
	return db.ID(name), isPending && isFile
}

// replace replaces the tenant's file, if it has one, with the finished file at path. It returns the
// path of the previous file in the trash, or "". The caller has exclusive use of the tenant and
// holds the layout lock.
func (s *Files) replace(id db.ID, path string) (previous string, err error) {
	if err := s.finishReplaceLocked(id); err != nil {
		return "", err
	}
	pending := s.pendingPath(id)
	if err := os.Rename(path, pending); err != nil {
		return "", err
	}
	if err := SyncDir(filepath.Dir(pending)); err != nil {
		return "", errors.Join(err, os.Remove(pending))
	}
	switch err := s.mark(id); {
	case errors.Is(err, db.ErrNoTenant):
	case err != nil:
		return "", errors.Join(err, os.Remove(pending))
	default:
		if previous, err = s.moveToTrash(id); err != nil {
			return "", err
		}
	}
	return previous, s.publish(id, pending)
}

// finishReplace waits for a running replacement and finishes an interrupted one. It reports whether
// there was either.
func (s *Files) finishReplace(id db.ID) (bool, error) {
	there, err := s.hasPending(id)
	if err != nil {
		return false, err
	}
	if !there {
		return false, nil
	}
	unlock, err := s.lockLayout(context.Background())
	if err != nil {
		return false, err
	}
	defer unlock()
	return true, s.finishReplaceLocked(id)
}

// finishReplaceLocked finishes or undoes an interrupted replacement, if there is one. The layout
// lock is held, so none is running.
func (s *Files) finishReplaceLocked(id db.ID) error {
	there, err := s.hasPending(id)
	if err != nil {
		return err
	}
	if !there {
		return nil
	}
	moved, err := s.isMoved(id)
	switch {
	case err != nil:
		return err
	case !moved:
		return os.Remove(s.pendingPath(id))
	}
	if _, err := s.moveToTrash(id); err != nil && !os.IsNotExist(err) {
		return err
	}
	s.log().Warn("interrupted restore finished", "tenant", id)
	return s.publish(id, s.pendingPath(id))
}

func (s *Files) hasPending(id db.ID) (bool, error) {
	_, err := os.Lstat(s.pendingPath(id))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// isMoved reports whether a tenant's file has the moved mark or is already in the trash.
func (s *Files) isMoved(id db.ID) (moved bool, err error) {
	path := s.tenantPath(id)
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		return true, nil
	}
	c, err := connectTenant(path, commonPragmas)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := checkMark(c); !errors.Is(err, errMoved) {
		return false, err
	}
	return true, nil
}
