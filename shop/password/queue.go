package password

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"storefront/shop/fault"
)

// Use describes the requester and the purpose of a hash. Hashing capacity is shared fairly between
// shops, and within a shop between clients. The zero value is a sign-in of an unknown client.
type Use struct {
	Shop   string
	Client string // network address; "" if unknown
	// Registration marks the creation of an account, which anybody can request any number of times.
	// Sign-ins and all other uses for existing accounts take precedence over it.
	Registration bool
	// Staff marks a staff member's password, which has a slot and a queue of its own.
	Staff bool
}

// client returns the client's key. Two shops count the same address separately.
func (u Use) client() clientKey { return clientKey{u.Shop, u.Client} }

type clientKey struct{ shop, client string }

// signInsPerRegistration is the number of sign-ins hashed for each registration while both wait.
const signInsPerRegistration = 3

// queue assigns places and slots. No group (a shop, a client of a shop, all registrations) can fill
// it: each may hold only a share of the free places. The more a group holds, the fewer it can add,
// and a newcomer of another group still gets a place.
type queue struct {
	mu       sync.Mutex
	capacity int // places
	slots    int // concurrent hashes

	// Held places, from Enqueue to Release.
	held          int
	registrations int
	byShop        map[string]int
	byClient      map[clientKey]int

	waiting []*waiter // for a slot, in the order of arrival
	hashing int
	// registering is how many of the running hashes are registrations'.
	registering int
	// turn counts the hashes begun. A shop's or client's last turn is stored while it holds a place.
	turn          int64
	shopTurn      map[string]int64
	clientTurn    map[clientKey]int64
	signInsBefore int // hashes of sign-ins since the last registration's
}

// waiter waits for a slot.
type waiter struct {
	use   Use
	ready chan struct{} // closed once it has the slot
}

func newQueue(slots, waiting int) *queue {
	return &queue{
		capacity: slots + waiting, slots: slots, byShop: map[string]int{}, byClient: map[clientKey]int{},
		shopTurn: map[string]int64{}, clientTurn: map[clientKey]int64{},
	}
}

// enter holds a place. Codes: rate_limited.
func (q *queue) enter(use Use) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.hasPlace(use) {
		busy := fault.Errorf(fault.CodeRateLimited, "Too many people are signing in: try again in a few seconds.")
		busy.RetryAfter = busySeconds
		return busy
	}
	q.held++
	q.byShop[use.Shop]++
	q.byClient[use.client()]++
	if use.Registration {
		q.registrations++
	}
	return nil
}

// hasPlace reports whether use may hold another place. The first place of a client counts less, so
// that a few clients do not exclude the others of their shop.
func (q *queue) hasPlace(use Use) bool {
	free := q.capacity - q.held
	switch own := q.byClient[use.client()]; {
	case free <= 0:
		return false
	case use.Registration && q.registrations > 0 && 2*q.registrations >= free: // at most a third of all places
		return false
	case own == 0:
		return q.byShop[use.Shop] < 2*free // at most two thirds
	case q.byShop[use.Shop] >= free: // at most half
		return false
	default: // at most a fifth, if the client is known
		return use.Client == "" || 4*own < free
	}
}

// leave releases a place.
func (q *queue) leave(use Use) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held--
	if use.Registration {
		q.registrations--
	}
	if q.byShop[use.Shop]--; q.byShop[use.Shop] == 0 {
		delete(q.byShop, use.Shop)
		delete(q.shopTurn, use.Shop)
	}
	key := use.client()
	if q.byClient[key]--; q.byClient[key] == 0 {
		delete(q.byClient, key)
		delete(q.clientTurn, key)
	}
}

// acquire waits for a slot, which the caller must release. The caller holds a place.
func (q *queue) acquire(ctx context.Context, use Use) error {
	w := &waiter{use: use, ready: make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, w)
	q.dispatch()
	q.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return ctx.Err()
	}
	return nil // the slot was assigned in the meantime
}

// release frees a slot.
func (q *queue) release(use Use) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hashing--
	if use.Registration {
		q.registering--
	}
	q.dispatch()
}

// dispatch assigns free slots. q.mu is held.
func (q *queue) dispatch() {
	for q.hashing < q.slots {
		i := q.next()
		if i < 0 {
			return
		}
		w := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.hashing++
		q.turn++
		q.shopTurn[w.use.Shop], q.clientTurn[w.use.client()] = q.turn, q.turn
		if w.use.Registration {
			q.registering++
			q.signInsBefore = 0
		} else {
			q.signInsBefore++
		}
		close(w.ready)
	}
}

// next returns the index of the waiter whose turn it is, or -1: a sign-in before a registration,
// then the shop and the client with the earliest last turn. Registrations leave one slot to
// sign-ins if there are several.
func (q *queue) next() int {
	best := -1
	for _, registration := range []bool{q.signInsBefore >= signInsPerRegistration, q.signInsBefore < signInsPerRegistration} {
		if registration && q.slots > 1 && q.registering >= q.slots-1 {
			continue
		}
		for i, w := range q.waiting {
			if w.use.Registration == registration && (best < 0 || q.compare(w.use, q.waiting[best].use) < 0) {
				best = i
			}
		}
		if best >= 0 {
			return best
		}
	}
	return best
}

// compare orders two waiters of the same kind.
func (q *queue) compare(a, b Use) int {
	return cmp.Or(cmp.Compare(q.shopTurn[a.Shop], q.shopTurn[b.Shop]), cmp.Compare(q.clientTurn[a.client()], q.clientTurn[b.client()]))
}
