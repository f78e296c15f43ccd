package server

import (
	"fmt"
	"hash/maphash"
	"sync"
	"time"
)

// Written by hand: golang.org/x/time/rate has a limiter per client and no bound on their
// number. This stores one time per client.

// rateLimiter limits the work of each client to a rate and a burst. Its memory is bounded for any
// number of clients.
type rateLimiter struct {
	interval time.Duration // one second divided by the rate
	burst    time.Duration // limit of busyUntil ahead of now
	policy   string        // value of RateLimit-Policy: q units of work in w seconds
	seed     maphash.Seed
	shards   [16]rateShard
}

// maxClients limits the clients that a shard counts. Beyond it some start again at zero.
const maxClients = 4096

type rateShard struct {
	mu sync.Mutex
	// busyUntil maps a client to the time at which its work, at one unit per interval, is done.
	busyUntil map[string]time.Time
}

func newRateLimiter(perSecond, burst int) *rateLimiter {
	interval := time.Second / time.Duration(perSecond)
	l := &rateLimiter{
		interval: interval, burst: interval * time.Duration(burst), seed: maphash.MakeSeed(),
		policy: fmt.Sprintf(`"requests";q=%d;w=%d`, burst, (burst+perSecond-1)/perSecond),
	}
	for i := range l.shards {
		l.shards[i].busyUntil = map[string]time.Time{}
	}
	return l
}

// allow counts work of a client, at most a burst. It returns 0 if the work is allowed, otherwise
// the seconds to wait. Clients without an address are not limited: they would all share one limit.
func (l *rateLimiter) allow(client string, work int, now time.Time) (wait int) {
	if client == "" {
		return 0
	}
	shard := l.shard(client)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	until, known := shard.busyUntil[client]
	if until.Before(now) {
		until = now
	}
	next := until.Add(min(l.interval*time.Duration(work), l.burst))
	if over := next.Sub(now) - l.burst; over > 0 {
		return int((over + time.Second - 1) / time.Second)
	}
	if !known && len(shard.busyUntil) >= maxClients {
		shard.evict(now)
	}
	shard.busyUntil[client] = next
	return 0
}

// debit counts work that a client has done, also beyond its burst.
func (l *rateLimiter) debit(client string, work int, now time.Time) {
	if client == "" || work <= 0 {
		return
	}
	shard := l.shard(client)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	until, known := shard.busyUntil[client]
	if until.Before(now) {
		until = now
	}
	if !known && len(shard.busyUntil) >= maxClients {
		shard.evict(now)
	}
	shard.busyUntil[client] = until.Add(l.interval * time.Duration(work))
}

func (l *rateLimiter) shard(client string) *rateShard {
	return &l.shards[maphash.String(l.seed, client)%uint64(len(l.shards))]
}

// evict makes room for a client: idle clients are removed first, then any.
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
