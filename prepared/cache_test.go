package prepared_test

import (
	"context"
	"errors"
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
	_, err := c.Prepare(context.Background(), key, version, admitted, func(context.Context) *prepared.Response {
		return prepared.NewResponse("test", "application/json", build())
	})
	if err != nil {
		panic(err)
	}
	return false
}

func admitted() error { return nil }

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

// A build continues while one of the requests that share it waits, whichever started it, and ends
// with the last of them.
func TestCachePrepare_RequestsCancelled(t *testing.T) {
	t.Parallel()
	c := prepared.NewCache(1 << 20)
	key := prepared.Key{Tenant: "test", Request: "page"}
	first, leaveFirst := context.WithCancel(t.Context())
	second, leaveSecond := context.WithCancel(t.Context())
	defer leaveFirst()
	defer leaveSecond()
	var work context.Context
	started, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := c.Prepare(first, key, shop.ContentVersion{}, admitted, func(ctx context.Context) *prepared.Response {
			work = ctx
			close(started)
			<-ctx.Done()
			return nil
		})
		ended <- err
	}()
	<-started
	joined := make(chan error)
	entered := make(chan struct{})
	go func() {
		_, err := c.Prepare(waiting{second, entered}, key, shop.ContentVersion{}, admitted, func(context.Context) *prepared.Response {
			t.Error("the second request started another build")
			return nil
		})
		joined <- err
	}()
	<-entered
	leaveFirst()
	<-first.Done()
	if err := work.Err(); err != nil {
		t.Errorf("after the first request: got %v, want the build to continue", err)
	}
	leaveSecond()
	if err := <-joined; !errors.Is(err, context.Canceled) {
		t.Errorf("second request: got %v, want %v", err, context.Canceled)
	}
	if err := <-ended; err != nil || work.Err() == nil {
		t.Errorf("after both requests: got %v, build %v, want the build to be cancelled", err, work.Err())
	}
	if request(c, shop.ContentVersion{}, "page", func() []byte { return []byte("{}") }) {
		t.Error("the cancelled build was cached")
	}
}

// waiting is a context that reports when something waits for it.
type waiting struct {
	context.Context
	entered chan struct{}
}

func (w waiting) Done() <-chan struct{} {
	close(w.entered)
	return w.Context.Done()
}

// Only the request whose build starts is admitted; if it is refused, nothing is built.
func TestCachePrepare_Admission(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, size := range []int64{0, 1 << 20} {
		c := prepared.NewCache(size)
		_, err := c.Prepare(t.Context(), prepared.Key{}, shop.ContentVersion{}, func() error { return refused }, func(context.Context) *prepared.Response {
			t.Error("built without admission")
			return nil
		})
		if !errors.Is(err, refused) {
			t.Errorf("cache of %d bytes: got %v, want %v", size, err, refused)
		}
	}
}
