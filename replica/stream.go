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
)

const (
	// closingTime bounds the last look at the log when a tenant is closed.
	closeTimeout = 10 * time.Second
	// backlog is how many bytes of a tenant's changes wait on this disk for a target that does not
	// take them, or as many as its file has if that is more. Beyond it a new snapshot is cheaper.
	minBacklogLimit = 16 << 20
	// uploadTime and uploadRate (bytes a second) bound an upload: beyond, the connection hangs.
	uploadTimeout = time.Minute
	minUploadRate = 256 << 10
)

// errLater says that something is left to do, and that all about it has been said.
var errIncomplete = errors.New("later")

// stream is the way of one tenant's changes to the target: they are captured from SQLite's log into
// the shipping folder, for which the file must be open, and uploaded from there, for which it need
// not be.
type stream struct {
	r    *Replicator
	id   db.ID
	path string

	open      atomic.Bool  // attached, or about to be
	detaching atomic.Bool  // detach waits
	scheduled atomic.Bool  // a round will run
	since     atomic.Int64 // Unix nanoseconds of the oldest change that is not on the target; 0: none
	copying   atomic.Int64 // what since was when the round that runs began
	shipped   atomic.Int64 // see [db.Shipper.Shipped]; Unix nanoseconds, 0: unknown

	roundMu   sync.Mutex                         // held by a round
	interrupt atomic.Pointer[context.CancelFunc] // ends the upkeep that runs

	// mu is held while the file is connected to, captured from, or disconnected.
	mu       sync.Mutex
	history  *history
	file     os.FileInfo // the file that is open; nil: none
	captured time.Time   // writes until then are captured
}

func (s *stream) atRest() bool { return !s.open.Load() && s.pendingSince() == 0 }

// pendingSince is the time of the oldest change that is not on the target, 0 if there is none.
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

// attach opens Litestream's connection to the file. It asks the target nothing.
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
		s.since.Store(0) // what was left belongs to a file that is gone
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
	written, err := db.WrittenAt(s.path)
	moved := err != nil || !s.isCurrent()
	if moved {
		cancel() // the log of that name is another file's
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

// current reports whether the file's name still belongs to the file that is open.
func (s *stream) isCurrent() bool {
	info, err := os.Stat(s.path)
	return err == nil && s.file != nil && os.SameFile(info, s.file)
}

// changed notes that there is something to copy, and has it copied soon.
func (s *stream) changed() {
	s.since.CompareAndSwap(0, time.Now().UnixNano())
	s.schedule(s.r.delay)
}

// schedule has a round run after a while, unless one will anyway.
func (s *stream) schedule(after time.Duration) {
	if s.scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(after, s.round)
	}
}

// round copies what there is to copy.
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

// copy captures and uploads. An error means that something is left; it has been dealt with.
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
	if err := h.upload(ctx); err != nil {
		return s.failed(h, err, true)
	}
	s.r.health.succeeded()
	s.r.recordOnTarget(s.id)
	s.setShipped(captured)
	s.maintain(h)
	return nil
}

// capture copies the log into the shipping folder, if the file is open. It gives the history that
// it went into, nil if there is none, and until when writes are in it.
func (s *stream) capture() (*history, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isCurrent() { // closed: closing has captured
		return s.history, s.captured, nil
	}
	written, err := db.WrittenAt(s.path)
	if err == nil {
		err = s.history.capture(s.r.ctx)
	}
	if err != nil {
		return s.history, time.Time{}, err
	}
	s.captured = written
	return s.history, written, nil
}

// failed deals with a failure of the shop's own, or of the target's.
func (s *stream) failed(h *history, err error, target bool) error {
	switch {
	case s.r.ctx.Err() != nil: // the program ends
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

// limitBacklog gives up changes that wait too long for a target, for a new snapshot.
func (s *stream) limitBacklog(h *history) {
	limit := int64(minBacklogLimit)
	if info, err := os.Stat(s.path); err == nil {
		limit = max(limit, info.Size())
	}
	if h.backlogSize() <= limit {
		return
	}
	s.r.health.warn(s.id, fmt.Errorf("more than %d MiB of changes wait for the target: a snapshot takes their place, and the time since they began to wait can not be restored", limit>>20))
	s.renew(h)
}

// renew begins a new generation, with a snapshot. The connection stays: closing it would drop
// SQLite's locks, and with them what they protect. A closed file gets it when it is next opened,
// which is soon, since nothing of it counts as shipped any more.
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

// upkeep has what is on the target merged and pruned.
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

// setShipped remembers that all writes until at are on the target. A write within the same tick of
// the file system's clock has the same time, so a time that is too young is taken for a bit less.
func (s *stream) setShipped(at time.Time) {
	const settled = 2 * time.Second
	if at.IsZero() {
		return
	}
	if time.Since(at) < settled {
		at = at.Add(-time.Nanosecond)
	}
	if s.shipped.Swap(at.UnixNano()) == at.UnixNano() {
		return
	}
	if err := writeShipped(s.path, at); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.r.health.warn(s.id, err)
	}
}
