package server

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"storefront/shop/fault"
)

// workLimits limit the work on responses that are not served from the cache. A unit of work is one
// short read or write; lists count more, see [catalogue.ProductFilter.Work].
type workLimits struct {
	// clients counts by client. A client that a shop's server passed on counts for that shop alone.
	clients *rateLimiter
	// forwarders counts what an address passed on for others: it can invent any number of clients.
	forwarders *rateLimiter
	shops      *rateLimiter // counts by shop
	lists      listSlots
}

// newWorkLimits returns the limits of a configuration, nil if it has none.
func newWorkLimits(cfg *Config) *workLimits {
	if cfg.Rate < 0 {
		return nil
	}
	return &workLimits{
		clients:    newRateLimiter(cfg.Rate, cfg.Burst),
		forwarders: newRateLimiter(cfg.ShopRate, cfg.ShopBurst),
		shops:      newRateLimiter(cfg.ShopRate, cfg.ShopBurst),
		lists:      listSlots{limit: max(runtime.GOMAXPROCS(0)/2, minLists), clients: make(map[string]*listSlot)},
	}
}

// limitKey returns the key by which the limits count the exchange's client, "" if it has no address.
func (x *exchange) limitKey() string {
	if x.forwarder == "" {
		return x.caller.Client
	}
	return x.shop.UID() + "\x00" + x.caller.Client
}

// Charge counts units of work of the exchange's client and shop. It may be called concurrently.
// Codes: rate_limited.
func (x *exchange) Charge(work int) error {
	l := x.server.limits
	if l == nil || work <= 0 {
		return nil
	}
	now := x.server.cfg.Now()
	const client = "Too many requests from this address. Wait as long as Retry-After says."
	if wait := l.clients.allow(x.limitKey(), work, now); wait > 0 {
		return x.rateLimited(l.clients, wait, client)
	}
	if wait := l.forwarders.allow(x.forwarder, work, now); wait > 0 {
		return x.rateLimited(l.forwarders, wait, client)
	}
	if wait := l.shops.allow(x.shop.UID(), work, now); wait > 0 {
		return x.rateLimited(l.shops, wait, "Too many requests to this shop. Wait as long as Retry-After says.")
	}
	return nil
}

// rateLimited sets the headers of a refusal and returns its error.
func (x *exchange) rateLimited(l *rateLimiter, wait int, message string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := x.Header()
	x.overRate = true
	h.Set("RateLimit-Policy", l.policy)
	h.Set("RateLimit", fmt.Sprintf(`"requests";r=0;t=%d`, wait))
	return &fault.Error{Code: fault.CodeRateLimited, RetryAfter: wait, Message: message}
}

// Acquire waits until the exchange's client may read another list of the shop, until release is
// called. It may be called concurrently. Codes: rate_limited.
func (x *exchange) Acquire(ctx context.Context) (release func(), err error) {
	l := x.server.limits
	if l == nil || x.caller.Client == "" {
		return func() {}, nil
	}
	release, err = l.lists.acquire(ctx, x.shop.UID()+"\x00"+x.limitKey())
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.overRate = true
	}
	return release, err
}

// beginList charges the work of a list beyond the first unit, which is charged with the request, and
// waits until its client may read it. Codes: rate_limited.
func (r *request) beginList(ctx context.Context, work int) (done func(), err error) {
	if err := r.x.Charge(work - 1); err != nil {
		return nil, err
	}
	return r.x.Acquire(ctx)
}

const (
	// minLists is how many lists of a shop a client may read at once on a small machine. On others
	// it is half of the processors.
	minLists = 2
	// maxListQueue is how many more may wait. A server that renders a shop's pages may request
	// many at once.
	maxListQueue = 100
)

// listSlots limits how many lists each client reads at once, so that the lists of one client neither
// occupy the readers of a shop nor all processors.
type listSlots struct {
	limit   int
	mu      sync.Mutex
	clients map[string]*listSlot // those that read a list or wait
}

type listSlot struct {
	running chan struct{}
	users   int // running and waiting
}

func (s *listSlots) acquire(ctx context.Context, client string) (release func(), err error) {
	s.mu.Lock()
	slot := s.clients[client]
	if slot == nil {
		slot = &listSlot{running: make(chan struct{}, s.limit)}
		s.clients[client] = slot
	}
	if slot.users >= s.limit+maxListQueue {
		s.mu.Unlock()
		return nil, &fault.Error{
			Code: fault.CodeRateLimited, RetryAfter: 1,
			Message: "Too many lists are requested at once from this address. Wait as long as Retry-After says.",
		}
	}
	slot.users++
	s.mu.Unlock()
	select {
	case slot.running <- struct{}{}:
		return func() { <-slot.running; s.leave(client, slot) }, nil
	case <-ctx.Done():
		s.leave(client, slot)
		return nil, ctx.Err()
	}
}

func (s *listSlots) leave(client string, slot *listSlot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot.users--; slot.users == 0 {
		delete(s.clients, client)
	}
}
