package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// LockServer locks the folder for this process as its server. Commands that work beside the server
// need no lock. Errors: [ErrLocked].
func (s *Store) LockServer() (unlock func() error, err error) {
	lock := s.serverLock()
	// A command that checks for a server holds the lock for a moment.
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

// WaitForServer waits until the folder's server has seen this store's last commit, so that the
// server's next response includes it. It returns immediately if nothing was committed recently or no
// server is running. It is for processes beside the server.
func (s *Store) WaitForServer(ctx context.Context) {
	last := time.Duration(s.counters.lastCommit.Load())
	unseen := checkInterval - (s.elapsed() - last)
	if last == 0 || unseen <= 0 {
		return
	}
	lock := s.serverLock()
	if alone, err := lock.TryRLock(); alone && err == nil {
		_ = lock.Unlock() // after an error too, the lock ends when its file is closed
		return
	}
	select {
	case <-time.After(unseen):
	case <-ctx.Done():
	}
}

// LockNamed acquires the lock of that name among all processes of the folder. It waits until ctx
// ends.
func (s *Store) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, name+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock for %s: %w", name, err)
	}
	return lock.Unlock, nil
}

// lockPoll is the interval at which a lock that another process holds is requested again.
const lockPoll = 5 * time.Millisecond

// lockLayout prevents other processes and goroutines from creating or moving tenants' files. A file
// and its log are moved one after the other, and no new file may have that name in between.
func (s *Store) lockLayout(ctx context.Context) (unlock func(), err error) {
	s.layoutMu.Lock()
	lock := flock.New(filepath.Join(s.dir, "tenants.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		s.layoutMu.Unlock()
		return nil, fmt.Errorf("lock the tenants' folder: %w", err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			s.log.Warn("tenants' folder not unlocked", "err", err)
		}
		s.layoutMu.Unlock()
	}, nil
}
