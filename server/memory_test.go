package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// budgetSite is a site behind a proxy, whose clients may hold 200 KiB each, with a list of 150 KB.
func budgetSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, func(cfg *server.Config) {
		cfg.Memory, cfg.MaxBody = 800<<10, 16<<10
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("192.0.2.1/32")}
	})
	for i := range 3 {
		_, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Title: fmt.Sprint("Lamp ", i), DescriptionHTML: "<p>" + strings.Repeat("bright ", 7000) + "</p>",
			Variants: []catalogue.VariantInput{{Price: 100}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// slowReader is a client that does not read until it is released.
type slowReader struct {
	*httptest.ResponseRecorder
	writing, release chan struct{}
}

func (r *slowReader) Write(p []byte) (int, error) {
	r.writing <- struct{}{}
	<-r.release
	return r.ResponseRecorder.Write(p)
}

// startReading requests a list and returns when its first bytes are sent.
func (s *site) startReading(request *http.Request, release chan struct{}) *slowReader {
	r := &slowReader{httptest.NewRecorder(), make(chan struct{}, 100), release}
	go s.server.Handler().ServeHTTP(r, request)
	<-r.writing
	return r
}

func TestMemory_ListHeldOnceForAllReaders(t *testing.T) {
	t.Parallel()
	s := budgetSite(t)
	release := make(chan struct{})
	defer close(release)
	list := func(method, path, body, client string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("x-tenant", "test")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-For", client)
		return r
	}
	const graphQL = `{"query":"{products{nodes{descriptionHtml}}}"}`
	for range 20 {
		s.startReading(list("GET", "/api/v1/products?limit=-1", "", "198.51.100.1"), release)
	}
	size := s.server.Memory().Used
	if size < 100<<10 || size > 200<<10 {
		t.Fatalf("got %d bytes held for 20 readers of one list, want its size", size)
	}
	for _, other := range []*http.Request{
		list("GET", "/api/v1/products?limit=-1&sortBy=price", "", "198.51.100.1"),
		list("POST", "/graphql", graphQL, "198.51.100.1"),
	} {
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, other)
		got := &reply{tb: t, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
		if got.status != 503 || got.header.Get("Retry-After") != "2" || !strings.Contains(string(got.body), string(fault.CodeUnavailable)) ||
			got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d %v %.200s, want 503 with Retry-After", other.Method, other.URL, got.status, got.header, got.body)
		}
	}
	s.startReading(list("GET", "/api/v1/products?limit=-1&sortBy=price", "", "198.51.100.2"), release)
	s.startReading(list("POST", "/graphql", graphQL, "198.51.100.3"), release)
	if used := s.server.Memory().Used; used < 2*size {
		t.Errorf("got %d bytes held for three responses, want more", used)
	}
}

// A client that holds its share in bodies that never end gets 503, and others none.
func TestMemory_BodiesOfOneClient(t *testing.T) {
	t.Parallel()
	s := budgetSite(t)
	const login = `{"user":"a@example.com","password":"correct horse"}`
	var conns []net.Conn
	refused := make(chan string)
	for range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		go func() {
			fmt.Fprintf(conn, "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\nx-tenant: test\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 16<<10, strings.Repeat("x", 9000))
			answer := make([]byte, len("HTTP/1.1 503"))
			_, _ = io.ReadFull(conn, answer)
			refused <- string(answer)
		}()
	}
	if got := <-refused; got != "HTTP/1.1 503" {
		t.Fatalf("got %q for bodies beyond the client's share, want 503", got)
	}
	got := s.send("POST", "/api/v1/auth/login", login, "X-Forwarded-For", "198.51.100.2")
	got.problem(401, fault.CodeInvalidCredentials)
	for _, conn := range conns {
		conn.Close()
	}
	for range len(conns) - 1 {
		<-refused
	}
	dbtest.Eventually(t, "no memory held for closed connections", func() bool { return s.server.Memory().Used == 0 })
}
