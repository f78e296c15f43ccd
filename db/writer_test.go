package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db"
)

// outcome is the result that a caller of Update received.
type outcome struct {
	id  int64
	err error
}

// A mix of concurrent updates as in a busy shop. An update that returned nil is stored, and one
// that returned an error is not.
func TestUpdate_MixedResults(t *testing.T) {
	t.Parallel()
	s := newShop(t, options{})
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

// An update that is alone shares no commit and is rolled back completely.
func TestUpdateAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var shared []int
	s := newShop(t, options{Options: db.Options{OnCommit: func(updates int, _ time.Duration, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		shared = append(shared, updates)
	}}})
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
	s := newShop(t, options{})
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
	s := newShop(t, options{})
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
	s := newShop(t, options{})
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
	s := newShop(t, options{})
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
