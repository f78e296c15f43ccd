package server_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"storefront/server"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

const (
	catalogueVary = "x-tenant, Origin, Accept-Encoding"
	aBrowser      = "gzip, deflate, br, zstd"
)

// stockedSite returns a site whose shop has lists long enough to be compressed.
func stockedSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, nil)
	stockShop(t, s.shop)
	return s
}

// Caching headers and encoding of every class of route.
func TestHeaders_CachingAndEncoding(t *testing.T) {
	t.Parallel()
	s := stockedSite(t)
	for _, tt := range []struct {
		method, path, body   string
		status               int
		caching, vary        string
		hasETag, isEncodable bool
	}{
		{"GET", "/api/v1/products", "", 200, "private, no-cache", catalogueVary, true, true},
		{"GET", "/api/v1/products?limit=-1&sortBy=price", "", 200, "private, no-cache", catalogueVary, true, true},
		{"GET", "/api/v1/collections", "", 200, "private, no-cache", catalogueVary, true, false}, // short
		{"GET", "/api/v1/tenant", "", 200, "private, no-cache", catalogueVary, true, false},
		{"GET", "/api/v1/products/none", "", 404, "no-store", "", false, false},
		{"GET", "/api/v1/products?limit=0", "", 422, "no-store", "", false, false},
		{"GET", "/api/v1/auth/me", "", 401, "no-store", "", false, false},
		{"GET", "/api/v1/orders/none", "", 404, "no-store", "", false, false},
		{"POST", "/api/v1/auth/logout", "", 200, "no-store", "", false, false},
		{"POST", "/api/v1/orders/quote", "{}", 422, "no-store", "", false, false},
		{"POST", "/graphql", `{"query":"{products{nodes{_id title descriptionHtml variants{_id sku title}}}}"}`, 200, "no-store",
			"Accept-Encoding", false, false},
		{"POST", "/graphql", `{"query":"{me{name}}"}`, 200, "no-store", "", false, false},
		{"GET", "/docs", "", 200, "no-cache", "Accept-Encoding", true, true},
		{"GET", "/openapi.json", "", 200, "no-cache", "Accept-Encoding", true, true},
		{"GET", "/openapi.yaml", "", 200, "no-cache", "Accept-Encoding", true, true},
		{"GET", "/healthz", "", 200, "no-store", "", false, false},
		{"GET", "/nothing", "", 404, "no-store", "", false, false},
		{"PUT", "/api/v1/tenant", "", 405, "no-store", "", false, false},
		{"OPTIONS", "/api/v1/tenant", "", 204, "no-store", "", false, false},
		{"POST", "/courier/webhook/courier_a/test", "{}", 401, "no-store", "", false, false},
		{"GET", "/payment/callback/gateway_b/test", "", 401, "no-store", "", false, false},
	} {
		got := s.send(tt.method, tt.path, tt.body, "Accept-Encoding", "gzip")
		encoding := ""
		if tt.isEncodable {
			encoding = "gzip"
		}
		want := fmt.Sprintf("%d %q %q ETag %v %q", tt.status, tt.caching, tt.vary, tt.hasETag, encoding)
		h := got.header
		if is := fmt.Sprintf("%d %q %q ETag %v %q", got.status, h.Get("Cache-Control"), h.Get("Vary"), h.Get("ETag") != "",
			h.Get("Content-Encoding")); is != want {
			t.Errorf("%s %s: %s\nwant %s", tt.method, tt.path, is, want)
		}
		if tt.method != "GET" {
			continue
		}
		head := s.send("HEAD", tt.path, "", "Accept-Encoding", "gzip")
		if head.status != got.status || len(head.body) > 0 {
			t.Errorf("HEAD %s: got %d with %d bytes", tt.path, head.status, len(head.body))
		}
		for _, name := range []string{"Cache-Control", "Vary", "ETag", "Content-Type", "Content-Length", "Content-Encoding", "WWW-Authenticate"} {
			if head.header.Get(name) != h.Get(name) {
				t.Errorf("%s: %s: got %q by HEAD, want %q as by GET", tt.path, name, head.header.Get(name), h.Get(name))
			}
		}
		if tt.hasETag {
			if again := s.get(tt.path, "Accept-Encoding", "gzip", "If-None-Match", h.Get("ETag")); again.status != 304 || len(again.body) > 0 ||
				again.header.Get("ETag") != h.Get("ETag") || again.header.Get("Vary") != tt.vary || again.header.Get("Cache-Control") != tt.caching {
				t.Errorf("%s again: %d %v", tt.path, again.status, again.header)
			}
		}
	}
}

// A browser can be made to open any URL, so every response has the policies, pages with a content
// policy of their own.
func TestHeaders_BrowserPolicies(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.ExampleTenant = "test" })
	const none = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
	for _, tt := range []struct{ method, path, policy string }{
		{"GET", "/api/v1/products", none},
		{"GET", "/api/v1/products/none", none},
		{"POST", "/api/v1/orders", none},
		{"POST", "/graphql", none},
		{"POST", "/courier/webhook/courier_a/test", none},
		{"GET", "/payment/callback/gateway_b/test", none},
		{"OPTIONS", "/api/v1/products", none},
		{"GET", "/healthz", none},
		{"GET", "/nowhere", ""},
		{"GET", "/api/v1/nowhere", none},
		{"GET", "/openapi.json", none},
		{"GET", "/docs", ""},
		{"GET", "/graphql", ""},
		{"GET", "/payment/result", ""},
		{"GET", "/", ""},
	} {
		h := s.send(tt.method, tt.path, "", "Accept", "text/html, */*").header
		policy := h.Get("Content-Security-Policy")
		switch {
		case tt.policy == none && policy != none, !strings.HasPrefix(policy, "default-src 'none'; "), !strings.Contains(policy, "frame-ancestors 'none'"):
			t.Errorf("%s %s: got Content-Security-Policy %q", tt.method, tt.path, policy)
		case tt.policy == "" && policy == none:
			t.Errorf("%s %s: got %q, with which the page shows nothing", tt.method, tt.path, policy)
		}
		referrer := cmp.Or(map[string]string{"/": "strict-origin-when-cross-origin", "/nowhere": "same-origin"}[tt.path], "no-referrer")
		if got := h.Get("Referrer-Policy"); got != referrer {
			t.Errorf("%s %s: got Referrer-Policy %q, want %q", tt.method, tt.path, got, referrer)
		}
		if got := h.Get("Cross-Origin-Opener-Policy"); got != "same-origin" {
			t.Errorf("%s %s: got Cross-Origin-Opener-Policy %q", tt.method, tt.path, got)
		}
	}
}

// Each encoding decodes to the same bytes and has its own ETag. Personal responses are not
// compressed, since their length would reveal secrets.
func TestCatalogue_Encodings(t *testing.T) {
	t.Parallel()
	s := stockedSite(t)
	const list = "/api/v1/products"
	plain := s.get(list, "Accept-Encoding", "identity")
	names := map[string]string{plain.header.Get("ETag"): ""}
	for accepted, want := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", aBrowser: "zstd", "*": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "zstd;q=0, *": "gzip",
		"identity": "", "br": "", "gzip;q=0": "", "identity;q=0": "", "gzip;q=0.5, identity": "", "*;q=0": "", "gzip, *;q=0": "gzip",
	} {
		got := s.get(list, "Accept-Encoding", accepted)
		if got.status != 200 || got.header.Get("Content-Encoding") != want {
			t.Errorf("%s: %d in %q, want %q", accepted, got.status, got.header.Get("Content-Encoding"), want)
			continue
		}
		if body := decode(t, want, got.body); !bytes.Equal(body, plain.body) {
			t.Errorf("%s: got different bytes: %s", accepted, body)
		}
		etag := got.header.Get("ETag")
		if known, ok := names[etag]; ok && known != want {
			t.Errorf("%q and %q have the same ETag", known, want)
		}
		names[etag] = want
		if other := s.get(list, "Accept-Encoding", accepted, "If-None-Match", plain.header.Get("ETag")); (other.status == 304) != (want == "") {
			t.Errorf("%s with the plain bytes' ETag: got %d, want 304: %t", accepted, other.status, want == "")
		}
	}
	if len(names) != 3 {
		t.Errorf("got ETags %v", names)
	}
	for _, personal := range []*reply{
		s.send("POST", "/api/v1/auth/register", `{"name":"`+strings.Repeat("A", 100)+`","email":"a@example.com","password":"correct horse"}`,
			"Accept-Encoding", aBrowser),
		s.send("POST", "/graphql", `{"query":"{me{_id} plugin__webhookUrls{url kind provider}}"}`, "Accept-Encoding", aBrowser),
	} {
		if personal.header.Get("Content-Encoding") != "" || personal.header.Get("ETag") != "" {
			t.Errorf("personal response: got headers %v", personal.header)
		}
	}
}

func decode(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// A 429 states how long to wait, and a published limit its quota, in the fields of the IETF draft
// "RateLimit header fields for HTTP", which names policies by strings.
func TestRateLimit_Reported(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Clock: clock}), nil)
	login := func() *reply {
		return s.send("POST", "/api/v1/auth/login", `{"user":"a@example.com","password":"guess"}`, "Origin", "https://shop.example")
	}
	got := login()
	for range 5 { // the first attempts are free
		got = login()
	}
	got.problem(429, fault.CodeRateLimited)
	wait := got.header.Get("Retry-After")
	if wait == "" || wait == "0" || got.header.Get("RateLimit") != `"attempts";r=0;t=`+wait || got.header.Get("RateLimit-Policy") != "" {
		t.Errorf("%v", got.header)
	}
	over := s.send("POST", "/graphql", `{"query":"mutation{login(input:{user:\"a@example.com\",password:\"guess\"}){accessToken}}"}`)
	if over.status != 200 || !strings.Contains(string(over.body), string(fault.CodeRateLimited)) {
		t.Errorf("by GraphQL: got %d %s, want 200 with rate_limited", over.status, over.body)
	}
}
