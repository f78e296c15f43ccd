package server_test

import (
	"net/http"
	"strings"
	"testing"

	"storefront/server"
)

// A person who opens an address that does not exist gets a page, a program a problem.
func TestNotFound_Page(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	s := newSite(t, nil)
	for _, tt := range []struct{ path, accept, media, text string }{
		{"/nothing-here", browser, "text/html; charset=utf-8", "<h1>There is no shop at this address</h1>"},
		{"/nothing-here", "*/*", "application/problem+json", `"code":"not_found"`},
		{"/nothing-here", "", "application/problem+json", `"code":"not_found"`},
		{"/api/v1/nothing-here", browser, "application/problem+json", `"code":"not_found"`},
	} {
		got := s.get(tt.path, "Accept", tt.accept)
		if got.status != http.StatusNotFound || got.header.Get("Content-Type") != tt.media || !strings.Contains(string(got.body), tt.text) {
			t.Errorf("%s for %q: got %d %s %s, want 404 %s with %s",
				tt.path, tt.accept, got.status, got.header.Get("Content-Type"), got.body, tt.media, tt.text)
		}
	}
	own := newSite(t, func(cfg *server.Config) { cfg.ExampleTenant = "test" })
	if got := own.get("/nothing-here", "Accept", browser); got.status != http.StatusNotFound ||
		!strings.Contains(string(got.body), "This page has moved") {
		t.Errorf("with a shop: got %d %s, want its page", got.status, got.body)
	}
	if got := own.get("/nothing-here"); got.status != http.StatusNotFound || !strings.Contains(string(got.body), `"code":"not_found"`) {
		t.Errorf("with a shop, a program: got %d %s, want a problem", got.status, got.body)
	}
}
