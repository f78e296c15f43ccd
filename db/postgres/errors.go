package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"storefront/db"
)

// errMoved means that the tenant's data is no longer in this place: it was dropped, or replaced by
// other data. The store then finds the current place.
var errMoved = errors.New("the tenant's data was moved away")

// serverError is an error of the database. Its text contains no value, unlike PostgreSQL's detail
// and its messages about invalid values.
type serverError struct {
	code, message string
}

func (e *serverError) Error() string {
	if e.message == "" {
		return "SQLSTATE " + e.code
	}
	return e.message + " (SQLSTATE " + e.code + ")"
}

// translate converts an error of the driver to a [db.Error], by its code alone. An error without a
// code comes from the connection.
func translate(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !isNetwork(err) {
		return err
	}
	known, ok := errors.AsType[*db.Error](err)
	if ok {
		return known
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return &db.Error{Kind: db.ErrConnection, Err: err}
	}
	server := &serverError{code: pg.Code, message: pg.Message}
	if pg.Code[:2] == "22" {
		server.message = ""
	}
	return &db.Error{Kind: errorKind(pg.Code), Err: server}
}

// isUserCancellation reports whether a statement was cancelled by a request, not by a time limit of
// the server, which has the same code. The texts of a server in another language are unknown.
func isUserCancellation(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "57014" && strings.Contains(pg.Message, "user request")
}

// isNetwork reports whether an error means that a connection's deadline has passed.
func isNetwork(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && e.Timeout()
}

// errorKind returns the error of package db for a SQLSTATE.
func errorKind(code string) error {
	switch code {
	case "23505":
		return db.ErrUnique
	case "23503":
		return db.ErrForeignKey
	case "23514":
		return db.ErrCheck
	case "23502":
		return db.ErrNotNull
	case "22P02", "22003", "22021", "22P05", "42804":
		return db.ErrConstraint
	case "25006":
		return db.ErrReadOnly
	case "57014":
		return db.ErrInterrupted
	case "40001", "40P01", "55P03", "53300":
		return db.ErrBusy
	case "53100":
		return db.ErrFull
	case "25P03", "25P04": // idle in a transaction for too long
		return db.ErrConnection
	case "XX001", "XX002":
		return db.ErrCorrupt
	case "58030":
		return db.ErrIO
	}
	switch code[:2] {
	case "08", "57":
		return db.ErrConnection
	case "23":
		return db.ErrConstraint
	}
	return nil
}

// isLost reports whether an error means that the connection, or the server behind it, is no longer
// usable: it is closed, and uncommitted work is lost.
func isLost(err error) bool { return errors.Is(err, db.ErrConnection) }

func unexpected(what any) error { return fmt.Errorf("unexpected response of the database: %T", what) }
