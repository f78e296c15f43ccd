package db

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Options says how a store works. Schema must be set; for the rest the zero
// value is the default.
type Options struct {
	// Schema is the text of schema.sql: the newest schema of a tenant's file.
	Schema string
	// Steps lead from older schemas to the newest, oldest first: Steps[i]
	// takes version i+1 to i+2. The newest version is len(Steps)+1.
	Steps []Step
	// MaxOpen is how many tenants' files are open at most; 0 means 256. Files
	// in use are never closed, so there may be more for a moment.
	MaxOpen int
	// Readers is how many connections read one tenant's file at most; 0 means
	// one for each processor, 2 at least and 8 at most.
	Readers int
	// Now is the clock of transactions; nil means time.Now.
	Now func() time.Time
	// Shipper copies what is written elsewhere; nil: nobody does.
	Shipper Shipper
	// OnCommit is told of each COMMIT: how many updates shared it, how long it
	// took, and whether it failed. It returns at once. nil: nobody is told.
	OnCommit func(updates int, took time.Duration, failed bool)
	// Logger gets what no caller is told; nil discards it.
	Logger *slog.Logger
}

const (
	defaultMaxOpen = 256
	minReaders     = 2
	maxReaders     = 8
)

// FilesPerTenant returns how many files a store with these options opens at most for one open
// tenant: the data file and its log for the writer and for each reader, and the log's index, which
// they share.
func (o Options) FilesPerTenant() int {
	o.setDefaults()
	return 3 + 2*o.Readers
}

func (o *Options) setDefaults() {
	if o.MaxOpen == 0 {
		o.MaxOpen = defaultMaxOpen
	}
	if o.Readers == 0 {
		o.Readers = min(max(runtime.GOMAXPROCS(0), minReaders), maxReaders)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Store is a folder of tenants' files. Its methods may be called from any
// number of goroutines, and any number of processes may have a store open on
// the same folder.
type Store struct {
	dir   string
	opts  Options
	log   *slog.Logger
	start time.Time // elapsed counts from here, by the monotonic clock

	writerPragmas []pragma
	commitFault   func(commit func() error) error // tests: a COMMIT that fails

	versions atomic.Uint64 // the last version given to any tenant
	live     sync.Map      // ID → *tenant: those opened, for Version's sake without mu
	template template
	layoutMu sync.Mutex // held, with tenants.lock, while files appear or move
	counters counters

	mu      sync.Mutex
	tenants map[ID]*tenant
	closing int           // how many of them are
	idle    *list.List    // of *tenant, the longest unused first
	closed  chan struct{} // closed by Close
}

// Open opens the store in dir and makes the folder if it is not there, for the
// owner alone.
func Open(dir string, opts Options) (*Store, error) {
	if opts.Schema == "" {
		return nil, errors.New("open store: no schema")
	}
	opts.setDefaults()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{
		dir: abs, opts: opts, log: opts.Logger, start: time.Now(),
		writerPragmas: commonPragmas,
		tenants:       make(map[ID]*tenant),
		idle:          list.New(),
		closed:        make(chan struct{}),
	}
	for _, sub := range []string{"", tenantsDir, trashDir} {
		if err := os.MkdirAll(filepath.Join(abs, sub), 0o700); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	}
	return s, nil
}

const (
	tenantsDir = "tenants"
	trashDir   = "trash"
	stepsDir   = "before-steps"
	suffix     = ".db"
)

func (s *Store) tenantPath(id ID) string {
	return filepath.Join(s.dir, tenantsDir, string(id)+suffix)
}

func (s *Store) elapsed() time.Duration { return time.Since(s.start) }

func (s *Store) now() time.Time { return s.opts.Now().UTC().Truncate(time.Millisecond) }

// View runs fn on one consistent snapshot of a tenant's data, which it cannot
// change. Errors: [ErrNoTenant], [ErrNested], those of opening the file, and
// fn's own.
func (s *Store) View(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, false)
}

// ViewOne is View for a function of one statement, which is a snapshot by itself: to begin and to
// end one is a good part of looking up a row. A second statement fails with [ErrSingleStatement].
func (s *Store) ViewOne(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, true)
}

func (s *Store) view(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error, one bool) error {
	if err := checkContext(ctx); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return s.with(ctx, id, func(t *tenant) error {
		if err := t.refresh(ctx); err != nil {
			return err
		}
		return t.view(ctx, one, fn)
	})
}

// Update runs fn in a transaction and returns nil when it is stored for good.
// It shares its commit with other updates of the tenant, and fn may run again
// when one of them destroys the transaction: so it assigns its results, and
// has no other effect than through tx.
//
// If ctx ends, Update returns its error and nothing is stored, unless the
// commit was already under way. Errors: [ErrNoTenant], [ErrNested], [ErrBusy],
// [ErrFull], [ErrUnknownOutcome], and fn's own. A panic of fn is raised again
// as a [*PanicError].
func (s *Store) Update(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.update(ctx, id, fn, false)
}

// UpdateAlone is [Store.Update] with a commit of its own, for a function that writes much, such as
// an import. To share one takes a savepoint, and that keeps the pages as they were in a list that
// statements walk from its start: twice the work would take four times as long.
func (s *Store) UpdateAlone(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.update(ctx, id, fn, true)
}

func (s *Store) update(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error, alone bool) error {
	if err := checkContext(ctx); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	do := func(t *tenant) error { return t.writer.update(ctx, fn, alone) }
	err := s.with(ctx, id, do)
	if errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrUnknownOutcome) {
		// A file that was opened while its disk was read-only stays so. Nothing was stored, and
		// it is being closed: opened anew it may be written to.
		err = s.with(ctx, id, do)
	}
	return err
}

// refuse stops what cannot be done: work inside a transaction, or for a caller
// who has gone.
func checkContext(ctx context.Context) error {
	if tenantFromContext(ctx) != nil {
		return ErrNested
	}
	return ctx.Err()
}

// Exists reports whether there is a tenant of that UID. It asks the file
// system each time: that costs microseconds, remembers no flood of unknown
// names, and sees at once what another process has created.
func (s *Store) Exists(ctx context.Context, id ID) (bool, error) {
	if err := id.check(); err != nil {
		return false, err
	}
	there, err := s.fileExists(id)
	if err == nil && !there {
		there, err = s.hasPending(id)
	}
	if err == nil && !there { // unless its file got its name between the two looks
		there, err = s.fileExists(id)
	}
	if err != nil {
		return false, fmt.Errorf("look for tenant: %w", err)
	}
	return there, ctx.Err()
}

func (s *Store) fileExists(id ID) (bool, error) {
	info, err := os.Lstat(s.tenantPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}
