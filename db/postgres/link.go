package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"storefront/db"
)

const (
	// tripTimeout limits the time of a trip to the database and its statements. A vanished machine is
	// noticed sooner; see [silence].
	tripTimeout = 30 * time.Second
	// cancelDelay is the time that a cancelled statement may continue before its connection is closed.
	cancelDelay = 2 * time.Second
	// maxPrepared limits the prepared statements of a connection.
	maxPrepared = 400
)

// link is a connection to the database. Its statements are sent in trips: waiting statements are
// sent together, and their responses are read together.
type link struct {
	conn     *pgconn.PgConn
	prepared map[string][]*prepared // by text
	count    int                    // of prepared statements
	named    int                    // of names given to prepared statements
	trips    *atomic.Uint64
	late     *pgconn.Pipeline // a ROLLBACK with a response that is not read yet
	timeout  time.Duration    // of a trip; 0 means tripTimeout
	clock    uint64           // increases with each use of a prepared statement
	silence  *silence         // of the trip under way
}

// prepared is a prepared statement for some types of parameters.
type prepared struct {
	name  string
	kinds []byte // of the arguments that it was prepared for
	desc  *pgconn.StatementDescription
	used  uint64
	// formats are the formats of the result's columns, once desc is known.
	formats []int16
}

// op is a statement that is waiting to be sent.
type op struct {
	text  string // what it begins or ends, or a translated statement
	args  []argument
	bare  bool // runs once without being prepared: BEGIN and the like
	whole bool // its rows are read into got

	got  [][]db.Value
	sent bool // got has its rows

	stmt *prepared
	rows int64  // affected by it
	tag  string // its command tag, such as COMMIT; "" if unknown
}

// trip sends statements and reads the responses to all but the last. The caller reads the rows of
// the last one unless stream is false. Errors end the trip; the statements behind the failing one
// did not run.
func (l *link) trip(ctx context.Context, ops []*op, stream bool) (*results, error) {
	l.silence = watchSilence(l.conn.Conn())
	if err := l.readLate(); err != nil {
		l.silence.end()
		return nil, err
	}
	l.trips.Add(1)
	if err := l.conn.Conn().SetDeadline(time.Now().Add(cmp.Or(l.timeout, tripTimeout))); err != nil {
		return nil, l.failure(ctx, err)
	}
	r := &results{link: l, pipeline: l.conn.StartPipeline(ctx), ctx: ctx}
	fresh, err := r.send(ops)
	if err == nil {
		fresh, err = r.receive(ops, fresh, stream)
	}
	if err == nil && stream {
		return r, nil
	}
	for _, st := range fresh { // they may not exist
		l.drop(st)
	}
	if end := r.pipeline.Close(); err == nil {
		err = end
	}
	return nil, l.failure(ctx, err)
}

// send sends statements. fresh are those that it prepares.
func (r *results) send(ops []*op) (fresh []*prepared, err error) {
	evicted := r.link.evict(r.pipeline)
	for _, o := range ops {
		if o.bare {
			r.pipeline.SendQueryParams(o.text, nil, nil, nil, nil)
			continue
		}
		isNew := false
		o.stmt, isNew = r.link.statement(o)
		if isNew {
			fresh = append(fresh, o.stmt)
			o.prepare(r.pipeline)
		}
		o.send(r.pipeline)
	}
	err = r.pipeline.Sync()
	if err == nil && evicted {
		_, err = r.pipeline.GetResults()
	}
	return fresh, err
}

// receive reads the responses to ops, and only the beginning of the last one if stream is set. It
// returns the fresh statements that were not prepared.
func (r *results) receive(ops []*op, fresh []*prepared, stream bool) ([]*prepared, error) {
	for i, o := range ops {
		if len(fresh) > 0 && o.stmt == fresh[0] {
			if err := r.describe(o.stmt); err != nil {
				return fresh, err
			}
			fresh = fresh[1:]
		}
		var err error
		switch {
		case stream && i == len(ops)-1:
			err = r.open()
		case o.whole:
			err = r.readWhole(o)
		default:
			err = r.affected(o)
		}
		if err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

// Statuses of a connection: without a transaction, and in a sound one.
const (
	idleStatus    = 'I'
	inTransaction = 'T'
)

// rollBack ends the transaction, if there is one, without waiting for the response.
func (l *link) rollBack() {
	if !l.isOpen() || l.readLate() != nil || l.conn.TxStatus() == idleStatus {
		return
	}
	if err := l.conn.Conn().SetDeadline(time.Now().Add(tripTimeout)); err != nil {
		l.close()
		return
	}
	l.late = l.conn.StartPipeline(context.Background())
	l.late.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	if err := l.late.Sync(); err != nil {
		l.close()
	}
}

// failure returns the translated error of a trip. A connection whose context has ended is closed:
// the cancellation may reach the server late, and must not hit another statement. One that did so
// anyway, through a server that stood still, counts as a lost connection: the work is run again.
func (l *link) failure(ctx context.Context, err error) error {
	l.silence.end()
	if err == nil {
		return nil
	}
	isCancelled := isUserCancellation(err)
	err = translate(err)
	if isCancelled && ctx.Err() == nil {
		err = &db.Error{Kind: db.ErrConnection, Err: err}
	}
	if ctx.Err() != nil {
		l.close()
		if !errors.Is(err, db.ErrInterrupted) {
			err = &db.Error{Kind: db.ErrInterrupted, Err: ctx.Err()}
		}
	}
	if isLost(err) {
		l.close()
	}
	return err
}

// prepare adds the preparation of a statement to a pipeline.
func (o *op) prepare(p *pgconn.Pipeline) {
	oids := make([]uint32, len(o.args))
	for i, a := range o.args {
		oids[i] = oid(a.kind)
	}
	p.SendPrepare(o.stmt.name, o.text, oids)
}

// send adds the execution of a statement to a pipeline.
func (o *op) send(p *pgconn.Pipeline) {
	values := make([][]byte, len(o.args))
	formats := make([]int16, len(o.args))
	for i, a := range o.args {
		values[i], formats[i] = a.value, a.format
	}
	if o.stmt.desc != nil && len(o.stmt.desc.Fields) > 0 {
		p.SendQueryStatement(o.stmt.desc, values, formats, o.stmt.formats)
		return
	}
	p.SendQueryPrepared(o.stmt.name, values, formats, nil)
}

// statement returns the prepared statement for an op. isNew reports that it must be prepared.
func (l *link) statement(o *op) (st *prepared, isNew bool) {
	l.clock++
	for _, st := range l.prepared[o.text] {
		if st.suits(o.args) {
			st.used = l.clock
			return st, false
		}
	}
	l.named++
	st = &prepared{name: "s" + strconv.Itoa(l.named), used: l.clock, kinds: make([]byte, len(o.args))}
	for i, a := range o.args {
		st.kinds[i] = a.kind
	}
	l.prepared[o.text] = append(l.prepared[o.text], st)
	l.count++
	return st, true
}

// evict deallocates the statement that has not been used for the longest time, if there are too
// many.
func (l *link) evict(p *pgconn.Pipeline) (evicted bool) {
	if l.count <= maxPrepared {
		return false
	}
	var oldest *prepared
	for _, all := range l.prepared {
		for _, st := range all {
			if oldest == nil || st.used < oldest.used {
				oldest = st
			}
		}
	}
	l.drop(oldest)
	p.SendDeallocate(oldest.name)
	return true
}

// suits reports whether the statement was prepared for the types of the arguments.
func (st *prepared) suits(args []argument) bool {
	for i, a := range args {
		if a.kind == st.kinds[i] {
			continue
		}
		if st.desc == nil || i >= len(st.desc.ParamOIDs) || !a.suits(st.desc.ParamOIDs[i]) {
			return false
		}
	}
	return true
}

// drop removes a statement that may not have been prepared.
func (l *link) drop(st *prepared) {
	for text, all := range l.prepared {
		for i, other := range all {
			if other == st {
				l.prepared[text] = append(all[:i:i], all[i+1:]...)
				l.count--
				return
			}
		}
	}
}

// readLate reads the response to a ROLLBACK that nobody waited for.
func (l *link) readLate() error {
	if l.late == nil {
		return nil
	}
	err := l.late.Close()
	l.late = nil
	if err != nil {
		l.close()
	}
	return translate(err)
}

// isOpen reports whether the connection can be used.
func (l *link) isOpen() bool { return l != nil && !l.conn.IsClosed() }

func (l *link) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.conn.Close(ctx) // uncommitted work is lost in any case
}

// results are the responses of a trip.
type results struct {
	link     *link
	pipeline *pgconn.Pipeline
	reader   *pgconn.ResultReader
	fields   []pgconn.FieldDescription
	read     int
	ctx      context.Context
}

func (r *results) describe(st *prepared) error {
	got, err := r.pipeline.GetResults()
	if err != nil {
		return err
	}
	desc, ok := got.(*pgconn.StatementDescription)
	if !ok {
		return unexpected(got)
	}
	desc.Name = st.name
	st.desc, st.formats = desc, formats(desc.Fields)
	return nil
}

// open reads the beginning of a statement's result.
func (r *results) open() error {
	got, err := r.pipeline.GetResults()
	if err != nil {
		return err
	}
	reader, ok := got.(*pgconn.ResultReader)
	if !ok {
		return unexpected(got)
	}
	r.reader, r.fields = reader, reader.FieldDescriptions()
	return nil
}

// affected reads a whole result.
func (r *results) affected(o *op) error {
	if err := r.open(); err != nil {
		return err
	}
	tag, err := r.reader.Close()
	if err == nil {
		o.tag = tag.String()
		if !tag.Select() {
			o.rows = tag.RowsAffected()
		}
	}
	return err
}

// readWhole reads a whole result into the op.
func (r *results) readWhole(o *op) error {
	if err := r.open(); err != nil {
		return err
	}
	o.got = nil
	for r.reader.NextRow() {
		row := make([]db.Value, len(r.fields))
		for i, raw := range r.reader.Values() {
			v, err := decode(&r.fields[i], raw)
			if err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
			if b, ok := v.([]byte); ok { // part of the connection's buffer
				v = slices.Clone(b)
			}
			row[i] = v
		}
		o.got = append(o.got, row)
	}
	_, err := r.reader.Close()
	o.sent = err == nil
	return err
}

// next copies the next row.
func (r *results) next(values []db.Value) error {
	if !r.reader.NextRow() {
		if err := r.close(); err != nil {
			return err
		}
		return io.EOF
	}
	if r.read++; r.read%256 == 0 { // a long result is not a lost connection
		if err := r.link.conn.Conn().SetDeadline(time.Now().Add(tripTimeout)); err != nil {
			return translate(err)
		}
	}
	for i, raw := range r.reader.Values() {
		var err error
		if values[i], err = decode(&r.fields[i], raw); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// close reads the rest of the result and ends the trip.
func (r *results) close() error {
	_, err := r.reader.Close()
	if end := r.pipeline.Close(); err == nil {
		err = end
	}
	return r.link.failure(r.ctx, err)
}

// watch makes the server end a statement when its context ends.
func watch(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelDelay}
}
