package db

import (
	"errors"
	"fmt"
)

// Errors returned by a store. Compare them with errors.Is.
var (
	// ErrInvalidID means that a text is not a tenant UID, see [ParseID].
	ErrInvalidID = errors.New("a tenant UID must be 3 to 40 of a-z, 0-9 and -, and must not start or end with -")
	// ErrNoTenant means that no tenant has the UID.
	ErrNoTenant = errors.New("no such tenant")
	// ErrExists means that a tenant or a file of that name exists already.
	ErrExists = errors.New("already exists")
	// ErrNotFound means that a query has no row. A missing tenant is [ErrNoTenant].
	ErrNotFound = errors.New("no such row")

	// ErrConstraint means that a constraint failed. The four following kinds match it too.
	ErrConstraint = errors.New("constraint failed")
	ErrUnique     = fmt.Errorf("unique or primary key %w", ErrConstraint)
	ErrForeignKey = fmt.Errorf("foreign key %w", ErrConstraint)
	ErrCheck      = fmt.Errorf("check %w", ErrConstraint)
	ErrNotNull    = fmt.Errorf("not null %w", ErrConstraint)

	// ErrBusy means that another process locked the file for longer than the busy timeout. Nothing
	// was written; the caller may retry.
	ErrBusy = errors.New("the tenant's file is in use by another process")
	// ErrConnection means that the connection to the database failed, or that the database cannot
	// be reached. Nothing was written.
	ErrConnection = errors.New("the connection to the database failed")
	// ErrUnusable means that a database cannot store tenants until its operator applies the remedy in
	// the error. Nothing was written.
	ErrUnusable = errors.New("the database cannot be used")
	// ErrTooManyFiles means that this process has reached its limit of open files.
	ErrTooManyFiles = errors.New("too many open files")
	// ErrFull means that the disk is full or the file has reached its size limit.
	ErrFull = errors.New("no space left for the tenant's file")
	// ErrFilesRemoved means that somebody removed or replaced the tenant's files while they were
	// open.
	ErrFilesRemoved = errors.New("the shop's open files were removed or replaced")
	// ErrReadOnly means that a View wrote, or that the file is not writable.
	ErrReadOnly = errors.New("read only")
	// ErrInterrupted means that a statement was interrupted because its context has ended.
	ErrInterrupted = errors.New("interrupted")
	// ErrCorrupt means that the file is damaged or is not a database.
	ErrCorrupt = errors.New("the tenant's file is damaged")
	// ErrIO means that a file could not be opened, read or written.
	ErrIO = errors.New("input or output failed")
	// ErrNotTenantFile means that a file is not a tenant's file, although it may be a database.
	ErrNotTenantFile = errors.New("not a tenant's file of this program")
	// ErrForeignSchema means that the schema in a file is not this program's: it was changed by hand,
	// or the file was forged.
	ErrForeignSchema = errors.New("the file's schema is not this program's")
	// ErrNewer means that a file, backup or export was written by a newer program.
	ErrNewer = errors.New("written by a newer version of this program: start that version, or restore an older backup")
	// ErrOutdated means that a tenant's file has an older schema, which a command does not upgrade.
	ErrOutdated = errors.New("the schema of the shop's file is older than this program's")
	// ErrOtherServer means that a server with another schema runs on the folder. It could not
	// open the files that this process would write.
	ErrOtherServer = errors.New("a server of another version is running on this data folder")
	// ErrOtherUser means that the folder's files belong to another user, who could not open files of
	// this process.
	ErrOtherUser = errors.New("the data folder belongs to another user")
	// ErrOlder means that an export has an older schema, which Import does not convert.
	ErrOlder = errors.New("written by an older version of this program: restore it with storefront restore, which upgrades it")
	// ErrUpgrade means that a schema step failed. The file is unchanged.
	ErrUpgrade = errors.New("the shop's file could not be migrated to the newest schema")
	// ErrUnknownOutcome means that a commit failed and it is unknown whether the work is stored. The
	// caller may retry with the same idempotency key.
	ErrUnknownOutcome = errors.New("outcome unknown: the commit was interrupted")

	// ErrNested means that the function of a View, Update or Create called View, Update or another
	// method of Store that needs a tenant's file.
	ErrNested = errors.New("a transaction is already running")
	// ErrTxDone means that a Tx was used after its function returned.
	ErrTxDone = errors.New("the transaction has ended")
	// ErrSingleStatement means that the function of ViewOne ran a second statement.
	ErrSingleStatement = errors.New("this view is for one statement")
	// ErrStreaming means that a statement was run while another was reading its rows.
	ErrStreaming = errors.New("another statement is still reading its rows")
	// ErrStatement means that a transaction ran SQL other than a single SELECT, VALUES, WITH,
	// INSERT, UPDATE, DELETE or EXPLAIN statement. The schema belongs to Options, and transactions
	// are begun and ended by the store.
	ErrStatement = errors.New("only single SELECT, VALUES, WITH, INSERT, UPDATE, DELETE and EXPLAIN statements are allowed")
	// ErrExited means that a function of the same commit group ended its goroutine
	// (runtime.Goexit). Nothing was written.
	ErrExited = errors.New("a transaction's function ended its goroutine")

	// ErrLocked means that another server has locked the data folder.
	ErrLocked = errors.New("another server is running on this data folder")
	// ErrClosed means that the store is closed.
	ErrClosed = errors.New("the store is closed")
)

// Error is an error of an engine. errors.Is reports which error of this package it matches. Its
// text never contains a bound value.
type Error struct {
	Kind error // the matching error of this package, if any
	Err  error // the engine's
}

func (e *Error) Error() string {
	if e.Kind == nil {
		return e.Err.Error()
	}
	return e.Kind.Error() + ": " + e.Err.Error()
}

// Unwrap returns the matching error of this package, if any, and the engine's error.
func (e *Error) Unwrap() []error {
	if e.Kind == nil {
		return []error{e.Err}
	}
	return []error{e.Kind, e.Err}
}

// IsUnwritable reports whether err means that a tenant cannot be written now. A use case that
// reads need not fail if it cannot store what it has derived.
func IsUnwritable(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrBusy)
}

// PanicError is the value that Update panics with when its function panicked. The function ran on
// the writer's goroutine, so Stack preserves its stack.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string {
	return fmt.Sprintf("%v\n\nstack of the transaction:\n%s", p.Value, p.Stack)
}

// Unwrap returns the panic's value if it is an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
