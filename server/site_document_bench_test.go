package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
)

// importMany imports products with a picture and three variants each.
func importMany(tb testing.TB, s *shop.Shop, count int, sizes ...string) {
	tb.Helper()
	var csv bytes.Buffer
	csv.WriteString("Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src\n")
	for i := range count {
		for at, size := range sizes {
			title, text, picture := "", "", ""
			if at == 0 {
				title, text = fmt.Sprint("Product number ", i), "<p>"+strings.Repeat("A plain thing. ", 30)+"</p>"
				picture = fmt.Sprintf("https://img.example/%d.jpg", i)
			}
			fmt.Fprintf(&csv, "product-%d,%s,%s,House,Things,true,Size,%s,SKU-%d-%s,%d,%s\n", i, title, text, size, i, size, 100+i, picture)
		}
	}
	if _, err := s.Catalogue.ImportProducts(tb.Context(), access.Operator(), &csv, catalogue.ImportOptions{}); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkSite_Documents reports the time and the most memory of the feed and of the sitemap of
// 10,000 products.
func BenchmarkSite_Documents(b *testing.B) {
	s := newPageSite(b, func(cfg *server.Config) { cfg.Rate = -1 })
	importMany(b, s.shop, 10_000, "S", "M", "L")
	for _, path := range []string{"/feed.xml", "/sitemap.xml", "/sitemap-1.xml"} {
		b.Run(strings.Trim(path, "/"), func(b *testing.B) {
			for b.Loop() {
				var peak atomic.Uint64
				runtime.GC()
				before := liveHeap()
				done := make(chan struct{})
				go func() {
					for {
						select {
						case <-done:
							return
						case <-time.After(5 * time.Millisecond):
							peak.Store(max(peak.Load(), liveHeap()))
						}
					}
				}()
				w := &discarded{header: http.Header{}}
				s.server.Handler().ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, shopHost+path, nil))
				close(done)
				if w.status != http.StatusOK {
					b.Fatalf("got %d, want 200", w.status)
				}
				b.ReportMetric(float64(max(peak.Load(), before)-before)/(1<<20), "MiB")
				b.ReportMetric(float64(w.bytes)/(1<<20), "MiB-sent")
			}
		})
	}
}

// liveHeap returns the memory that the last garbage collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// discarded is a response of which only the size is read.
type discarded struct {
	header http.Header
	status int
	bytes  int
}

func (d *discarded) Header() http.Header    { return d.header }
func (d *discarded) WriteHeader(status int) { d.status = status }

func (d *discarded) Write(p []byte) (int, error) {
	d.bytes += len(p)
	return io.Discard.Write(p)
}
