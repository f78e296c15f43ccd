package security

import (
	"sync"
	"time"
)

// The lines of refused requests: a client may cause a burst of clientBurst and one per
// clientInterval, and all clients together a burst of allBurst and one per allInterval.
const (
	clientBurst    = 20
	clientInterval = time.Second
	allBurst       = 500
	allInterval    = 10 * time.Millisecond

	maxClients = 8192 // beyond it some clients start again
)

// sampler limits log lines per client and in all. Its memory is bounded.
type sampler struct {
	mu      sync.Mutex
	all     bucket
	clients map[string]*bucket
}

// bucket counts the lines of one client.
type bucket struct {
	until      time.Time // end of its lines so far, at one per interval
	suppressed uint64
}

func newSampler() sampler { return sampler{clients: map[string]*bucket{}} }

func (b *bucket) full(now time.Time, interval time.Duration, burst int) bool {
	return b.until.Sub(now) > interval*time.Duration(burst-1)
}

func (b *bucket) add(now time.Time, interval time.Duration) {
	if b.until.Before(now) {
		b.until = now
	}
	b.until = b.until.Add(interval)
}

// allow counts a line of a client. It returns the number of suppressed lines before it.
func (s *sampler) allow(client string, now time.Time) (suppressed uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.clients[client]
	if b == nil {
		if len(s.clients) >= maxClients {
			s.evict(now)
		}
		b = &bucket{}
		s.clients[client] = b
	}
	if b.full(now, clientInterval, clientBurst) || s.all.full(now, allInterval, allBurst) {
		b.suppressed++
		return 0, false
	}
	b.add(now, clientInterval)
	s.all.add(now, allInterval)
	suppressed, b.suppressed = b.suppressed, 0
	return suppressed, true
}

// evict makes room: idle clients are removed first, then any.
func (s *sampler) evict(now time.Time) {
	for client, b := range s.clients {
		if b.until.Before(now) {
			delete(s.clients, client)
		}
	}
	for client := range s.clients {
		if len(s.clients) < maxClients/2 {
			return
		}
		delete(s.clients, client)
	}
}
