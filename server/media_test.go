package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

const imagePath = "/media/test/abcdefghijklmnopq234/640.jpg"

// newImageSite starts a server with a shop that has an image, which nothing shows yet.
func newImageSite(t *testing.T, change func(*server.Config)) *site {
	t.Helper()
	a := shoptest.NewAccounts(t)
	a.Exec(t, `
		INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, created_at)
		VALUES ('abcdefghijklmnopq234', '', '', 640, 480, 10, 'jpg', '[[640,480]]', ?)`, a.Clock.Now().UnixMilli())
	return newSiteOf(t, a.Shop, func(cfg *server.Config) {
		cfg.Tenants.(*tenantsOf).image = "0123456789"
		if change != nil {
			change(cfg)
		}
	})
}

// Uploaded images are cached by browsers for ever, shown on every page, and do nothing if opened by
// themselves. Shared caches store only those that the shop lists.
func TestMedia_Headers(t *testing.T) {
	t.Parallel()
	s := newImageSite(t, nil)
	for _, method := range []string{"GET", "HEAD"} {
		got := s.send(method, imagePath, "", "x-tenant", "", "Cookie", "session=x")
		for name, want := range map[string]string{
			"Content-Type": "image/jpeg", "Content-Length": "10", "Accept-Ranges": "bytes", "ETag": `"abcdefghijklmnopq234-640.jpg"`,
			"Cache-Control":           "private, max-age=31536000, immutable",
			"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*",
			"Set-Cookie": "", "Vary": "", "Last-Modified": "", "Content-Encoding": "", "Content-Disposition": "",
		} {
			if is := got.header.Get(name); is != want {
				t.Errorf("%s: %s: got %q, want %q", method, name, is, want)
			}
		}
		body := "0123456789"
		if method == "HEAD" {
			body = ""
		}
		if got.status != 200 || string(got.body) != body {
			t.Errorf("%s: got %d %q, want 200 %q", method, got.status, got.body, body)
		}
	}
}

func TestMedia_Conditional(t *testing.T) {
	t.Parallel()
	s := newImageSite(t, nil)
	const etag = `"abcdefghijklmnopq234-640.jpg"`
	for _, tt := range []struct {
		header, value string
		status        int
		body, content string // Content-Range
	}{
		{"If-None-Match", etag, 304, "", ""},
		{"If-None-Match", "W/" + etag, 304, "", ""},
		{"If-None-Match", `"other"`, 200, "0123456789", ""},
		{"Range", "bytes=2-4", 206, "234", "bytes 2-4/10"},
		{"Range", "bytes=-3", 206, "789", "bytes 7-9/10"},
		{"Range", "bytes=8-", 206, "89", "bytes 8-9/10"},
		{"Range", "bytes=0-0,2-2", 200, "0123456789", ""},
		{"Range", "bytes=0-0" + strings.Repeat(",0-0", 5), 200, "0123456789", ""},
		{"Range", "bytes=0-99", 206, "0123456789", "bytes 0-9/10"},
		{"Range", "bytes=10-", 416, "invalid range: failed to overlap\n", "bytes */10"},
		{"Range", "lines=1-2", 416, "invalid range\n", ""},
	} {
		got := s.get(imagePath, tt.header, tt.value)
		if got.status != tt.status || string(got.body) != tt.body || got.header.Get("Content-Range") != tt.content {
			t.Errorf("%s: %s: got %d %q %q, want %d %q %q", tt.header, tt.value, got.status, got.body, got.header.Get("Content-Range"),
				tt.status, tt.body, tt.content)
		}
		if tt.status == 416 && got.header.Get("Cache-Control") == "private, max-age=31536000, immutable" {
			t.Errorf("%s: the error may be cached for ever", tt.value)
		}
	}
}

// Nothing but an existing file is served, and an error is not cached.
func TestMedia_Missing(t *testing.T) {
	t.Parallel()
	s := newImageSite(t, nil)
	for _, path := range []string{
		"/media/test/abcdefghijklmnopq234/641.jpg", "/media/other/abcdefghijklmnopq234/640.jpg", "/media/test/abcdefghijklmnopq235/640.jpg",
		"/media/test/abcdefghijklmnopq234/640.jpg/", "/media/test/abcdefghijklmnopq234/", "/media/test/abcdefghijklmnopq234", "/media/test/",
		"/media/test", "/media/", "/media", "/media/test/abcdefghijklmnopq234/..%2f640.jpg", "/media/test/abcdefghijklmnopq234/640.jpg%00",
		"/media//abcdefghijklmnopq234/640.jpg", "/media/test/%2e%2e/key",
	} {
		got := s.get(path)
		got.problem(404, fault.CodeNotFound)
		if cached := got.header.Get("Cache-Control"); cached != "no-store" {
			t.Errorf("%s: got Cache-Control %q, want no-store", path, cached)
		}
	}
	s.send("POST", imagePath, "{}").problem(405, fault.CodeMethodNotAllowed)
}

// Images do not count for the limit of requests, nor wait for it.
func TestMedia_NoRate(t *testing.T) {
	t.Parallel()
	s := newImageSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst = 1, 1 })
	for i := range 30 {
		if got := s.get(imagePath); got.status != 200 {
			t.Fatalf("request %d: got %d, want 200", i, got.status)
		}
	}
	if got := s.get("/api/v1/collections"); got.status != 200 {
		t.Errorf("afterwards: got %d, want 200", got.status)
	}
}

// The picture of an order line is served at the URL that the order has, long after the product was
// deleted. That of a deleted product without orders is not.
func TestMedia_OrderedServed(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	all, err := tenants.Open(tenants.Config{Dir: t.TempDir(), Schema: shoptest.Schema(t), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close(context.Background()) })
	one, err := all.Create(t.Context(), "test", shoptest.Raw(t, map[string]any{"name": "Test", "currency": "BDT", "country": "BD"}))
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := one.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "test", Scopes: []staff.Scope{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteOf(t, one, func(cfg *server.Config) { cfg.Tenants, cfg.Now = all, clock.Now })
	call := func(method, path, body string, into any) {
		t.Helper()
		contentType := "application/json"
		if method == http.MethodPost && path == "media" {
			contentType = "image/png"
		}
		got := s.send(method, "/admin/v1/shops/test/"+path, body, "Authorization", "Bearer "+key, "Content-Type", contentType)
		if err := json.Unmarshal(got.body, into); got.status >= 300 || err != nil {
			t.Fatalf("%s %s: got %d: %s", method, path, got.status, got.body)
		}
	}
	var pictures [2]catalogue.Media
	var products [2]catalogue.ProductRecord
	for i := range products {
		call("POST", "media", string(shoptest.PNG(t, 640, 480, i)), &pictures[i])
		call("POST", "products", `{"title":"Mug","status":"active","images":[{"mediaId":"`+pictures[i].ID+`"}],"variants":[{"price":9900}]}`,
			&products[i])
	}
	var placed, found struct {
		ID    string `json:"_id"`
		Items []struct{ ImageURL string }
		Order struct {
			ID string `json:"_id"`
		}
	}
	call("POST", "orders", `{"items":[{"variantId":"`+products[0].Variants[0].ID+`","quantity":1}],"source":"phone",
		"customer":{"name":"Karim","phoneNumber":"01811-000000"},"shippingAddress":{"line1":"House 7, Road 3","city":"Dhaka"}}`, &placed)
	for _, p := range products {
		call("PATCH", "products/"+p.ID, `{"status":"archived"}`, new(any))
		call("DELETE", "products/"+p.ID, "", new(any))
	}
	for range 4 { // marks, deletes, and both again
		clock.Advance(catalogue.MediaRetention)
		if _, err := one.Catalogue.SweepMedia(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	call("GET", "orders/"+placed.Order.ID, "", &found)
	path := func(url string) string { return url[strings.Index(url, "/media/"):] }
	if got := s.get(path(found.Items[0].ImageURL)); got.status != http.StatusOK || got.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("%s: got %d %s, want the picture of the line", found.Items[0].ImageURL, got.status, got.header.Get("Content-Type"))
	}
	s.get(path(pictures[1].URL)).problem(404, fault.CodeNotFound)
}
