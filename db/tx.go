package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Dialect identifies an engine's SQL, for the few statements that differ between engines: full-text
// search and JSON arrays.
type Dialect int

const (
	SQLite   Dialect = 1
	Postgres Dialect = 2
)

// Tx is a transaction on one tenant's data. It is valid until the function that received it
// returns, and on that function's goroutine only.
//
// The first statement that fails ends the transaction: later statements and Update return the same
// error. A missing row is not a failure.
type Tx struct {
	ctx       context.Context
	session   Session
	now       time.Time
	err       error                   // the first failure
	extent    extent                  // what may have been written
	limit     extent                  // what writes change at most; 0 means no limit
	private   map[string]bool         // tables without public content
	fault     func(call string) error // nil means none
	streaming bool                    // rows are being read
	one       bool                    // only one statement may run, outside a transaction
	done      bool

	statements uint64      // number of statements run
	after      []func()    // called once it is stored
	attached   map[any]any // see Attach
}

// Row is one row of a result.
type Row interface {
	// Scan copies the row's columns into the values that dest points to. Each is a *int64, *int,
	// *string, *bool, *float64, *[]byte, *time.Time (from milliseconds), a pointer to a named type
	// of one of these, a pointer to such a pointer for a value that may be NULL, or a sql.Scanner.
	Scan(dest ...any) error
}

// AfterCommit registers fn to be called once the transaction is durably stored, before Update
// returns. fn is not called if the transaction is not stored, nor in View and Create. Effects
// outside the transaction belong there, since the function passed to Update may run more than once.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Attach stores a value under a key for later code of the same transaction, such as the caller. The
// key must have a type of its own.
func (tx *Tx) Attach(key, value any) {
	if tx.attached == nil {
		tx.attached = map[any]any{}
	}
	tx.attached[key] = value
}

// Attached returns the value that was attached under a key, nil if there is none.
func (tx *Tx) Attached(key any) any { return tx.attached[key] }

// SkipContentVersion declares that the following writes of the transaction do not change public
// content, in any table. They leave the content version unchanged.
func (tx *Tx) SkipContentVersion() { tx.limit = private }

// OnlyQuantities declares that the following writes, until end is called, change nothing public
// beside quantities and sales figures. They leave the page version unchanged.
func (tx *Tx) OnlyQuantities() (end func()) {
	before := tx.limit
	if before == 0 {
		tx.limit = quantities
	}
	return func() { tx.limit = before }
}

// part runs fn as a transaction that is a part of this one, at another time.
func (tx *Tx) part(now time.Time, fn func(ctx context.Context, part *Tx) error) error {
	part := &Tx{ctx: tx.ctx, session: tx.session, now: now, private: tx.private, err: tx.err, fault: tx.fault}
	err := cmp.Or(fn(part.ctx, part), part.err)
	part.done = true
	tx.statements += part.statements
	tx.extent = max(tx.extent, part.extent)
	if err != nil && part.extent != 0 {
		return tx.latch(err)
	}
	tx.err = part.err
	return err
}

// Now returns the time of the transaction, in UTC and whole milliseconds. It is the same during the
// whole transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// Dialect returns the SQL dialect of the transaction's engine.
func (tx *Tx) Dialect() Dialect { return tx.session.Dialect() }

// Exec executes a statement and returns the number of inserted, updated or deleted rows. A
// time.Time argument is stored as integer milliseconds.
func (tx *Tx) Exec(query string, args ...any) (rowsAffected int64, err error) {
	st, values, err := tx.start(query, args)
	if err != nil {
		return 0, err
	}
	n, err := st.Exec(values)
	if err != nil {
		return 0, tx.fail(query, err)
	}
	return tx.count(st, n), nil
}

// count records that a statement was executed and returns the number of changed rows.
func (tx *Tx) count(st Statement, rowsAffected int64) int64 {
	syntax := st.Syntax()
	if syntax.Verb == VerbRead {
		return 0
	}
	if rowsAffected != 0 || syntax.Verb == VerbWith {
		tx.markWritten(syntax)
	}
	return rowsAffected
}

// Do is [Tx.Exec] without the number of rows. An engine on another machine may send it with a later
// statement, which then returns its error, or with the commit. That saves a trip.
func (tx *Tx) Do(query string, args ...any) error {
	st, values, err := tx.start(query, args)
	if err != nil {
		return err
	}
	n, err := st.Do(values)
	if err != nil {
		return tx.fail(query, err)
	}
	tx.count(st, n)
	return nil
}

// Ahead announces a query that the transaction is likely to run, with the same arguments. An engine
// on another machine sends it with the next statement, which saves a trip. If the transaction
// writes to the query's tables first, the query is sent again.
func (tx *Tx) Ahead(query string, args ...any) error {
	st, values, err := tx.start(query, args)
	if err != nil {
		return err
	}
	tx.statements--
	if err := st.Ahead(values); err != nil {
		return tx.fail(query, err)
	}
	return nil
}

// ExecEach executes a statement once for each list of arguments, in their order, and returns the
// number of inserted, updated or deleted rows of each execution. It ends with the first failure. An
// engine on another machine needs one trip for all of them.
func (tx *Tx) ExecEach(query string, lists [][]any) (rowsAffected []int64, err error) {
	if len(lists) == 0 {
		return nil, nil
	}
	st, _, err := tx.start(query, nil)
	if err != nil {
		return nil, err
	}
	bound := make([][]Value, len(lists))
	for i, args := range lists {
		if bound[i], err = appendValues(make([]Value, 0, len(args)), args, tx.session); err != nil {
			return nil, tx.fail(query, err)
		}
	}
	tx.statements += uint64(len(lists)) - 1
	rowsAffected, err = st.ExecEach(bound)
	if err != nil {
		return nil, tx.fail(query, err)
	}
	for i, n := range rowsAffected {
		rowsAffected[i] = tx.count(st, n)
	}
	return rowsAffected, nil
}

// QueryRow runs a query and returns its first row. The row's Scan returns [ErrNotFound] if there is
// none, or the error of the query.
func (tx *Tx) QueryRow(query string, args ...any) Row {
	var found *row
	err := tx.read(query, args, func(r *row) (more bool, err error) {
		if found == nil {
			found = &row{tx: tx, query: query, values: append([]Value(nil), r.values...)}
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

// Query runs a query and returns the results of calling scan for each row. The slice is empty,
// never nil, if there are no rows.
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

// Each runs a query and calls fn with each row during the reading, for results that are too large
// for memory. The Row is valid until fn returns. fn must not run another statement
// ([ErrStreaming]).
func (tx *Tx) Each(query string, args []any, fn func(Row) error) error {
	return tx.read(query, args, func(r *row) (bool, error) {
		err := fn(r)
		return err == nil, err
	})
}

// read runs a statement and calls fn with its rows until fn returns false or an error.
func (tx *Tx) read(query string, args []any, fn func(*row) (more bool, err error)) (err error) {
	st, bound, err := tx.start(query, args)
	if err != nil {
		return err
	}
	rows, err := st.Query(bound)
	if err != nil {
		return tx.fail(query, err)
	}
	syntax := st.Syntax()
	tx.streaming = true
	defer func() { // also if fn panics: open rows would make COMMIT fail
		tx.streaming = false
		if cerr := rows.Close(); cerr != nil && err == nil {
			err = tx.fail(query, cerr)
		}
	}()
	r := &row{tx: tx, query: query, values: make([]Value, rows.Columns())}
	for wanted := true; ; {
		switch err := rows.Next(r.values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return tx.fail(query, err)
		}
		if syntax.Verb != VerbRead {
			tx.markWritten(syntax)
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
		case !wanted && syntax.Verb == VerbRead:
			return nil // a statement that writes runs to its end
		}
	}
}

// markWritten records that a statement has written.
func (tx *Tx) markWritten(syntax Syntax) {
	found := content
	if !tx.changesContent(syntax.Table) {
		found = private
	} else if tx.limit != 0 {
		found = tx.limit
	}
	tx.extent = max(tx.extent, found)
}

// start checks that a statement may run, and prepares it and its arguments.
func (tx *Tx) start(query string, args []any) (Statement, []Value, error) {
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
	if tx.fault != nil {
		if err := tx.fault(CallStatement); err != nil {
			return nil, nil, tx.fail(query, err)
		}
	}
	buffer := tx.session.Buffer()
	values, err := appendValues((*buffer)[:0], args, tx.session)
	if err != nil {
		return nil, nil, tx.fail(query, err)
	}
	*buffer = values
	st, err := tx.session.Statement(query)
	if err != nil {
		return nil, nil, tx.fail(query, err)
	}
	tx.statements++
	return st, values, nil
}

// appendValues appends the values of a statement's arguments.
func appendValues(values []Value, args []any, session Session) ([]Value, error) {
	for i, arg := range args {
		if scoped, ok := arg.(ScopedText); ok {
			arg = strings.ReplaceAll(string(scoped), string(ScopeMark), session.Scope())
		}
		v, err := bindValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		values = append(values, v)
	}
	return values, nil
}

func (tx *Tx) fail(query string, err error) error {
	if cause := tx.ctx.Err(); cause != nil && errors.Is(err, ErrInterrupted) {
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
	values []Value
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
