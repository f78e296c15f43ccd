package db_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"storefront/db"
)

// inUpdate runs fn in a transaction, which must succeed.
func inUpdate(t *testing.T, s *db.Store, fn func(tx *db.Tx) error) {
	t.Helper()
	update(t, s, shop, func(_ context.Context, tx *db.Tx) error { return fn(tx) })
}

func TestTx_NotFound(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	inUpdate(t, s, func(tx *db.Tx) error {
		err := tx.QueryRow(`SELECT id FROM orders WHERE id = ?`, 7).Scan(new(int64))
		if !errors.Is(err, db.ErrNotFound) || errors.Is(err, db.ErrNoTenant) {
			t.Errorf("no row: got %v, want ErrNotFound", err)
		}
		ids, err := db.Query(tx, scanInt, `SELECT id FROM orders`)
		if err != nil || ids == nil || len(ids) != 0 {
			t.Errorf("no rows: got %#v, %v, want an empty slice", ids, err)
		}
		return insertOrder(tx, 1)
	})
	wantOrders(t, s, shop, 1)
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	update(t, s, shop, addOrder(1))
	for _, c := range []struct {
		query string
		want  error
	}{
		{`INSERT INTO orders (id, item_id) VALUES (1, 'a')`, db.ErrUnique},
		{`INSERT INTO items (id, stock) VALUES ('a', 1)`, db.ErrUnique},
		{`INSERT INTO orders (id, item_id) VALUES (2, 'nothing')`, db.ErrForeignKey},
		{`UPDATE items SET stock = -1`, db.ErrCheck},
		{`UPDATE items SET stock = NULL`, db.ErrNotNull},
		{`UPDATE items SET stock = 'many'`, db.ErrConstraint},
		{`COMMIT`, db.ErrStatement},
		{`PRAGMA user_version = 9`, db.ErrStatement},
		{`ATTACH 'x.db' AS x`, db.ErrStatement},
		{`DROP TABLE orders`, db.ErrStatement},
		{`/* hello */ VACUUM`, db.ErrStatement},
		{`SELECT 1; DELETE FROM orders`, db.ErrStatement},
		{``, db.ErrStatement},
	} {
		err := s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(c.query)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.query, err, c.want)
		}
		if isConstraint := errors.Is(c.want, db.ErrConstraint); errors.Is(err, db.ErrConstraint) != isConstraint {
			t.Errorf("%s: matches ErrConstraint: got %v, want %v", c.query, !isConstraint, isConstraint)
		}
	}
	wantOrders(t, s, shop, 1)
}

// A semicolon or a keyword in a string or a comment does not start a second statement.
func TestStatement_Quotes(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	inUpdate(t, s, func(tx *db.Tx) error {
		for query, want := range map[string]string{
			`SELECT 'a;b' ;  -- the end`:                          "a;b",
			"-- first; second\nSELECT 'x'":                        "x",
			`/* ; */ SELECT /* ' */ 'it''s; ' || "id" FROM items`: "it's; a",
			`WITH w AS (SELECT 'w;' AS v) SELECT v FROM w`:        "w;",
		} {
			var got string
			if err := tx.QueryRow(query).Scan(&got); err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
			}
		}
		return nil
	})
}

func TestView_Write(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	if err := s.View(t.Context(), shop, addOrder(1)); !errors.Is(err, db.ErrReadOnly) {
		t.Errorf("write in a view: got %v, want ErrReadOnly", err)
	}
	// An ignored failure ends a view too.
	err := s.View(t.Context(), shop, func(ctx context.Context, tx *db.Tx) error {
		_ = insertOrder(tx, 1)
		return nil
	})
	if !errors.Is(err, db.ErrReadOnly) {
		t.Errorf("ignored failure: got %v, want ErrReadOnly", err)
	}
	wantOrders(t, s, shop)
}

// An update in which a statement failed stores nothing, even if its function ignores the failure.
func TestUpdate_IgnoredFailure(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	for name, c := range map[string]struct {
		end  func(tx *db.Tx, cancel func())
		want error
	}{
		"a statement that failed": {func(tx *db.Tx, _ func()) { _, _ = tx.Exec(`UPDATE items SET stock = -1`) }, db.ErrCheck},
		"a cancelled caller":      {func(_ *db.Tx, cancel func()) { cancel() }, context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := s.Update(ctx, shop, func(_ context.Context, tx *db.Tx) error {
			if err := insertOrder(tx, 1); err != nil {
				return err
			}
			c.end(tx, cancel)
			return nil
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if got := orders(t, s, shop); len(got) != 0 {
			t.Errorf("%s: got orders %v, want none", name, got)
		}
	}
}

func TestViewOne(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	update(t, s, shop, addOrder(1))
	for range 2 { // the connection can be used again
		var found int64
		var second, write error
		err := s.ViewOne(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
			err := tx.QueryRow(`SELECT id FROM orders`).Scan(&found)
			second = tx.QueryRow(`SELECT id FROM orders`).Scan(&found)
			return err
		})
		if found != 1 || !errors.Is(err, db.ErrSingleStatement) || !errors.Is(second, db.ErrSingleStatement) {
			t.Errorf("got %d, %v, second statement %v, want 1 and ErrSingleStatement twice", found, err, second)
		}
		write = s.ViewOne(t.Context(), shop, addOrder(2))
		if !errors.Is(write, db.ErrReadOnly) {
			t.Errorf("a write: got %v, want ErrReadOnly", write)
		}
		update(t, s, shop, addOrder(10+found))
		update(t, s, shop, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`DELETE FROM orders WHERE id = 11`)
			return err
		})
	}
}

func TestView_Snapshot(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		before, err := db.Query(tx, scanInt, `SELECT id FROM orders`)
		if err != nil {
			return err
		}
		update(t, s, shop, addOrder(1))
		after, err := db.Query(tx, scanInt, `SELECT id FROM orders`)
		if len(before) != 0 || len(after) != 0 {
			t.Errorf("rows in a view: got %v, then %v, want none both times", before, after)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

type itemID string

func TestValues(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 1, 2, 3, 456_789_000, time.FixedZone("", 6*3600))
	s := newShop(t, options{Options: db.Options{Now: func() time.Time { return at }}})
	inUpdate(t, s, func(tx *db.Tx) error {
		if want := at.UTC().Truncate(time.Millisecond); !tx.Now().Equal(want) || tx.Now().Location() != time.UTC {
			t.Errorf("now: got %v, want %v", tx.Now(), want)
		}
		var (
			n      int64
			small  int
			yes    bool
			text   string
			named  itemID
			empty  []byte
			null   []byte
			when   time.Time
			noWhen *time.Time
			opt    *string
			some   *itemID
			float  float64
			scan   sql.Null[string]
			any1   any
		)
		err := tx.QueryRow(`SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?`,
			int64(1)<<62, 7, true, "ভাত é", itemID("i"), []byte{}, nil, at, (*time.Time)(nil), nil, itemID("p"), 1.5, "v", int32(3),
		).Scan(&n, &small, &yes, &text, &named, &empty, &null, &when, &noWhen, &opt, &some, &float, &scan, &any1)
		if err != nil {
			return err
		}
		switch {
		case n != 1<<62, small != 7, !yes, text != "ভাত é", named != "i",
			empty == nil || len(empty) != 0, null != nil, !when.Equal(tx.Now()), when.Location() != time.UTC,
			noWhen != nil, opt != nil, some == nil || *some != "p", float != 1.5, scan.V != "v", any1 != int64(3):
			t.Errorf("read back: %v %v %v %q %q %v %v %v %v %v %v %v %v %v",
				n, small, yes, text, named, empty, null, when, noWhen, opt, some, float, scan, any1)
		}
		return nil
	})
	for name, dest := range map[string]any{
		"NULL into text": new(string), "NULL into number": new(int64), "NULL into named": new(itemID), "no pointer": 3,
	} {
		err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
			_ = tx.QueryRow(`SELECT NULL`).Scan(dest)
			return nil
		})
		if err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}

func TestExec_Returning(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	inUpdate(t, s, func(tx *db.Tx) error {
		var left int64
		err := tx.QueryRow(`UPDATE items SET stock = stock - 1 WHERE id = 'a' RETURNING stock`).Scan(&left)
		if err != nil || left != 99 {
			t.Errorf("returning: got %d, %v, want 99", left, err)
		}
		n, err := tx.Exec(`INSERT INTO items (id, stock) VALUES ('a', 1) ON CONFLICT (id) DO NOTHING`)
		if err != nil || n != 0 {
			t.Errorf("rows affected by a conflict: got %d, %v, want 0", n, err)
		}
		n, err = tx.Exec(`INSERT INTO items (id, stock) VALUES ('b', 1), ('c', 2)`)
		if err != nil || n != 2 {
			t.Errorf("rows affected by an insert: got %d, %v, want 2", n, err)
		}
		n, err = tx.Exec(`SELECT 1`)
		if err != nil || n != 0 {
			t.Errorf("rows affected by a select: got %d, %v, want 0", n, err)
		}
		return nil
	})
	err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		stocks, err := db.Query(tx, scanInt, `SELECT stock FROM items ORDER BY id`)
		if !slices.Equal(stocks, []int64{99, 1, 2}) {
			t.Errorf("stocks: got %v, want [99 1 2]", stocks)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	before := version(t, s, shop)
	inUpdate(t, s, func(tx *db.Tx) error { return tx.Do(`UPDATE items SET stock = 7 WHERE id = 'b'`) })
	if after := version(t, s, shop); after != before && !deferring {
		t.Errorf("no row changed: got version %d, want %d", after, before)
	}
	inUpdate(t, s, func(tx *db.Tx) error { return tx.Do(`UPDATE items SET stock = ? WHERE id = ?`, 7, "a") })
	if after := version(t, s, shop); after == before {
		t.Error("a row changed: got the same version")
	}
	err := s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		_ = tx.Do(`INSERT INTO items (id, stock) VALUES ('a', 1)`)
		return nil
	})
	if !errors.Is(err, db.ErrUnique) {
		t.Errorf("ignored failure: got %v, want ErrUnique", err)
	}
}

func TestExecEach(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	var rows []int64
	take := func(tx *db.Tx, lists ...[]any) (err error) {
		rows, err = tx.ExecEach(`UPDATE items SET stock = stock - ? WHERE id = ? AND stock >= ?`, lists)
		return err
	}
	inUpdate(t, s, func(tx *db.Tx) error {
		return take(tx, []any{60, "a", 60}, []any{60, "a", 60}, []any{40, "a", 40}, []any{1, "b", 1})
	})
	if want := []int64{1, 0, 1, 0}; !slices.Equal(rows, want) {
		t.Errorf("rows: got %v, want %v", rows, want)
	}
	inUpdate(t, s, func(tx *db.Tx) error { return take(tx) })
	if len(rows) != 0 {
		t.Errorf("no arguments: got %v, want none", rows)
	}
	err := s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		_, err := tx.ExecEach(`INSERT INTO items (id, stock) VALUES (?, ?)`, [][]any{{"b", 1}, {"c", -1}, {"d", 1}})
		return err
	})
	if !errors.Is(err, db.ErrCheck) {
		t.Errorf("second execution fails: got %v, want ErrCheck", err)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	for i := range 5 {
		update(t, s, shop, addOrder(int64(i)))
	}
	var seen []int64
	err := s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		return tx.Each(`SELECT id FROM orders WHERE id > ? ORDER BY id`, []any{1}, func(r db.Row) error {
			id, err := scanInt(r)
			seen = append(seen, id)
			return err
		})
	})
	if err != nil || !slices.Equal(seen, []int64{2, 3, 4}) {
		t.Errorf("each: got %v, %v, want [2 3 4]", seen, err)
	}
	err = s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		return tx.Each(`SELECT id FROM orders`, nil, func(db.Row) error { return insertOrder(tx, 99) })
	})
	if !errors.Is(err, db.ErrStreaming) {
		t.Errorf("a statement while reading: got %v, want ErrStreaming", err)
	}
	stop := errors.New("stop")
	err = s.View(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
		return tx.Each(`SELECT id FROM orders`, nil, func(db.Row) error { return stop })
	})
	if !errors.Is(err, stop) {
		t.Errorf("stopped: got %v, want stop", err)
	}
}

func TestTx_UseAfterEnd(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	var saved [2]*db.Tx
	save := func(i int) func(context.Context, *db.Tx) error {
		return func(_ context.Context, tx *db.Tx) error { saved[i] = tx; return nil }
	}
	update(t, s, shop, save(0))
	if err := s.View(t.Context(), shop, save(1)); err != nil {
		t.Fatal(err)
	}
	for _, tx := range saved {
		if err := insertOrder(tx, 1); !errors.Is(err, db.ErrTxDone) {
			t.Errorf("use after the end: got %v, want ErrTxDone", err)
		}
	}
}

func TestNested(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	create(t, s, "other")
	nothing := func(context.Context, *db.Tx) error { return nil }
	inner := func(ctx context.Context, _ *db.Tx) error {
		_, err := s.Version(ctx, shop) // permitted inside a transaction
		for _, refused := range []error{
			s.View(ctx, shop, nothing), s.Update(ctx, shop, nothing), s.Update(ctx, "other", nothing),
			s.Create(ctx, "new", nothing), s.Drop(ctx, "other"), s.Export(ctx, shop, io.Discard),
		} {
			if !errors.Is(refused, db.ErrNested) {
				t.Errorf("nested: got %v, want ErrNested", refused)
			}
		}
		return err
	}
	if err := s.View(t.Context(), shop, inner); err != nil {
		t.Error(err)
	}
	if err := s.Update(t.Context(), shop, inner); err != nil {
		t.Error(err)
	}
	if err := s.Create(t.Context(), "third", inner); err != nil {
		t.Error(err)
	}
}

// A part of a transaction reads what earlier parts have written, at its own time. A part that has
// written and fails undoes all of them; others may fail.
func TestWithin(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	refused := errors.New("refused")
	place := func(id int64, result error) func(context.Context, *db.Tx) error {
		return func(_ context.Context, tx *db.Tx) error {
			if !tx.Now().Equal(past) {
				t.Errorf("got the time %s, want %s", tx.Now(), past)
			}
			tx.AfterCommit(func() { t.Error("a function was called after the commit") })
			return errors.Join(insertOrder(tx, id), result)
		}
	}
	for _, result := range []error{refused, nil} {
		err := s.UpdateAlone(t.Context(), shop, func(ctx context.Context, tx *db.Tx) error {
			in := s.Within(tx, func() time.Time { return past })
			read := func(context.Context, *db.Tx) error { return refused }
			if err := in.View(ctx, shop, read); !errors.Is(err, refused) {
				t.Errorf("view: got %v, want its error", err)
			}
			if err := in.Update(ctx, shop, place(1, nil)); err != nil {
				return err
			}
			if got := orders(t, in, shop); len(got) != 1 {
				t.Errorf("a later part: got the orders %v, want the first", got)
			}
			if _, err := in.Version(ctx, shop); err != nil {
				t.Errorf("version: %v", err)
			}
			if err := in.UpdateAlone(ctx, shop, place(2, result)); !errors.Is(err, result) {
				t.Errorf("part: got %v, want %v", err, result)
			}
			return nil
		})
		if !errors.Is(err, result) {
			t.Errorf("got %v, want %v", err, result)
		}
		if result != nil {
			wantOrders(t, s, shop)
		}
	}
	wantOrders(t, s, shop, 1, 2)
}
