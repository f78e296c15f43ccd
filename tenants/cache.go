package tenants

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"storefront/db"
	"storefront/shop"
)

// shopCache keeps the shops asked for last. While anyone holds a shop it stays the only one of its
// UID in this process, evicted or not: a shop caches its settings and knows of this process's
// changes only by having made them itself.
type shopCache struct {
	max     int
	newShop func(id db.ID) *shop.Shop

	mu      sync.RWMutex
	entries map[db.ID]*cachedShop
	evicted map[db.ID]weak.Pointer[shop.Shop]
}

type cachedShop struct {
	*shop.Shop
	used atomic.Bool // asked for since the last sweep
}

func newShopCache(limit int, makeShop func(id db.ID) *shop.Shop) *shopCache {
	return &shopCache{
		max:     limit,
		newShop: makeShop,
		entries: make(map[db.ID]*cachedShop),
		evicted: make(map[db.ID]weak.Pointer[shop.Shop]),
	}
}

// find gives the shop kept under uid, or nil. A uid that is none is never kept.
func (c *shopCache) find(uid string) *shop.Shop {
	c.mu.RLock()
	k := c.entries[db.ID(uid)]
	c.mu.RUnlock()
	if k == nil {
		return nil
	}
	if !k.used.Load() { // a plain store would bounce the cache line between processors
		k.used.Store(true)
	}
	return k.Shop
}

// put gives the one shop of id and keeps it.
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

// sweep evicts a shop that nobody asked for since the last sweep came by it.
func (c *shopCache) sweep() {
	for id, k := range c.entries { // in no order: as good as round and round
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

// remove drops a shop whose file is gone.
func (c *shopCache) remove(id db.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.entries[id]; k != nil {
		c.evict(id, k)
	}
}
