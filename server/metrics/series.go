package metrics

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// series holds the values of one metric by their labels. Every request looks values up, which needs
// no lock and no allocation; adding one copies the map.
type series[K comparable, V any] struct {
	all atomic.Pointer[map[K]*V]
	mu  sync.Mutex // held while a value is added
	new func() *V
}

// get returns the value of key and creates it if necessary.
func (s *series[K, V]) get(key K) *V {
	if v := s.snapshot()[key]; v != nil {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.snapshot()
	if v := old[key]; v != nil {
		return v
	}
	next := maps.Clone(old)
	if next == nil {
		next = map[K]*V{}
	}
	v := s.new()
	next[key] = v
	s.all.Store(&next)
	return v
}

// snapshot returns the present values. The map must not be modified.
func (s *series[K, V]) snapshot() map[K]*V {
	if all := s.all.Load(); all != nil {
		return *all
	}
	return nil
}

type counter = atomic.Uint64

func newCounter() *counter { return new(counter) }

// histogram counts values by bucket.
type histogram struct {
	bounds []float64       // upper bounds, ascending
	counts []atomic.Uint64 // per bucket, not cumulative; the last bucket has no bound
	sum    atomic.Int64    // in units of scale
	scale  float64         // the metric's units per unit of sum
}

// durationBounds are the buckets of durations, from a cached response to a provider that hardly
// responds.
var durationBounds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25}

func newDurations() *histogram {
	return &histogram{bounds: durationBounds, counts: make([]atomic.Uint64, len(durationBounds)+1), scale: 1e-9}
}

func newSizes(bounds ...float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1), scale: 1}
}

func (h *histogram) observeDuration(d time.Duration) { h.observe(d.Seconds(), int64(d)) }

func (h *histogram) observeSize(n int) { h.observe(float64(n), int64(n)) }

func (h *histogram) observe(value float64, units int64) {
	i := 0
	for i < len(h.bounds) && value > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(units)
}
