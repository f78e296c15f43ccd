package db

import (
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
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

	// ErrConstraint means that a constraint failed. The four kinds that follow match it too.
	ErrConstraint = errors.New("constraint failed")
	ErrUnique     = fmt.Errorf("unique or primary key %w", ErrConstraint)
	ErrForeignKey = fmt.Errorf("foreign key %w", ErrConstraint)
	ErrCheck      = fmt.Errorf("check %w", ErrConstraint)
	ErrNotNull    = fmt.Errorf("not null %w", ErrConstraint)

	// ErrBusy means that another process locked the file for longer than the busy timeout. Nothing
	// was written; the caller may retry.
	ErrBusy = errors.New("the tenant's file is in use by another process")
	// ErrTooManyFiles means that this process has reached its limit of open files.
	ErrTooManyFiles = errors.New("too many open files")
	// ErrFull means that the disk is full or the file has reached its size limit.
	ErrFull = errors.New("no space left for the tenant's file")
	// ErrReadOnly means that a View wrote, or that the file is not writable.
	ErrReadOnly = errors.New("read only")
	// ErrCorrupt means that the file is damaged or is not a database.
	ErrCorrupt = errors.New("the tenant's file is damaged")
	// ErrIO means that a file could not be opened, read or written.
	ErrIO = errors.New("input or output failed")
	// ErrNotTenantFile means that a file is not a tenant's file, although it may be a database.
	ErrNotTenantFile = errors.New("not a tenant's file of this program")
	// ErrForeignSchema means that the schema in a file is not the one that this program creates: it was
	// changed by hand, or the file was forged.
	ErrForeignSchema = errors.New("the file's schema is not that of this program")
	// ErrNewer means that a file, backup or export was written by a newer program.
	ErrNewer = errors.New("written by a newer version of this program: start that version, or restore an older backup")
	// ErrOlder means that an export has an older schema, which Import does not convert.
	ErrOlder = errors.New("written by an older version of this program: import it with that version, then upgrade")
	// ErrUnknownOutcome means that the commit failed in a way that leaves open whether the work is
	// stored. The caller may retry with the same idempotency key.
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

// errMoved means that the open file is no longer the tenant's: another process dropped or replaced
// it. The store then opens the current file.
var errMoved = errors.New("the tenant's file was moved away")

// Error is an error of the engine with its extended result code. errors.Is reports which error of
// this package it matches. Its text never contains a bound value.
type Error struct {
	Code int // SQLite's extended result code
	kind error
	err  error
}

func (e *Error) Error() string {
	if e.kind == nil {
		return e.err.Error()
	}
	return e.kind.Error() + ": " + e.err.Error()
}

// Unwrap returns the matching error of this package, if any, and the driver's error.
func (e *Error) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.kind, e.err}
}

// coder is the driver's error, an interface so that tests can create one.
type coder interface {
	error
	Code() int
}

// translate converts an error of the driver to an [Error], by its code alone.
func translate(err error) error {
	var c coder
	if err == nil || !errors.As(err, &c) {
		return err
	}
	return &Error{Code: c.Code(), kind: errorKind(c.Code()), err: err}
}

func errorKind(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return ErrUnique
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrForeignKey
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return ErrCheck
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return ErrNotNull
	}
	switch code & 0xff {
	case sqlite3.SQLITE_CONSTRAINT:
		return ErrConstraint
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrBusy
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_READONLY:
		return ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return ErrCorrupt
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return ErrIO
	}
	return nil
}

// rolledBack reports whether a failed COMMIT has certainly stored nothing. After any other failure
// the outcome is unknown until the file is read.
func rolledBack(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrBusy) || errors.Is(err, ErrConstraint)
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
