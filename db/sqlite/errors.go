package sqlite

import (
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"storefront/db"
)

// errMoved means that the open file is no longer the tenant's: another process dropped or replaced
// it. The store then opens the current file.
var errMoved = errors.New("the tenant's file was moved away")

// coder is the driver's error, an interface so that tests can create one.
type coder interface {
	error
	Code() int
}

// translate converts an error of the driver to a [db.Error], by its code alone.
func translate(err error) error {
	var c coder
	if err == nil || !errors.As(err, &c) {
		return err
	}
	return &db.Error{Kind: errorKind(c.Code()), Err: err}
}

// isNoTransaction reports whether an error of ROLLBACK means that no transaction is active. SQLite
// returns the generic code 1 then, and only then.
func isNoTransaction(err error) bool {
	var c coder
	return errors.As(err, &c) && c.Code() == 1
}

func errorKind(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return db.ErrUnique
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return db.ErrForeignKey
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return db.ErrCheck
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return db.ErrNotNull
	}
	switch code & 0xff {
	case sqlite3.SQLITE_INTERRUPT:
		return db.ErrInterrupted
	case sqlite3.SQLITE_CONSTRAINT:
		return db.ErrConstraint
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return db.ErrBusy
	case sqlite3.SQLITE_FULL:
		return db.ErrFull
	case sqlite3.SQLITE_READONLY:
		return db.ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return db.ErrCorrupt
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return db.ErrIO
	}
	return nil
}

// rolledBack reports whether a failed COMMIT has certainly stored nothing. After any other failure
// the outcome is unknown until the file is read.
func rolledBack(err error) bool {
	return errors.Is(err, db.ErrFull) || errors.Is(err, db.ErrBusy) || errors.Is(err, db.ErrConstraint)
}
