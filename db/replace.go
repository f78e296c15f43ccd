package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// A tenant's file is replaced in four steps: the new file gets a name of its
// own, the pending one; the old file is marked as moved; it goes to the trash;
// the pending file gets the tenant's name. Whoever meets a replacement that was
// cut short after the mark, by a power cut or a kill, brings it to its end, and
// one that was cut short before the mark never was. So a tenant is never
// missing, and never in between.
const pendingPrefix = ".next-" // never a tenant's name

func (s *Store) pendingPath(id ID) string {
	return filepath.Join(s.dir, tenantsDir, pendingPrefix+string(id)+suffix)
}

// pendingID returns the tenant that a pending file is for.
func pendingID(name string) (ID, bool) {
	name, isPending := strings.CutPrefix(name, pendingPrefix)
	name, isFile := strings.CutSuffix(name, suffix)
	return ID(name), isPending && isFile
}

// replace puts the finished file at path in place of the tenant's, if it has
// one, and returns where that is now. The tenant is seized, and the shape lock
// held.
func (s *Store) replace(id ID, path string) (kept string, err error) {
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
	case errors.Is(err, ErrNoTenant):
	case err != nil:
		return "", errors.Join(err, os.Remove(pending))
	default:
		if kept, err = s.moveToTrash(id); err != nil {
			return "", err
		}
	}
	return kept, s.publish(id, pending)
}

// finishReplace waits for a replacement under way and ends one that was cut
// short. It reports whether there was any.
func (s *Store) finishReplace(id ID) (bool, error) {
	if there, err := s.hasPending(id); err != nil || !there {
		return false, err
	}
	unlock, err := s.lockLayout(context.Background())
	if err != nil {
		return false, err
	}
	defer unlock()
	return true, s.finishReplaceLocked(id)
}

// endReplace ends a replacement that was cut short, if there is one. The shape
// lock is held, so none is under way.
func (s *Store) finishReplaceLocked(id ID) error {
	if there, err := s.hasPending(id); err != nil || !there {
		return err
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
	s.log.Warn("a restore that was cut short has been brought to its end", "tenant", id)
	return s.publish(id, s.pendingPath(id))
}

func (s *Store) hasPending(id ID) (bool, error) {
	_, err := os.Lstat(s.pendingPath(id))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// isMoved reports whether a tenant's file bears the mark, or is in the trash
// already.
func (s *Store) isMoved(id ID) (moved bool, err error) {
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
