package server

import (
	"fmt"
	"hash/maphash"
	"sync"
	"time"
)

// rateLimiter bounds the requests of each client address: so many a second, and so many at once after
// a pause. Its memory is bounded, whatever the number of addresses.
type rateLimiter struct {
	interval time.Duration // one request's share of a second
	burst    time.Duration // how far a client may run ahead
	policy   string        // as the field RateLimit-Policy: so many (q) in so many seconds (w)
	seed     maphash.Seed
	shards   [16]rateShard
}

// maxClients is how many addresses a shard remembers. With more, some start anew.
const maxClients = 4096

type rateShard struct {
	mu sync.Mutex
	// busyUntil has, for each client, when its requests so far would end at one interval each.
	busyUntil map[string]time.Time
}

func newRateLimiter(perSecond, burst int) *rateLimiter {
	interval := time.Second / time.Duration(perSecond)
	c := &rateLimiter{
		interval: interval, burst: interval * time.Duration(burst), seed: maphash.MakeSeed(),
		policy: fmt.Sprintf(`"requests";q=%d;w=%d`, burst, (burst+perSecond-1)/perSecond),
	}
	for i := range c.shards {
		c.shards[i].busyUntil = map[string]time.Time{}
	}
	return c
}

// allow counts one request of client. It gives 0 where the request may go on, else the seconds to
// wait. A client without an address is not held back: it would stand for all of them.
func (c *rateLimiter) allow(client string, now time.Time) (wait int) {
	if client == "" {
		return 0
	}
	shard := &c.shards[maphash.String(c.seed, client)%uint64(len(c.shards))]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	until, known := shard.busyUntil[client]
	if until.Before(now) {
		until = now
	}
	next := until.Add(c.interval)
	if over := next.Sub(now) - c.burst; over > 0 {
		return int((over + time.Second - 1) / time.Second)
	}
	if !known && len(shard.busyUntil) >= maxClients {
		shard.evict(now)
	}
	shard.busyUntil[client] = next
	return 0
}

// evict makes room: clients that have been quiet go first, else any one does.
func (shard *rateShard) evict(now time.Time) {
	for client, until := range shard.busyUntil {
		if until.Before(now) {
			delete(shard.busyUntil, client)
		}
	}
	for client := range shard.busyUntil {
		if len(shard.busyUntil) < maxClients {
			return
		}
		delete(shard.busyUntil, client)
	}
}
