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

// Options configures a store. Schema must be set; other fields may be zero.
type Options struct {
	// Schema is the text of schema.sql: the newest schema of a tenant's file.
	Schema string
	// Steps lead from older schemas to the newest, oldest first: Steps[i] changes version i+1 to
	// i+2. The newest version is len(Steps)+1.
	Steps []Step
	// MaxOpen limits how many tenants' files are open; 0 means 256. Files in use are never closed,
	// so the limit may be exceeded for a moment.
	MaxOpen int
	// Content defines which commits change public content. The zero value means that all do.
	Content Content
	// Readers limits how many connections read one tenant's file; 0 means one more than there are
	// processors, at least 3 and at most 8.
	Readers int
	// Now is the clock of transactions; nil means time.Now.
	Now func() time.Time
	// Shipper copies all writes to another place; nil means that nothing is copied.
	Shipper Shipper
	// OnCommit, if not nil, is called after each COMMIT with the number of updates that shared it,
	// its duration, and whether it failed. It must not block.
	OnCommit func(updates int, duration time.Duration, failed bool)
	// Logger receives what is not returned to a caller; nil discards it.
	Logger *slog.Logger
}

const (
	defaultMaxOpen = 256
	minReaders     = 3
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
		o.Readers = min(max(runtime.GOMAXPROCS(0)+1, minReaders), maxReaders)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Store is a folder of tenants' files. Its methods are safe for concurrent use, and any number of
// processes may have a store open on the same folder.
type Store struct {
	dir   string
	opts  Options
	log   *slog.Logger
	start time.Time // elapsed counts from here, by the monotonic clock

	writerPragmas []pragma
	private       map[string]bool                 // Options.Content.Private
	commitFault   func(commit func() error) error // set by tests to make COMMIT fail

	versions atomic.Uint64 // the last version assigned to any tenant
	live     sync.Map      // ID → *tenant: the open ones, so that Version needs no mu
	template template
	layoutMu sync.Mutex // held, with tenants.lock, while files are created or moved
	counters counters

	mu      sync.Mutex
	tenants map[ID]*tenant
	closing int           // how many of them are closing
	idle    *list.List    // of *tenant, the least recently used first
	closed  chan struct{} // closed by Close
}

// Open opens the store in dir. It creates the folder, accessible to the owner alone, if it does not
// exist.
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
		private:       map[string]bool{},
		tenants:       make(map[ID]*tenant),
		idle:          list.New(),
		closed:        make(chan struct{}),
	}
	for _, table := range opts.Content.Private {
		s.private[table] = true
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

// View runs fn on a consistent, read-only snapshot of a tenant's data. If ctx ends, the running
// statement is interrupted. Errors: [ErrNoTenant], [ErrNested], ctx's, those of opening the file, and
// fn's own.
func (s *Store) View(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, viewFew)
}

// ViewMany is [Store.View] for a function that may read many rows, such as a search. Such views never
// use a tenant's last reader, so that a view of a few rows does not wait for them.
func (s *Store) ViewMany(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, viewMany)
}

// ViewOne is [Store.View] for a function that runs one statement, which needs no transaction to be
// a snapshot. Beginning and ending one is a good part of the cost of reading a row. A second
// statement fails with [ErrSingleStatement].
func (s *Store) ViewOne(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, viewOne)
}

func (s *Store) view(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error, kind viewKind) error {
	if err := checkContext(ctx); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return s.with(ctx, id, func(t *tenant) error {
		if err := t.refresh(ctx); err != nil {
			return err
		}
		return t.view(ctx, kind, fn)
	})
}

// Update runs fn in a transaction and returns nil once it is durably stored. The commit may be
// shared with other updates of the tenant. If one of them loses the transaction, fn runs again, so
// fn must assign its results and have no effect except through tx.
//
// If ctx ends, Update returns its error and nothing is stored, unless the commit has already
// started. Errors: [ErrNoTenant], [ErrNested], [ErrBusy], [ErrFull], [ErrUnknownOutcome], and fn's
// own. If fn panics, Update panics with a [*PanicError].
func (s *Store) Update(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.update(ctx, id, fn, false)
}

// UpdateAlone is [Store.Update] with a commit of its own, for a function that writes a lot, such as
// an import. A shared commit needs a savepoint, which lists the original pages, and each statement
// walks that list from its start: twice the work would cost four times the time.
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
		// A file that was opened while its disk was read-only stays read-only. Nothing was stored
		// and the file is being closed; once reopened it may be writable.
		err = s.with(ctx, id, do)
	}
	return err
}

// checkContext returns [ErrNested] inside a transaction, and ctx's error if it has ended.
func checkContext(ctx context.Context) error {
	if tenantFromContext(ctx) != nil {
		return ErrNested
	}
	return ctx.Err()
}

// Exists reports whether a tenant has that UID. It checks the file system each time, which costs
// microseconds, needs no memory for unknown names, and sees immediately what another process has
// created.
func (s *Store) Exists(ctx context.Context, id ID) (bool, error) {
	if err := id.check(); err != nil {
		return false, err
	}
	there, err := s.fileExists(id)
	if err == nil && !there {
		there, err = s.hasPending(id)
	}
	if err == nil && !there { // its file may have been renamed between the two checks
		there, err = s.fileExists(id)
	}
	if err != nil {
		return false, fmt.Errorf("find tenant: %w", err)
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
