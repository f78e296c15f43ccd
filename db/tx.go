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

// Dialect names the engine's SQL where it matters: full-text search, JSON
// arrays.
type Dialect int

// SQLite is the one engine of today.
const SQLite Dialect = 1

// Tx is a transaction on one tenant's data. It is valid inside the function
// that was given it, on that function's goroutine.
//
// The first statement that fails ends it: later statements return the same
// error, and so does Update. A row that is not there is no failure.
type Tx struct {
	ctx       context.Context
	conn      *conn
	now       time.Time
	err       error // the first failure
	wrote     bool  // something may have been written
	streaming bool  // rows are being read
	one       bool  // no transaction: one statement may run
	done      bool

	statements uint64   // that it has run
	after      []func() // called when it is stored
}

// Row is one row of a result.
type Row interface {
	// Scan stores the row's columns where dest points: *int64, *int, *string,
	// *bool, *float64, *[]byte, *time.Time (from milliseconds), their named
	// types, a pointer to such a pointer where the value may be NULL, or a
	// sql.Scanner.
	Scan(dest ...any) error
}

// AfterCommit has fn called once the transaction is stored for good, before
// Update returns; never if it is not stored. It is how a function that may run
// again has an effect outside. In View and Create fn is not called.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Now is the transaction's time: the same for all of it, UTC, in whole
// milliseconds.
func (tx *Tx) Now() time.Time { return tx.now }

// Dialect says whose SQL the transaction speaks.
func (tx *Tx) Dialect() Dialect { return SQLite }

// Exec executes a statement and returns how many rows it inserted, updated or
// deleted. A time.Time argument is stored as integer milliseconds.
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
		tx.wrote = true
	}
	return n, nil
}

// QueryRow reads the first row of a result, whole, before it returns. Scan of
// the returned Row gives [ErrNotFound] if there is none, or the statement's
// failure.
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

// Query returns what scan makes of each row: all of them, read before it
// returns; an empty slice, never nil, if there are none.
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

// Each calls fn with every row, as it is read: for results too large to hold.
// The Row is fn's until it returns; another statement inside fn is refused.
func (tx *Tx) Each(query string, args []any, fn func(Row) error) error {
	return tx.read(query, args, func(r *row) (bool, error) {
		err := fn(r)
		return err == nil, err
	})
}

// read runs a statement and passes its rows on until fn wants no more.
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
	defer func() { // also when fn panics: open rows would make COMMIT fail
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
			tx.wrote = true
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
			return nil // a change is run to its end
		}
	}
}

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
	if err == nil && st.verb == verbOther { // one of the store's own
		err = ErrStatement
	}
	if err != nil {
		return nil, nil, tx.fail(query, err)
	}
	tx.statements++
	return st, named, nil
}

func (tx *Tx) fail(query string, err error) error {
	return tx.latch(fmt.Errorf("%s: %w", abbreviate(query), err))
}

func (tx *Tx) latch(err error) error {
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// brief is the beginning of a statement, for errors. Values are never in it.
func abbreviate(query string) string {
	const most = 60
	s := strings.Join(strings.Fields(query), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
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
