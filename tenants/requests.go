package tenants

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/plan"
)

// requestCounts counts the requests to shops until they are saved, and by plan for metrics.
type requestCounts struct {
	shops sync.Map // *requestCount by UID
	// plans and orders are *atomic.Uint64 by the name of the plan; "" means none. orders counts placed
	// ones.
	plans, orders sync.Map
}

// requestCount has times in nanoseconds.
type requestCount struct{ requests, took, cpu atomic.Int64 }

// requestsPause is the interval at which counts of requests are saved. A process that is killed
// loses the counts since then.
const requestsPause = time.Minute

// CountRequest counts a request to a shop, and the time that it took, waiting included. cpu is an
// estimate of CPU time: of one request in a sample, for all that the request stands for.
func (t *Tenants) CountRequest(s *shop.Shop, took, cpu time.Duration) {
	if s.UID() == Installation {
		return
	}
	count := loadOrNew[requestCount](&t.requests.shops, s.UID())
	count.requests.Add(1)
	count.took.Add(int64(took))
	count.cpu.Add(int64(cpu))
	loadOrNew[atomic.Uint64](&t.requests.plans, s.PlanName()).Add(1)
}

func loadOrNew[V any](in *sync.Map, key string) *V {
	v, ok := in.Load(key)
	if !ok {
		v, _ = in.LoadOrStore(key, new(V))
	}
	return v.(*V)
}

// followRequests saves the counts of requests until ctx ends.
func (b *background) followRequests(ctx context.Context) {
	for sleep(ctx, requestsPause) {
		if err := b.tenants.SaveRequests(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("counts of requests not saved, they are saved later", "error", err)
		}
	}
}

// SaveRequests adds the counts of requests since the last call to the months of the shops. Without
// requests it writes nothing. It drops them if the server has neither operators nor plans.
func (t *Tenants) SaveRequests(ctx context.Context) error {
	var all []plan.Requests
	now := t.now()
	t.requests.shops.Range(func(key, value any) bool {
		count := value.(*requestCount)
		r := plan.Requests{UID: key.(string), Requests: count.requests.Swap(0)}
		if r.Requests == 0 {
			return true
		}
		r.Milliseconds, r.CPUMilliseconds = takeMilliseconds(&count.took), takeMilliseconds(&count.cpu)
		zone := time.UTC
		if s, _, err := t.find(ctx, r.UID); err == nil { // otherwise it was deleted
			if in, err := s.TimeZone(ctx); err == nil {
				zone = in
			}
		}
		r.Month = now.In(zone).Format("2006-01")
		all = append(all, r)
		return true
	})
	if len(all) == 0 {
		return nil
	}
	s, err := t.Installation(ctx)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil
	}
	if err == nil {
		err = s.Plans.AddRequests(ctx, all)
	}
	if err != nil { // the next call saves them
		for _, r := range all {
			count := loadOrNew[requestCount](&t.requests.shops, r.UID)
			count.requests.Add(r.Requests)
			count.took.Add(r.Milliseconds * int64(time.Millisecond))
			count.cpu.Add(r.CPUMilliseconds * int64(time.Millisecond))
		}
	}
	return err
}

// takeMilliseconds takes the whole milliseconds out of a count of nanoseconds. The rest remains for
// the next time: a shop with one short request a minute has a time too.
func takeMilliseconds(nanoseconds *atomic.Int64) int64 {
	n := nanoseconds.Load() / int64(time.Millisecond)
	nanoseconds.Add(-n * int64(time.Millisecond))
	return n
}

// PlanStats are counts of a plan, for metrics.
type PlanStats struct {
	Shops    int
	Near     map[int]int // shops that were warned this month, by the per cent of a limit: 80 or 100
	Requests uint64      // to its shops since the start
	Orders   uint64      // placed in its shops by this process since the start
}

// PlanStats returns the counts of each plan that a shop has, by name; "" means no plan. Shops are
// as of the last check of all shops.
func (t *Tenants) PlanStats() map[string]PlanStats {
	stats := t.domains.countPlans(t.now())
	for name, s := range stats {
		s.Requests, s.Orders = loadCount(&t.requests.plans, name), loadCount(&t.requests.orders, name)
		stats[name] = s
	}
	return stats
}

func loadCount(in *sync.Map, key string) uint64 {
	if v, ok := in.Load(key); ok {
		return v.(*atomic.Uint64).Load()
	}
	return 0
}

func (x *shopIndex) countPlans(now time.Time) map[string]PlanStats {
	x.mu.Lock()
	defer x.mu.Unlock()
	stats := map[string]PlanStats{}
	for _, entry := range x.shops {
		s, ok := stats[entry.Plan]
		if !ok {
			s.Near = map[int]int{}
		}
		s.Shops++
		if percent := entry.planPercent(now); percent > 0 {
			s.Near[percent]++
		}
		stats[entry.Plan] = s
	}
	return stats
}
