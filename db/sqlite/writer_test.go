package sqlite_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

// Updates of a full file return ErrFull and lose no data. SQLite may roll back the whole
// transaction then, which must not affect the other updates.
func TestUpdate_FullFile(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), sqlite.Options{})
	create(t, s, shop)
	s.SetMaxPages(24)
	var full atomic.Int64
	var mu sync.Mutex
	outcomes := map[int64]error{}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 30 {
				id := int64(worker*1000 + i)
				err := s.Update(t.Context(), shop, func(_ context.Context, tx *db.Tx) error {
					if err := insertOrder(tx, id); err != nil || i%3 != 0 {
						return err
					}
					_, err := tx.Exec(`UPDATE orders SET data = ? WHERE id = ?`, make([]byte, 20_000+int(id)), id)
					return err
				})
				if errors.Is(err, db.ErrFull) {
					full.Add(1)
				} else if err != nil {
					t.Errorf("order %d: %v", id, err)
				}
				mu.Lock()
				outcomes[id] = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	stored := orders(t, s, shop)
	for id, err := range outcomes {
		if _, there := slices.BinarySearch(stored, id); there != (err == nil) {
			t.Errorf("order %d: got %v, stored %v, want it stored only if the result is nil", id, err, there)
		}
	}
	if full.Load() == 0 || len(stored) == 0 {
		t.Errorf("got %d failures with ErrFull and %d stored orders, want some of both", full.Load(), len(stored))
	}
}

// A job that makes SQLite roll back its group's transaction returns its own error, and the other
// jobs run again.
func TestUpdate_LostTransaction(t *testing.T) {
	t.Parallel()
	s := newShop(t, sqlite.Options{Schema: schema + `
		CREATE TABLE bombs (id INTEGER PRIMARY KEY ON CONFLICT ROLLBACK) STRICT;
		INSERT INTO bombs VALUES (1);`})
	release := holdWriter(t, s)
	first := queue(t, s, t.Context(), addOrder(1))
	bomb := queue(t, s, t.Context(), func(_ context.Context, tx *db.Tx) error {
		if err := insertOrder(tx, 2); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO bombs VALUES (1)`)
		_ = insertOrder(tx, 3) // must not be written on its own
		return err
	})
	var seen int64
	refused := errors.New("refused")
	refusal := queue(t, s, t.Context(), func(_ context.Context, tx *db.Tx) error {
		if err := tx.QueryRow(`SELECT count(*) FROM orders`).Scan(&seen); err != nil {
			return err
		}
		return refused
	})
	last := queue(t, s, t.Context(), addOrder(4))
	if err := release(); err != nil {
		t.Errorf("holder: %v", err)
	}
	if err := <-bomb; !errors.Is(err, db.ErrUnique) {
		t.Errorf("culprit: got %v, want ErrUnique", err)
	}
	if err := errors.Join(<-first, <-last); err != nil {
		t.Errorf("others: %v", err)
	}
	if err := <-refusal; !errors.Is(err, refused) || seen != 1 {
		t.Errorf("refusal: got %v after %d orders, want the refusal after 1", err, seen)
	}
	wantOrders(t, s, shop, 1, 4)
}

func TestUpdate_CommitFailure(t *testing.T) {
	t.Parallel()
	const ioErrFsync, full = 1034, 13
	for _, c := range []struct {
		name   string
		code   sqlite.FakeError
		commit bool // the fault strikes after the work is stored
		want   error
		stored []int64
	}{
		{"full", full, false, db.ErrFull, []int64{9}},
		{"unknown, lost", ioErrFsync, false, db.ErrUnknownOutcome, []int64{9}},
		{"unknown, stored", ioErrFsync, true, db.ErrUnknownOutcome, []int64{1, 2, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, sqlite.Options{})
			before := version(t, s, shop)
			var faulty atomic.Bool
			faulty.Store(true)
			s.SetCommitFault(func(commit func() error) error {
				if !faulty.Swap(false) {
					return commit()
				}
				if c.commit {
					if err := commit(); err != nil {
						return err
					}
				}
				return c.code
			})
			release := holdWriter(t, s)
			queued := []<-chan error{
				queue(t, s, t.Context(), addOrder(1)),
				queue(t, s, t.Context(), addOrder(2)),
				// Its error may depend on data that was not stored.
				queue(t, s, t.Context(), func(context.Context, *db.Tx) error { return errors.New("refused") }),
			}
			results := []error{release()} // the holder shares their commit
			for _, ch := range queued {
				results = append(results, <-ch)
			}
			for i, err := range results {
				if !errors.Is(err, c.want) {
					t.Errorf("job %d: got %v, want %v", i, err, c.want)
				}
			}
			if v := version(t, s, shop); c.want == db.ErrUnknownOutcome && v <= before {
				t.Errorf("got version %d after %d, want a higher one, since the work may be stored", v, before)
			}
			update(t, s, shop, addOrder(9))
			if got := orders(t, s, shop); !slices.Equal(got, c.stored) {
				t.Errorf("orders: got %v, want %v", got, c.stored)
			}
		})
	}
}
