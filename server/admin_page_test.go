package server_test

import (
	"net/http"
	"strings"
	"testing"

	"storefront/server"
)

func TestAdminPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	page := s.get("/admin/", "x-tenant", "")
	if page.status != http.StatusOK || !strings.Contains(string(page.body), `<script type="module" src="/admin/assets/`) {
		t.Errorf("got %d %.200s, want the dashboard", page.status, page.body)
	}
	if origin := page.header.Get("Access-Control-Allow-Origin"); origin != "" {
		t.Errorf("got Access-Control-Allow-Origin %q, want none", origin)
	}
	off := newSite(t, func(cfg *server.Config) { cfg.NoAdmin = true })
	for _, path := range []string{"/admin/", "/admin", "/admin/assets/0/js/main.js"} {
		if got := off.get(path, "x-tenant", ""); got.status != http.StatusNotFound {
			t.Errorf("%s without the merchant's side: got %d, want 404", path, got.status)
		}
	}
}
