package graphql_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"storefront/graphql"
)

func get(t *testing.T, h http.Handler, path string, header map[string]string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

// The page and its files load from this server alone, without inline scripts.
func TestGraphiQL_SelfContained(t *testing.T) {
	t.Parallel()
	handler := newClient(t, graphql.Config{}).handler
	response, page := get(t, http.HandlerFunc(handler.ServeGraphiQL), "/graphql", map[string]string{"Accept": "text/html,*/*;q=0.8"})
	policy := response.Header.Get("Content-Security-Policy")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("got %d %v, want 200 with a strict policy", response.StatusCode, response.Header)
	}
	if strings.Contains(page, "//") {
		t.Errorf("page refers to another host: %s", page)
	}
	if regexp.MustCompile(`<script(>| [^s>]*>)|<style| on[a-z]+=| style=`).MatchString(strings.ReplaceAll(page, "<script defer src", "<x")) {
		t.Errorf("page has inline script or style: %s", page)
	}
	files := regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) != 6 {
		t.Fatalf("got %d files, want 6: %s", len(files), page)
	}
	for _, file := range files {
		plain, text := get(t, handler.Assets(), file[1], nil)
		if plain.StatusCode != http.StatusOK || plain.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %d %v, want an immutable file", file[1], plain.StatusCode, plain.Header)
		}
		media := map[bool]string{true: "text/css; charset=utf-8", false: "text/javascript; charset=utf-8"}[strings.Contains(file[1], ".css")]
		if plain.Header.Get("Content-Type") != media {
			t.Errorf("%s: got type %s, want %s", file[1], plain.Header.Get("Content-Type"), media)
		}
		compressed, body := get(t, handler.Assets(), file[1], map[string]string{"Accept-Encoding": "br, gzip;q=0.5"})
		reader, err := gzip.NewReader(strings.NewReader(body))
		if compressed.Header.Get("Content-Encoding") != "gzip" || err != nil {
			t.Errorf("%s: got %v, %v, want gzip", file[1], compressed.Header, err)
			continue
		}
		if unpacked, err := io.ReadAll(reader); err != nil || string(unpacked) != text || text == "" {
			t.Errorf("%s: compressed content differs, %v", file[1], err)
		}
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	assets := newClient(t, graphql.Config{}).handler.Assets()
	for _, path := range []string{"/graphql/assets/", "/graphql/assets/none.js", "/graphql/assets/../handler.go", "/graphql/assets/index.html"} {
		if response, _ := get(t, assets, path, nil); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, response.StatusCode)
		}
	}
	response, body := get(t, assets, "/graphql/assets/graphiql.LICENSE.txt", map[string]string{"Accept-Encoding": "gzip;q=0"})
	if !strings.Contains(body, "MIT") || response.Header.Get("Content-Encoding") != "" || response.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("licence: got %v %s, want it uncompressed", response.Header, body)
	}
}

func TestGraphiQL_Wanted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, accept string
		want         bool
	}{
		{"/graphql", "", true},
		{"/graphql", "*/*", true},
		{"/graphql?query=x", "text/html,*/*;q=0.8", true},
		{"/graphql?query=%7BapiVersion%7D", "*/*", false},
		{"/graphql?query=%7BapiVersion%7D", "", false},
		{"/graphql?extensions=%7B%7D", "*/*", false},
		{"/graphql", "application/json", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, nil)
		r.Header.Set("Accept", test.accept)
		if got := graphql.WantsGraphiQL(r); got != test.want {
			t.Errorf("%s, Accept %q: got %t, want %t", test.path, test.accept, got, test.want)
		}
	}
}

// The document of each tab of the page succeeds.
func TestGraphiQL_ExamplesRun(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	p := c.addProduct(1)
	_, script := get(t, c.handler.Assets(), "/graphql/assets/page.js", nil)
	documents := regexp.MustCompile("(?s)= `(#.*?\n(?:query|mutation) (\\w+).*?)`\n").FindAllStringSubmatch(script, -1)
	owner := c.register()
	invoice := owner.must(`mutation($i: PlaceOrderInput!) { placeOrder(input: $i) { _id } }`, input(cart(p))).at("placeOrder", "_id")
	account := map[string]any{"name": "B", "phoneNumber": "01711-000001", "password": "a long and quiet river"}
	variables := map[string]map[string]any{
		"Product": {"handle": p.Handle}, "Track": {"orderId": invoice}, "Quote": {"input": cart(p)}, "Place": {"input": cart(p)},
		"Register": {"input": account}, "Login": {"input": map[string]any{"user": "01711-000001", "password": "a long and quiet river"}},
	}
	var ran []string
	for _, document := range documents {
		owner.must(document[1], variables[document[2]])
		ran = append(ran, document[2])
	}
	want := []string{"Products", "Product", "Shop", "Register", "Login", "Quote", "Place", "MyOrders", "Track", "WebhookUrls"}
	if !slices.Equal(ran, want) {
		t.Errorf("got documents %v, want %v", ran, want)
	}
}
