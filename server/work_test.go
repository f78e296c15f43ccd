package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// newLimitedSite starts a server on which each address may do burst units of work, and each shop
// shopBurst, in one second.
func newLimitedSite(t *testing.T, burst, shopBurst int) *site {
	t.Helper()
	return newSite(t, func(cfg *server.Config) {
		cfg.Rate, cfg.Burst, cfg.ShopRate, cfg.ShopBurst, cfg.Now = 1, burst, 1, shopBurst, shoptest.NewClock().Now
		cfg.Tenants.(*tenantsOf).only = "test"
		cfg.Tenants.(*tenantsOf).shops["other"] = shoptest.New(t, &shoptest.Options{UID: "other"})
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
}

// from returns the header of a request by way of a trusted proxy.
func from(address string) []string { return []string{"X-Forwarded-For", address} }

// Searches and long lists count as several requests, in REST and in GraphQL.
func TestRateLimit_Work(t *testing.T) {
	t.Parallel()
	graphQL := func(s *site, query, address string) *reply {
		return s.send("POST", "/graphql", `{"query":"`+query+`"}`, from(address)...)
	}
	for _, test := range []struct {
		name string
		work int
		send func(s *site, address string) *reply
	}{
		{"list", 1, func(s *site, a string) *reply { return s.get("/api/v1/products", from(a)...) }},
		{"list of 100", 5, func(s *site, a string) *reply { return s.get("/api/v1/products?limit=100", from(a)...) }},
		{"whole list", 20, func(s *site, a string) *reply { return s.get("/api/v1/products?limit=-1", from(a)...) }},
		{"collections", 20, func(s *site, a string) *reply { return s.get("/api/v1/collections?limit=-1", from(a)...) }},
		{"search", 6, func(s *site, a string) *reply { return s.get("/api/v1/products?search=lamp+LAMP", from(a)...) }},
		{"two words", 7, func(s *site, a string) *reply { return s.get("/api/v1/products?search=red+lamp", from(a)...) }},
		{"list by vendor", 5, func(s *site, a string) *reply { return s.get("/api/v1/products?vendors[]=aarong", from(a)...) }},
		{"facets", 13, func(s *site, a string) *reply { return s.get("/api/v1/products/facets?search=lamp", from(a)...) }},
		{"suggestions", 6, func(s *site, a string) *reply { return s.get("/api/v1/suggestions?q=lamp", from(a)...) }},
		{"GraphQL facets", 8, func(s *site, a string) *reply { return graphQL(s, "{productFacets{tags{value}}}", a) }},
		{"GraphQL list", 1, func(s *site, a string) *reply { return graphQL(s, "{products{meta{totalCount}}}", a) }},
		{"GraphQL whole list", 20, func(s *site, a string) *reply { return graphQL(s, "{products(limit:-1){meta{totalCount}}}", a) }},
		{"GraphQL searches", 12, func(s *site, a string) *reply {
			return graphQL(s, `{a:products(search:\"lamp\"){meta{totalCount}} b:products(search:\"saree\"){meta{totalCount}}}`, a)
		}},
		{"GraphQL document without operation", 1, func(s *site, a string) *reply { return graphQL(s, "{__typename}", a) }},
		{"GraphQL records", 3, func(s *site, a string) *reply {
			return graphQL(s, "{a:storeFront{uid} b:storeFront{uid} c:storeFront{uid}}", a)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newLimitedSite(t, test.work, 1000)
			test.send(s, "192.0.2.1").ok(200, new(any))
			s.get("/api/v1/orders/none", from("192.0.2.1")...).problem(429, fault.CodeRateLimited)
			if test.work > 1 {
				s = newLimitedSite(t, test.work, 1000)
				s.get("/api/v1/orders/none", from("192.0.2.1")...).problem(404, fault.CodeNotFound)
				if got := test.send(s, "192.0.2.1"); got.status != 429 || got.header.Get("Retry-After") == "" || got.header.Get("RateLimit-Policy") == "" {
					t.Errorf("one unit too few: got %d with %v, want 429 with its headers", got.status, got.header)
				}
			}
		})
	}
}

// A document cannot contain many searches, even without a rate limit.
func TestGraphQL_SearchCost(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var query strings.Builder
	for i := range 100 {
		fmt.Fprintf(&query, `a%d:products(limit:1,search:\"a%d\"){meta{totalCount}} `, i, i)
	}
	var got struct {
		Data   map[string]any
		Errors []struct{ Extensions struct{ Code fault.Code } }
	}
	s.send("POST", "/graphql", `{"query":"{`+query.String()+`}"}`).ok(200, &got)
	found := 0
	for _, list := range got.Data {
		if list != nil {
			found++
		}
	}
	if found > 10 || len(got.Errors) == 0 || got.Errors[0].Extensions.Code != fault.CodeTooComplex {
		t.Errorf("got %d lists and %d errors, want at most 10 lists, and %s for the others", found, len(got.Errors), fault.CodeTooComplex)
	}
}

func TestRateLimit_Shop(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, 5, 8)
	for i := range 8 {
		s.get("/api/v1/orders/none", from(fmt.Sprintf("192.0.2.%d", i))...).problem(404, fault.CodeNotFound)
	}
	got := s.get("/api/v1/orders/none", from("192.0.2.100")...)
	got.problem(429, fault.CodeRateLimited)
	if policy := got.header.Get("RateLimit-Policy"); policy != `"requests";q=8;w=8` {
		t.Errorf("got policy %s, want the shop's", policy)
	}
	s.get("/api/v1/orders/none", append(from("192.0.2.100"), "x-tenant", "other")...).problem(404, fault.CodeNotFound)
}

// The addresses that a shop's server passes on count for that shop alone, and the server's own
// address is limited too: it can invent as many as it likes.
func TestRateLimit_ForwardedClient(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, 2, 6)
	key, _, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "storefront"})
	if err != nil {
		t.Fatal(err)
	}
	passOn := func(buyer string, from []string) *reply {
		return s.get("/api/v1/orders/none", append(from, "X-API-Key", key, "X-Shopper-Address", buyer)...)
	}
	for range 2 {
		passOn("192.0.2.1", from("198.51.100.1")).problem(404, fault.CodeNotFound)
	}
	passOn("192.0.2.1", from("198.51.100.1")).problem(429, fault.CodeRateLimited)
	// The buyer's own requests to any shop are not affected.
	for _, uid := range []string{"test", "other"} {
		s.get("/api/v1/orders/none", append(from("192.0.2.1"), "x-tenant", uid)...).problem(404, fault.CodeNotFound)
	}
	s = newLimitedSite(t, 2, 6)
	if key, _, err = s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "storefront"}); err != nil {
		t.Fatal(err)
	}
	allowed := 0
	for i := range 20 {
		if passOn(fmt.Sprintf("192.0.2.%d", i), from("198.51.100.2")).status == http.StatusNotFound {
			allowed++
		}
	}
	if allowed != 6 {
		t.Errorf("got %d requests for 20 invented buyers, want 6", allowed)
	}
}

// Guesses of API keys count.
func TestRateLimit_WrongAPIKey(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, 3, 1000)
	guess := func() *reply {
		return s.get("/api/v1/tenant", "X-Admin-Token", "sfa_guess", "X-Shopper-Address", "192.0.2.1")
	}
	for range 3 {
		guess().problem(401, fault.CodeUnauthenticated)
	}
	guess().problem(429, fault.CodeRateLimited)
}

// requestsEnded receives the route of every request that has ended.
type requestsEnded chan string

func (r requestsEnded) Request(_, route string, _ int, _ time.Duration) { r <- route }

// While lists occupy their readers, a product is found at once, and a list whose client leaves is
// no longer waited for.
func TestLists_ReadersOccupied(t *testing.T) {
	t.Parallel()
	store := shoptest.NewStore(t, nil)
	s := shoptest.New(t, &shoptest.Options{Store: store})
	stockShop(t, s)
	ended := make(requestsEnded, 10)
	web := newSiteOf(t, s, func(cfg *server.Config) { cfg.Metrics = ended })
	release := shoptest.HoldReaders(t, store, "test")
	defer release()
	web.get("/api/v1/products/handle/tea-pot").ok(200, new(any))
	<-ended
	sent := make(chan struct{}, 10) // once per request: the server reads it even if its client has left
	ctx, leave := context.WithCancel(t.Context())
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent <- struct{}{} }})
	for _, send := range []func() (*http.Request, error){
		func() (*http.Request, error) {
			return http.NewRequestWithContext(ctx, "GET", web.url+"/api/v1/products?search=pot", nil)
		},
		func() (*http.Request, error) {
			return http.NewRequestWithContext(ctx, "POST", web.url+"/graphql", strings.NewReader(`{"query":"{products(search:\"pot\"){meta{totalCount}}}"}`))
		},
	} {
		r, err := send()
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("x-tenant", "test")
		r.Header.Set("Content-Type", "application/json")
		go func() {
			if res, err := web.plain.Do(r); err == nil {
				t.Errorf("got status %d, want the client to leave first", res.StatusCode)
				_ = res.Body.Close()
			}
		}()
	}
	<-sent
	<-sent
	time.AfterFunc(50*time.Millisecond, leave) // while most likely both wait for a reader
	for range 2 {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("a request has not ended although its client left")
		}
	}
}
