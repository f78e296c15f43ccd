package server_test

import (
	"regexp"
	"strings"
	"testing"

	"storefront/server"
)

// The reference page is self-contained: all its files exist, and it loads nothing from another
// host.
func TestReferencePage_SelfContained(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) { cfg.ExampleTenant = "demo" })
	got := s.get("/docs", "x-tenant", "")
	if got.status != 200 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %s", got.status, got.header.Get("Content-Type"))
	}
	const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := got.header.Get("Content-Security-Policy"); got != policy {
		t.Errorf("policy %q", got)
	}
	page := string(got.body)
	if !strings.Contains(page, `name="tenant" value="demo"`) {
		t.Error("the page lacks the example shop")
	}
	if strings.Contains(page, "//") || regexp.MustCompile(`<script(>| [^s>]*>)|<style| on[a-z]+=| style=`).MatchString(strings.ReplaceAll(page,
		"<script defer src", "<x")) {
		t.Errorf("the page refers to another host or has inline code: %s", page)
	}
	files := regexp.MustCompile(`(?:src|href)="(/docs/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) != 4 {
		t.Fatalf("got %d files in the page: %s", len(files), page)
	}
	for _, file := range files {
		got := s.get(file[1], "x-tenant", "", "Accept-Encoding", "identity")
		if got.status != 200 || len(got.body) < 1000 || got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d, %d bytes, %v", file[1], got.status, len(got.body), got.header)
		}
		if packed := s.get(file[1], "x-tenant", "", "Accept-Encoding", "gzip"); packed.header.Get("Content-Encoding") != "gzip" ||
			len(packed.body) >= len(got.body) {
			t.Errorf("%s compressed: %d of %d bytes, %v", file[1], len(packed.body), len(got.body), packed.header)
		}
	}
	for path, want := range map[string]int{
		"/docs/assets/swagger-ui.LICENSE.txt": 200, "/docs/assets/none.js": 404, "/docs/assets/index.html": 404,
	} {
		if got := s.get(path, "x-tenant", ""); got.status != want || got.header.Get("Cache-Control") == "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
}
