package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
)

// importFile returns the response of an import or a dry run.
func (s *adminSite) importFile(
	ctx context.Context, query string, file io.Reader, key string,
) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost,
		"/admin/v1/shops/test/imports/products"+query, file)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Authorization", key)
	r.Header.Set("Content-Type", "text/csv")
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return w
}

const oneProduct = "Handle,Title,Variant Price\na,A,1\n"

// lateFile is a file whose first byte arrives after a time.
type lateFile struct {
	io.Reader
	after time.Duration
}

func (f *lateFile) Read(p []byte) (int, error) {
	time.Sleep(f.after)
	f.after = 0
	return f.Reader.Read(p)
}

// An import that began in time ends after the time that other requests have.
func TestImportProducts_OutlivesOtherRequests(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.RequestTimeout = 2 * time.Second })
	key := s.key(t, string(access.ProductsWrite))
	for _, query := range []string{"?dryRun=true", ""} {
		file := &lateFile{strings.NewReader(oneProduct), 2100 * time.Millisecond}
		if got := s.importFile(t.Context(), query, file, key); got.Code != http.StatusOK {
			t.Errorf("%q: got %d %s, want 200", query, got.Code, got.Body)
		}
	}
}

// A shop has one import or dry run at a time. Others wait, and are refused before their work.
func TestImportProducts_OneOfAShop(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, func(cfg *server.Config) {
		cfg.Rate, cfg.Burst, cfg.ShopRate, cfg.ShopBurst = 100, 100, 100, 100
		cfg.RequestTimeout = 2 * time.Second
	})
	first, second := s.key(t, string(access.ProductsWrite)), s.key(t, string(access.ProductsWrite))
	file, rest := io.Pipe()
	ended := make(chan int)
	go func() { ended <- s.importFile(t.Context(), "?dryRun=true", file, first).Code }()
	if _, err := rest.Write([]byte("Handle,")); err != nil { // it is read: the import is under way
		t.Fatal(err)
	}
	for _, query := range []string{"?dryRun=true", ""} {
		got := s.importFile(t.Context(), query, strings.NewReader(oneProduct), second)
		if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
			t.Errorf("%q: got %d %v, want 429 with Retry-After", query, got.Code, got.Header())
		}
	}
	if _, err := rest.Write([]byte("Title,Variant Price\na,A,1\n")); err != nil {
		t.Fatal(err)
	}
	_ = rest.Close()
	if got := <-ended; got != http.StatusOK {
		t.Errorf("the first import: got %d, want 200", got)
	}
	got := s.importFile(t.Context(), "", strings.NewReader(oneProduct), second)
	if got.Code != http.StatusOK {
		t.Errorf("afterwards: got %d, want 200", got.Code)
	}
}

// A file with a problem in every row is not read to its end.
func TestImportProducts_ManyProblems(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	key := s.key(t, string(access.ProductsWrite))
	for name, file := range map[string]struct{ header, row string }{
		"no price":   {"Handle,Title", "p%d,A"},
		"no handle":  {"Handle,Title", ",%d"},
		"bad price":  {"Handle,Title,Variant Price", "p%d,A,x"},
		"bad column": {"Name,Regular price,Type,ID", "A,x,simple,%d"},
	} {
		var all strings.Builder
		fmt.Fprintln(&all, file.header)
		for i := range 20_000 {
			fmt.Fprintf(&all, file.row+"\n", i)
		}
		got := s.importFile(t.Context(), "?dryRun=true", strings.NewReader(all.String()), key)
		if got.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body.String(), "was not read further") {
			t.Errorf("%s: got %d %.300s, want 422 after a part", name, got.Code, got.Body)
		}
	}
}
