package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// longList is more products than the server builds a response of in memory.
const longList = 510

func longListSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, func(cfg *server.Config) { cfg.Memory = 2 << 20 })
	for i := range longList {
		s.mustSave(t, fmt.Sprint("Lamp ", i), int64(100+i))
	}
	return s
}

func (s *site) mustSave(t *testing.T, title string, price int64) string {
	t.Helper()
	p, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: title, DescriptionHTML: "<p>Bright</p>", Variants: []catalogue.VariantInput{{Price: price}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

type productPage = page.Page[json.RawMessage]

func (r *reply) products(t *testing.T) (list productPage) {
	t.Helper()
	if err := json.Unmarshal(r.body, &list); err != nil || r.status != 200 {
		t.Fatalf("got %d %.200s, %v", r.status, r.body, err)
	}
	return list
}

// A long whole list has the products of all pages in their order, in each encoding. A client that
// has it gets 304 until the catalogue changes.
func TestWholeList_Long(t *testing.T) {
	t.Parallel()
	s := longListSite(t)
	const query = "/api/v1/products?limit=-1&sortBy=price"
	var want productPage
	for n := 1; n <= 6; n++ {
		want.Nodes = append(want.Nodes, s.get(fmt.Sprintf("/api/v1/products?limit=100&page=%d&sortBy=price", n)).products(t).Nodes...)
	}
	want.Meta = page.Meta{TotalCount: longList, CurrentPage: 1, TotalPages: 1}
	got := s.get(query, "Accept-Encoding", "identity")
	if list := got.products(t); !slices.EqualFunc(list.Nodes, want.Nodes, slices.Equal) || list.Meta != want.Meta {
		t.Errorf("got %d products, %+v, want %d, %+v", len(list.Nodes), list.Meta, len(want.Nodes), want.Meta)
	}
	zipped := s.get(query, "Accept-Encoding", "gzip")
	reader, err := gzip.NewReader(bytes.NewReader(zipped.body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reader); err != nil || !bytes.Equal(text, got.body) {
		t.Errorf("in gzip: got %d bytes, %v, want %d", len(text), err, len(got.body))
	}
	tag, zippedTag := got.header.Get("ETag"), zipped.header.Get("ETag")
	if tag == "" || tag == zippedTag || got.header.Get("Vary") != "x-tenant, Origin, Accept-Encoding" {
		t.Errorf("got ETag %q, in gzip %q, %v", tag, zippedTag, got.header)
	}
	if again := s.get(query, "Accept-Encoding", "identity", "If-None-Match", tag); again.status != 304 || len(again.body) > 0 {
		t.Errorf("again: got %d and %d bytes, want 304", again.status, len(again.body))
	}
	if head := s.send("HEAD", query, "", "Accept-Encoding", "identity"); head.status != 200 || len(head.body) > 0 || head.header.Get("ETag") != tag {
		t.Errorf("HEAD: got %d, %d bytes, %v", head.status, len(head.body), head.header)
	}
	s.mustSave(t, "One more", 1)
	changed := s.get(query, "Accept-Encoding", "identity", "If-None-Match", tag)
	if list := changed.products(t); len(list.Nodes) != longList+1 || changed.header.Get("ETag") == tag {
		t.Errorf("after a change: got %d products, ETag %q", len(list.Nodes), changed.header.Get("ETag"))
	}
	s.get("/api/v1/products?limit=-1&sortBy=nothing").problem(422, fault.CodeValidationFailed)
}

// Clients that read long lists slowly neither hold them in memory nor delay others.
func TestWholeList_SlowReaders(t *testing.T) {
	t.Parallel()
	s := longListSite(t)
	release := make(chan struct{})
	defer close(release)
	for i := range 8 {
		r := httptest.NewRequestWithContext(t.Context(), "GET", fmt.Sprint("/api/v1/products?limit=-1&minPrice=", i), nil)
		r.Header.Set("x-tenant", "test")
		s.startReading(r, release)
	}
	if list := s.get("/api/v1/products?limit=-1").products(t); len(list.Nodes) != longList {
		t.Errorf("got %d products beside slow readers, want %d", len(list.Nodes), longList)
	}
	if used := s.server.Memory().Used; used > 8*longList*100 {
		t.Errorf("got %d bytes held for 8 slow readers, want their IDs", used)
	}
}
