package order

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"storefront/shop/input"
	"storefront/shop/plugin"
)

const (
	// placesFresh is the time for which a list of places is used without another query: couriers
	// change them rarely. A new store should appear soon.
	placesFresh = 24 * time.Hour
	storesFresh = 5 * time.Minute
	// courierListRetry is the interval of queries that fail. Couriers lock out an account after
	// repeated wrong credentials.
	courierListRetry = time.Minute
	// maxCourierPlaces limits the places that a shop caches, of all its couriers.
	maxCourierPlaces = 20_000
	// maxPlaceName limits the length of the names of places, in characters.
	maxPlaceName = 200
)

// courierLists caches the lists of a shop's couriers. Its zero value is empty.
type courierLists struct {
	mu    sync.Mutex
	lists map[courierListKey]*courierList
	size  int // of all lists, in places

	calls singleflight.Group
}

// courierListKey identifies a list. account is a hash of the settings, so that a changed account
// has no list yet.
type courierListKey struct {
	provider plugin.Provider
	mode     plugin.Mode
	account  [sha256.Size]byte
	kind     plugin.PlaceKind
	of       int64
}

// courierList is a list from the courier's last response.
type courierList struct {
	places     []plugin.NamedPlace
	err        error // of the last query
	has        bool  // whether there ever was a response
	due        time.Time
	lastUsedAt time.Time
}

// courierAccount returns a hash of the settings that identify the merchant to a courier.
func courierAccount(access plugin.Access) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(access.Settings)) {
		fmt.Fprintf(h, "%q %q\n", name, access.Settings[name])
	}
	h.Sum(sum[:0])
	return sum
}

// places returns a list, which must not be modified. An old one is better than none if the courier
// does not respond. Codes: state_conflict, unavailable.
func (c *courierLists) places(
	ctx context.Context, now func() time.Time, plugin *plugin.Plugin, access plugin.Access, kind plugin.PlaceKind, of int64,
) ([]plugin.NamedPlace, error) {
	key := courierListKey{plugin.Provider, access.Mode, courierAccount(access), kind, of}
	if list, ok := c.find(key, now()); ok {
		return list.result(plugin.Provider)
	}
	done := c.calls.DoChan(fmt.Sprintf("%v", key), func() (any, error) {
		// Others wait for the response too, so it does not depend on the first of them.
		places, err := plugin.Places.ListPlaces(context.WithoutCancel(ctx), access, kind, of)
		return c.put(key, places, err, now()), nil
	})
	select {
	case result := <-done:
		return result.Val.(courierList).result(plugin.Provider)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l courierList) result(provider plugin.Provider) ([]plugin.NamedPlace, error) {
	if l.has {
		return l.places, nil
	}
	return nil, errCourierList(provider, l.err)
}

// find returns a list that need not be queried again yet.
func (c *courierLists) find(key courierListKey, now time.Time) (list courierList, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.lists[key]
	if found == nil || !now.Before(found.due) {
		return courierList{}, false
	}
	found.lastUsedAt = now
	return *found, true
}

// put stores the response to a query and returns the list.
func (c *courierLists) put(key courierListKey, places []plugin.NamedPlace, err error, now time.Time) courierList {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = map[courierListKey]*courierList{}
	}
	list := c.lists[key]
	if list == nil {
		list = &courierList{}
		c.lists[key] = list
	}
	list.lastUsedAt, list.err, list.due = now, err, now.Add(courierListRetry)
	if err == nil {
		c.size -= len(list.places)
		list.places, list.has = normalizePlaces(places), true
		c.size += len(list.places)
		list.due = now.Add(placesFresh)
		if key.kind == plugin.PlaceStore {
			list.due = now.Add(storesFresh)
		}
	}
	c.evict(key)
	return *list
}

// evict removes the least recently used lists, except one, until the places are few enough. Failed
// queries count as places.
func (c *courierLists) evict(except courierListKey) {
	for c.size+len(c.lists) > maxCourierPlaces && len(c.lists) > 1 {
		var oldest courierListKey
		var at time.Time
		for key, list := range c.lists {
			if key != except && (at.IsZero() || list.lastUsedAt.Before(at)) {
				oldest, at = key, list.lastUsedAt
			}
		}
		c.size -= len(c.lists[oldest].places)
		delete(c.lists, oldest)
	}
}

// normalizePlaces returns places with clean names, sorted, up to the limit of a shop's cache.
func normalizePlaces(places []plugin.NamedPlace) []plugin.NamedPlace {
	places = slices.DeleteFunc(slices.Clone(places), func(p plugin.NamedPlace) bool { return p.ID <= 0 || p.Name == "" })
	places = places[:min(len(places), maxCourierPlaces/2)]
	for i := range places {
		places[i].Name, places[i].In = placeText(places[i].Name), placeText(places[i].In)
	}
	slices.SortStableFunc(places, func(a, b plugin.NamedPlace) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return places
}

// placeText returns a text of a courier in one line.
func placeText(text string) string {
	return input.Cut(strings.Join(strings.Fields(input.Clean(text)), " "), maxPlaceName)
}
