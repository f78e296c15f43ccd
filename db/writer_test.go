package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
)

// outcome is the result that a caller of Update received.
type outcome struct {
	id  int64
	err error
}

// holdWriter occupies the tenant's writer until release is called, so that updates queued meanwhile
// share one commit with it. release returns the result of the holding update.
func holdWriter(t *testing.T, s *db.Store) (release func() error) {
	t.Helper()
	started, proceed, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		var once sync.Once
		result <- s.Update(context.Background(), shop, func(context.Context, *db.Tx) error {
			once.Do(func() { close(started) })
			<-proceed
			return nil
		})
	}()
	<-started
	return func() error {
		close(proceed)
		return <-result
	}
}

// queue starts an update and waits until it is queued behind a held writer.
func queue(t *testing.T, s *db.Store, ctx context.Context, fn func(context.Context, *db.Tx) error) <-chan error {
	t.Helper()
	return queueAt(t, s, s.Update, ctx, fn)
}

type updater func(context.Context, db.ID, func(context.Context, *db.Tx) error) error

func queueAt(t *testing.T, s *db.Store, update updater, ctx context.Context, fn func(context.Context, *db.Tx) error) <-chan error {
	t.Helper()
	queued := s.Stats().Queued
	result := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				result <- v.(*db.PanicError)
			}
		}()
		result <- update(ctx, shop, fn)
	}()
	for s.Stats().Queued == queued {
		runtime.Gosched()
	}
	return result
}

// A mix of concurrent updates as in a busy shop. An update that returned nil is stored, and one that
// returned an error is not.
func TestUpdate_MixedResults(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	var mu sync.Mutex
	var outcomes []outcome
	errRefused := errors.New("refused")
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(worker)))
			for i := range 60 {
				id := int64(worker*1000 + i)
				err := mixedUpdate(t, s, id, rnd.IntN(8), errRefused)
				mu.Lock()
				outcomes = append(outcomes, outcome{id, err})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	stored := orders(t, s, shop)
	kinds := map[string]int{}
	for _, o := range outcomes {
		_, there := slices.BinarySearch(stored, o.id)
		if there != (o.err == nil) {
			t.Errorf("order %d: got %v, stored %v, want it stored only if the result is nil", o.id, o.err, there)
		}
		kinds[fmt.Sprintf("%T", o.err)]++
	}
	if len(outcomes) != 16*60 || len(kinds) < 4 {
		t.Errorf("got %d results of kinds %v, want %d of at least 4 kinds", len(outcomes), kinds, 16*60)
	}
	if st := s.Stats(); st.Commits >= st.Updates {
		t.Errorf("got no shared commit, want some: %+v", st)
	}
}

func mixedUpdate(t *testing.T, s *db.Store, id int64, kind int, refused error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(*db.PanicError)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	update := s.Update
	if id%4 == 0 {
		update = s.UpdateAlone
	}
	return update(ctx, shop, func(inner context.Context, tx *db.Tx) error {
		if err := insertOrder(tx, id); err != nil {
			return err
		}
		switch kind {
		case 1:
			return refused
		case 2: // an ignored failure
			_, _ = tx.Exec(`UPDATE items SET stock = -1`)
		case 3:
			panic(refused)
		case 4: // cancelled while it runs, which it ignores
			cancel()
		case 5: // slow
			for range 200 {
				runtime.Gosched()
			}
			return tx.QueryRow(`SELECT sum(length(note)) + count(*) FROM items`).Scan(new(any))
		case 6:
			return s.Update(inner, shop, addOrder(id+500))
		case 7: // a broken reference, detected immediately
			_, err := tx.Exec(`INSERT INTO orders (id, item_id) VALUES (?, 'nothing')`, id+500)
			return err
		}
		return nil
	})
}

// Updates of a full file return ErrFull and lose no data. SQLite may roll back the whole transaction
// then, which must not affect the other updates.
func TestUpdate_FullFile(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), db.Options{})
	create(t, s, shop)
	s.SetMaxPages(24)
	var full atomic.Int64
	var mu sync.Mutex
	var outcomes []outcome
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
				outcomes = append(outcomes, outcome{id, err})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	stored := orders(t, s, shop)
	for _, o := range outcomes {
		if _, there := slices.BinarySearch(stored, o.id); there != (o.err == nil) {
			t.Errorf("order %d: got %v, stored %v, want it stored only if the result is nil", o.id, o.err, there)
		}
	}
	if full.Load() == 0 || len(stored) == 0 {
		t.Errorf("got %d failures with ErrFull and %d stored orders, want some of both", full.Load(), len(stored))
	}
}

// A job that makes SQLite roll back its group's transaction returns its own error, and the other jobs
// run again.
func TestUpdate_LostTransaction(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{Schema: schema + `
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

// An update that is alone shares no commit and is rolled back completely.
func TestUpdateAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var shared []int
	s := newShop(t, db.Options{OnCommit: func(updates int, _ time.Duration, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		shared = append(shared, updates)
	}})
	shared = nil
	errRefused := errors.New("refused")
	release := holdWriter(t, s)
	together := queue(t, s, t.Context(), addOrder(1))
	alone := queueAt(t, s, s.UpdateAlone, t.Context(), addOrder(2))
	refused := queueAt(t, s, s.UpdateAlone, t.Context(), func(_ context.Context, tx *db.Tx) error {
		return errors.Join(insertOrder(tx, 3), errRefused)
	})
	last := queue(t, s, t.Context(), addOrder(4))
	if err := errors.Join(release(), <-together, <-alone, <-last); err != nil {
		t.Error(err)
	}
	if err := <-refused; !errors.Is(err, errRefused) {
		t.Errorf("got %v, want the refusal", err)
	}
	wantOrders(t, s, shop, 1, 2, 4)
	if want := []int{2, 1, 1}; !slices.Equal(shared, want) { // the holder, with the first
		t.Errorf("updates per commit: got %v, want %v", shared, want)
	}
}

func TestUpdate_CancelledWhileQueued(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	release := holdWriter(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	result := queue(t, s, ctx, addOrder(1))
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) { // while the writer is still held
		t.Errorf("cancelled: %v", err)
	}
	if n := s.Stats().Queued; n != 0 {
		t.Errorf("got %d queued updates, want 0", n)
	}
	if err := release(); err != nil {
		t.Errorf("holder: %v", err)
	}
	wantOrders(t, s, shop)
}

// The context is checked between statements and before the commit.
func TestUpdate_CancelledWhileRunning(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var second error
	err := s.Update(ctx, shop, func(_ context.Context, tx *db.Tx) error {
		if err := insertOrder(tx, 1); err != nil {
			return err
		}
		cancel()
		second = insertOrder(tx, 2)
		return nil
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(second, context.Canceled) {
		t.Errorf("got %v, second statement %v, want context.Canceled for both", err, second)
	}
	wantOrders(t, s, shop)
}

func TestUpdate_Panic(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	release := holdWriter(t, s)
	cause := errors.New("the cause")
	good := queue(t, s, t.Context(), addOrder(1))
	bad := queue(t, s, t.Context(), func(_ context.Context, tx *db.Tx) error {
		if err := insertOrder(tx, 2); err != nil {
			return err
		}
		panic(cause)
	})
	if err := release(); err != nil {
		t.Errorf("holder: %v", err)
	}
	if err := <-good; err != nil {
		t.Errorf("other update of the group: %v", err)
	}
	var p *db.PanicError
	if err := <-bad; !errors.As(err, &p) || !errors.Is(err, cause) || len(p.Stack) == 0 {
		t.Errorf("got %v, want a PanicError with the cause and a stack", err)
	}
	func() {
		defer func() {
			if v := recover(); v != cause {
				t.Errorf("panic in a view: got %v, want the cause", v)
			}
		}()
		_ = s.View(t.Context(), shop, func(context.Context, *db.Tx) error { panic(cause) })
	}()
	wantOrders(t, s, shop, 1)
}

func TestUpdate_Goexit(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Options{})
	release := holdWriter(t, s)
	neighbour := queue(t, s, t.Context(), addOrder(1))
	exiting := queue(t, s, t.Context(), func(_ context.Context, tx *db.Tx) error {
		_ = insertOrder(tx, 2)
		runtime.Goexit()
		return nil
	})
	for i, err := range []error{release(), <-neighbour, <-exiting} {
		if !errors.Is(err, db.ErrExited) {
			t.Errorf("job %d: got %v, want ErrExited", i, err)
		}
	}
	update(t, s, shop, addOrder(3))
	wantOrders(t, s, shop, 3)
}

func TestUpdate_CommitFailure(t *testing.T) {
	t.Parallel()
	const ioErrFsync, full = 1034, 13
	for _, c := range []struct {
		name   string
		code   db.FakeError
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
			s := newShop(t, db.Options{})
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
