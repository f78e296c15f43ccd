package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/litestream"

	"storefront/db"
	"storefront/db/sqlite"
)

const (
	// closeTimeout limits the last capture of the log when a tenant is closed.
	closeTimeout = 10 * time.Second
	// minBacklogLimit is the limit, in bytes, of a tenant's changes that wait on this disk for an
	// unavailable target, or the size of its file if that is more. Beyond it a new snapshot is
	// cheaper.
	minBacklogLimit = 16 << 20
	// An upload is aborted after uploadTimeout, plus the time for its size at minUploadRate (bytes
	// per second): the connection hangs then.
	uploadTimeout = time.Minute
	minUploadRate = 256 << 10
)

// errIncomplete means that a round must be repeated. The cause has been handled and logged.
var errIncomplete = errors.New("incomplete")

// stream copies one tenant's changes to the target. It captures them from SQLite's log into the
// shipping folder, which needs the file to be open, and uploads them from there, which does not.
type stream struct {
	r    *Replicator
	id   db.ID
	path string

	open      atomic.Bool  // attached, or about to be
	detaching atomic.Bool  // detach waits
	scheduled atomic.Bool  // a round will run
	since     atomic.Int64 // Unix nanoseconds of the oldest change that is not on the target; 0 if none
	copying   atomic.Int64 // value of since when the current round began
	shipped   atomic.Int64 // see [sqlite.Shipper.Shipped]; Unix nanoseconds, 0 if unknown

	roundMu   sync.Mutex                         // held by a round
	interrupt atomic.Pointer[context.CancelFunc] // cancels the current maintenance

	// mu is held while Litestream connects to the file, captures from it or disconnects.
	mu       sync.Mutex
	history  *history
	file     os.FileInfo // the open file; nil if none is open
	captured time.Time   // writes up to this time are captured
}

func (s *stream) atRest() bool { return !s.open.Load() && s.pendingSince() == 0 }

// pendingSince returns the time of the oldest change that is not on the target, in Unix
// nanoseconds, or 0 if there is none.
func (s *stream) pendingSince() int64 { return cmp.Or(s.copying.Load(), s.since.Load()) }

func nanoseconds(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixNano()
}

func (s *stream) shippedUntil() time.Time {
	if at := s.shipped.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// attach opens Litestream's connection to the file. It sends no request to the target.
func (s *stream) attach() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := readMark(s.path, s.r.target.String())
	if m.generation == "" {
		var err error
		if m, err = startGeneration(s.path, s.r.target.String()); err != nil {
			return err
		}
		s.history = nil
		s.since.Store(0) // pending changes belong to a file that no longer exists
	}
	if s.history == nil {
		s.history = s.newHistory(m)
		s.captured = m.shipped
		s.shipped.Store(nanoseconds(m.shipped))
	}
	file, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if err := s.history.connect(s.r.ctx); err != nil {
		return err
	}
	s.file = file
	s.detaching.Store(false)
	return nil
}

// detach captures the rest of the log and closes Litestream's connection to the file. The store
// has closed its own.
func (s *stream) detach() {
	s.detaching.Store(true)
	if stop := s.interrupt.Load(); stop != nil {
		(*stop)()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.r.ctx, closeTimeout)
	defer cancel()
	written, err := sqlite.WrittenAt(s.path)
	moved := err != nil || !s.isCurrent()
	if moved {
		cancel() // the log of that name belongs to another file
	}
	s.file = nil
	before := s.history.captured()
	err = s.history.disconnect(ctx)
	switch {
	case moved:
		s.history = nil
		s.since.Store(0)
		return
	case err != nil:
		s.r.health.warn(s.id, err)
		return
	}
	s.captured = written
	if s.history.captured() != before {
		s.changed()
	} else if s.since.Load() == 0 {
		s.setShipped(written)
	}
}

// isCurrent reports whether the file's name still belongs to the open file.
func (s *stream) isCurrent() bool {
	info, err := os.Stat(s.path)
	return err == nil && s.file != nil && os.SameFile(info, s.file)
}

// changed records that there are changes to copy and schedules a round.
func (s *stream) changed() {
	s.since.CompareAndSwap(0, time.Now().UnixNano())
	s.schedule(s.r.delay)
}

// schedule schedules a round, unless one is already scheduled.
func (s *stream) schedule(after time.Duration) {
	if s.scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(after, s.round)
	}
}

// round copies the pending changes.
func (s *stream) round() {
	select {
	case s.r.slots <- struct{}{}:
		defer func() { <-s.r.slots }()
	case <-s.r.ctx.Done():
		return
	}
	s.roundMu.Lock()
	defer s.roundMu.Unlock()
	s.scheduled.Store(false) // commits from now on need another round
	since := s.since.Load()
	if since == 0 {
		return
	}
	s.copying.Store(since)
	defer s.copying.Store(0)
	s.since.Store(0)
	if err := s.copy(); err != nil {
		s.since.Store(since)
		if s.r.ctx.Err() == nil {
			s.schedule(s.r.health.backoff(s.r.delay))
		}
		return
	}
	s.copying.Store(0)
	s.r.dropIdleStream(s)
}

// copy captures and uploads the changes. It returns errIncomplete if some remain.
func (s *stream) copy() error {
	h, captured, err := s.capture()
	if err != nil {
		return s.failed(h, err, false)
	}
	if h == nil {
		return nil
	}
	if !s.r.health.allowAttempt() {
		s.limitBacklog(h)
		return errIncomplete
	}
	ctx, cancel := context.WithTimeout(s.r.ctx, uploadTimeout+time.Duration(h.backlogSize()/minUploadRate)*time.Second)
	defer cancel()
	if err := s.r.Claim(ctx); err != nil {
		return s.failed(h, err, true)
	}
	if err := h.upload(ctx); err != nil {
		return s.failed(h, err, true)
	}
	s.r.health.succeeded()
	s.r.recordOnTarget(s.id)
	s.setShipped(captured)
	s.maintain(h)
	return nil
}

// capture copies the log into the shipping folder, if the file is open. It returns the history, nil
// if there is none, and the time of its last write.
func (s *stream) capture() (*history, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isCurrent() { // detach has captured the rest
		return s.history, s.captured, nil
	}
	written, err := sqlite.WrittenAt(s.path)
	if err == nil {
		err = s.history.capture(s.r.ctx)
	}
	if err != nil {
		return s.history, time.Time{}, err
	}
	s.captured = written
	return s.history, written, nil
}

// failed handles a failure of one shop, or of the target if target is set.
func (s *stream) failed(h *history, err error, target bool) error {
	switch {
	case s.r.ctx.Err() != nil: // the replicator is closing
	case isLost(err):
		s.r.health.warn(s.id, err)
		s.renew(h)
	case target:
		s.r.health.failed(err, s.r.delay)
		s.limitBacklog(h)
	default:
		s.r.health.warn(s.id, err)
	}
	return errIncomplete
}

// limitBacklog replaces a tenant's pending changes by a new snapshot if they are too large.
func (s *stream) limitBacklog(h *history) {
	limit := int64(minBacklogLimit)
	if info, err := os.Stat(s.path); err == nil {
		limit = max(limit, info.Size())
	}
	if h.backlogSize() <= limit {
		return
	}
	s.r.health.warn(s.id, fmt.Errorf(
		"more than %d MiB of changes are pending: a snapshot replaces them, so no moment between the first of them and the snapshot can be restored",
		limit>>20))
	s.renew(h)
}

// renew starts a new generation, with a snapshot. The connection stays open, since closing it would
// release SQLite's locks. A detached file starts the generation when it is next opened. That is
// soon, since none of its writes count as shipped any more.
func (s *stream) renew(h *history) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history != h {
		return
	}
	s.captured = time.Time{}
	s.shipped.Store(0)
	m, err := startGeneration(s.path, s.r.target.String())
	if err == nil && s.file == nil {
		s.history = nil
	} else if err == nil {
		err = h.restart(s.r.ctx, m, s.generationClient(m))
	}
	if err != nil {
		s.r.health.warn(s.id, err)
	}
}

// maintain merges and prunes the tenant's data on the target.
func (s *stream) maintain(h *history) {
	ctx, cancel := context.WithCancel(s.r.ctx)
	defer cancel()
	s.interrupt.Store(&cancel)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || s.detaching.Load() {
		return
	}
	snapshot, err := h.maintain(ctx, s.r.lite)
	if err == nil && snapshot {
		err = s.r.target.prune(ctx, s.id, time.Now().Add(-s.r.retention))
	}
	if err != nil && ctx.Err() == nil {
		s.r.health.warn(s.id, err)
	}
}

func (s *stream) generationClient(m mark) litestream.ReplicaClient {
	return s.r.target.place.client(string(s.id) + "/" + m.generation)
}

// setShipped records at as the time up to which all writes are on the target. A later write within
// the same tick of the file system's clock has the same time, so a recent time is reduced by a
// nanosecond.
func (s *stream) setShipped(at time.Time) {
	const clockTick = 2 * time.Second
	if at.IsZero() {
		return
	}
	if time.Since(at) < clockTick {
		at = at.Add(-time.Nanosecond)
	}
	if s.shipped.Swap(at.UnixNano()) == at.UnixNano() {
		return
	}
	if err := writeShipped(s.path, at); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.r.health.warn(s.id, err)
	}
}
