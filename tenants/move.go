package tenants

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/order"
)

// MoveOptions is the input of [Tenants.Move].
type MoveOptions struct {
	To Place
	// AtMost limits the wait of orders; 0 means no limit. A longer move is undone.
	AtMost time.Duration
	// Keep puts the copy in the database into the folder trash, as an export. A file is always put
	// there.
	Keep bool
	// Reached, if not nil, is called when a phase has ended.
	Reached func(db.MovePhase)
}

// MovedShop is the result of [Tenants.Move].
type MovedShop struct {
	UID     string  `json:"uid"`
	To      Place   `json:"to"`
	Rows    int64   `json:"rows"`    // 0 if the shop was there already
	Seconds float64 `json:"seconds"` // the time that orders waited
}

// errNoDatabase means that a moving process has no database.
var errNoDatabase = errors.New("moving a shop needs the address of a database")

// Move moves a shop between files and the database while buyers order. Orders wait, reading
// continues. If this process is killed, the next one that uses the shop completes or undoes the
// move.
// Errors: [db.ErrMoveTooSlow]. Codes: tenant_not_found.
func (t *Tenants) Move(ctx context.Context, uid string, o MoveOptions) (_ *MovedShop, err error) {
	if t.engines == nil {
		return nil, errNoDatabase
	}
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return nil, err
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := t.engines.lockMove(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("move shop %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := t.engines.finishLocked(ctx, id, p); err != nil {
		return nil, fmt.Errorf("move shop %s: %w", id, err)
	}
	place, err := t.engines.place(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("move shop %s: %w", id, err)
	}
	done := &MovedShop{UID: uid, To: o.To}
	if place == o.To {
		return done, nil
	}
	record := moveRecord{To: o.To, Token: 1 + rand.Int64N(1<<62), Keep: o.Keep}
	m, err := t.engines.moveOf(id, &record, p)
	if err != nil {
		return nil, err
	}
	if err := t.engines.saveMove(id, record); err != nil {
		return nil, fmt.Errorf("move shop %s: %w", id, err)
	}
	m.AtMost, m.Reached, m.Derived, m.After = o.AtMost, o.Reached, catalogue.DerivedTables(), rebuildIndexes
	moved, err := t.store.Copy(ctx, m)
	// Also after an error: the result of a successful commit may have been lost.
	left, ferr := m.Finish(context.WithoutCancel(ctx))
	if ferr == nil {
		ferr = os.Remove(t.engines.recordPath(id))
	}
	t.shops.remove(id)
	switch {
	case ferr != nil:
		return nil, fmt.Errorf("move shop %s: %w; the next command or request that uses the shop finishes this", id, errors.Join(err, ferr))
	case left && moved != nil:
		done.Rows, done.Seconds = moved.Rows, moved.Waited.Seconds()
		return done, nil
	case left:
		return done, nil
	}
	return nil, err
}

// rebuildIndexes writes the data that a copy of a shop's tables lacks.
func rebuildIndexes(ctx context.Context, tx *db.Tx) error {
	if err := catalogue.RebuildSearch(ctx, tx); err != nil {
		return err
	}
	return order.ResetSearch(tx)
}

// MoveSize is the amount of data to move.
type MoveSize struct {
	Bytes int64         // of the shop's export; 0 if it is there already
	Wait  time.Duration // the likely wait of orders
}

// Times of a move, as multiples of the time of an export of the shop.
const (
	moveToPostgres = 5
	moveToFiles    = 3
)

// MoveSize returns the amount of data to move for a shop. It reads the shop once. Codes:
// tenant_not_found.
func (t *Tenants) MoveSize(ctx context.Context, uid string, to Place) (size MoveSize, err error) {
	id, err := t.requireStored(ctx, uid)
	if err != nil {
		return size, err
	}
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return size, err
	}
	if place == to {
		return size, nil
	}
	began := time.Now()
	var bytes countingWriter
	if err := t.Export(ctx, uid, &bytes); err != nil {
		return size, err
	}
	size.Bytes, size.Wait = int64(bytes), time.Since(began)*moveToFiles
	if to == InPostgres {
		size.Wait = time.Since(began) * moveToPostgres
	}
	return size, nil
}

// countingWriter counts the bytes written to it.
type countingWriter int64

func (w *countingWriter) Write(p []byte) (int, error) {
	*w += countingWriter(len(p))
	return len(p), nil
}

// UIDsOutside returns the UIDs of the shops that are not in a place, sorted.
func (t *Tenants) UIDsOutside(ctx context.Context, to Place) ([]string, error) {
	uids, err := t.StoredUIDs(ctx)
	if err != nil {
		return nil, err
	}
	placeOf, err := t.listFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	return slices.DeleteFunc(uids, func(uid string) bool { return placeOf(db.ID(uid)) == to }), nil
}
