package replica

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/benbjohnson/litestream"

	"storefront/db"
)

// Config configures a [Replicator]. Target must be set.
type Config struct {
	Target *Target
	// Delay is the time between a commit and its upload, so that commits share an upload. If the
	// machine is lost, the commits of slightly more than this time are lost too. 0 means a second.
	Delay time.Duration
	// Retention is the period for which a shop can be restored. 0 means a week.
	Retention time.Duration
	Logger    *slog.Logger // nil discards all records
}

// Reach returns the limit of restoring back in time: the oldest snapshot, which is deleted with the
// next one.
func (c *Config) Reach() time.Duration {
	return cmp.Or(c.Retention, DefaultRetention) + 3*snapshotInterval
}

const (
	defaultDelay = time.Second
	// DefaultRetention is the default of Retention.
	DefaultRetention = 7 * 24 * time.Hour
	// maxConcurrentCopies limits how many shops are copied concurrently.
	maxConcurrentCopies = 16
	// snapshotInterval is how often a complete snapshot of a shop with changes is created.
	snapshotInterval = 24 * time.Hour
)

// levels configures how changes are merged as they age. Beyond the last minutes, a shop can be
// restored to the minute.
var levels = litestream.CompactionLevels{
	{Level: 0},
	{Level: 1, Interval: time.Minute},
	{Level: 2, Interval: time.Hour},
}

// Replicator is a [sqlite.Shipper] that copies writes to tenants' files to a target.
type Replicator struct {
	target    *Target
	delay     time.Duration
	retention time.Duration
	log       *slog.Logger
	lite      *litestream.Store // for its merging and retention; its own timers do not run
	slots     chan struct{}
	health    health
	owner     owner

	ctx    context.Context // of work in the background
	cancel context.CancelFunc

	mu       sync.Mutex
	streams  map[db.ID]*stream   // attached, or with changes to upload
	shipped  map[db.ID]time.Time // of tenants without a stream
	onTarget map[db.ID]bool      // tenants on the target; nil until listed
	deleted  map[db.ID]time.Time // deletions that are recorded on the target
	pruned   map[db.ID]time.Time // deletions before which the target has no data any more
}

// New returns a new Replicator. Close it after the store has been closed.
func New(cfg Config) *Replicator {
	r := &Replicator{
		target: cfg.Target, delay: cmp.Or(cfg.Delay, defaultDelay), retention: cmp.Or(cfg.Retention, DefaultRetention), log: cfg.Logger,
		slots: make(chan struct{}, maxConcurrentCopies), streams: map[db.ID]*stream{}, shipped: map[db.ID]time.Time{},
		deleted: map[db.ID]time.Time{}, pruned: map[db.ID]time.Time{},
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.health.log, r.health.target = r.log, r.target.String()
	r.lite = litestream.NewStore(nil, levels)
	r.lite.SnapshotInterval = snapshotInterval
	r.lite.SnapshotRetention = r.retention + snapshotInterval // so that the oldest moment has a snapshot before it
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Attach implements [sqlite.Shipper].
func (r *Replicator) Attach(id db.ID, path string) error {
	r.mu.Lock()
	s := r.streams[id]
	if s == nil {
		s = &stream{r: r, id: id, path: path}
		r.streams[id] = s
	}
	s.open.Store(true)
	r.mu.Unlock()
	if err := s.attach(); err != nil {
		s.open.Store(false)
		r.dropIdleStream(s)
		return fmt.Errorf("attach to the replica: %w", err)
	}
	return nil
}

// Changed implements [sqlite.Shipper].
func (r *Replicator) Changed(id db.ID) {
	if s := r.stream(id); s != nil {
		s.changed()
	}
}

// Detach implements [sqlite.Shipper]. Changes that are not on the target yet are uploaded later,
// from copies of the log. The tenant can be opened again before that.
func (r *Replicator) Detach(id db.ID) {
	if s := r.stream(id); s != nil {
		s.detach()
		s.open.Store(false)
		r.dropIdleStream(s)
	}
}

// Shipped implements [sqlite.Shipper].
func (r *Replicator) Shipped(id db.ID, path string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.onTarget != nil && !r.onTarget[id] {
		return time.Time{}
	}
	if s := r.streams[id]; s != nil {
		return s.shippedUntil()
	}
	at, ok := r.shipped[id]
	if !ok {
		at = readMark(path, r.target.String()).shipped
		r.shipped[id] = at
	}
	return at
}

// RefreshTarget lists the tenants on the target, so that missing ones are shipped again, for
// example after the target was emptied or another disk was mounted in its place.
func (r *Replicator) RefreshTarget(ctx context.Context) error {
	ids, err := r.target.Tenants(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.onTarget == nil {
		r.onTarget = map[db.ID]bool{}
	}
	for _, id := range ids {
		r.onTarget[id] = true
	}
	return nil
}

// recordOnTarget records that the tenant exists on the target.
func (r *Replicator) recordOnTarget(id db.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.onTarget != nil {
		r.onTarget[id] = true
	}
}

func (r *Replicator) stream(id db.ID) *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.streams[id]
}

// dropIdleStream removes a stream that is detached and has nothing to upload.
func (r *Replicator) dropIdleStream(s *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams[s.id] == s && s.atRest() {
		delete(r.streams, s.id)
		r.shipped[s.id] = s.shippedUntil()
	}
}

// Status contains a replicator's metrics.
type Status struct {
	Attached   int           // shops with open files
	Pending    int           // shops with commits that are not on the target yet
	Lag        time.Duration // age of the oldest of those commits
	LastUpload time.Time     // time of the last successful upload; zero if there was none
	Failing    bool          // the target is unreachable or rejects uploads
}

// Status returns the current metrics.
func (r *Replicator) Status() Status {
	st := r.health.status()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		if s.open.Load() {
			st.Attached++
		}
		if since := s.pendingSince(); since != 0 {
			st.Pending++
			st.Lag = max(st.Lag, time.Since(time.Unix(0, since)))
		}
	}
	return st
}

// Close uploads the pending changes, until ctx ends. The store must have been closed before.
func (r *Replicator) Close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, r.cancel)
	defer stop()
	defer r.cancel()
	r.mu.Lock()
	waiting := make([]*stream, 0, len(r.streams))
	for _, s := range r.streams {
		waiting = append(waiting, s)
	}
	r.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range waiting {
		wg.Go(s.round)
	}
	wg.Wait()
	if left := r.Status().Pending; left > 0 {
		return fmt.Errorf("shops with changes that are not in the replica %s yet: %d; they are uploaded after the next start", r.target, left)
	}
	return nil
}
