package db

import (
	"context"
	"time"
)

// Engine stores the tenants' data. A [Store] adds the rules that are the same for all engines. Its
// methods must be safe for concurrent use, and return the errors of this package: a failed
// statement is an [Error].
type Engine interface {
	// Start is called once by [New], before all other methods.
	Start(s *Store)
	// Acquire returns a tenant's data, which stays open until Release. Errors: [ErrNoTenant], and
	// errors of opening the data.
	Acquire(ctx context.Context, id ID) (Tenant, error)
	// Release ends a use of a tenant's data with the result err. moved reports that the data has moved
	// to another place, and that the use has had no effect and must be repeated.
	Release(t Tenant, err error) (moved bool)
	// Opened returns the versions of a tenant's data, or nil if it is not open.
	Opened(id ID) *Versions
	// Exists reports whether a tenant has that UID.
	Exists(ctx context.Context, id ID) (bool, error)
	// Create creates a tenant with the data that build writes, if build is not nil: completely or not
	// at all. Errors: [ErrExists], and build's own.
	Create(ctx context.Context, id ID, build func(Session) error) error
	// Import is [Engine.Create] for much data. Foreign keys are checked when load has returned;
	// then after runs, unless it is nil.
	Import(ctx context.Context, id ID, load, after func(Session) error) error
	// Drop waits for running work and removes a tenant. Errors: [ErrNoTenant], [ErrBusy].
	Drop(ctx context.Context, id ID) error
	// List returns the tenants' UIDs, sorted.
	List(ctx context.Context) ([]ID, error)
	// ModTimes returns the time of the last write to each tenant's data. A time may be too late, but
	// never too early.
	ModTimes(ctx context.Context) (map[ID]time.Time, error)
	// Failures returns the tenants that cannot be served, sorted by UID.
	Failures() []Failure
	// LockNamed acquires the lock of that name among all processes that use the data. It waits
	// until ctx ends.
	LockNamed(ctx context.Context, name string) (unlock func() error, err error)
	// Schema returns the version of the newest schema.
	Schema() int
	// Dialect returns the SQL dialect for reading a tenant's data.
	Dialect(id ID) Dialect
	// Stats returns the engine's metrics.
	Stats() EngineStats
	// Close waits for running work and makes new work fail with [ErrClosed].
	Close(ctx context.Context) error
}

// Tenant is the data of one tenant, held open by an engine.
type Tenant interface {
	// Versions returns the versions of the data.
	Versions() *Versions
	// Refresh makes the versions include all commits of other processes, unless they were checked a
	// moment ago.
	Refresh(ctx context.Context) error
	// BeginRead begins to read a snapshot of the data. When ctx ends, the running statement
	// fails with [ErrInterrupted].
	BeginRead(ctx context.Context, kind ReadKind) (Reader, error)
	// Committer returns the committer of the tenant's updates.
	Committer() *Committer
}

// ReadKind is the purpose of a [Reader].
type ReadKind int

const (
	ReadFew  ReadKind = iota // some rows
	ReadOne                  // one statement, which needs no transaction to be a snapshot
	ReadMany                 // many rows; a reader stays free for others
)

// Reader is a session that reads a snapshot.
type Reader interface {
	Session
	// End ends the snapshot. The session must not be used any more.
	End() error
}

// Writer is the session of a tenant's [Committer], which uses it from one goroutine. The session
// outlives its transactions: after a failure the next Begin or Check opens a new one if necessary.
type Writer interface {
	Session
	// Begin begins a transaction once no other process writes, and makes the tenant's versions
	// include all commits of other processes. It may stop waiting when wanted returns false.
	Begin(wanted func() bool) error
	// Prepare is called after Begin, before the first statement. large announces a transaction that
	// writes a lot.
	Prepare(large bool)
	// Savepoint begins a part of the transaction that [Writer.RollbackTo] can undo.
	Savepoint() error
	// Release ends the part. A failure of its statements may come with the next Flush or Commit.
	Release() error
	// Flush waits for the results of all statements.
	Flush() error
	// RollbackTo undoes the part and ends it.
	RollbackTo() error
	// Commit stores the transaction durably. It ends the transaction in any case. After
	// [ErrUnknownOutcome] it may be stored; after other errors it certainly is not.
	Commit() error
	// Rollback ends the transaction, if one is active, and stores nothing.
	Rollback()
	// Check makes the tenant's versions include all commits of other processes. No transaction is
	// active.
	Check() error
	// Close ends the session.
	Close()
}

// Session runs statements of the common subset on a tenant's data. Their placeholders are ?.
type Session interface {
	// Statement returns the statement with that text, which the session caches. Errors:
	// [ErrStatement].
	Statement(query string) (Statement, error)
	// Tables returns the tables with data, referenced tables first. Derived data, such as search
	// indexes, is omitted.
	Tables() ([]Table, error)
	// Dialect returns the SQL dialect of the engine.
	Dialect() Dialect
	// Scope returns the prefix of the words of a full-text index that all tenants of the engine share;
	// "" if they do not share one.
	Scope() string
	// Buffer returns a buffer for the arguments of a statement, which the session reuses.
	Buffer() *[]Value
}

// Loader is a [Session] that stores many rows of a table faster than by INSERT.
type Loader interface {
	// Load returns the function that adds a row to a table with those columns, now or with the next
	// statement, which then returns its error. The row may be reused. Errors: [ErrStatement].
	Load(table string, columns []string) (add func(row []Value) error, err error)
}

// Statement is a statement of a [Session]. Its arguments are values or booleans.
type Statement interface {
	// Syntax returns the effects that the statement may have.
	Syntax() Syntax
	// Exec executes the statement and returns the number of affected rows.
	Exec(args []Value) (rowsAffected int64, err error)
	// Do executes the statement now or with a later one, which then returns its error. The number of
	// affected rows is -1 if it is unknown yet.
	Do(args []Value) (rowsAffected int64, err error)
	// ExecEach executes the statement with each list of arguments, in order, until one fails.
	ExecEach(lists [][]Value) (rowsAffected []int64, err error)
	// Ahead may send a query with the next statement, so that a later Query with the same arguments
	// needs no trip.
	Ahead(args []Value) error
	// Query executes the statement and returns its rows. No other statement of the session runs
	// before they are closed.
	Query(args []Value) (Rows, error)
}

// Rows are the rows of a statement.
type Rows interface {
	// Columns returns the number of columns.
	Columns() int
	// Next copies the next row to values, which are valid until the following call. It returns
	// io.EOF after the last row.
	Next(values []Value) error
	Close() error
}

// Table describes a table for exports and imports.
type Table struct {
	Name    string
	Columns []string // in order, without generated ones
	Key     []string // columns by which rows are ordered
}

// Step changes a tenant's data from one version of the schema to the next.
type Step struct {
	Name string // for logs and errors
	SQL  string // one or more statements for SQLite, without BEGIN and COMMIT
	// Postgres has the statements for PostgreSQL, which change the data of all tenants together. A
	// statement contains no semicolon.
	Postgres string
}

// Failure is the reason why a tenant cannot be served.
type Failure struct {
	ID    ID
	Err   error
	Since time.Time
}
