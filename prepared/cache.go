package prepared

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"storefront/shop"
)

// maxQuestion is the longest question whose answer is kept, in bytes. No storefront asks a longer
// one twice.
const maxQuestion = 8 << 10

// entryOverhead is about what the cache itself needs for an answer, in bytes.
const entryOverhead = 512

// Key is a question to a shop.
type Key struct {
	Tenant   string
	Question string // in one canonical form, so that its variants share an answer
}

// Cache keeps answers. It is safe for concurrent use. Make one with [NewCache].
//
// An answer stays under its question when its edition has passed: it is never given out again, but
// its successor takes its place, and with it the standing that the question has earned. A flood of
// questions that are asked once does not get past the admission of those that are asked often.
type Cache struct {
	kept         *otter.Cache[Key, entry] // nil: nothing is kept
	preparing    singleflight.Group
	hits, misses atomic.Uint64
}

type entry struct {
	edition shop.Edition
	answer  *Answer
}

// NewCache gives a cache that takes about maxBytes of memory. One of 0 bytes has every answer made
// anew, for each request by itself.
func NewCache(maxBytes int64) *Cache {
	if maxBytes == 0 {
		return &Cache{}
	}
	return &Cache{kept: otter.Must(&otter.Options[Key, entry]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(key Key, e entry) uint32 {
			return uint32(len(key.Tenant) + len(key.Question) + e.answer.size() + entryOverhead)
		},
	})}
}

// Find gives the answer of an edition, or nil. known tells that an earlier edition had one.
func (c *Cache) Find(key Key, edition shop.Edition) (answer *Answer, known bool) {
	if c.kept == nil {
		c.misses.Add(1)
		return nil, false
	}
	e, known := c.kept.GetIfPresent(key)
	if !known || e.edition != edition {
		c.misses.Add(1)
		return nil, known
	}
	c.hits.Add(1)
	return e.answer, true
}

// errNotKept ends the preparation of an answer that is not for everybody.
var errNotKept = errors.New("not an answer for everybody")

// Prepare has the body of an answer made and keeps it. Those who ask the same at the same time
// share one making, which does not end with the request that began it. edition was taken before.
// prepare gives nil when what it found out is for its own caller only, such as an error: others then
// get nil, too, and have to find out for themselves.
func (c *Cache) Prepare(ctx context.Context, key Key, edition shop.Edition, prepare func(context.Context) []byte) *Answer {
	if c.kept == nil {
		body := prepare(ctx)
		if body == nil {
			return nil
		}
		return newAnswer(key.Tenant, body)
	}
	flight := fmt.Sprintf("%s\x00%v\x00%s", key.Tenant, edition, key.Question)
	made, err, _ := c.preparing.Do(flight, func() (any, error) {
		detached := context.WithoutCancel(ctx)
		if deadline, ok := ctx.Deadline(); ok {
			bounded, cancel := context.WithDeadline(detached, deadline)
			defer cancel()
			detached = bounded
		}
		body := prepare(detached)
		if body == nil {
			return nil, errNotKept
		}
		answer := newAnswer(key.Tenant, body)
		if len(key.Question) <= maxQuestion {
			answer.grown = func() { c.keep(key, edition, answer) }
			c.keep(key, edition, answer)
		}
		return answer, nil
	})
	if err != nil {
		return nil
	}
	return made.(*Answer)
}

// keep stores an answer, or weighs it anew.
func (c *Cache) keep(key Key, edition shop.Edition, answer *Answer) {
	c.kept.Set(key, entry{edition, answer})
}

// Stats is what a cache has done and holds.
type Stats struct {
	Hits, Misses uint64 // answers that were found, and that were not
	Answers      int    // kept now
	Bytes        uint64 // of memory that they take
}

// Stats gives the figures of this moment.
func (c *Cache) Stats() Stats {
	stats := Stats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	if c.kept != nil {
		c.kept.CleanUp()
		stats.Answers, stats.Bytes = c.kept.EstimatedSize(), c.kept.WeightedSize()
	}
	return stats
}
