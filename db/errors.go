package db

import (
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of the store. Each is found with errors.Is.
var (
	ErrInvalidID = errors.New("not a tenant UID: 3 to 40 of a-z, 0-9 and -, no - at either end")
	ErrNoTenant  = errors.New("no such tenant")
	ErrExists    = errors.New("already exists")
	// ErrNotFound is a row that is not there, never a tenant ([ErrNoTenant]).
	ErrNotFound = errors.New("no such row")

	// ErrConstraint is any broken constraint; the kinds below are also it.
	ErrConstraint = errors.New("constraint failed")
	ErrUnique     = fmt.Errorf("unique or primary key %w", ErrConstraint)
	ErrForeignKey = fmt.Errorf("foreign key %w", ErrConstraint)
	ErrCheck      = fmt.Errorf("check %w", ErrConstraint)
	ErrNotNull    = fmt.Errorf("not null %w", ErrConstraint)

	// ErrBusy means that another process held the file for longer than the
	// busy timeout. Nothing was written; try again.
	ErrBusy = errors.New("the tenant's file is in use by another process")
	// ErrTooManyFiles means that this process has as many files open as it may.
	ErrTooManyFiles = errors.New("too many open files")
	// ErrFull means that the disk, or the file's size limit, is full.
	ErrFull = errors.New("no space left for the tenant's file")
	// ErrReadOnly is a write inside View, or a file that may not be written.
	ErrReadOnly = errors.New("read only")
	ErrCorrupt  = errors.New("the tenant's file is damaged")
	ErrIO       = errors.New("input or output failed")
	// ErrNotTenantFile is a file in the tenants' folder that no store has made.
	ErrNotTenantFile = errors.New("not a tenant's file of this program")
	// ErrNewer is a file, backup or export of a newer program.
	ErrNewer = errors.New("made by a newer version of this program: start that version, or restore an older backup")
	// ErrOlder is an export of an older schema, which Import does not convert.
	ErrOlder = errors.New("made by an older version of this program: import it with that version, then upgrade")
	// ErrUnknownOutcome means that the commit failed in a way that leaves open
	// whether the work is stored. Try again with the same idempotency key.
	ErrUnknownOutcome = errors.New("outcome unknown: the commit was interrupted")

	// ErrNested is a View or Update (or another method of Store that needs a
	// tenant's file) called by the function of another.
	ErrNested = errors.New("a transaction is already running")
	// ErrTxDone is a Tx used after its function returned.
	ErrTxDone = errors.New("the transaction has ended")
	// ErrSingleStatement is a second statement in ViewOne.
	ErrSingleStatement = errors.New("this view is for one statement")
	// ErrStreaming is a statement issued while rows are being read.
	ErrStreaming = errors.New("another statement is still reading its rows")
	// ErrStatement is SQL that a transaction may not issue: only SELECT,
	// VALUES, WITH, INSERT, UPDATE, DELETE and EXPLAIN are allowed, one at a
	// time. The schema belongs to Options, transactions to the store.
	ErrStatement = errors.New("only single SELECT, VALUES, WITH, INSERT, UPDATE, DELETE and EXPLAIN statements are allowed")
	// ErrExited means that a function of the same commit group ended its
	// goroutine (runtime.Goexit). Nothing was written.
	ErrExited = errors.New("a transaction's function ended its goroutine")

	// ErrLocked means that another server holds the data folder.
	ErrLocked = errors.New("another server is running on this data folder")
	ErrClosed = errors.New("the store is closed")
)

// errMoved tells that the open file is no longer the tenant's: it was dropped
// or replaced by another process. The store opens what is there now instead.
var errMoved = errors.New("the tenant's file was moved away")

// Error is an error of the engine with its extended result code. What it means
// is found with errors.Is against the errors of this package. Its text never
// holds a bound value.
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

// Unwrap makes both the meaning and the driver's error visible to errors.Is.
func (e *Error) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.kind, e.err}
}

// coder is the driver's error; an interface so that tests can make one.
type coder interface {
	error
	Code() int
}

// translate gives an error of the driver its meaning, by code alone.
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

// rolledBack reports whether a failed COMMIT surely stored nothing. Of every
// other failure the file alone knows the outcome.
func rolledBack(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrBusy) || errors.Is(err, ErrConstraint)
}

// PanicError is what Update panics with when its function panicked: the
// function ran on the writer's goroutine, so its stack would be lost.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string {
	return fmt.Sprintf("%v\n\nstack of the transaction:\n%s", p.Value, p.Stack)
}

// Unwrap returns the panic's value if it was an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
