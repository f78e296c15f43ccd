package postgres

import (
	"context"

	"storefront/db"
)

// beginRead begins a snapshot. Connections are read-only and at REPEATABLE READ by default.
const beginRead = "BEGIN"

// reader is a session that reads a snapshot of a tenant's data. It implements [db.Reader].
type reader struct {
	session
	use   use
	reads chan struct{} // the tenant's; nil if it has none
}

// BeginRead implements [db.Tenant]. BEGIN is sent with the first statement.
func (t *tenant) BeginRead(ctx context.Context, kind db.ReadKind) (db.Reader, error) {
	u := reading
	if kind == db.ReadMany {
		u = readingMany
	}
	select {
	case t.reads <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := t.engine.beginRead(ctx, t.number, u)
	if err != nil {
		<-t.reads
		return nil, err
	}
	r.reads = t.reads
	if kind != db.ReadOne {
		r.bare(beginRead)
	}
	return r, nil
}

// beginPoll begins to read one row for the engine itself.
func (e *Engine) beginPoll(ctx context.Context, shop int64) (*reader, error) {
	return e.beginRead(ctx, shop, polling)
}

func (e *Engine) beginRead(ctx context.Context, shop int64, u use) (r *reader, err error) {
	r = &reader{session: session{engine: e, shop: shop, ctx: ctx, part: -1, view: true}, use: u}
	if r.link, err = e.pool.acquire(ctx, r.use); isLost(err) {
		// The slot is free again; waiting for the database needs none.
		var l *link
		if l, err = e.pool.persist(ctx); err == nil {
			e.pool.put(l)
			r.link, err = e.pool.acquire(ctx, r.use)
		}
	}
	if err != nil {
		return nil, err
	}
	r.renew = func() (err error) {
		l, err := e.pool.replace(ctx, r.link)
		if err == nil {
			r.link = l
		}
		return err
	}
	return r, nil
}

// End implements [db.Reader].
func (r *reader) End() error {
	r.link.rollBack()
	r.engine.pool.release(r.link, r.use)
	if r.reads != nil {
		<-r.reads
	}
	return nil
}
