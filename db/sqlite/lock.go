package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"storefront/db"
)

// LockServer locks the folder for this process as its server. Commands that work beside the server
// need no lock. Errors: [db.ErrLocked].
func (s *Files) LockServer() (unlock func() error, err error) {
	lock, mark := s.serverLock(), s.schemaLock()
	if err = tryLock(lock); err == nil {
		if err = tryLock(mark); err != nil {
			err = errors.Join(err, lock.Unlock())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data folder %s: %w", s.dir, err)
	}
	s.serving.Store(true)
	return func() error {
		s.serving.Store(false)
		return errors.Join(mark.Unlock(), lock.Unlock())
	}, nil
}

// tryLock acquires a lock that commands hold for a moment to check for a server. It counts attempts
// instead of time: on a busy machine a deadline can pass before the first one. Errors:
// [db.ErrLocked].
func tryLock(lock *flock.Flock) error {
	const attempts = 50
	for n := 1; ; n++ {
		switch locked, err := lock.TryLock(); {
		case locked || err != nil:
			return err
		case n == attempts:
			return db.ErrLocked
		}
		time.Sleep(lockPoll)
	}
}

func (s *Files) serverLock() *flock.Flock { return s.lockFile("serve.lock") }

// schemaLock returns the lock that a server of this schema holds beside the server's lock. It shows
// commands that the server can open their files. Unlike the content of a file, it cannot outlive a
// killed server.
func (s *Files) schemaLock() *flock.Flock {
	return s.lockFile(fmt.Sprintf("serve-schema-%d.lock", s.newest()))
}

// ServerRuns reports whether a process holds the server's lock of the data folder dir, which need
// not exist. It creates no file.
func ServerRuns(dir string) (bool, error) {
	path := filepath.Join(dir, "serve.lock")
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, fmt.Errorf("check for a server: %w", err)
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("check for a server: %w", err)
	}
	if free {
		_ = lock.Unlock() // even after an error, the lock ends when its file is closed
	}
	return !free, nil
}

// excludeOtherServers returns [db.ErrOtherServer] if a server with another schema runs on the
// folder. Until release is called, none starts.
func (s *Files) excludeOtherServers() (release func(), err error) {
	if s.serving.Load() {
		return func() {}, nil
	}
	const attempts = 10 // a server acquires its locks one after the other
	for n := 0; ; n++ {
		lock := s.serverLock()
		alone, err := lock.TryRLock()
		if err != nil {
			return nil, fmt.Errorf("check for a server: %w", err)
		}
		if alone {
			return func() { s.unlock(lock) }, nil
		}
		mark := s.schemaLock()
		free, err := mark.TryRLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("check for a server: %w", err)
		case !free: // held by a server of the same schema
			return func() {}, nil
		}
		s.unlock(mark)
		if n == attempts {
			return nil, db.ErrOtherServer
		}
		time.Sleep(lockPoll)
	}
}

// unlock unlocks a lock that this process holds.
func (s *Files) unlock(lock *flock.Flock) {
	if err := lock.Unlock(); err != nil {
		s.log().Warn("lock not released", "file", lock.Path(), "err", err)
	}
}

// lockFile returns the lock of that name in the data folder.
func (s *Files) lockFile(name string) *flock.Flock {
	path := filepath.Join(s.dir, name)
	if s.owner != nil {
		_ = s.createOwned(path) // if that fails, locking fails too
	}
	return flock.New(path, flock.SetPermissions(0o600))
}

// WaitForServer waits until the folder's server has seen this store's last commit, so that the
// server's next response includes it. It returns immediately if nothing was committed recently or
// no server is running. It is for processes beside the server.
func (s *Files) WaitForServer(ctx context.Context) {
	last := time.Duration(s.counters.lastCommit.Load())
	unseen := db.CheckInterval - (s.store.Elapsed() - last)
	if last == 0 || unseen <= 0 {
		return
	}
	lock := s.serverLock()
	if alone, err := lock.TryRLock(); alone && err == nil {
		_ = lock.Unlock() // even after an error, the lock ends when its file is closed
		return
	}
	select {
	case <-time.After(unseen):
	case <-ctx.Done():
	}
}

// lockNamed acquires the lock of that name among all processes of the folder. It waits until ctx
// ends.
func (s *Files) lockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	lock := s.lockFile(name + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock for %s: %w", name, err)
	}
	return lock.Unlock, nil
}

// lockPoll is the interval at which a lock that another process holds is requested again.
const lockPoll = 5 * time.Millisecond

// lockLayout prevents other processes and goroutines from creating or moving tenants' files. A file
// and its log are moved one after the other, and no new file may have that name in between.
func (s *Files) lockLayout(ctx context.Context) (unlock func(), err error) {
	s.layoutMu.Lock()
	lock := s.lockFile("tenants.lock")
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		s.layoutMu.Unlock()
		return nil, fmt.Errorf("lock the tenants' folder: %w", err)
	}
	return func() {
		s.unlock(lock)
		s.layoutMu.Unlock()
	}, nil
}
