package sqlite_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
)

// countRows returns one row at once, and after some seconds of work another.
const countRows = `
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)
	SELECT i
	FROM n
	WHERE i = 1 OR i = 100000000`

func TestView_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{Readers: 1})
	for name, view := range map[string]func(context.Context, db.ID, func(context.Context, *db.Tx) error) error{
		"View": s.View, "ViewOne": s.ViewOne, "ViewMany": s.ViewMany,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		err := view(ctx, shop, func(_ context.Context, tx *db.Tx) error {
			return tx.Each(countRows, nil, func(db.Row) error {
				rows++
				cancel()
				return nil
			})
		})
		if !errors.Is(err, context.Canceled) || rows != 1 {
			t.Errorf("%s: got %v after %d rows, want %v after 1", name, err, rows, context.Canceled)
		}
		wantOrders(t, s, shop) // the same connection
	}
}

// A statement whose first row takes long is interrupted too, at the deadline.
func TestView_Deadline(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var n int64
	err := s.View(ctx, shop, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`SELECT count(*) FROM (` + countRows + `)`).Scan(&n)
	})
	if !errors.Is(err, context.DeadlineExceeded) || n != 0 {
		t.Errorf("got %d, %v, want %v", n, err, context.DeadlineExceeded)
	}
}

// The statement of an update is not interrupted when its caller leaves: SQLite would roll back the
// updates of others that share the transaction.
func TestUpdate_NotInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	release := holdWriter(t, s)
	runs := 0
	other := queue(t, s, t.Context(), func(_ context.Context, tx *db.Tx) error {
		runs++
		return insertOrder(tx, 1)
	})
	ctx, cancel := context.WithCancel(t.Context())
	left := queue(t, s, ctx, func(_ context.Context, tx *db.Tx) error {
		time.AfterFunc(time.Millisecond, cancel)
		_, err := tx.Exec(`
			WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
			INSERT INTO orders (id, item_id) SELECT i, 'a' FROM n`)
		return err
	})
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("caller that left: got %v, want %v", err, context.Canceled)
	}
	if err := <-other; err != nil || runs != 1 {
		t.Errorf("other caller: got %v after %d runs, want nil after 1", err, runs)
	}
	wantOrders(t, s, shop, 1)
}

func TestViewMany_LeavesReader(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{Readers: 2})
	err := s.ViewMany(t.Context(), shop, func(context.Context, *db.Tx) error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if err := s.ViewMany(ctx, shop, func(context.Context, *db.Tx) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second view of many rows: got %v, want it to wait", err)
		}
		wantOrders(t, s, shop)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Checking a file reads all of it, and is interrupted too.
func TestCheck_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{})
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
			INSERT INTO orders (id, item_id, data) SELECT i, 'a', CAST(i AS BLOB) FROM n`)
		return err
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if found, err := s.Check(ctx, shop); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("check: got %+v, %v, want %v", found, err, context.DeadlineExceeded)
	}
}
