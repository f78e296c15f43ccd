package postgres

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"storefront/db"
)

// Limits of the data waiting to be sent with a later statement.
const (
	maxWaiting      = 64
	maxWaitingBytes = 1 << 20
)

// session runs statements of one tenant on a link. It implements [db.Session].
type session struct {
	engine  *Engine
	shop    int64
	ctx     context.Context // interrupts the running statement when it ends
	link    *link
	waiting []*op        // sent with the next statement that needs its result
	bytes   int          // of their arguments
	loading loading      // sent before the waiting statements
	part    int          // position of the savepoint in waiting; -1 if it was sent
	ahead   []*announced // queries, in order
	view    bool         // it only reads
	done    bool         // a response has been returned: the session cannot begin again
	analyze bool         // it is time to check the statistics
	// renew, if not nil, replaces a lost link before the first response.
	renew func() error

	buffer []db.Value
}

// Statement implements [db.Session].
func (s *session) Statement(query string) (db.Statement, error) {
	sc, err := s.engine.translate(query)
	if err != nil {
		return nil, err
	}
	return &statement{session: s, scoped: sc}, nil
}

// translate returns the translation of a statement. Each is translated once.
func (e *Engine) translate(query string) (*scoped, error) {
	if known, ok := e.scoped.Load(query); ok {
		return known.(*scoped), nil
	}
	sc, err := scope(e.schema, query)
	if err != nil {
		return nil, err
	}
	if e.translations.Add(1) > maxTranslations {
		e.scoped.Clear()
		e.translations.Store(1)
	}
	e.scoped.Store(query, sc)
	if e.opts.Translated != nil {
		e.opts.Translated(query)
	}
	return sc, nil
}

// Tables implements [db.Session].
func (s *session) Tables() ([]db.Table, error) {
	var tables []db.Table
	for _, t := range s.engine.schema.order {
		if !t.index {
			tables = append(tables, db.Table{Name: t.name, Columns: t.columns, Key: t.key})
		}
	}
	return tables, nil
}

// Dialect implements [db.Session].
func (s *session) Dialect() db.Dialect { return db.Postgres }

// Scope implements [db.Session].
func (s *session) Scope() string { return scopePrefix(s.shop) }

// Buffer implements [db.Session].
func (s *session) Buffer() *[]db.Value { return &s.buffer }

// trip sends the loaded rows, the waiting statements, and last, unless it is nil.
func (s *session) trip(last *op, stream bool) (*results, error) {
	if err := s.store(); err != nil {
		return nil, err
	}
	ops := s.waiting
	s.waiting, s.bytes, s.part = nil, 0, -1
	if last != nil {
		ops = append(ops, last)
	}
	if len(ops) == 0 {
		return nil, nil
	}
	if err := s.analyzeGrown(); err != nil {
		return nil, err
	}
	for {
		r, err := s.link.trip(s.ctx, ops, stream)
		if err == nil {
			s.done = true
			s.count(ops)
			return r, nil
		}
		if !isLost(err) || s.done || s.renew == nil || s.ctx.Err() != nil {
			return nil, err
		}
		if rerr := s.renew(); rerr != nil {
			return nil, errors.Join(rerr, err)
		}
	}
}

// later adds a statement to the waiting ones.
func (s *session) later(o *op) {
	s.waiting = append(s.waiting, o)
	for _, a := range o.args {
		s.bytes += len(a.value)
	}
}

// bare adds a statement such as SAVEPOINT to the waiting ones.
func (s *session) bare(text string) { s.later(&op{text: text, bare: true}) }

// announced is a query announced by [statement.Ahead].
type announced struct {
	*op
	tables []string
	stale  bool // a table was written since
}

// foreseen returns the announced query equal to o, if its rows were read and are still current. The
// announcement ends.
func (s *session) foreseen(o *op) *op {
	for i, q := range s.ahead {
		if q.text != o.text || !slices.EqualFunc(q.args, o.args, argument.equal) {
			continue
		}
		s.ahead = slices.Delete(s.ahead, i, i+1)
		if q.sent && !q.stale {
			return q.op
		}
		if at := slices.Index(s.waiting, q.op); at >= 0 {
			s.waiting = slices.Delete(s.waiting, at, at+1)
			if s.part > at {
				s.part--
			}
		}
		return nil
	}
	return nil
}

// wrote marks announced queries as stale that read a table that the statement may write. A DELETE
// may delete from other tables too.
func (s *session) wrote(sc *scoped) {
	if sc.syntax.Verb == db.VerbRead {
		return
	}
	deletes := len(sc.text) > 6 && strings.EqualFold(sc.text[:6], "DELETE")
	for _, q := range s.ahead {
		q.stale = q.stale || deletes || sc.syntax.Table == "" || slices.Contains(q.tables, sc.syntax.Table)
	}
}

// statement is a statement of a session.
type statement struct {
	*session
	*scoped
}

func (st *statement) Syntax() db.Syntax { return st.syntax }

// op returns the execution of the statement with those arguments.
func (st *statement) op(args []db.Value) (*op, error) {
	if len(args) != st.params {
		return nil, errParams
	}
	o := &op{text: st.text, args: make([]argument, 0, len(args)+1)}
	for _, v := range args {
		a, err := encode(v, st.syntax.Verb != db.VerbRead)
		if err != nil {
			return nil, err
		}
		o.args = append(o.args, a)
	}
	shop, err := encode(st.shop, false)
	o.args = append(o.args, shop)
	return o, err
}

var errParams = errors.New("the statement has another number of parameters")

func (st *statement) Exec(args []db.Value) (rowsAffected int64, err error) {
	o, err := st.op(args)
	if err == nil {
		st.wrote(st.scoped)
		_, err = st.trip(o, false)
	}
	if err != nil {
		return 0, err
	}
	return o.rows, nil
}

// Do leaves the statement waiting.
func (st *statement) Do(args []db.Value) (rowsAffected int64, err error) {
	if st.view && st.syntax.Verb != db.VerbRead {
		return 0, db.ErrReadOnly
	}
	o, err := st.op(args)
	if err != nil {
		return 0, err
	}
	st.wrote(st.scoped)
	st.later(o)
	if len(st.waiting) >= maxWaiting || st.bytes >= maxWaitingBytes {
		if _, err := st.trip(nil, false); err != nil {
			return 0, err
		}
	}
	return -1, nil
}

func (st *statement) ExecEach(lists [][]db.Value) (rowsAffected []int64, err error) {
	var ops []*op
	st.wrote(st.scoped)
	for _, args := range lists {
		o, err := st.op(args)
		if err != nil {
			return nil, err
		}
		ops = append(ops, o)
		st.later(o)
		if len(st.waiting) >= maxWaiting || st.bytes >= maxWaitingBytes {
			if _, err := st.trip(nil, false); err != nil {
				return nil, err
			}
		}
	}
	if _, err := st.trip(nil, false); err != nil {
		return nil, err
	}
	rowsAffected = make([]int64, len(ops))
	for i, o := range ops {
		rowsAffected[i] = o.rows
	}
	return rowsAffected, nil
}

// Ahead leaves the query waiting.
func (st *statement) Ahead(args []db.Value) error {
	if st.syntax.Verb != db.VerbRead {
		return db.ErrStatement
	}
	o, err := st.op(args)
	if err != nil {
		return err
	}
	o.whole = true
	st.later(o)
	st.ahead = append(st.ahead, &announced{op: o, tables: st.tables})
	return nil
}

func (st *statement) Query(args []db.Value) (db.Rows, error) {
	o, err := st.op(args)
	if err != nil {
		return nil, err
	}
	if known := st.foreseen(o); known != nil {
		return &readRows{columns: len(known.stmt.desc.Fields), rows: known.got}, nil
	}
	st.wrote(st.scoped)
	r, err := st.trip(o, true)
	if err != nil {
		return nil, err
	}
	return &rows{results: r}, nil
}

// rows are the rows of a statement.
type rows struct {
	*results
	ended bool
}

func (r *rows) Columns() int { return len(r.fields) }

func (r *rows) Next(values []db.Value) error {
	if r.ended {
		return io.EOF
	}
	err := r.next(values)
	r.ended = errors.Is(err, io.EOF)
	return err
}

func (r *rows) Close() error {
	if r.ended {
		return nil
	}
	r.ended = true
	return r.close()
}

// readRows are the rows of an announced query.
type readRows struct {
	columns int
	rows    [][]db.Value
}

func (r *readRows) Columns() int { return r.columns }

func (r *readRows) Next(values []db.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(values, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

func (r *readRows) Close() error { return nil }
