package metrics

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// series are values of one metric by their labels. Looking one up takes no lock and allocates
// nothing, since that happens in every request; a new one copies the map.
type series[K comparable, V any] struct {
	all atomic.Pointer[map[K]*V]
	mu  sync.Mutex // held while one is added
	new func() *V
}

// get gives the value of key, which is made when it is asked for first.
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

// snapshot gives the values of this moment, not to be changed.
func (s *series[K, V]) snapshot() map[K]*V {
	if all := s.all.Load(); all != nil {
		return *all
	}
	return nil
}

type counter = atomic.Uint64

func newCounter() *counter { return new(counter) }

// histogram counts values by size.
type histogram struct {
	bounds []float64       // upper ones, ascending
	counts []atomic.Uint64 // of each bucket alone; the last one has no bound
	sum    atomic.Int64    // in units of scale
	scale  float64         // how many of the metric's unit a unit of sum is
}

// durationBounds are the bounds of durations: from a cached answer to a provider that hardly answers.
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
