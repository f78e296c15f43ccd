package security

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

const (
	// maxOffenders limits the clients that are exported as metrics, each as a series of its own.
	maxOffenders = 10
	// halfLife is the time after which an event counts half.
	halfLife = 10 * time.Minute
)

// Offender is a client and its score; older events weigh less.
type Offender struct {
	Client string
	Events float64
}

// offenders counts the events of clients. Its memory is bounded: if there are too many clients,
// those with the fewest events are dropped. The zero value is ready for use.
type offenders struct {
	mu     sync.Mutex
	halved time.Time // time of the last halving
	counts map[string]float64
}

func (o *offenders) add(client string, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.decay(now)
	if o.counts == nil {
		o.counts = map[string]float64{}
	}
	if _, known := o.counts[client]; !known && len(o.counts) >= maxClients {
		o.halve()
	}
	o.counts[client]++
}

// decay halves the counts once per halfLife.
func (o *offenders) decay(now time.Time) {
	if o.halved.IsZero() || now.Sub(o.halved) > 64*halfLife {
		clear(o.counts)
		o.halved = now
	}
	for ; now.Sub(o.halved) >= halfLife; o.halved = o.halved.Add(halfLife) {
		o.halve()
	}
}

// halve halves all counts and removes those below one; if all are larger, the clients of the lower
// half.
func (o *offenders) halve() {
	for client, n := range o.counts {
		if o.counts[client] = n / 2; n < 2 {
			delete(o.counts, client)
		}
	}
	if len(o.counts) < maxClients {
		return
	}
	all := o.sorted()
	for _, offender := range all[len(all)/2:] {
		delete(o.counts, offender.Client)
	}
}

func (o *offenders) sorted() []Offender {
	all := make([]Offender, 0, len(o.counts))
	for client, n := range o.counts {
		all = append(all, Offender{client, n})
	}
	slices.SortFunc(all, func(a, b Offender) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Client, b.Client))
	})
	return all
}

// top returns the clients with the most events.
func (o *offenders) top(now time.Time) []Offender {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.decay(now)
	all := o.sorted()
	return all[:min(len(all), maxOffenders)]
}
