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
	"storefront/shop/shoptest"
)

var distinct = flag.Int("distinct", 50_000, "how many distinct questions an attack asks")

// body gives bytes that no compressor or allocator can share.
func body(seed uint64, size int) []byte {
	source := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

func request(c *prepared.Cache, edition shop.ContentVersion, question string, make func() []byte) (hit bool) {
	key := prepared.Key{Tenant: "test", Request: question}
	if found, _ := c.Find(key); found.ForVersion(edition) != nil {
		return true
	}
	c.Prepare(context.Background(), key, edition, func(context.Context) *prepared.Response {
		return prepared.NewResponse("test", "application/json", make())
	})
	return false
}

// Questions that are asked once neither take more memory than there is nor push out the answers
// that everybody asks for.
func TestCache_DistinctRequestFlood(t *testing.T) { // not parallel: it looks at the heap
	const limit, hot, size = 8 << 20, 200, 4 << 10
	c := prepared.NewCache(limit)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	// A shopper for each attacker, who opens one of the pages that everybody opens.
	missed := 0
	for i := range *distinct {
		request(c, shop.ContentVersion{}, fmt.Sprint("flood-", i), func() []byte { return body(uint64(i), size) })
		page := rand.N(hot)
		if hit := request(c, shop.ContentVersion{}, fmt.Sprint("page-", page), func() []byte { return body(uint64(page), size) }); !hit && i > 20*hot {
			missed++
		}
	}
	if share := float64(missed) / float64(*distinct-20*hot); share > 0.02 {
		t.Errorf("%.1f %% of the questions for the hot pages missed", share*100)
	}
	got := c.Stats()
	if got.Bytes > limit {
		t.Errorf("%d bytes are kept, the limit is %d", got.Bytes, limit)
	}
	if grown := int64(heap()) - int64(before); grown > limit*5/4 {
		t.Errorf("the heap has grown by %d bytes, the limit is %d", grown, limit)
	}
	runtime.KeepAlive(c)
}

// One making for all who ask at the same time, and for nobody who asks in another edition.
func TestCachePrepare_Concurrent(t *testing.T) {
	t.Parallel()
	s := shoptest.New(t, nil)
	first, err := s.ContentVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := prepared.NewCache(1 << 20)
	var made atomic.Int32
	var wait sync.WaitGroup
	started, proceed := make(chan struct{}), make(chan struct{})
	wait.Go(func() {
		request(c, first, "page", func() []byte { made.Add(1); close(started); <-proceed; return []byte("{}") })
	})
	<-started
	asking := make(chan struct{}, 8)
	for range 8 {
		wait.Go(func() {
			asking <- struct{}{}
			request(c, first, "page", func() []byte { made.Add(1); return []byte("{}") })
		})
	}
	for range 8 {
		<-asking
	}
	if err := s.SetSettings(t.Context(), shoptest.Raw(t, map[string]any{"name": "Other"})); err != nil {
		t.Fatal(err)
	}
	second, err := s.ContentVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second == first {
		t.Fatal("a change of the settings leaves the edition as it was")
	}
	// This one would wait for ever if it shared the making of the edition before.
	if request(c, second, "page", func() []byte { return []byte(`{"new":true}`) }) {
		t.Error("the new edition has an answer already")
	}
	close(proceed)
	wait.Wait()
	if made.Load() != 1 {
		t.Errorf("the answer was made %d times", made.Load())
	}
	if _, known := c.Find(prepared.Key{Tenant: "test", Request: "other"}); known {
		t.Error("a question that nobody asked is known")
	}
}

// Whoever began it may go away: others wait for the same answer.
func TestCachePrepare_RequestCancelled(t *testing.T) {
	t.Parallel()
	c := prepared.NewCache(1 << 20)
	ctx, leave := context.WithCancel(context.Background())
	leave()
	answer := c.Prepare(ctx, prepared.Key{Tenant: "test", Request: "page"}, shop.ContentVersion{}, func(ctx context.Context) *prepared.Response {
		if ctx.Err() != nil {
			return nil
		}
		return prepared.NewResponse("test", "application/json", []byte("{}"))
	})
	if answer == nil {
		t.Error("the making ended with the request")
	}
}
