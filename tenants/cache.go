package tenants

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"storefront/db"
	"storefront/shop"
)

// shopCache holds recently used shops. While a shop is referenced it remains the only one of its
// UID in this process, evicted or not: a shop caches its settings, and would not notice changes
// that another value of this process makes.
type shopCache struct {
	max     int
	newShop func(id db.ID) *shop.Shop

	mu      sync.RWMutex
	entries map[db.ID]*cachedShop
	evicted map[db.ID]weak.Pointer[shop.Shop]
}

type cachedShop struct {
	*shop.Shop
	used atomic.Bool // since the last sweep
}

func newShopCache(limit int, newShop func(id db.ID) *shop.Shop) *shopCache {
	return &shopCache{
		max:     limit,
		newShop: newShop,
		entries: make(map[db.ID]*cachedShop),
		evicted: make(map[db.ID]weak.Pointer[shop.Shop]),
	}
}

// find returns the cached shop with the given UID, or nil. A malformed UID is never cached.
func (c *shopCache) find(uid string) *shop.Shop {
	c.mu.RLock()
	k := c.entries[db.ID(uid)]
	c.mu.RUnlock()
	if k == nil {
		return nil
	}
	if !k.used.Load() { // storing each time would bounce the cache line between processors
		k.used.Store(true)
	}
	return k.Shop
}

// put caches and returns the one shop of id.
func (c *shopCache) put(id db.ID) *shop.Shop {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.entries[id]; k != nil {
		return k.Shop
	}
	s := c.evicted[id].Value()
	if s == nil {
		s = c.newShop(id)
	}
	delete(c.evicted, id)
	for len(c.entries) >= c.max {
		c.sweep()
	}
	c.entries[id] = &cachedShop{Shop: s}
	return s
}

// sweep evicts one shop that was not used since the previous sweep, if it finds one.
func (c *shopCache) sweep() {
	for id, k := range c.entries { // random order is as good as a clock hand here
		if !k.used.Swap(false) {
			c.evict(id, k)
			return
		}
	}
}

func (c *shopCache) evict(id db.ID, k *cachedShop) {
	delete(c.entries, id)
	pointer := weak.Make(k.Shop)
	c.evicted[id] = pointer
	runtime.AddCleanup(k.Shop, func(id db.ID) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.evicted[id] == pointer {
			delete(c.evicted, id)
		}
	}, id)
}

// remove removes a shop with a deleted or replaced file.
func (c *shopCache) remove(id db.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.entries[id]; k != nil {
		c.evict(id, k)
	}
}
