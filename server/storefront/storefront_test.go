package storefront_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/server/storefront"
	"storefront/shop/fault"
	"storefront/shop/order"
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
		t.Errorf("got policy %q, want default-src 'none' and nothing unsafe", policy)
	}
	// Each file of the page exists, may be cached forever and is compressed.
	addresses := regexp.MustCompile(`(?:href|src)="(/storefront/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(addresses) < 15 {
		t.Errorf("got %d files, want the style sheet and all modules of the view", len(addresses))
	}
	for _, found := range addresses {
		file := get(t, h, "http://127.0.0.1:8080"+found[1], "Accept-Encoding", "gzip")
		if file.Code != http.StatusOK || file.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", found[1], file.Code, file.Header())
		}
		if plain := get(t, h, "http://127.0.0.1:8080"+found[1]); plain.Body.Len() > 2000 && file.Body.Len() > plain.Body.Len()*2/3 {
			t.Errorf("%s: got %d bytes compressed, %d not", found[1], file.Body.Len(), plain.Body.Len())
		}
	}
	again := get(t, h, "http://127.0.0.1:8080/?product=jute-basket", "If-None-Match", page.Header().Get("ETag"))
	if again.Code != http.StatusNotModified {
		t.Errorf("page again: got %d, want 304", again.Code)
	}
	for _, nowhere := range []string{"/storefront/js/main.js", "/storefront/index.html", "/storefront/", "/storefront/0/js/main.js"} {
		if w := get(t, h, "http://127.0.0.1:8080"+nowhere); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", nowhere, w.Code)
		}
	}
}

// localhost is redirected to the origin that payments return to; other hosts, such as a tunnel, are
// not.
func TestPage_Origin(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	if w := get(t, h, "http://localhost:8080/?order=X"); w.Code != http.StatusFound || w.Header().Get("Location") != "http://127.0.0.1:8080/?order=X" {
		t.Errorf("localhost: %d %v", w.Code, w.Header())
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost:9090", "shop.example.com"} {
		if w := get(t, h, "http://"+host+"/"); w.Code != http.StatusOK {
			t.Errorf("%s: got %d, want 200", host, w.Code)
		}
	}
}

// A browser requests the modules of a view at once: each that is imported is preloaded.
func TestPage_Modules(t *testing.T) {
	t.Parallel()
	h := newPage(t)
	files := regexp.MustCompile(`"/storefront/[0-9a-f]{16}/(js/[^"]+)"`)
	imports := regexp.MustCompile(`(?m)^import [^']* from '([^']+)'$`)
	main, err := os.ReadFile("page/js/main.js")
	if err != nil {
		t.Fatal(err)
	}
	views := map[string]string{"": "home", "?order=A&payment=success": "order"}
	for _, line := range regexp.MustCompile(`(?s)const (byParameter|byName) = \{(.*?)\}`).FindAllStringSubmatch(string(main), -1) {
		for _, found := range regexp.MustCompile(`(\w+): view\('(\w+)'`).FindAllStringSubmatch(line[2], -1) {
			if line[1] == "byName" {
				views["?view="+found[1]] = found[2]
			} else {
				views["?"+found[1]+"=a"] = found[2]
			}
		}
	}
	if len(views) != 11 {
		t.Errorf("got the views %v, want 11", views)
	}
	for query, view := range views {
		var modules []string
		for _, found := range files.FindAllStringSubmatch(get(t, h, "http://127.0.0.1:8080/"+query).Body.String(), -1) {
			modules = append(modules, found[1])
		}
		if !slices.Contains(modules, "js/view/"+view+".js") {
			t.Errorf("/%s: got %q, want the view %s", query, modules, view)
		}
		for _, module := range modules {
			text, err := os.ReadFile("page/" + module)
			if err != nil {
				t.Fatal(err)
			}
			found := imports.FindAllStringSubmatch(string(text), -1)
			if declared := strings.Count("\n"+string(text), "\nimport "); declared != len(found) {
				t.Errorf("%s: got %d imports, want %d", module, len(found), declared)
			}
			for _, imported := range found {
				if name := path.Join(path.Dir(module), imported[1]); !slices.Contains(modules, name) {
					t.Errorf("/%s: %s imports %s, which is not preloaded", query, module, name)
				}
			}
		}
	}
}

// What the API states about an order or a request is in Bangla too, except for what a buyer cannot
// cause.
func TestStrings_API(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("page/js/strings.js")
	if err != nil {
		t.Fatal(err)
	}
	_, texts, _ := strings.Cut(string(table), "export const apiTexts")
	texts, _, _ = strings.Cut(texts, "export const fieldTexts")
	isTranslated := func(key string) bool {
		return regexp.MustCompile(`(?m)^  '?` + regexp.QuoteMeta(key) + `'?:\s`).MatchString(texts)
	}
	byMessage := []order.TimelineType{order.TimelineAdvance, order.TimelineShipmentUpdate, order.TimelineOther}
	for _, info := range order.TimelineTypes() {
		if !slices.Contains(byMessage, info.Type) && !isTranslated(string(info.Type)) {
			t.Errorf("the timeline's %s has no text in Bangla", info.Type)
		}
	}
	// What only programs that others wrote cause, and what only staff can.
	others := []fault.Code{
		fault.CodeMalformed, fault.CodeUnsupportedMediaType, fault.CodeTooLarge, fault.CodeMethodNotAllowed, fault.CodeHTTPSRequired,
		fault.CodeUnknownField, fault.CodeTooComplex, fault.CodeTooManyOperations, fault.CodeTenantRequired, fault.CodeTenantNotFound,
		fault.CodeForbidden, fault.CodeProofRequired, fault.CodeSecondFactorRequired, fault.CodeSecondFactorSetupRequired,
		fault.CodeLinkInvalid, fault.CodeShopExists, fault.CodeChangedMeanwhile, fault.CodeJobLimit, fault.CodeImageInvalid,
		fault.CodeQuotaReached, fault.CodeInUse,
	}
	for _, info := range fault.Codes() {
		if isTranslated(string(info.Code)) == slices.Contains(others, info.Code) {
			t.Errorf("%s: got a text in Bangla %t, want the opposite", info.Code, isTranslated(string(info.Code)))
		}
	}
}

// Texts are looked up by key at run time: each key needs a text in both languages, and none may be
// unused.
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
