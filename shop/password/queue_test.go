package password

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"storefront/shop/fault"
)

// fill enqueues what use returns for 0, 1, … until it is refused 100 times, and returns how many
// places were given.
func fill(t *testing.T, h *Hasher, use func(i int) Use) (held int) {
	t.Helper()
	refused := 0
	for i := 0; refused < 100; i++ {
		if i > 1000 {
			t.Fatal("the queue has no end")
		}
		_, err := h.Enqueue(use(i))
		switch {
		case err == nil:
			held++
		case fault.HasCode(err, fault.CodeRateLimited):
			refused++
		default:
			t.Fatal(err)
		}
	}
	return held
}

func TestQueue_PlacesForOthers(t *testing.T) {
	t.Parallel()
	address := func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }
	for _, c := range []struct {
		name   string
		flood  func(i int) Use
		others []Use
	}{
		{"registrations from many addresses", func(i int) Use { return Use{Shop: "a", Client: address(i), Registration: true} },
			[]Use{{Shop: "a", Client: "198.51.100.1"}, {Shop: "b", Client: "198.51.100.1"}, {Shop: "b", Client: "192.0.2.1"}}},
		{"sign-ins from many addresses", func(i int) Use { return Use{Shop: "a", Client: address(i)} },
			[]Use{{Shop: "b", Client: "198.51.100.1"}, {Shop: "b", Client: "198.51.100.1", Registration: true}, {Shop: "c", Client: "192.0.2.1"}}},
		{"sign-ins from one address", func(int) Use { return Use{Shop: "a", Client: address(1)} },
			[]Use{{Shop: "a", Client: "198.51.100.1"}, {Shop: "a", Client: "198.51.100.2", Registration: true}, {Shop: "b", Client: "192.0.2.1"}}},
		{"sign-ins from four addresses", func(i int) Use { return Use{Shop: "a", Client: address(i % 4)} },
			[]Use{{Shop: "a", Client: "198.51.100.1"}, {Shop: "a", Client: "198.51.100.2"}, {Shop: "b", Client: "192.0.2.1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := NewHasher(HasherConfig{MemoryKiB: 64, Passes: 1, Slots: 1})
			t.Logf("%d places held", fill(t, h, c.flood))
			for _, use := range c.others {
				if _, err := h.Enqueue(use); err != nil {
					t.Errorf("%+v: got %v, want a place", use, err)
				}
			}
		})
	}
	t.Run("released places", func(t *testing.T) {
		t.Parallel()
		h := NewHasher(HasherConfig{MemoryKiB: 64, Passes: 1, Slots: 1})
		var tickets []Ticket
		for i := range 20 {
			ticket, err := h.Enqueue(Use{Shop: "a", Client: address(i), Registration: i%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			tickets = append(tickets, ticket)
		}
		for _, ticket := range tickets {
			ticket.Release()
		}
		q := h.queue
		if q.held+q.registrations+len(q.byShop)+len(q.byClient)+len(q.shopTurn)+len(q.clientTurn) != 0 {
			t.Errorf("got %+v, want nothing held", q)
		}
	})
}

// turns returns the order in which waiters with the uses get the only slot, by their index.
func turns(t *testing.T, slots int, uses []Use) (order []int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(slots, 100)
		for range slots {
			if err := q.acquire(context.Background(), Use{Shop: "first"}); err != nil {
				t.Fatal(err)
			}
		}
		got := make(chan int, len(uses))
		for i, use := range uses {
			go func() {
				if err := q.acquire(context.Background(), use); err != nil {
					t.Error(err)
				}
				got <- i
			}()
			synctest.Wait() // so that they wait in this order
		}
		q.release(Use{})
		for range uses {
			i := <-got
			order = append(order, i)
			q.release(uses[i])
			synctest.Wait()
		}
	})
	return order
}

func TestQueue_Turns(t *testing.T) {
	t.Parallel()
	a1, a2, b1 := Use{Shop: "a", Client: "1"}, Use{Shop: "a", Client: "2"}, Use{Shop: "b", Client: "1"}
	register := Use{Shop: "a", Client: "9", Registration: true}
	for _, c := range []struct {
		name string
		uses []Use
		want []int
	}{
		{"one client waits in order", []Use{a1, a1, a1}, []int{0, 1, 2}},
		{"shops in turn", []Use{a1, a1, a1, b1, b1}, []int{0, 3, 1, 4, 2}},
		{"clients of a shop in turn", []Use{a1, a1, a1, a2}, []int{0, 3, 1, 2}},
		{"sign-ins first, but not for ever", []Use{register, register, a1, a1, a1, a1, a1}, []int{2, 3, 0, 4, 5, 6, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := turns(t, 1, c.uses); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Of two slots, registrations leave one free for the next sign-in.
func TestQueue_SlotForSignIns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 10)
		register := Use{Shop: "a", Client: "1", Registration: true}
		if err := q.acquire(context.Background(), register); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		second := make(chan error)
		go func() { second <- q.acquire(ctx, register) }()
		synctest.Wait()
		if err := q.acquire(context.Background(), Use{Shop: "a", Client: "1"}); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("second registration: got %v, want it to wait", err)
		}
		if len(q.waiting) != 0 {
			t.Errorf("got %d waiting, want none after the caller left", len(q.waiting))
		}
	})
}
