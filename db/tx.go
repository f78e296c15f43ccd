package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Dialect identifies an engine's SQL, for the few statements that differ between engines: full-text
// search and JSON arrays.
type Dialect int

// SQLite is the dialect of this package's engine.
const SQLite Dialect = 1

// Tx is a transaction on one tenant's data. It is valid until the function that received it returns,
// and on that function's goroutine only.
//
// The first statement that fails ends the transaction: later statements and Update return the same
// error. A missing row is not a failure.
type Tx struct {
	ctx       context.Context
	conn      *conn
	now       time.Time
	err       error           // the first failure
	wrote     bool            // something may have been written
	content   bool            // the public content may have been changed
	private   map[string]bool // tables that are not public content
	streaming bool            // rows are being read
	one       bool            // only one statement may run, outside a transaction
	done      bool

	statements uint64   // number of statements run
	after      []func() // called once it is stored
}

// Row is one row of a result.
type Row interface {
	// Scan copies the row's columns into the values that dest points to. Each is a *int64, *int,
	// *string, *bool, *float64, *[]byte, *time.Time (from milliseconds), a pointer to a named type
	// of one of these, a pointer to such a pointer for a value that may be NULL, or a sql.Scanner.
	Scan(dest ...any) error
}

// AfterCommit registers fn to be called once the transaction is durably stored, before Update
// returns. fn is not called if the transaction is not stored, nor in View and Create. Effects outside
// the transaction belong there, since the function passed to Update may run more than once.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Now returns the time of the transaction, in UTC and whole milliseconds. It is the same during the
// whole transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// Dialect returns the SQL dialect of the transaction's engine.
func (tx *Tx) Dialect() Dialect { return SQLite }

// Exec executes a statement and returns the number of rows that it inserted, updated or deleted. A
// time.Time argument is stored as integer milliseconds.
func (tx *Tx) Exec(query string, args ...any) (rowsAffected int64, err error) {
	st, named, err := tx.start(query, args)
	if err != nil {
		return 0, err
	}
	res, err := st.exec.ExecContext(context.Background(), named)
	if err != nil {
		return 0, tx.fail(query, translate(err))
	}
	if st.verb == verbRead {
		return 0, nil
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, tx.fail(query, translate(err))
	}
	if n > 0 || st.verb == verbWith {
		tx.markWritten(st)
	}
	return n, nil
}

// QueryRow runs a query and returns its first row. The row's Scan returns [ErrNotFound] if there is
// none, or the error of the query.
func (tx *Tx) QueryRow(query string, args ...any) Row {
	var found *row
	err := tx.read(query, args, func(r *row) (more bool, err error) {
		if found == nil {
			found = &row{tx: tx, query: query, values: append([]driver.Value(nil), r.values...)}
		}
		return false, nil
	})
	switch {
	case err != nil:
		return failedRow{err}
	case found == nil:
		return failedRow{ErrNotFound}
	}
	return found
}

// Query runs a query and returns the results of calling scan for each row. The slice is empty, never
// nil, if there are no rows.
func Query[T any](tx *Tx, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	all := []T{}
	err := tx.read(query, args, func(r *row) (bool, error) {
		v, err := scan(r)
		if err != nil {
			return false, err
		}
		all = append(all, v)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Each runs a query and calls fn with each row as it is read, for results that are too large for
// memory. The Row is valid until fn returns. fn must not run another statement ([ErrStreaming]).
func (tx *Tx) Each(query string, args []any, fn func(Row) error) error {
	return tx.read(query, args, func(r *row) (bool, error) {
		err := fn(r)
		return err == nil, err
	})
}

// read runs a statement and calls fn with its rows until fn returns false or an error.
func (tx *Tx) read(query string, args []any, fn func(*row) (more bool, err error)) (err error) {
	st, named, err := tx.start(query, args)
	if err != nil {
		return err
	}
	rows, err := st.rows.QueryContext(context.Background(), named)
	if err != nil {
		return tx.fail(query, translate(err))
	}
	tx.streaming = true
	defer func() { // also if fn panics: open rows would make COMMIT fail
		tx.streaming = false
		if cerr := rows.Close(); cerr != nil && err == nil {
			err = tx.fail(query, translate(cerr))
		}
	}()
	r := &row{tx: tx, query: query, values: make([]driver.Value, len(rows.Columns()))}
	for wanted := true; ; {
		switch err := rows.Next(r.values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return tx.fail(query, translate(err))
		}
		if st.verb != verbRead {
			tx.markWritten(st)
		}
		if err := tx.ctx.Err(); err != nil {
			return tx.latch(err)
		}
		if wanted {
			wanted, err = fn(r)
		}
		switch {
		case err != nil:
			return err
		case tx.err != nil:
			return tx.err
		case !wanted && st.verb == verbRead:
			return nil // a statement that writes runs to its end
		}
	}
}

// markWritten records that a statement has written.
func (tx *Tx) markWritten(st *stmt) { tx.wrote, tx.content = true, tx.content || tx.changesContent(st) }

// start checks that a statement may run, and prepares it.
func (tx *Tx) start(query string, args []any) (*stmt, []driver.NamedValue, error) {
	switch {
	case tx.done:
		return nil, nil, ErrTxDone
	case tx.err != nil:
		return nil, nil, tx.err
	case tx.streaming:
		return nil, nil, tx.fail(query, ErrStreaming)
	case tx.one && tx.statements > 0:
		return nil, nil, tx.fail(query, ErrSingleStatement)
	}
	if err := tx.ctx.Err(); err != nil {
		return nil, nil, tx.latch(err)
	}
	named, err := tx.conn.bind(args)
	if err != nil {
		return nil, nil, tx.fail(query, err)
	}
	if _, known := tx.conn.stmts[query]; !known && parseVerb(query) == verbOther {
		return nil, nil, tx.fail(query, ErrStatement)
	}
	st, err := tx.conn.statement(query)
	if err == nil && st.verb == verbOther { // one of the store's own statements
		err = ErrStatement
	}
	if err != nil {
		return nil, nil, tx.fail(query, err)
	}
	tx.statements++
	return st, named, nil
}

func (tx *Tx) fail(query string, err error) error {
	if cause := tx.ctx.Err(); cause != nil && isInterrupted(err) {
		err = cause
	}
	return tx.latch(fmt.Errorf("%s: %w", abbreviate(query), err))
}

func (tx *Tx) latch(err error) error {
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// abbreviate returns the beginning of a statement, for errors. It contains no bound values.
func abbreviate(query string) string {
	const maxLen = 60
	s := strings.Join(strings.Fields(query), " ")
	if len(s) > maxLen {
		s = strings.ToValidUTF8(s[:maxLen], "") + "…"
	}
	return s
}

type row struct {
	tx     *Tx
	query  string
	values []driver.Value
}

func (r *row) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return r.tx.fail(r.query, fmt.Errorf("scan %d columns into %d", len(r.values), len(dest)))
	}
	for i, d := range dest {
		if err := assign(d, r.values[i]); err != nil {
			return r.tx.fail(r.query, fmt.Errorf("column %d: %w", i+1, err))
		}
	}
	return nil
}

// failedRow is a row that could not be read.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
