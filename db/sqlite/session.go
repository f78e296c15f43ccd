package sqlite

import (
	"context"
	"database/sql/driver"
	"io"

	"storefront/db"
)

// Statement implements [db.Session]. The store's own statements, which begin and end transactions,
// are refused.
func (c *conn) Statement(query string) (db.Statement, error) {
	if _, known := c.stmts[query]; !known && db.ParseSyntax(query).Verb == db.VerbOther {
		return nil, db.ErrStatement // preparing it may have an effect
	}
	st, err := c.statement(query)
	if err != nil {
		return nil, err
	}
	if st.syntax.Verb == db.VerbOther {
		return nil, db.ErrStatement
	}
	return st, nil
}

// Dialect implements [db.Session].
func (c *conn) Dialect() db.Dialect { return db.SQLite }

// Scope implements [db.Session]: each file has an index of its own.
func (c *conn) Scope() string { return "" }

// Buffer implements [db.Session].
func (c *conn) Buffer() *[]db.Value { return &c.buffer }

// named returns a statement's arguments as the driver expects them. The slice is valid until the
// next statement of the connection.
func (c *conn) named(args []db.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, arg := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return c.args
}

func (st *stmt) Syntax() db.Syntax { return st.syntax }

func (st *stmt) Exec(args []db.Value) (rowsAffected int64, err error) {
	res, err := st.exec.ExecContext(context.Background(), st.conn.named(args))
	if err == nil {
		rowsAffected, err = res.RowsAffected()
	}
	return rowsAffected, translate(err)
}

func (st *stmt) Do(args []db.Value) (rowsAffected int64, err error) { return st.Exec(args) }

func (st *stmt) ExecEach(lists [][]db.Value) (rowsAffected []int64, err error) {
	rowsAffected = make([]int64, len(lists))
	for i, args := range lists {
		if rowsAffected[i], err = st.Exec(args); err != nil {
			return nil, err
		}
	}
	return rowsAffected, nil
}

func (st *stmt) Ahead([]db.Value) error { return nil }

func (st *stmt) Query(args []db.Value) (db.Rows, error) {
	raw, err := st.rows.QueryContext(context.Background(), st.conn.named(args))
	if err != nil {
		return nil, translate(err)
	}
	// A connection has rows of one query at a time.
	st.conn.rows = rows{raw}
	return &st.conn.rows, nil
}

// rows are the rows of a query.
type rows struct{ raw driver.Rows }

func (r *rows) Columns() int { return len(r.raw.Columns()) }

func (r *rows) Next(values []db.Value) error {
	err := r.raw.Next(values)
	if err == nil || err == io.EOF {
		return err
	}
	return translate(err)
}

func (r *rows) Close() error { return translate(r.raw.Close()) }
