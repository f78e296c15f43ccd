package storefront_test

import (
	"net/http"
	"strings"
	"testing"

	"storefront/server/storefront"
)

// A picture is drawn once and sent compressed.
func TestImages(t *testing.T) {
	t.Parallel()
	drawn := 0
	h := storefront.NewImages(func(name string) ([]byte, bool) {
		drawn++
		return []byte("<svg>" + strings.Repeat(" ", 2000) + "</svg>"), name == "tea.svg"
	})
	const url = "http://127.0.0.1:8080/demo/images/tea.svg"
	first := get(t, h, url, "Accept-Encoding", "gzip")
	for name, want := range map[string]string{
		"Content-Encoding": "gzip", "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
	} {
		if value := first.Header().Get(name); value != want || first.Code != http.StatusOK {
			t.Errorf("got %d with %s %q, want 200 with %q", first.Code, name, value, want)
		}
	}
	if again := get(t, h, url, "Accept-Encoding", "gzip", "If-None-Match", first.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("again: got %d, want 304", again.Code)
	}
	if drawn != 1 {
		t.Errorf("drawn %d times, want once", drawn)
	}
	if none := get(t, h, "http://127.0.0.1:8080/demo/images/none.svg"); none.Code != http.StatusNotFound {
		t.Errorf("unknown picture: got %d, want 404", none.Code)
	}
}
