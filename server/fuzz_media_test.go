package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// uploadTypes are the content types that FuzzUpload sends.
var uploadTypes = []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/svg+xml", "text/html", "image/jpeg; charset=\"", ""}

// maxUploadHeap is the memory that one upload may allocate: that of the decoded image, twice for
// what is collected meanwhile, and of WebP's tables.
const maxUploadHeap = 1 << 30

// Whatever is uploaded, by whatever type: the server stores a clean image, or refuses it with a
// code for the merchant, within bounds of memory.
func FuzzUpload(f *testing.F) {
	files, err := filepath.Glob("../media/testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := range uploadTypes[:4] {
			f.Add(byte(i), "", body)
		}
		f.Add(byte(0), "?alt=Red", body[:len(body)/2])
		f.Add(byte(1), "?alt=%ff&alt=2", append(body, "<script>alert(1)</script>"...))
	}
	f.Add(byte(1), "?x=1", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x10\x06\x00\x00\x00"))
	f.Add(byte(4), "", []byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"))

	all, err := tenants.Open(tenants.Config{Dir: f.TempDir(), Schema: shoptest.Schema(f)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = all.Close(context.Background()) })
	shop, err := all.Create(f.Context(), "test", shoptest.Raw(f, map[string]any{"name": "Test", "currency": "BDT", "country": "BD"}))
	if err != nil {
		f.Fatal(err)
	}
	key, _, err := shop.Staff.CreateAPIKey(f.Context(), access.Operator(), staff.APIKeyInput{Label: "fuzz", Scopes: []staff.Scope{"products.write"}})
	if err != nil {
		f.Fatal(err)
	}
	site, err := server.New(server.Config{Tenants: all, Rate: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind byte, query string, body []byte) {
		if strings.ContainsAny(query, " \x00\n\r#") || len(query) > 100 {
			t.Skip("not a query that a client can send")
		}
		request, err := http.NewRequest(http.MethodPost, "https://shop.example"+mediaPath+query, strings.NewReader(string(body)))
		if err != nil || !strings.HasSuffix(request.URL.Path, "/media") {
			t.Skip("the query changes the path of the request")
		}
		request.RequestURI, request.RemoteAddr = request.URL.RequestURI(), "127.0.0.1:9"
		request.Header.Set("Content-Type", uploadTypes[int(kind)%len(uploadTypes)])
		request.Header.Set("Authorization", "Bearer "+key)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := httptest.NewRecorder()
		site.Handler().ServeHTTP(got, request)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > maxUploadHeap {
			t.Fatalf("allocated %d MiB for %d bytes", used>>20, len(body))
		}
		switch got.Code {
		case http.StatusCreated, http.StatusOK:
			checkUploaded(t, site.Handler(), got)
		case http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
			http.StatusConflict: // the last: the quota
			var problem struct{ Code string }
			if err := json.Unmarshal(got.Body.Bytes(), &problem); err != nil || problem.Code == "" {
				t.Fatalf("got %d: %s, want a code", got.Code, got.Body)
			}
		default:
			t.Fatalf("got %d: %s", got.Code, got.Body)
		}
	})
}

// imageEnds are the last bytes of a file of each format.
var imageEnds = map[string][]byte{"jpeg": []byte("\xff\xd9"), "png": []byte("IEND\xaeB`\x82")}

// checkUploaded checks that every rendition of an upload is served, whole and clean.
func checkUploaded(t *testing.T, site http.Handler, created *httptest.ResponseRecorder) {
	t.Helper()
	var m catalogue.Media
	if err := json.Unmarshal(created.Body.Bytes(), &m); err != nil || len(m.Renditions) == 0 {
		t.Fatalf("got %s, want an image", created.Body)
	}
	for _, r := range m.Renditions {
		got := httptest.NewRecorder()
		path := r.URL[strings.Index(r.URL, "/media/"):]
		site.ServeHTTP(got, httptest.NewRequest(http.MethodGet, path, nil))
		data := got.Body.Bytes()
		config, format, err := image.DecodeConfig(bytes.NewReader(data))
		if got.Code != http.StatusOK || err != nil || config.Width != r.Width || !bytes.HasSuffix(data, imageEnds[format]) ||
			bytes.Contains(data, []byte("<script")) {
			t.Fatalf("%s: got %d and %d bytes of %s, want a clean image", path, got.Code, len(data), format)
		}
	}
}
