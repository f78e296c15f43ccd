package sqlite

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

	"storefront/db"
)

// Options configures a store. Schema must be set; other fields may be zero.
type Options struct {
	// Schema is the text of schema.sql: the newest schema of a tenant's file.
	Schema string
	// Steps lead from older schemas to the newest, oldest first: Steps[i] changes version i+1 to
	// i+2. The newest version is len(Steps)+1.
	Steps []db.Step
	// MaxOpen limits how many tenants' files are open; 0 means 256. Files in use are never closed,
	// so the limit may be exceeded for a moment.
	MaxOpen int
	// Readers limits how many connections read one tenant's file; 0 means GOMAXPROCS, which in a
	// server is one more than the number of processors, at least 3 and at most 8.
	Readers int
	// Command is set by processes that may run beside the folder's server. They refuse a file
	// with an older schema with [db.ErrOutdated], except in [Files.Upgrade], and the files that
	// they create belong to the folder's owner.
	Command bool
	// Shipper copies all writes to another place; nil means that nothing is copied.
	Shipper Shipper

	// Unpack handles another form of backup: if src is one, it writes the tenant's file to dest and
	// returns true. nil means that all backups are files of SQLite.
	Unpack func(ctx context.Context, src, dest string) (bool, error)

	// Content, Derived, Now, OnCommit and Logger are as in [db.Options].
	Content  db.Content
	Derived  []string
	Now      func() time.Time
	OnCommit func(updates int, duration time.Duration, failed bool)
	Logger   *slog.Logger
}

const (
	defaultMaxOpen = 256
	minReaders     = 3
	maxReaders     = 8
)

// FilesPerTenant returns the maximum number of files that a store with these options opens for one
// open tenant: the data file and its log for the writer and for each reader, and the log's index,
// which they share.
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
}

// Store is a [db.Store] of tenants' files, with the operations that only files have.
type Store struct {
	*db.Store
	*Files
}

// Open opens the store in dir. It creates the folder, accessible to the owner alone, if it does not
// exist.
func Open(dir string, opts Options) (*Store, error) {
	files, err := OpenFiles(dir, opts)
	if err != nil {
		return nil, err
	}
	store := db.New(files.Engine(), db.Options{
		Content: opts.Content, Derived: opts.Derived, Now: opts.Now, OnCommit: opts.OnCommit, Logger: opts.Logger,
	})
	return &Store{store, files}, nil
}

// OpenFiles is [Open] for an engine of a store with several. The fields that opts shares with
// [db.Options] are not used.
func OpenFiles(dir string, opts Options) (*Files, error) {
	if opts.Schema == "" {
		return nil, errors.New("open store: no schema")
	}
	opts.setDefaults()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	files := &Files{
		dir: abs, opts: opts,
		writerPragmas: commonPragmas, busyTimeout: busyTimeout,
		tenants: make(map[db.ID]*tenant),
		idle:    list.New(),
		closed:  make(chan struct{}),
	}
	if err := files.checkOwner(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	for _, sub := range []string{"", tenantsDir, trashDir} {
		if err := files.createFolder(filepath.Join(abs, sub)); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	}
	return files, nil
}

// Engine returns the engine that stores tenants in the files.
func (s *Files) Engine() db.Engine { return engine{s} }

// Files is a folder of tenants' files. It has operations that other engines lack, such as copies of
// files. They are safe for concurrent use, and any number of processes may have a store open on the
// same folder.
type Files struct {
	dir   string
	opts  Options
	store *db.Store

	writerPragmas []pragma
	busyTimeout   time.Duration
	commitFault   func(commit func() error) error // set by tests to make COMMIT fail

	live     sync.Map    // ID → *tenant: the open ones, so that Version needs no mu
	layoutMu sync.Mutex  // held, with tenants.lock, while files are created or moved
	owner    *fileOwner  // owner of created files; nil means this process's user, see checkOwner
	serving  atomic.Bool // this process holds the server's lock
	stopped  sync.Map    // of ID to stopped
	failures sync.Map    // of ID to *failure
	upgrades sync.Map    // of ID: the tenants that [Files.Upgrade] is upgrading
	counters counters

	mu      sync.Mutex
	tenants map[db.ID]*tenant
	closing int           // how many of them are closing
	idle    *list.List    // of *tenant, the least recently used first
	closed  chan struct{} // closed by close
}

const (
	tenantsDir = "tenants"
	trashDir   = "trash"
	stepsDir   = "before-steps"
	suffix     = ".db"
)

func (s *Files) tenantPath(id db.ID) string {
	return filepath.Join(s.dir, tenantsDir, string(id)+suffix)
}

func (s *Files) log() *slog.Logger { return s.store.Logger() }

// exists checks the file system each time, so that it finds tenants that another process has just
// created.
func (s *Files) exists(id db.ID) (bool, error) {
	there, err := s.fileExists(id)
	if err == nil && !there {
		there, err = s.hasPending(id)
	}
	if err == nil && !there { // its file may have been renamed between the two checks
		there, err = s.fileExists(id)
	}
	return there, err
}

func (s *Files) fileExists(id db.ID) (bool, error) {
	info, err := os.Lstat(s.tenantPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}

// engine implements [db.Engine].
type engine struct{ *Files }

func (e engine) Start(s *db.Store) { e.store = s }

func (e engine) Acquire(ctx context.Context, id db.ID) (db.Tenant, error) {
	t, err := e.acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (e engine) Release(t db.Tenant, err error) (moved bool) { return e.done(t.(*tenant), err) }

func (e engine) Opened(id db.ID) *db.Versions {
	if t := e.opened(id); t != nil {
		return t.versions
	}
	return nil
}

func (e engine) Exists(_ context.Context, id db.ID) (bool, error) { return e.exists(id) }

func (e engine) Create(ctx context.Context, id db.ID, build func(db.Session) error) error {
	return e.create(ctx, id, func(path string) error {
		file, err := e.template().fill(e.Files, build)
		if err != nil {
			return err
		}
		return os.WriteFile(path, file, 0o600)
	})
}

func (e engine) Import(ctx context.Context, id db.ID, load, after func(db.Session) error) error {
	return e.create(ctx, id, func(path string) error { return e.load(ctx, path, load, after) })
}

func (e engine) Drop(ctx context.Context, id db.ID) error { return e.drop(ctx, id) }

func (e engine) List(ctx context.Context) ([]db.ID, error) { return e.list(ctx) }

func (e engine) ModTimes(ctx context.Context) (map[db.ID]time.Time, error) { return e.modTimes(ctx) }

func (e engine) Failures() []db.Failure { return e.listFailures() }

func (e engine) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	return e.lockNamed(ctx, name)
}

func (e engine) Schema() int { return e.newest() }

func (e engine) Dialect(db.ID) db.Dialect { return db.SQLite }

func (e engine) Stats() db.EngineStats { return e.stats() }

func (e engine) Close(ctx context.Context) error { return e.close(ctx) }
