package prepared_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"storefront/prepared"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

var distinct = flag.Int("distinct", 50_000, "number of distinct requests in a flood")

// body returns bytes that neither a compressor nor an allocator can share.
func body(seed uint64, size int) []byte {
	source := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

// request finds or prepares a response and reports whether it was cached.
func request(c *prepared.Cache, version shop.ContentVersion, name string, build func() []byte) (hit bool) {
	key := prepared.Key{Tenant: "test", Request: name}
	if found, _ := c.Find(key); found.ForVersion(version) != nil {
		return true
	}
	c.Prepare(context.Background(), key, version, func(context.Context) *prepared.Response {
		return prepared.NewResponse("test", "application/json", build())
	})
	return false
}

// Requests that occur once must neither exceed the memory limit nor evict the popular responses.
func TestCache_DistinctRequestFlood(t *testing.T) { // not parallel: it measures the heap
	const limit, popular, size = 8 << 20, 200, 4 << 10
	c := prepared.NewCache(limit)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	// For each request of the attacker, a customer opens one of the popular pages.
	missed := 0
	for i := range *distinct {
		request(c, shop.ContentVersion{}, fmt.Sprint("flood-", i), func() []byte { return body(uint64(i), size) })
		page := rand.N(popular)
		hit := request(c, shop.ContentVersion{}, fmt.Sprint("page-", page), func() []byte { return body(uint64(page), size) })
		if !hit && i > 20*popular {
			missed++
		}
	}
	if share := float64(missed) / float64(*distinct-20*popular); share > 0.02 {
		t.Errorf("got %.1f %% misses on popular pages, want at most 2 %%", share*100)
	}
	got := c.Stats()
	if got.Bytes > limit {
		t.Errorf("got %d cached bytes, want at most %d", got.Bytes, limit)
	}
	if grown := int64(heap()) - int64(before); grown > limit*5/4 {
		t.Errorf("heap grew by %d bytes, want at most %d", grown, limit*5/4)
	}
	runtime.KeepAlive(c)
}

// Concurrent requests of one content version share one build; other versions do not.
func TestCachePrepare_Concurrent(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	first, err := s.ContentVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := prepared.NewCache(1 << 20)
	var built atomic.Int32
	var wait sync.WaitGroup
	started, proceed := make(chan struct{}), make(chan struct{})
	wait.Go(func() {
		request(c, first, "page", func() []byte { built.Add(1); close(started); <-proceed; return []byte("{}") })
	})
	<-started
	requesting := make(chan struct{}, 8)
	for range 8 {
		wait.Go(func() {
			requesting <- struct{}{}
			request(c, first, "page", func() []byte { built.Add(1); return []byte("{}") })
		})
	}
	for range 8 {
		<-requesting
	}
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Other"})); err != nil {
		t.Fatal(err)
	}
	second, err := s.ContentVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second == first {
		t.Fatal("a change of the settings does not change the content version")
	}
	// This one would block forever if it shared the build of the first version.
	if request(c, second, "page", func() []byte { return []byte(`{"new":true}`) }) {
		t.Error("the new content version already has a response")
	}
	close(proceed)
	wait.Wait()
	if built.Load() != 1 {
		t.Errorf("got %d builds, want 1", built.Load())
	}
	if _, ok := c.Find(prepared.Key{Tenant: "test", Request: "other"}); ok {
		t.Error("found an entry of a request that was never made")
	}
}

// The request that started a build may be cancelled: others wait for the same response.
func TestCachePrepare_RequestCancelled(t *testing.T) {
	t.Parallel()
	c := prepared.NewCache(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	response := c.Prepare(ctx, prepared.Key{Tenant: "test", Request: "page"}, shop.ContentVersion{}, func(ctx context.Context) *prepared.Response {
		if ctx.Err() != nil {
			return nil
		}
		return prepared.NewResponse("test", "application/json", []byte("{}"))
	})
	if response == nil {
		t.Error("the build ended with its request")
	}
}
