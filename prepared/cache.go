package prepared

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"storefront/shop"
)

// maxKey is the size, in bytes, of the longest key with a cached response. No storefront sends a
// longer request twice.
const maxKey = 8 << 10

// entryOverhead is the approximate memory that the cache itself needs per entry, in bytes.
const entryOverhead = 512

// Key identifies a request to a shop.
type Key struct {
	Tenant  string
	Path    string
	Request string // normalized, as far as that is cheap, so that equal requests have equal keys
}

func (k Key) size() int { return len(k.Tenant) + len(k.Path) + len(k.Request) }

// clone returns a key that does not refer to the memory of its request.
func (k Key) clone() Key {
	return Key{Tenant: k.Tenant, Path: strings.Clone(k.Path), Request: strings.Clone(k.Request)}
}

// Cache stores responses by key. It is safe for concurrent use. Create one with [NewCache].
//
// A response of an outdated content version is never returned, but its entry stays until the next
// one replaces it, which inherits its access frequency. The admission policy thus protects frequent
// requests from a flood of requests that occur once.
type Cache struct {
	entries      *otter.Cache[Key, entry] // nil if caching is off
	flights      flights
	hits, misses atomic.Uint64
}

type entry struct {
	version  shop.ContentVersion
	response *Response
}

// NewCache returns a cache of about maxBytes of memory. Zero turns caching off: every request
// builds its own response.
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

// Found is a cache entry, possibly of an outdated content version.
type Found struct {
	cache *Cache
	entry
}

// Find returns the entry of a key and whether there is one.
func (c *Cache) Find(key Key) (found Found, ok bool) {
	if c.entries == nil {
		return Found{}, false
	}
	e, ok := c.entries.GetIfPresent(key)
	return Found{c, e}, ok
}

// ForVersion returns the response if it was built from the given content version, otherwise nil.
func (f Found) ForVersion(version shop.ContentVersion) *Response {
	if f.response == nil || f.version != version {
		return nil
	}
	f.cache.hits.Add(1)
	return f.response
}

// Prepare builds a response and caches it. Concurrent calls with the same key and version share one
// build, which is cancelled when the contexts of all of them have ended. version must have been
// read before the call. admit is called for the caller that starts a build, never for those that
// share it. If it returns an error, so does Prepare. prepare returns nil if its result is valid for
// its own caller only, such as an error. Prepare then returns nil to all callers that share it, and
// they must run the request themselves.
func (c *Cache) Prepare(
	ctx context.Context, key Key, version shop.ContentVersion, admit func() error, prepare func(context.Context) *Response,
) (*Response, error) {
	c.misses.Add(1)
	if c.entries == nil {
		if err := admit(); err != nil {
			return nil, err
		}
		return prepare(ctx), nil
	}
	key = key.clone()
	return c.flights.do(ctx, flightKey{key, version}, admit, func(ctx context.Context) *Response {
		response := prepare(ctx)
		if response != nil && key.size() <= maxKey {
			response.onEncoded = func() { c.put(key, version, response) }
			c.put(key, version, response)
		}
		return response
	})
}

// put stores a response, or updates its weight.
func (c *Cache) put(key Key, version shop.ContentVersion, response *Response) {
	c.entries.Set(key, entry{version, response})
}

// Stats are the counters and the contents of a cache.
type Stats struct {
	Hits, Misses uint64 // since the start
	Responses    int    // cached now
	Bytes        uint64 // of memory in use
}

// Stats returns the current statistics.
func (c *Cache) Stats() Stats {
	stats := Stats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	if c.entries != nil {
		c.entries.CleanUp()
		stats.Responses, stats.Bytes = c.entries.EstimatedSize(), c.entries.WeightedSize()
	}
	return stats
}
