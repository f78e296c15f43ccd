package tenants

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/db/postgres"
	"storefront/db/sqlite"
)

// Place is a place of a shop's data.
//
//api:enum Place
type Place string

// The places.
const (
	InFiles    Place = "files"    // a file in the data folder
	InPostgres Place = "postgres" // the database
)

type placeKey struct{}

// WithPlace returns a context in which new shops are created in a place. The default is the
// database, if one is configured.
func WithPlace(ctx context.Context, p Place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// engines stores shops in the files of the data folder and in a database. A shop in a file is
// served also while the database cannot be reached. It implements [db.Engine].
type engines struct {
	dir   string // the data folder
	files *sqlite.Files
	own   db.Engine // of files
	open  func(ctx context.Context) (*postgres.Engine, error)
	log   *slog.Logger
	// exportCopy writes a shop's data, as a session reads it, to the folder trash.
	exportCopy func(ctx context.Context, id db.ID, session db.Session) error

	connections int // open to this process

	store  *db.Store
	remote atomic.Pointer[postgres.Engine] // nil until the database was reached

	mu       sync.Mutex // held while the database is being opened
	tried    time.Time
	tryErr   error
	isClosed bool

	knownMu sync.Mutex
	known   []db.ID                    // shops of the database as of the last list
	leases  map[string]*postgres.Lease // by name
}

// openPause is the interval of attempts to open a database that could not be reached.
const openPause = time.Second

// database returns the engine of the database. It opens it if an earlier attempt has failed.
func (e *engines) database(ctx context.Context) (*postgres.Engine, error) {
	if p := e.remote.Load(); p != nil {
		return p, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch p := e.remote.Load(); {
	case p != nil:
		return p, nil
	case e.isClosed:
		return nil, db.ErrClosed
	case e.tryErr != nil && time.Since(e.tried) < openPause:
		return nil, e.tryErr
	}
	p, err := e.open(ctx)
	if err != nil {
		if ctx.Err() == nil {
			e.tried, e.tryErr = time.Now(), err
		}
		return nil, err
	}
	p.Start(e.store)
	e.finishMoves(ctx, p)
	e.remote.Store(p)
	return p, nil
}

// Start implements [db.Engine].
func (e *engines) Start(s *db.Store) {
	e.store = s
	e.own.Start(s)
}

// placed is a shop's data with its engine.
type placed struct {
	db.Tenant
	engine db.Engine
}

// engineOf returns the engine that has a shop, or would have it. Files come first: they are here.
func (e *engines) engineOf(ctx context.Context, id db.ID) (db.Engine, error) {
	if p := e.remote.Load(); p != nil && p.Opened(id) != nil {
		return p, nil
	}
	inFile, err := e.own.Exists(ctx, id)
	if err != nil {
		return nil, err
	}
	if inFile {
		return e.own, nil
	}
	return e.database(ctx)
}

// maxMoves limits how often a moving shop is searched again.
const maxMoves = 3

// Acquire implements [db.Engine].
func (e *engines) Acquire(ctx context.Context, id db.ID) (db.Tenant, error) {
	for n := 0; ; n++ {
		engine, err := e.engineOf(ctx, id)
		if err != nil {
			return nil, err
		}
		t, err := engine.Acquire(ctx, id)
		if err == nil {
			if engine != e.own {
				e.files.CloseMoved(id)
			}
			return placed{t, engine}, nil
		}
		if !errors.Is(err, db.ErrMoved) && !errors.Is(err, db.ErrNoTenant) || n == maxMoves {
			return nil, err
		}
		found, ferr := e.finishMove(ctx, id)
		switch {
		case ferr != nil:
			return nil, ferr
		case !found && n > 0: // twice, since a move may have ended in between
			return nil, err
		}
	}
}

// Release implements [db.Engine].
func (e *engines) Release(t db.Tenant, err error) (moved bool) {
	p := t.(placed)
	return p.engine.Release(p.Tenant, err)
}

// Opened implements [db.Engine].
func (e *engines) Opened(id db.ID) *db.Versions {
	if v := e.own.Opened(id); v != nil {
		return v
	}
	if p := e.remote.Load(); p != nil {
		return p.Opened(id)
	}
	return nil
}

// Exists implements [db.Engine].
func (e *engines) Exists(ctx context.Context, id db.ID) (bool, error) {
	for n := 0; ; n++ {
		engine, err := e.engineOf(ctx, id)
		if err != nil {
			return false, err
		}
		exists, err := engine.Exists(ctx, id)
		if err != nil {
			return false, err
		}
		if exists || n == maxMoves {
			return exists, nil
		}
		if found, err := e.finishMove(ctx, id); err != nil {
			return false, err
		} else if !found { // a move to files may have ended in between
			return e.own.Exists(ctx, id)
		}
	}
}

// place returns the place of a shop.
func (e *engines) place(ctx context.Context, id db.ID) (Place, error) {
	inFile, err := e.own.Exists(ctx, id)
	if err != nil {
		return "", err
	}
	if inFile {
		return InFiles, nil
	}
	return InPostgres, nil
}

// engineFor returns the engine for a new shop.
func (e *engines) engineFor(ctx context.Context, id db.ID) (db.Engine, error) {
	p, err := e.database(ctx)
	wanted, _ := ctx.Value(placeKey{}).(Place)
	if err != nil {
		return nil, fmt.Errorf("find whether the UID is in use: %w", err)
	}
	var engine, other db.Engine = p, e.own
	if wanted == InFiles {
		engine, other = e.own, p
	}
	exists, err := other.Exists(ctx, id)
	if err == nil && !exists {
		exists, err = e.finishMove(ctx, id) // it may have left and not arrived
	}
	if err == nil && exists {
		err = db.ErrExists
	}
	return engine, err
}

// Create implements [db.Engine].
func (e *engines) Create(ctx context.Context, id db.ID, build func(db.Session) error) error {
	engine, err := e.engineFor(ctx, id)
	if err != nil {
		return err
	}
	return engine.Create(ctx, id, build)
}

// Import implements [db.Engine].
func (e *engines) Import(ctx context.Context, id db.ID, load, after func(db.Session) error) error {
	engine, err := e.engineFor(ctx, id)
	if err != nil {
		return err
	}
	return engine.Import(ctx, id, load, after)
}

// Drop implements [db.Engine].
func (e *engines) Drop(ctx context.Context, id db.ID) error {
	engine, err := e.engineOf(ctx, id)
	if err != nil {
		return err
	}
	return engine.Drop(ctx, id)
}

// List implements [db.Engine]. While the database cannot be reached, it returns the shops of the
// last list.
func (e *engines) List(ctx context.Context) ([]db.ID, error) {
	ids, err := e.own.List(ctx)
	if err != nil {
		return nil, err
	}
	p, err := e.database(ctx)
	var more []db.ID
	if err == nil {
		more, err = p.List(ctx)
	}
	e.knownMu.Lock()
	defer e.knownMu.Unlock()
	switch {
	case err == nil:
		e.known = more
	case e.known == nil:
		return nil, fmt.Errorf("list the shops in the database: %w", err)
	default:
		e.log.Warn("database not available, listing its last known shops", "error", err)
	}
	ids = append(ids, e.known...)
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// ModTimes implements [db.Engine]. While the database cannot be reached, its shops are omitted.
func (e *engines) ModTimes(ctx context.Context) (map[db.ID]time.Time, error) {
	times, err := e.own.ModTimes(ctx)
	if err != nil {
		return nil, err
	}
	p, err := e.database(ctx)
	if err == nil {
		var more map[db.ID]time.Time
		if more, err = p.ModTimes(ctx); err == nil {
			maps.Copy(more, times) // files come first
			return more, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.log.Warn("database not available, serving the shops in files", "error", err)
	return times, nil
}

// Failures implements [db.Engine].
func (e *engines) Failures() []db.Failure { return e.own.Failures() }

// LockNamed implements [db.Engine]. The lock in the database is omitted while the database cannot
// be reached: then no server changes its shops.
func (e *engines) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	own, err := e.own.LockNamed(ctx, name)
	if err != nil {
		return nil, err
	}
	p, err := e.database(ctx)
	if err != nil {
		return own, nil
	}
	shared, err := p.LockNamed(ctx, name)
	switch {
	case errors.Is(err, db.ErrConnection):
		return own, nil
	case err != nil:
		return nil, errors.Join(err, own())
	}
	return func() error { return errors.Join(shared(), own()) }, nil
}

// Schema implements [db.Engine].
func (e *engines) Schema() int { return e.own.Schema() }

// Dialect implements [db.Engine].
func (e *engines) Dialect(id db.ID) db.Dialect {
	engine, err := e.engineOf(context.Background(), id)
	if err != nil {
		return db.Postgres
	}
	return engine.Dialect(id)
}

// Stats implements [db.Engine].
func (e *engines) Stats() db.EngineStats {
	st := e.own.Stats()
	if p := e.remote.Load(); p != nil {
		st.Add(p.Stats())
	}
	return st
}

// Close implements [db.Engine].
func (e *engines) Close(ctx context.Context) error {
	e.mu.Lock()
	e.isClosed = true
	e.mu.Unlock()
	e.knownMu.Lock()
	for _, l := range e.leases {
		l.End()
	}
	e.leases = nil
	e.knownMu.Unlock()
	err := e.own.Close(ctx)
	if p := e.remote.Load(); p != nil {
		err = errors.Join(err, p.Close(ctx))
	}
	return err
}

// Names of leases.
const (
	backgroundLease = "background" // of the background work
	backupLease     = "backup"     // of the scheduled backups
)

// holdsLease reports whether this process, among all servers, does some work on the shops in the
// database. Another one continues when it ends.
func (e *engines) holdsLease(ctx context.Context, name string) bool {
	e.knownMu.Lock()
	defer e.knownMu.Unlock()
	if l := e.leases[name]; l != nil {
		if l.IsHeld(ctx) {
			return true
		}
		delete(e.leases, name)
	}
	p, err := e.database(ctx)
	var l *postgres.Lease
	if err == nil {
		l, err = p.AcquireLease(ctx, name)
	}
	if err != nil && ctx.Err() == nil {
		e.log.Warn("database not available, no work on its shops", "work", name, "error", err)
	}
	if l == nil {
		return false
	}
	if e.leases == nil {
		e.leases = map[string]*postgres.Lease{}
	}
	e.leases[name] = l
	return true
}

// writtenWithin is the time after a commit for which writtenShops returns its shop. The clocks of
// the servers differ by less.
const writtenWithin = time.Minute

// writtenShops returns the shops in the database that any server has written to lately, with a
// number that every commit changes; none without the lease of the background work.
func (e *engines) writtenShops(ctx context.Context, now time.Time) (map[db.ID]int64, error) {
	e.knownMu.Lock()
	held := e.leases[backgroundLease] != nil
	e.knownMu.Unlock()
	p := e.remote.Load()
	if !held || p == nil {
		return nil, nil
	}
	return p.WrittenSince(ctx, now.Add(-writtenWithin))
}

// errOtherKeyInDatabase means that the shops in the database were created with another key.
var errOtherKeyInDatabase = errors.New("the shops in the database were created with another key: " +
	"set STOREFRONT_KEY to the key of the first server")

// openDatabase returns the function that opens the database for a process with that key.
func openDatabase(cfg Config, t *Tenants) func(context.Context) (*postgres.Engine, error) {
	return func(ctx context.Context) (*postgres.Engine, error) {
		p, err := postgres.Open(ctx, cfg.Engine, postgres.Options{
			Schema: t.schema.text, Steps: t.schema.steps, Connections: cfg.EngineConnections, Command: cfg.Command && !cfg.MigrateDatabase,
		})
		if err != nil {
			return nil, err
		}
		p.Start(t.store)
		if t.key == nil {
			return p, nil
		}
		if err := checkOwner(ctx, p, t.key); err != nil {
			return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
		}
		return p, nil
	}
}

// DatabaseScript returns the SQL that creates the tables of a database for the shops of a
// schema.sql; with citus set, for a cluster of Citus.
func DatabaseScript(schema string, citus bool) (string, error) {
	return postgres.Script(schema, Steps(), citus)
}

func checkOwner(ctx context.Context, p *postgres.Engine, key *masterKey) error {
	owner, err := p.Register(ctx, key.owner())
	if err == nil && owner != key.owner() {
		err = errOtherKeyInDatabase
	}
	return err
}
