package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// connections is how many clients wait for responses at the same time.
const connections = 16

// BenchmarkServed compares, over real connections, production's server (log to a file, rate limits,
// tenants in their folder) with a bare handler that writes as many bytes:
//
//	go test ./server -run '^$' -bench Served -count 5
func BenchmarkServed(b *testing.B) {
	ours := benchmarkServer(b)
	const graphQL = `{"query":"{ products(limit: 20) { nodes { _id handle title available price { amount formatted } images { url alt } ` +
		`variants { _id title price { amount formatted } } } meta { totalCount hasNextPage } } }"}`
	list := httpRequest("GET", "/api/v1/products", "")
	for _, bench := range []struct{ name, request string }{
		{"list", list},
		{"list gzip", httpRequest("GET", "/api/v1/products", "", "Accept-Encoding: gzip")},
		{"list with a query", httpRequest("GET", "/api/v1/products?limit=20&page=2&sortBy=price&sort=asc", "")},
		{"not modified", httpRequest("GET", "/api/v1/products", "", "If-None-Match: "+etagOf(b, ours, list))},
		{"graphql", httpRequest("POST", "/graphql", graphQL)},
	} {
		status, size := measure(b, ours, bench.request)
		bare := serveOn(b, bareHandler(size))
		if status == http.StatusNotModified {
			bare = serveOn(b, bareHandler(1024)) // a small body: a 304 has none
		}
		b.Run(bench.name+"/bare", func(b *testing.B) { load(b, bare, bench.request) })
		b.Run(bench.name+"/ours", func(b *testing.B) { load(b, ours, bench.request) })
	}
}

// benchmarkServer serves a shop of 1,000 products.
func benchmarkServer(b *testing.B) (address string) {
	b.Helper()
	log, err := os.Create(filepath.Join(b.TempDir(), "log.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	t, err := tenants.Open(tenants.Config{Dir: b.TempDir(), Schema: shoptest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = t.Close(context.Background()) })
	s, err := t.Create(b.Context(), "test", shoptest.Raw(b, map[string]any{"name": "Test", "currency": "BDT", "country": "BD"}))
	if err != nil {
		b.Fatal(err)
	}
	importThousand(b, s)
	lines := server.NewLogWriter(log)
	b.Cleanup(lines.Flush)
	web, err := server.New(server.Config{Tenants: t, Logger: slog.New(server.NewJSONLog(lines, nil))})
	if err != nil {
		b.Fatal(err)
	}
	return serveOn(b, web)
}

func importThousand(b *testing.B, s *shop.Shop) {
	b.Helper()
	var csv bytes.Buffer
	csv.WriteString("Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Variant SKU,Variant Price,Image Src\n")
	for i := range 1000 {
		fmt.Fprintf(&csv, "product-%d,Product number %d,<p>%s</p>,House,Things,\"new, warm\",true,SKU-%d,%d,https://img.example/%d.jpg\n",
			i, i, strings.Repeat("A plain thing. ", 10), i, 100+i, i)
	}
	if _, err := s.Catalogue.ImportProducts(context.Background(), access.Operator(), &csv, catalogue.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
}

// bareHandler writes prepared bytes: the upper limit of net/http.
func bareHandler(size int) http.Handler {
	body := bytes.Repeat([]byte("x"), size)
	length := strconv.Itoa(size)
	router := httprouter.New()
	write := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", length)
		_, _ = w.Write(body)
	}
	router.GET("/api/v1/products", write)
	router.POST("/graphql", write)
	return router
}

func serveOn(b *testing.B, h http.Handler) (address string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	web := &http.Server{Handler: h}
	go func() { _ = web.Serve(l) }()
	b.Cleanup(func() { _ = web.Close() })
	return l.Addr().String()
}

func httpRequest(method, target, body string, header ...string) string {
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: shop.example", "x-tenant: test"}, header...)
	if body != "" {
		lines = append(lines, "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(body)))
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

// sendRequest sends one request and returns the size of its response.
func sendRequest(b *testing.B, address, request string) (res *http.Response, body, whole int) {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(request)); err != nil {
		b.Fatal(err)
	}
	counted := &countingReader{r: conn}
	res, err = http.ReadResponse(bufio.NewReader(counted), nil)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 400 {
		b.Fatalf("%d %s %v", res.StatusCode, text, err)
	}
	return res, len(text), counted.n
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func measure(b *testing.B, address, request string) (status, body int) {
	b.Helper()
	res, body, _ := sendRequest(b, address, request)
	return res.StatusCode, body
}

func etagOf(b *testing.B, address, request string) string {
	b.Helper()
	res, _, _ := sendRequest(b, address, request)
	return res.Header.Get("ETag")
}

// load sends the same request on all connections. All responses have the same size, so that the
// client decodes nothing and leaves the processors to the server.
func load(b *testing.B, address, request string) {
	_, body, whole := sendRequest(b, address, request)
	b.SetBytes(int64(body))
	b.SetParallelism(connections)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		response, sent := make([]byte, whole), []byte(request)
		for pb.Next() {
			if _, err := conn.Write(sent); err != nil {
				b.Error(err)
				return
			}
			if _, err := io.ReadFull(conn, response); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
