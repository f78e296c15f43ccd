package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// LockServer makes this process the one server of the folder. Commands that
// work beside it need no lock. Errors: [ErrLocked].
func (s *Store) LockServer() (unlock func() error, err error) {
	lock := s.serverLock()
	// A command that looks whether there is a server holds the lock for a moment.
	ctx, cancel := context.WithTimeout(context.Background(), 10*lockPoll)
	defer cancel()
	_, err = lock.TryLockContext(ctx, lockPoll)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s: %w", s.dir, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return lock.Unlock, nil
}

func (s *Store) serverLock() *flock.Flock {
	return flock.New(filepath.Join(s.dir, "serve.lock"), flock.SetPermissions(0o600))
}

// WaitForServer returns when the folder's server has noticed what this store has committed, at once if
// there is nothing to notice or no server: whoever asks it then finds what was written. It is for
// processes beside the server.
func (s *Store) WaitForServer(ctx context.Context) {
	last := time.Duration(s.counters.lastCommit.Load())
	unseen := checkInterval - (s.elapsed() - last)
	if last == 0 || unseen <= 0 {
		return
	}
	lock := s.serverLock()
	if alone, err := lock.TryRLock(); alone && err == nil {
		_ = lock.Unlock() // also without it the lock ends with the file
		return
	}
	select {
	case <-time.After(unseen):
	case <-ctx.Done():
	}
}

// LockNamed makes the caller the only one, in all processes of the folder, that
// does what name stands for, and waits for its turn until ctx ends.
func (s *Store) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, name+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock for %s: %w", name, err)
	}
	return lock.Unlock, nil
}

// lockPoll is how often a lock that another process holds is tried again.
const lockPoll = 5 * time.Millisecond

// lockLayout keeps other processes, and other goroutines, from creating or
// moving tenants' files for a moment: between a file's name and its log's
// there must be no new file of the same name.
func (s *Store) lockLayout(ctx context.Context) (unlock func(), err error) {
	s.layoutMu.Lock()
	lock := flock.New(filepath.Join(s.dir, "tenants.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		s.layoutMu.Unlock()
		return nil, fmt.Errorf("lock the tenants' folder: %w", err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			s.log.Warn("unlocking the tenants' folder failed", "err", err)
		}
		s.layoutMu.Unlock()
	}, nil
}
