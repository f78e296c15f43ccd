package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// Options configures a store. All fields may be zero.
type Options struct {
	// Content defines the commits that change public content. The zero value means all of them.
	Content Content
	// Derived are tables that exports omit, in addition to search indexes.
	Derived []string
	// Now is the clock of transactions; nil means time.Now.
	Now func() time.Time
	// OnCommit, if not nil, is called after each COMMIT with the number of updates that shared it,
	// its duration, and whether it failed. It must not block.
	OnCommit func(updates int, duration time.Duration, failed bool)
	// Committed, if not nil, is called after each COMMIT that may have changed a tenant's data. It
	// must not block.
	Committed func(ID)
	// Logger receives events that are not returned to a caller; nil discards them.
	Logger *slog.Logger
}

// Store stores tenants' data in an [Engine]. Its methods are safe for concurrent use, and any
// number of processes may have a store open on the same data.
type Store struct {
	engine  Engine
	opts    Options
	start   time.Time               // elapsed counts from here, by the monotonic clock
	private map[string]bool         // Options.Content.Private
	within  *Tx                     // contains all transactions; nil means none
	fault   func(call string) error // nil means none

	versions                     atomic.Uint64 // the last version assigned to any tenant
	commits, updates, statements atomic.Uint64
}

// New returns a store of the tenants in an engine.
func New(engine Engine, opts Options) *Store {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{engine: engine, opts: opts, start: time.Now(), private: map[string]bool{}}
	for _, table := range opts.Content.Private {
		s.private[table] = true
	}
	engine.Start(s)
	return s
}

// Within returns a store of tx's tenant for use cases that write content with a history. Its
// transactions are parts of tx, at the times of a clock: a part reads what earlier parts have
// written. If a part that has written fails, tx fails. Functions for after the commit are not
// called. The store must not be used after tx has ended, or on another goroutine.
func (s *Store) Within(tx *Tx, now func() time.Time) *Store {
	opts := s.opts
	opts.Now = now
	return &Store{engine: s.engine, opts: opts, start: s.start, private: s.private, within: tx}
}

// Now returns the time of a transaction that begins now, in UTC and whole milliseconds.
func (s *Store) Now() time.Time { return s.opts.Now().UTC().Truncate(time.Millisecond) }

// Logger returns the logger for events that are not returned to a caller.
func (s *Store) Logger() *slog.Logger { return s.opts.Logger }

// Dialect returns the SQL dialect for reading a tenant's data.
func (s *Store) Dialect(id ID) Dialect { return s.engine.Dialect(id) }

// Elapsed returns the time since the store was opened, by the monotonic clock.
func (s *Store) Elapsed() time.Duration { return time.Since(s.start) }

// View runs fn on a consistent, read-only snapshot of a tenant's data. If ctx ends, the running
// statement is interrupted. Errors: [ErrNoTenant], [ErrNested], ctx's, errors of opening the data,
// and fn's own.
func (s *Store) View(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, ReadFew)
}

// ViewMany is [Store.View] for a function that may read many rows, such as a search. Such views
// never use a tenant's last reader, so that a view of a few rows does not wait for them.
func (s *Store) ViewMany(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, ReadMany)
}

// ViewOne is [Store.View] for a function that runs one statement, which needs no transaction to be
// a snapshot. Beginning and ending one is a good part of the cost of reading a row. A second
// statement fails with [ErrSingleStatement].
func (s *Store) ViewOne(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.view(ctx, id, fn, ReadOne)
}

func (s *Store) view(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error, kind ReadKind) error {
	if s.within != nil {
		return s.within.part(s.Now(), fn)
	}
	if err := CheckContext(ctx); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return s.use(ctx, id, func(t Tenant) error {
		if err := t.Refresh(ctx); err != nil {
			return err
		}
		return s.read(ctx, t, kind, fn)
	})
}

// use runs do on a tenant's data. If the data has moved to another place since, do runs again.
func (s *Store) use(ctx context.Context, id ID, do func(Tenant) error) error {
	for {
		moved, err := s.useOnce(ctx, id, do)
		if !moved {
			return err
		}
	}
}

func (s *Store) useOnce(ctx context.Context, id ID, do func(Tenant) error) (moved bool, err error) {
	t, err := s.engine.Acquire(ctx, id)
	if err != nil {
		return false, err
	}
	defer func() { moved = s.engine.Release(t, err) }() // also when do panics
	return false, do(t)
}

// read runs fn on a snapshot of an open tenant.
func (s *Store) read(ctx context.Context, t Tenant, kind ReadKind, fn func(context.Context, *Tx) error) (err error) {
	r, err := t.BeginRead(ctx, kind)
	if err != nil {
		return err
	}
	tx := &Tx{ctx: withVersions(ctx, t.Versions()), session: r, now: s.Now(), one: kind == ReadOne, fault: s.fault}
	defer func() { // also if fn panics or ends its goroutine
		tx.done = true
		s.statements.Add(tx.statements)
		if rerr := r.End(); rerr != nil && err == nil {
			err = fmt.Errorf("end view: %w", rerr)
		}
	}()
	if err := fn(tx.ctx, tx); err != nil {
		return err
	}
	return tx.err
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
// an import. A shared commit needs a savepoint, which in SQLite lists the original pages, and each
// statement walks that list from its start: twice the work would cost four times the time.
func (s *Store) UpdateAlone(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error) error {
	return s.update(ctx, id, fn, true)
}

func (s *Store) update(ctx context.Context, id ID, fn func(ctx context.Context, tx *Tx) error, alone bool) error {
	if s.within != nil {
		return s.within.part(s.Now(), fn)
	}
	if err := CheckContext(ctx); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	do := func(t Tenant) error { return t.Committer().update(ctx, fn, alone) }
	err := s.use(ctx, id, do)
	if errors.Is(err, ErrReadOnly) && !errors.Is(err, ErrUnknownOutcome) {
		// A file that was opened while its disk was read-only stays read-only. Nothing was stored
		// and the file is being closed; once reopened it may be writable.
		err = s.use(ctx, id, do)
	}
	return err
}

// Create creates a tenant with the data that init writes, completely or not at all. Errors:
// [ErrExists], and init's own.
func (s *Store) Create(ctx context.Context, id ID, init func(ctx context.Context, tx *Tx) error) error {
	if err := errors.Join(id.Check(), CheckContext(ctx)); err != nil {
		return fmt.Errorf("create tenant: %w", err)
	}
	if err := s.engine.Create(ctx, id, s.builder(ctx, init)); err != nil {
		return fmt.Errorf("create tenant %s: %w", id, err)
	}
	return nil
}

// builder returns the function that runs fn on the session of a tenant that is being built, or nil
// if fn is nil.
func (s *Store) builder(ctx context.Context, fn func(context.Context, *Tx) error) func(Session) error {
	if fn == nil {
		return nil
	}
	return func(session Session) error { return s.Run(ctx, session, fn) }
}

// Run runs fn on the session of a tenant that an engine is building. It does not commit.
func (s *Store) Run(ctx context.Context, session Session, fn func(ctx context.Context, tx *Tx) error) error {
	tx := &Tx{ctx: withVersions(ctx, &Versions{store: s}), session: session, now: s.Now()}
	err := fn(tx.ctx, tx)
	tx.done = true
	if err == nil {
		err = tx.err
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// Drop waits for running work and removes a tenant. Errors: [ErrNoTenant], [ErrBusy].
func (s *Store) Drop(ctx context.Context, id ID) error {
	if err := errors.Join(id.Check(), CheckContext(ctx)); err != nil {
		return fmt.Errorf("drop tenant: %w", err)
	}
	if err := s.engine.Drop(ctx, id); err != nil {
		return fmt.Errorf("drop tenant %s: %w", id, err)
	}
	return nil
}

// Exists reports whether a tenant has that UID. It checks each time. That costs microseconds, needs
// no memory for unknown names, and finds tenants that another process has just created.
func (s *Store) Exists(ctx context.Context, id ID) (bool, error) {
	if err := id.Check(); err != nil {
		return false, err
	}
	exists, err := s.engine.Exists(ctx, id)
	if err != nil {
		return false, fmt.Errorf("find tenant: %w", err)
	}
	return exists, ctx.Err()
}

// List returns the tenants' UIDs, sorted.
func (s *Store) List(ctx context.Context) ([]ID, error) { return s.engine.List(ctx) }

// ModTimes returns the time of the last write to each tenant's data, by any process. It opens no
// tenant, so that thousands of idle ones cost little. A time may be too late, but never too early.
// Reading changes none.
func (s *Store) ModTimes(ctx context.Context) (map[ID]time.Time, error) {
	return s.engine.ModTimes(ctx)
}

// Failures returns the tenants that could not be opened when they were last used, and tenants that
// failed in the last minutes, sorted by UID. Unused tenants are omitted.
func (s *Store) Failures() []Failure { return s.engine.Failures() }

// LockNamed acquires the lock of that name among all processes that use the data. It waits until
// ctx ends.
func (s *Store) LockNamed(ctx context.Context, name string) (unlock func() error, err error) {
	return s.engine.LockNamed(ctx, name)
}

// Close waits for running work, closes all tenants, and makes new work fail with [ErrClosed]. If
// ctx ends first, tenants in use stay open until their work ends; Close may be called again to
// wait.
func (s *Store) Close(ctx context.Context) error {
	if err := s.engine.Close(ctx); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
