package server

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"storefront/shop/fault"
)

// workLimits limit the work on uncached responses. A unit of work is one short read or write; lists
// count more, see [catalogue.ProductFilter.Work].
type workLimits struct {
	// clients counts by client. A client that a shop's server forwarded counts for that shop alone.
	clients *rateLimiter
	// forwarders counts the work that an address passed on for others: it can invent any number of
	// clients.
	forwarders *rateLimiter
	shops      *rateLimiter // counts by shop
	staff      *rateLimiter // counts by API key and session
	plans      sync.Map     // *rateLimiter as staff, by the calls per second of a plan
	pages      *rateLimiter // counts views of orders' pages by client
	// lists and records limit the concurrent reads of a client. A client's lists must not delay its
	// reads of single records, which have a reader of their own.
	lists, records readSlots
	// calls and streams limit the concurrent long waits of staff members: calls of providers, and
	// files that a client reads at its own pace.
	calls, streams readSlots
	// images limits the concurrent uploads of a staff member or API key, shopImages of a shop.
	images, shopImages readSlots
	// photos limits the concurrent photos of buyers by shop.
	photos readSlots
	// imports limits the concurrent imports of a shop, dry runs included.
	imports readSlots
}

// Limit of each API key and each session, in calls of the Admin API.
const (
	staffRate  = 20
	staffBurst = 100
)

// maxPageViews limits the views of orders' pages by each address, per minute.
const maxPageViews = 60

// newWorkLimits returns the limits of a configuration, nil if it has none.
func newWorkLimits(cfg *Config) *workLimits {
	if cfg.Rate < 0 {
		return nil
	}
	return &workLimits{
		clients:    newRateLimiter(cfg.Rate, cfg.Burst),
		forwarders: newRateLimiter(cfg.ShopRate, cfg.ShopBurst),
		shops:      newRateLimiter(cfg.ShopRate, cfg.ShopBurst),
		staff:      newRateLimiter(staffRate, staffBurst),
		pages:      newRateLimiter(1, maxPageViews),
		lists:      newReadSlots(),
		records:    newReadSlots(),
		calls:      newReadSlots(),
		streams:    newReadSlots(),
		images:     readSlots{limit: 1, queue: maxImageQueue, clients: make(map[string]*readSlot)},
		imports:    readSlots{limit: 1, queue: maxImportQueue, clients: make(map[string]*readSlot)},
		photos:     readSlots{limit: 1, queue: maxImageQueue, clients: make(map[string]*readSlot)},
		shopImages: readSlots{limit: maxShopImages, queue: maxImageQueue, clients: make(map[string]*readSlot)},
	}
}

// limitKey returns the key of the exchange's client for the limits, "" if it has no address.
func (x *exchange) limitKey() string {
	if x.forwarder == "" {
		return x.caller.Client
	}
	return x.shop.UID() + "\x00" + x.caller.Client
}

const tooManyRequests = "Too many requests from this address. Wait as long as Retry-After says."

// Charge counts units of work of the exchange's client and of its shop, if it has one. It may be
// called concurrently. Codes: rate_limited.
func (x *exchange) Charge(work int) error {
	l := x.server.limits
	if l == nil || work <= 0 {
		return nil
	}
	now := x.server.cfg.Now()
	if err := x.chargeClient(work); err != nil {
		return err
	}
	if x.shop == nil {
		return nil
	}
	if wait := l.forwarders.allow(x.forwarder, work, now); wait > 0 {
		return x.rateLimited(l.forwarders, wait, tooManyRequests)
	}
	if wait := l.shops.allow(x.shop.UID(), work, now); wait > 0 {
		return x.rateLimited(l.shops, wait, "Too many requests to this shop. Wait as long as Retry-After says.")
	}
	return nil
}

// chargeClient is Charge for a request without a shop.
func (x *exchange) chargeClient(work int) error {
	l := x.server.limits
	if l == nil {
		return nil
	}
	if wait := l.clients.allow(x.limitKey(), work, x.server.cfg.Now()); wait > 0 {
		return x.rateLimited(l.clients, wait, tooManyRequests)
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

// AcquireList waits until the exchange's client may read another list of the shop, until release is
// called. It may be called concurrently. Codes: rate_limited.
func (x *exchange) AcquireList(ctx context.Context) (release func(), err error) {
	if x.server.limits == nil {
		return func() {}, nil
	}
	return x.acquireAsClient(ctx, &x.server.limits.lists)
}

// AcquireRecord is AcquireList for all other reads of the shop's data: single records and the price
// of a cart.
func (x *exchange) AcquireRecord(ctx context.Context) (release func(), err error) {
	if x.server.limits == nil {
		return func() {}, nil
	}
	return x.acquireAsClient(ctx, &x.server.limits.records)
}

func (x *exchange) acquireAsClient(ctx context.Context, slots *readSlots) (release func(), err error) {
	if x.caller.Client == "" {
		return func() {}, nil
	}
	var uid string
	if x.shop != nil {
		uid = x.shop.UID()
	}
	return x.acquire(ctx, slots, uid+"\x00"+x.limitKey())
}

func (x *exchange) acquire(ctx context.Context, slots *readSlots, key string) (release func(), err error) {
	release, err = slots.acquire(ctx, key)
	if fault.HasCode(err, fault.CodeRateLimited) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.overRate = true
	}
	return release, err
}

// beginList charges the work of a list beyond the first unit (charged with the request), and waits
// until its client may read it. Codes: rate_limited.
func (r *request) beginList(ctx context.Context, work int) (done func(), err error) {
	if err := r.x.Charge(work - 1); err != nil {
		return nil, err
	}
	return r.x.AcquireList(ctx)
}

// readRecord returns do as an operation that waits until its client may read another record of the
// shop. Codes: rate_limited.
func readRecord[I, T any, P interface {
	*I
	exchange() *exchange
}](do func(context.Context, P) (*T, error)) func(context.Context, *I) (*T, error) {
	return func(ctx context.Context, in *I) (*T, error) {
		done, err := P(in).exchange().AcquireRecord(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		return do(ctx, in)
	}
}

const (
	// minReads limits the lists, and the records, of a shop that a client may read concurrently on a
	// small machine. On others the limit is half of the processors.
	minReads = 2
	// maxReadQueue limits further waiting reads. A server that renders a shop's pages may request many
	// at the same time.
	maxReadQueue = 100
	// maxShopImages limits the uploads of a shop that are decoded or wait for the decoder, to less
	// than half of its queue.
	maxShopImages = 4
	// maxImageQueue limits further waiting uploads of a staff member or a shop, and photos of its
	// buyers.
	maxImageQueue = 8
	// maxImportQueue limits further waiting imports of a shop.
	maxImportQueue = 2
)

// readSlots limits the concurrent reads of each client and shop, so that one client occupies
// neither the readers of a shop nor all processors.
type readSlots struct {
	limit   int
	queue   int // limit of further waiting ones
	mu      sync.Mutex
	clients map[string]*readSlot // running or waiting ones
}

type readSlot struct {
	running chan struct{}
	users   int // running and waiting
}

func newReadSlots() readSlots {
	return readSlots{limit: max(runtime.GOMAXPROCS(0)/2, minReads), queue: maxReadQueue, clients: make(map[string]*readSlot)}
}

func (s *readSlots) acquire(ctx context.Context, client string) (release func(), err error) {
	s.mu.Lock()
	slot := s.clients[client]
	if slot == nil {
		slot = &readSlot{running: make(chan struct{}, s.limit)}
		s.clients[client] = slot
	}
	if slot.users >= s.limit+s.queue {
		s.mu.Unlock()
		return nil, &fault.Error{
			Code: fault.CodeRateLimited, RetryAfter: 1,
			Message: "Too many requests of this address are waiting. Wait as long as Retry-After says.",
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

func (s *readSlots) leave(client string, slot *readSlot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot.users--; slot.users == 0 {
		delete(s.clients, client)
	}
}
