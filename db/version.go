package db

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// CheckInterval is the maximum age of the last check for another process's commits when a version
// is returned. A check per request would cost a third of the throughput of cached responses.
const CheckInterval = 50 * time.Millisecond

// Version returns the version of a tenant's data. Every commit increases it: this process's commits
// before Update returns, and other processes' at most 50 ms later. Within this process equal
// versions mean equal data. To cache the result of a View by version, get the version before the
// View.
func (s *Store) Version(ctx context.Context, id ID) (uint64, error) {
	version, _, err := s.Versions(ctx, id)
	return version, err
}

// ExternalVersion is like [Store.Version], but commits of this process do not increase it. Code of
// this process that changes data must evict results that are cached by it.
func (s *Store) ExternalVersion(ctx context.Context, id ID) (uint64, error) {
	_, external, err := s.Versions(ctx, id)
	return external, err
}

// Versions returns the results of [Store.Version] and [Store.ExternalVersion] at the cost of one
// call.
func (s *Store) Versions(ctx context.Context, id ID) (version, external uint64, err error) {
	v, err := s.currentVersions(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	return v.version.Load(), v.external.Load(), nil
}

// currentVersions returns the tenant's versions once they are up to date.
func (s *Store) currentVersions(ctx context.Context, id ID) (*Versions, error) {
	if v := s.engine.Opened(id); v != nil && v.Fresh() {
		return v, nil
	}
	// Inside a transaction, waiting for its own tenant would deadlock.
	if v := versionsFromContext(ctx); v != nil && v.id == id {
		return v, nil
	}
	var v *Versions
	err := s.use(ctx, id, func(t Tenant) error {
		v = t.Versions()
		return t.Refresh(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("version: %w", err)
	}
	return v, nil
}

// Versions are the versions of a tenant's data while it is open, see [Store.Version] and
// [Store.ContentVersion]. An engine raises them for commits of other processes.
type Versions struct {
	store *Store
	id    ID

	version   atomic.Uint64
	content   atomic.Uint64                 // the version of the public content
	pages     atomic.Uint64                 // the version of the public content without quantities
	external  atomic.Uint64                 // the last version that another process may have caused
	checkedAt atomic.Int64                  // Store.Elapsed at the last check
	changed   atomic.Pointer[chan struct{}] // closed when the version is raised; nil if nobody waits

	// counts are the counters in the data; unknownCount until they are read. They belong to the
	// writing goroutine.
	counts counts
}

// NewVersions returns the versions of a tenant's data that has just been opened.
func (s *Store) NewVersions(id ID) *Versions {
	v := &Versions{store: s, id: id}
	v.RaiseAll()
	return v
}

// RaiseAll raises all versions, for data that may have changed in any way, because it was just
// opened or has a new session.
func (v *Versions) RaiseAll() {
	v.raiseExternal()
	v.counts = counts{unknownCount, unknownCount}
	v.raiseContent(content)
}

// RaiseExternal raises the versions for commits of other processes. session is used to find the
// changed data. The content version is raised last: a reader that sees it must also see that cached
// settings are outdated.
func (v *Versions) RaiseExternal(session Session) error {
	v.raiseExternal()
	return v.checkContent(session)
}

func (v *Versions) raiseExternal() {
	v.raise()
	v.external.Store(v.version.Load())
}

// raise sets the version to one that no tenant of this store has had.
func (v *Versions) raise() {
	v.version.Store(v.store.versions.Add(1))
	if changed := v.changed.Swap(nil); changed != nil {
		close(*changed)
	}
}

// Changed returns a channel that is closed at the next commit to a tenant's data by this process,
// for readers that then check [Store.Version]. Commits of other processes close it when somebody
// checks the version. A tenant that is closed in the meantime never closes it, so readers must also
// check periodically.
func (s *Store) Changed(ctx context.Context, id ID) (<-chan struct{}, error) {
	v, err := s.currentVersions(ctx, id)
	if err != nil {
		return nil, err
	}
	for {
		if waiting := v.changed.Load(); waiting != nil {
			return *waiting, nil
		}
		if waiting := make(chan struct{}); v.changed.CompareAndSwap(nil, &waiting) {
			return waiting, nil
		}
	}
}

// Fresh reports whether the last check for commits of other processes is recent enough.
func (v *Versions) Fresh() bool {
	return v.store.Elapsed()-time.Duration(v.checkedAt.Load()) < CheckInterval
}

// SetFresh records that the versions include all commits up to at, a [Store.Elapsed].
func (v *Versions) SetFresh(at time.Duration) { v.checkedAt.Store(int64(at)) }

// SetStale makes the next use of the versions check for commits of other processes.
func (v *Versions) SetStale() { v.SetFresh(v.store.Elapsed() - CheckInterval) }

type versionsKey struct{}

// withVersions returns the context for a transaction's function, so that a nested transaction is
// refused instead of deadlocking.
func withVersions(ctx context.Context, v *Versions) context.Context {
	return context.WithValue(ctx, versionsKey{}, v)
}

// versionsFromContext returns the versions of the tenant of ctx's transaction, or nil.
func versionsFromContext(ctx context.Context) *Versions {
	v, _ := ctx.Value(versionsKey{}).(*Versions)
	return v
}

// CheckContext returns [ErrNested] inside a transaction, and ctx's error if it has ended.
func CheckContext(ctx context.Context) error {
	if versionsFromContext(ctx) != nil {
		return ErrNested
	}
	return ctx.Err()
}
