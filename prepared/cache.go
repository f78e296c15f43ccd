package prepared

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"storefront/shop"
)

// maxKey is the longest key whose answer is kept, in bytes. No storefront asks a longer one twice.
const maxKey = 8 << 10

// entryOverhead is about what the cache itself needs for an answer, in bytes.
const entryOverhead = 512

// Key is a question to a shop.
type Key struct {
	Tenant  string
	Path    string // where it is asked
	Request string // in one form for all that ask the same, as far as finding the form is cheap
}

func (k Key) size() int { return len(k.Tenant) + len(k.Path) + len(k.Request) }

// clone gives the key without the request that its texts are parts of.
func (k Key) clone() Key {
	return Key{Tenant: k.Tenant, Path: strings.Clone(k.Path), Request: strings.Clone(k.Request)}
}

// Cache keeps answers. It is safe for concurrent use. Make one with [NewCache].
//
// An answer stays under its question when its edition has passed: it is never given out again, but
// its successor takes its place, and with it the standing that the question has earned. A flood of
// questions that are asked once does not get past the admission of those that are asked often.
type Cache struct {
	entries      *otter.Cache[Key, entry] // nil: nothing is kept
	preparing    singleflight.Group
	hits, misses atomic.Uint64
}

type entry struct {
	version  shop.ContentVersion
	response *Response
}

// NewCache gives a cache that takes about maxBytes of memory. One of 0 bytes has every answer made
// anew, for each request by itself.
func NewCache(maxBytes int64) *Cache {
	if maxBytes == 0 {
		return &Cache{}
	}
	return &Cache{entries: otter.Must(&otter.Options[Key, entry]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(key Key, e entry) uint32 {
			return uint32(key.size() + e.response.size() + entryOverhead)
		},
	})}
}

// Found is what a cache has for a question: an answer of one edition.
type Found struct {
	cache *Cache
	entry
}

// Find gives what is kept for a question; known false: nothing.
func (c *Cache) Find(key Key) (found Found, known bool) {
	if c.entries == nil {
		return Found{}, false
	}
	e, known := c.entries.GetIfPresent(key)
	return Found{c, e}, known
}

// ForVersion gives the answer if it is one of that edition, or nil.
func (f Found) ForVersion(edition shop.ContentVersion) *Response {
	if f.response == nil || f.version != edition {
		return nil
	}
	f.cache.hits.Add(1)
	return f.response
}

// errNotCacheable ends the preparation of an answer that is not for everybody.
var errNotCacheable = errors.New("not an answer for everybody")

// Prepare has an answer made and keeps it. Those who ask the same at the same time
// share one making, which does not end with the request that began it. edition was taken before.
// prepare gives nil when what it found out is for its own caller only, such as an error: others then
// get nil, too, and have to find out for themselves.
func (c *Cache) Prepare(ctx context.Context, key Key, edition shop.ContentVersion, prepare func(context.Context) *Response) *Response {
	c.misses.Add(1)
	if c.entries == nil {
		return prepare(ctx)
	}
	flight := fmt.Sprintf("%s\x00%v\x00%s\x00%s", key.Tenant, edition, key.Path, key.Request)
	made, err, _ := c.preparing.Do(flight, func() (any, error) {
		detached := context.WithoutCancel(ctx)
		if deadline, ok := ctx.Deadline(); ok {
			bounded, cancel := context.WithDeadline(detached, deadline)
			defer cancel()
			detached = bounded
		}
		answer := prepare(detached)
		if answer == nil {
			return nil, errNotCacheable
		}
		if key.size() <= maxKey {
			key := key.clone()
			answer.onEncoded = func() { c.put(key, edition, answer) }
			c.put(key, edition, answer)
		}
		return answer, nil
	})
	if err != nil {
		return nil
	}
	return made.(*Response)
}

// put stores an answer, or weighs it anew.
func (c *Cache) put(key Key, edition shop.ContentVersion, answer *Response) {
	c.entries.Set(key, entry{edition, answer})
}

// Stats is what a cache has done and holds.
type Stats struct {
	Hits, Misses uint64 // answers that were found, and that had to be made
	Responses    int    // kept now
	Bytes        uint64 // of memory that they take
}

// Stats gives the figures of this moment.
func (c *Cache) Stats() Stats {
	stats := Stats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	if c.entries != nil {
		c.entries.CleanUp()
		stats.Responses, stats.Bytes = c.entries.EstimatedSize(), c.entries.WeightedSize()
	}
	return stats
}
