package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"storefront/db"
)

// failure is a recorded [db.Failure].
type failure struct {
	db.Failure
	opening bool          // the file could not be opened; otherwise an open file failed
	last    time.Duration // Store.elapsed at the last failure
}

// failureTTL is the time for which an open file counts as failing after its last fault: requests
// that do not read a damaged page succeed in between.
const failureTTL = 5 * time.Minute

// listFailures returns the tenants with files that could not be opened at the last use, or that
// failed in the last minutes while open, sorted by UID. Unused tenants are omitted.
func (s *Files) listFailures() []db.Failure {
	var all []db.Failure
	s.failures.Range(func(id, v any) bool {
		f := v.(*failure)
		exists, err := s.exists(f.ID)
		if err == nil && !exists || !f.opening && s.store.Elapsed()-f.last > failureTTL {
			s.failures.CompareAndDelete(id, v)
		} else {
			all = append(all, f.Failure)
		}
		return true
	})
	slices.SortFunc(all, func(a, b db.Failure) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all
}

// recordFailure records that a tenant cannot be served. An error of the caller does not count.
func (s *Files) recordFailure(id db.ID, err error, opening bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, db.ErrClosed) {
		return
	}
	f := &failure{Failure: db.Failure{ID: id, Err: err, Since: s.store.Now()}, opening: opening, last: s.store.Elapsed()}
	if v, ok := s.failures.Load(id); ok {
		f.Since = v.(*failure).Since
	}
	s.failures.Store(id, f)
}

// recordOpened records the result of opening a tenant's file.
func (s *Files) recordOpened(id db.ID, err error) {
	switch {
	case errors.Is(err, db.ErrNoTenant), errors.Is(err, db.ErrMoved):
		s.failures.Delete(id)
	case err != nil:
		s.recordFailure(id, err, true)
	default:
		if v, ok := s.failures.Load(id); ok && v.(*failure).opening {
			s.failures.CompareAndDelete(id, v)
		}
	}
}
