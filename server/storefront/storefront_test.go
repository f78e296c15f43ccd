package storefront_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/server/storefront"
)

func get(t *testing.T, h http.Handler, url string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func newPage(t *testing.T) http.Handler {
	t.Helper()
	h, err := storefront.New(storefront.Config{Tenant: "demo", SMSPage: "http://127.0.0.1:8081", Origin: "http://127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPage(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	page := get(t, h, "http://127.0.0.1:8080/?product=jute-basket")
	for _, want := range []string{`name="storefront:tenant" content="demo"`, `name="storefront:sms-page" content="http://127.0.0.1:8081"`} {
		if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), want) {
			t.Errorf("%d, without %s:\n%s", page.Code, want, page.Body)
		}
	}
	policy := page.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	// Each address in the page exists and is revalidated by its ETag.
	for _, found := range regexp.MustCompile(`(?:href|src)="(/storefront/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		file := get(t, h, "http://127.0.0.1:8080"+found[1])
		if file.Code != http.StatusOK || file.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", found[1], file.Code, file.Header())
		}
		if again := get(t, h, "http://127.0.0.1:8080"+found[1], "If-None-Match", file.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", found[1], again.Code)
		}
	}
	for _, nowhere := range []string{"/storefront/js/none.js", "/storefront/index.html", "/storefront/"} {
		if w := get(t, h, "http://127.0.0.1:8080"+nowhere); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", nowhere, w.Code)
		}
	}
}

// localhost is redirected to the origin that payments return to; other hosts, such as a tunnel, are not.
func TestPage_Origin(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	if w := get(t, h, "http://localhost:8080/?order=X"); w.Code != http.StatusFound || w.Header().Get("Location") != "http://127.0.0.1:8080/?order=X" {
		t.Errorf("localhost: %d %v", w.Code, w.Header())
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost:9090", "shop.example.com"} {
		if w := get(t, h, "http://"+host+"/"); w.Code != http.StatusOK {
			t.Errorf("%s: %d", host, w.Code)
		}
	}
}

// Texts are looked up by key at run time: each key needs a text in both languages, and none may be unused.
func TestStrings(t *testing.T) {
	t.Parallel()
	var scripts strings.Builder
	err := filepath.WalkDir("page/js", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".js" || filepath.Base(name) == "strings.js" {
			return err
		}
		text, err := os.ReadFile(name)
		scripts.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("page/js/strings.js")
	if err != nil {
		t.Fatal(err)
	}
	ours, _, _ := strings.Cut(string(table), "export const apiTexts")
	var keys []string
	for _, entry := range regexp.MustCompile(`(?m)^  (\w+): \[([^\]]*)\],$`).FindAllStringSubmatch(ours, -1) {
		keys = append(keys, entry[1])
		if parts := regexp.MustCompile(`'[^']+'`).FindAllString(entry[2], -1); len(parts) != 2 {
			t.Errorf("%s must have two texts: %s", entry[1], entry[2])
		}
	}
	if declared := strings.Count(ours, ": ["); declared != len(keys) {
		t.Errorf("got %d entries, want %d", len(keys), declared)
	}
	for _, used := range regexp.MustCompile(`\bt\('(\w+)'[,)]`).FindAllStringSubmatch(scripts.String(), -1) {
		if !slices.Contains(keys, used[1]) {
			t.Errorf("no text for %s", used[1])
		}
	}
	for _, key := range keys {
		prefix, _, _ := strings.Cut(key, "_")
		key = strings.TrimSuffix(key, "_one") // used by t for a count of one
		if !strings.Contains(scripts.String(), "'"+key+"'") && !strings.Contains(scripts.String(), "'"+prefix+"_'") {
			t.Errorf("unused text: %s", key)
		}
	}
}
