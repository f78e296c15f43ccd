package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"storefront/db"
)

const (
	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
	// claim waits for other writers of the tenant and increments the version of its data.
	claim = `UPDATE engine_state SET version = version + 1, touched = $1, token = $2 WHERE shop = $3 AND state = 'open' RETURNING version, schema`
	// Statements of [writer.resolve]. The second one makes its COMMIT wait until the standby has all
	// earlier commits.
	readClaim  = `SELECT version, token FROM engine_state WHERE shop = $1 FOR UPDATE`
	touchClaim = `UPDATE engine_state SET token = token WHERE shop = $1`
)

// writer is the session that writes to a tenant's data. It implements [db.Writer]. It has a
// connection during a transaction only.
type writer struct {
	session
	t       *tenant
	seen    int64 // version of the data that the tenant's versions include
	claimed int64 // version of the transaction that has begun
	token   int64 // identifies it among those that may have that version
}

// Begin waits for its turn among all processes.
func (w *writer) Begin(func() bool) error {
	began := w.engine.store.Elapsed()
	if err := w.connect(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	row, err := w.claim()
	if errors.Is(err, db.ErrReadOnly) { // the server has become a standby
		if err = w.renew(); err == nil {
			row, err = w.claim()
		}
	}
	switch {
	case errors.Is(err, db.ErrNotFound):
		err = errMoved
	case err == nil && int(row[1]) != w.engine.Schema():
		err = schemaError(int(row[1]), w.engine.Schema())
	}
	if err != nil {
		w.Rollback()
		return fmt.Errorf("begin: %w", err)
	}
	w.claimed = row[0]
	if w.claimed != w.seen+1 {
		w.seen = w.claimed - 1
		if err := w.t.versions.RaiseExternal(w); err != nil {
			w.seen = unseen
			w.Rollback()
			return err
		}
	}
	w.t.versions.SetFresh(began)
	return nil
}

// unseen is a version of the data that no row has, so that the next check raises the versions.
const unseen = -1

// connect acquires a connection. It waits while the database cannot be reached.
func (w *writer) connect() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), slotTimeout)
	defer cancel()
	w.link, err = w.engine.pool.acquire(ctx, writing)
	if isLost(err) {
		var l *link
		if l, err = w.engine.pool.persist(context.Background()); err == nil {
			w.engine.pool.put(l)
			w.link, err = w.engine.pool.acquire(context.Background(), writing)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &db.Error{Kind: db.ErrBusy, Err: errors.New("all connections to the database are in use")}
	}
	return err
}

// claim begins the transaction and returns the tenant's version and schema. Errors:
// [db.ErrNotFound], if its data is not here.
func (w *writer) claim() (row []int64, err error) {
	w.waiting, w.done, w.part = nil, false, -1
	w.bare(beginWrite)
	w.token = rand.Int64()
	o, err := own(claim, db.Millis(w.engine.store.Now()), w.token, w.shop)
	if err != nil {
		return nil, err
	}
	r, err := w.trip(o, true)
	if err != nil {
		return nil, err
	}
	return r.row()
}

// row returns the first row of a result of integers. Errors: [db.ErrNotFound].
func (r *results) row() (numbers []int64, err error) {
	values := make([]db.Value, len(r.fields))
	switch err := r.next(values); {
	case errors.Is(err, io.EOF):
		return nil, db.ErrNotFound
	case err != nil:
		return nil, errors.Join(err, r.close())
	}
	for _, v := range values {
		n, _ := v.(int64)
		numbers = append(numbers, n)
	}
	return numbers, r.close()
}

// schemaError returns the error for data of another schema.
func schemaError(have, newest int) error {
	if have > newest {
		return fmt.Errorf("schema version %d, this program supports %d: %w", have, newest, db.ErrNewer)
	}
	return fmt.Errorf("schema version %d is older than this program's %d: %w", have, newest, db.ErrOutdated)
}

// Prepare implements [db.Writer].
func (w *writer) Prepare(bool) {}

// Savepoint implements [db.Writer].
func (w *writer) Savepoint() error {
	w.part = len(w.waiting)
	w.bare("SAVEPOINT job")
	return nil
}

// Release ends the part.
func (w *writer) Release() error {
	w.ahead = nil
	if w.part >= 0 && len(w.waiting) == w.part+1 { // nothing was sent since the savepoint, and nothing is waiting behind it
		w.waiting, w.part = w.waiting[:w.part], -1
		return nil
	}
	w.part = -1
	w.bare("RELEASE SAVEPOINT job")
	return nil
}

// Flush sends the waiting statements, unless they only end a part.
func (w *writer) Flush() error {
	if len(w.waiting) <= 1 {
		return nil
	}
	_, err := w.trip(nil, false)
	return err
}

// RollbackTo implements [db.Writer].
func (w *writer) RollbackTo() error {
	if !w.link.isOpen() {
		return db.ErrConnection
	}
	w.ahead = nil
	if w.part >= 0 { // the savepoint itself was not sent
		w.waiting, w.part = w.waiting[:w.part], -1
		return nil
	}
	w.waiting, w.bytes = nil, 0
	w.bare("ROLLBACK TO SAVEPOINT job")
	w.bare("RELEASE SAVEPOINT job")
	return nil
}

// Commit implements [db.Writer].
func (w *writer) Commit() error {
	o := &op{text: "COMMIT", bare: true}
	began := w.engine.store.Elapsed()
	_, err := w.trip(o, false)
	switch {
	case o.tag == "COMMIT": // regardless of a failure behind it
		w.seen = w.claimed
		w.engine.committed()
		w.t.versions.SetFresh(began)
		w.release()
		return nil
	case isLost(err):
		w.seen = unseen
		committed, unknown := w.resolve()
		w.Rollback()
		switch {
		case unknown != nil:
			return fmt.Errorf("%w: %w", db.ErrUnknownOutcome, errors.Join(err, unknown))
		case committed:
			w.seen = w.claimed
			w.engine.committed()
			return nil
		}
		return err
	}
	w.Rollback()
	return cmp.Or(err, errNotCommitted)
}

// errUnresolved means that others have written since.
var errUnresolved = errors.New("another server has written to the shop since")

// resolve reports, after the connection was lost during a COMMIT, whether the transaction was
// committed. The lock on its row waits for the end of a transaction that the server still knows.
func (w *writer) resolve() (committed bool, err error) {
	if err := w.renew(); err != nil {
		return false, err
	}
	w.waiting, w.done, w.part = nil, true, -1
	w.bare(beginWrite)
	o, err := own(readClaim, w.shop)
	if err != nil {
		return false, err
	}
	r, err := w.trip(o, true)
	if err != nil {
		return false, err
	}
	row, err := r.row()
	switch {
	case errors.Is(err, db.ErrNotFound):
		return false, errUnresolved
	case err != nil:
		return false, err
	case row[0] > w.claimed:
		return false, errUnresolved
	case row[0] < w.claimed || row[1] != w.token:
		return false, nil
	}
	if err := w.change(touchClaim, w.shop); err != nil {
		return false, err
	}
	o = &op{text: "COMMIT", bare: true}
	_, err = w.trip(o, false)
	return o.tag == "COMMIT", err
}

var errNotCommitted = errors.New("the transaction was rolled back by the database")

// Rollback implements [db.Writer].
func (w *writer) Rollback() {
	if w.link != nil {
		w.link.rollBack()
		w.release()
	}
}

// release returns the connection.
func (w *writer) release() {
	w.engine.pool.release(w.link, writing)
	w.link, w.waiting, w.bytes, w.ahead = nil, nil, 0, nil
}

// Check implements [db.Writer].
func (w *writer) Check() error {
	state, err := w.engine.currentState(w.t)
	switch {
	case err != nil:
		return fmt.Errorf("check external commits: %w", err)
	case !state.open:
		return errMoved
	case state.schema != w.engine.Schema():
		return schemaError(state.schema, w.engine.Schema())
	case state.version > w.seen:
		if err := w.bumpExternal(); err != nil {
			return err
		}
		w.seen = state.version
	}
	w.t.versions.SetFresh(state.at)
	return nil
}

// bumpExternal raises the versions for commits of other processes.
func (w *writer) bumpExternal() error {
	ctx, cancel := context.WithTimeout(context.Background(), slotTimeout)
	defer cancel()
	r, err := w.engine.beginPoll(ctx, w.shop)
	if err != nil {
		return fmt.Errorf("check external commits: %w", err)
	}
	return errors.Join(w.t.versions.RaiseExternal(r), r.End())
}

// Close implements [db.Writer].
func (w *writer) Close() { w.Rollback() }

// newWriter returns the writer of a tenant's data at that version.
func newWriter(t *tenant, version int64) *writer {
	w := &writer{t: t, seen: version}
	w.session = session{engine: t.engine, shop: t.number, ctx: context.Background(), part: -1}
	w.renew = func() error {
		l, err := t.engine.pool.replace(context.Background(), w.link)
		if err == nil {
			w.link = l
		}
		return err
	}
	return w
}
