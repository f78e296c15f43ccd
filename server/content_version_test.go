package server_test

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/prepared"
	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

var (
	consistencyTime = flag.Duration("consistency", 2*time.Second, "how long readers check for stale responses")
	distinctQueries = flag.Int("distinct", 2000, "how many distinct queries an attack sends")
)

var numbered = regexp.MustCompile(`Number (\d+)`)

// reader reads pages by their ETags, as browsers do, and checks what it may see.
type reader struct {
	*site
	client *http.Client
	names  *sync.Map // ETag to body and body to ETag, shared by all readers
	copies map[string][2]string
}

// read returns the number that a page shows.
func (r *reader) read(method, path, body, encoding string) (int, error) {
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("x-tenant", "test")
	req.Header.Set("Accept-Encoding", encoding)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	held := r.copies[path+encoding]
	if held[0] != "" {
		req.Header.Set("If-None-Match", held[0])
	}
	res, err := r.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	bytes, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	text, etag := string(bytes), res.Header.Get("ETag")
	switch {
	case res.StatusCode == http.StatusNotModified:
		text = held[1]
	case res.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	case etag != "":
		for key, value := range map[string]string{path + " tag " + etag: text, path + encoding + " body " + text: etag} {
			if before, ok := r.names.LoadOrStore(key, value); ok && before != value {
				return 0, fmt.Errorf("%s: one ETag for two bodies, or two for one: %s", path, etag)
			}
		}
		r.copies[path+encoding] = [2]string{etag, text}
	}
	if strings.HasPrefix(text, "\x1f\x8b") {
		if text, err = gunzip(text); err != nil {
			return 0, err
		}
	}
	found := numbered.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("%s %s shows no number: %s", method, path, text)
	}
	return strconv.Atoi(found[1])
}

// No response is older than a change that was acknowledged before its request.
func TestCache_NeverOlderThanAcknowledgedChange(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Handle: "one", Title: "Number", Variants: []catalogue.VariantInput{{Price: 100}},
		DescriptionHTML: strings.Repeat("<p>Long enough to be compressed.</p>", 50),
	})
	if err != nil {
		t.Fatal(err)
	}
	change := func(n int) error {
		title := fmt.Sprintf("Number %d", n)
		_, err := s.shop.Catalogue.UpdateProduct(
			context.Background(), access.Operator(), "one", catalogue.ProductChange{Title: &title},
		)
		if err != nil {
			return err
		}
		return s.shop.SetSettings(context.Background(), access.Operator(), shoptest.Raw(t, map[string]any{"name": title}))
	}
	if err := change(1); err != nil {
		t.Fatal(err)
	}
	var acknowledged atomic.Int64
	acknowledged.Store(1)
	pages := []struct{ method, path, body string }{
		{"GET", "/api/v1/products", ""}, {"GET", "/api/v1/products?limit=-1", ""}, {"GET", "/api/v1/products/handle/one", ""},
		{"GET", "/api/v1/products?search=number", ""}, {"GET", "/api/v1/tenant", ""},
		{"POST", "/graphql", `{"query":"{products{nodes{title}}}"}`}, {"POST", "/graphql", `{"query":"{storeFront{name}}"}`},
	}
	ctx, cancel := context.WithTimeout(t.Context(), *consistencyTime)
	defer cancel()
	var reads atomic.Int64
	var names sync.Map
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			r := &reader{site: s, client: &http.Client{Transport: &http.Transport{}}, names: &names, copies: map[string][2]string{}}
			defer r.client.CloseIdleConnections()
			for ctx.Err() == nil {
				page := pages[rand.N(len(pages))]
				least := acknowledged.Load()
				got, err := r.read(page.method, page.path, page.body, []string{"identity", "gzip"}[rand.N(2)])
				if err != nil {
					t.Error(err)
					return
				}
				if got < int(least) {
					t.Errorf("%s %s shows %d after %d was acknowledged", page.method, page.path, got, least)
				}
				reads.Add(1)
			}
		})
	}
	changes := 1
	for ; ctx.Err() == nil; changes++ {
		if err := change(changes + 1); err != nil {
			t.Fatal(err)
		}
		acknowledged.Store(int64(changes + 1))
	}
	wait.Wait()
	t.Logf("%d reads beside %d changes, %d of them hits", reads.Load(), changes, s.server.Prepared().Hits)
}

// A scheduled product appears when it is due, without a commit.
func TestCache_ScheduledProductAppears(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Clock: clock}), nil)
	due := clock.Now().Add(time.Hour)
	if _, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{Title: "Later", PublishedAt: &due,
		Variants: []catalogue.VariantInput{{Price: 100}}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"", "", "Later", "Later"} {
		var got pageOf[catalogue.Product]
		s.get("/api/v1/products").ok(200, &got)
		if titles(got.Nodes) != want {
			t.Errorf("at %s: %q, want %q", clock.Now(), titles(got.Nodes), want)
		}
		clock.Advance(30 * time.Minute)
	}
	if hits := s.server.Prepared().Hits; hits != 2 {
		t.Errorf("%d hits, want one before and one after", hits)
	}
}

// Variants of one query share a response, whatever unknown parameters a client adds.
func TestCache_EqualQueriesShareResponse(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for i, query := range []string{
		"limit=5&tags[]=b&tags[]=a", "tags[]=a&tags[]=b&limit=5", "limit=5&tags=b&tags=a&tags=a", "limit=5&tags%5B0%5D=a&tags[1]=b",
		"limit=5&tags[]=a&tags[]=b&_=1700000000&search=&utm_source=x",
	} {
		s.get("/api/v1/products?"+query).ok(200, new(any))
		if got := s.server.Prepared(); got.Misses != 1 || got.Hits != uint64(i) {
			t.Errorf("after %s: %+v", query, got)
		}
	}
	for _, query := range []string{"limit=6&tags[]=a&tags[]=b", "limit=5&tags[]=a", "limit=5&tags[]=a&tags[]=B", "limit=5&search=a%26tags[]=b"} {
		before := s.server.Prepared().Misses
		s.get("/api/v1/products?"+query).ok(200, new(any))
		if s.server.Prepared().Misses != before+1 {
			t.Errorf("%s: got the response to another query", query)
		}
	}
}

func TestCache_ErrorsNotCached(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, path := range []string{"/api/v1/products/none", "/api/v1/products?limit=0", "/api/v1/collections/none"} {
		first, second := s.get(path), s.get(path)
		if first.status == 200 || first.header.Get("ETag") != "" || first.header.Get("Cache-Control") != "no-store" {
			t.Errorf("GET %s: %d, %v", path, first.status, first.header)
		}
		if first.header.Get("X-Request-Id") == second.header.Get("X-Request-Id") ||
			!strings.Contains(string(second.body), second.header.Get("X-Request-Id")) {
			t.Errorf("GET %s: got the first response again: %s", path, second.body)
		}
	}
	if got := s.server.Prepared(); got.Responses != 0 {
		t.Errorf("%+v", got)
	}
}

// Distinct queries sent once do not evict the pages that buyers often open.
func TestCache_ManyDistinctQueries(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.CacheSize = 256 << 10 })
	stockShop(t, s.shop)
	hot := []string{"/api/v1/products", "/api/v1/tenant", "/api/v1/collections", "/api/v1/products?sortBy=price"}
	for range 20 {
		for _, path := range hot {
			s.get(path)
		}
	}
	missed := uint64(0)
	for i := range *distinctQueries {
		s.get("/api/v1/products?search=tea+" + url.QueryEscape(strconv.Itoa(i)))
		before := s.server.Prepared().Misses
		s.get(hot[i%len(hot)])
		missed += s.server.Prepared().Misses - before
	}
	if got := s.server.Prepared(); missed > uint64(*distinctQueries/50) || got.Bytes > 256<<10 {
		t.Errorf("got %d misses of hot pages in %d queries; %+v", missed, *distinctQueries, got)
	}
}

// Without a cache clients get the same responses and headers; only the work is repeated.
func TestCache_Disabled(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.CacheSize = -1 })
	first := s.get("/api/v1/tenant")
	etag := first.header.Get("ETag")
	first.ok(200, new(any))
	if second := s.get("/api/v1/tenant"); string(second.body) != string(first.body) || second.header.Get("ETag") != etag || etag == "" {
		t.Errorf("the same again: got ETag %q, %s; want %q, %s", second.header.Get("ETag"), second.body, etag, first.body)
	}
	if known := s.get("/api/v1/tenant", "If-None-Match", etag); known.status != 304 || len(known.body) > 0 {
		t.Errorf("If-None-Match: got %d %s", known.status, known.body)
	}
	s.get("/api/v1/products/none").problem(404, fault.CodeNotFound)
	s.send("POST", "/graphql", `{"query":"{storeFront{name}}"}`).ok(200, new(any))
	if err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"name": "Renamed"})); err != nil {
		t.Fatal(err)
	}
	if got := s.get("/api/v1/tenant", "If-None-Match", etag); got.status != 200 || !strings.Contains(string(got.body), "Renamed") {
		t.Errorf("after a change: %d %s", got.status, got.body)
	}
	if got := s.server.Prepared(); got != (prepared.Stats{Misses: 6}) {
		t.Errorf("%+v", got)
	}
}

func gunzip(text string) (string, error) {
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return "", err
	}
	plain, err := io.ReadAll(r)
	return string(plain), err
}
