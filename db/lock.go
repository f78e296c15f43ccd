package db

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// LockServer makes this process the one server of the folder. Commands that
// work beside it need no lock. Errors: [ErrLocked].
func (s *Store) LockServer() (unlock func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, "serve.lock"), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", s.dir, ErrLocked)
	}
	return lock.Unlock, nil
}

// LockFor makes the caller the only one, in all processes of the folder, that
// does what name stands for, and waits for its turn until ctx ends.
func (s *Store) LockFor(ctx context.Context, name string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, name+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock for %s: %w", name, err)
	}
	return lock.Unlock, nil
}

// lockPoll is how often a lock that another process holds is tried again.
const lockPoll = 5 * time.Millisecond

// lockShape keeps other processes, and other goroutines, from creating or
// moving tenants' files for a moment: between a file's name and its log's
// there must be no new file of the same name.
func (s *Store) lockShape(ctx context.Context) (unlock func(), err error) {
	s.shape.Lock()
	lock := flock.New(filepath.Join(s.dir, "tenants.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		s.shape.Unlock()
		return nil, fmt.Errorf("lock the tenants' folder: %w", err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			s.log.Warn("unlocking the tenants' folder failed", "err", err)
		}
		s.shape.Unlock()
	}, nil
}
