package sqlite

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"storefront/db"
)

// SQLite has no queue for the write lock: waiting processes poll for it, at intervals of up to 100
// ms, and a busy process begins its next transaction microseconds after a commit. So a process that
// finds the lock held marks its wait with a shared lock on a file beside the tenants' folder, and
// polls more often. A process that finds such a mark leaves room for the others before its next
// transaction.

const (
	// writerRoom limits the time that a writer leaves to waiting processes.
	writerRoom = 25 * time.Millisecond
	// The intervals at which a waiting process polls. Buyers wait for the server.
	serverPoll  = time.Millisecond
	commandPoll = 4 * time.Millisecond
	// commandTimeout limits the wait of a command. Its user is informed and can interrupt it.
	commandTimeout = 10 * time.Minute
	// waitNotice is the interval between messages about a wait.
	waitNotice = 5 * time.Second
)

// beginImmediate acquires the write lock. It stops waiting when wanted returns false. Errors:
// [db.ErrBusy].
func (w *writer) beginImmediate(wanted func() bool) error {
	w.leaveRoom()
	defer w.pollItself()()
	return w.t.files.waitTurn(w.t.id, func() error { return w.run(beginImmediate) }, wanted)
}

const beginImmediate = "BEGIN IMMEDIATE"

// waitTurn calls begin, which does not wait but fails with [db.ErrBusy], until it acquires a
// tenant's write lock. It stops waiting when wanted returns false. Errors: [db.ErrBusy].
func (s *Files) waitTurn(id db.ID, begin func() error, wanted func() bool) error {
	err := begin()
	if !errors.Is(err, db.ErrBusy) {
		return err
	}
	timeout, poll := s.busyTimeout, serverPoll
	if s.opts.Command {
		timeout, poll = commandTimeout, commandPoll
	}
	mark := s.waitMark(id)
	defer s.unlock(mark)
	start := s.store.Elapsed()
	noticed := start
	for errors.Is(err, db.ErrBusy) && wanted() {
		now := s.store.Elapsed()
		if now-start >= timeout {
			return err
		}
		if now-noticed >= waitNotice {
			noticed = now
			s.log().Warn("waiting for another process that writes to the shop", "tenant", id, "waited", (now - start).Round(time.Second))
		}
		if !mark.RLocked() {
			_, _ = mark.TryRLock() // without the mark, the wait is only less fair
		}
		time.Sleep(poll/2 + rand.N(poll))
		err = begin()
	}
	return err
}

// leaveRoom waits while other processes wait for the write lock, so that they can acquire it.
func (w *writer) leaveRoom() {
	files := w.t.files
	if statOrNil(filepath.Join(files.dir, waitMarkName(w.t.id))) == nil {
		return // nobody has ever waited
	}
	mark := files.waitMark(w.t.id)
	for start := time.Now(); time.Since(start) < writerRoom; time.Sleep(serverPoll) {
		if free, err := mark.TryLock(); free || err != nil {
			files.unlock(mark)
			return
		}
	}
}

// waitMark returns the file on which processes that wait for a tenant's write lock hold a shared
// lock.
func (s *Files) waitMark(id db.ID) *flock.Flock { return s.lockFile(waitMarkName(id)) }

func waitMarkName(id db.ID) string { return "writer-" + string(id) + ".lock" }

// pollItself makes statements of the connection fail immediately with [db.ErrBusy] instead of
// waiting, until restore is called.
func (w *writer) pollItself() (restore func()) {
	w.setBusyTimeout(0)
	return func() {
		if w.conn != nil {
			w.setBusyTimeout(w.t.files.busyTimeout)
		}
	}
}

// setBusyTimeout sets how long statements wait for a lock. The PRAGMA would cost two statements in
// each transaction.
func (c *conn) setBusyTimeout(d time.Duration) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_busy_timeout(tls, c.handle, int32(d.Milliseconds()))
}
