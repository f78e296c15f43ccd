package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// siteTime is how long pages are read beside orders.
const siteTime = 10 * time.Second

// measureSite compares pages for buyers with a minimal server's responses of the same size, and
// measures them while the shop has 100 orders a second.
func (b *bench) measureSite(ctx context.Context) error {
	if _, err := b.newShop("site", productCount); err != nil {
		return err
	}
	metrics, err := freeAddress()
	if err != nil {
		return err
	}
	p, err := b.startShop(ctx, "site", "data-site", nil, "--metrics-listen", metrics)
	if err != nil {
		return err
	}
	const list = "/collections/all" // 24 cards
	etag, size, err := pageOf(ctx, p.address, list)
	if err != nil {
		return err
	}
	limit, err := b.startMinimal(ctx, "limit-site", "/page="+strconv.Itoa(size), "/small=1000")
	if err != nil {
		return err
	}
	page := func(path string, header map[string]string) request {
		return newRequest(siteHost, http.MethodGet, path, header, "")
	}
	got, err := b.compare(ctx, "page of 24 products, stored",
		contestant{name: "storefront", process: p, requests: []request{page(list, nil)}},
		contestant{name: "limit", process: limit, requests: []request{b.get(limit, "/page")}})
	if err != nil {
		return err
	}
	b.report.gate("page of 24 products, stored", "limit", got.ratio("storefront", "limit"), 0.80, 0.90)
	known := page(list, map[string]string{"If-None-Match": etag})
	got, err = b.compare(ctx, "304 of a page",
		contestant{name: "storefront", process: p, requests: []request{known}, want: http.StatusNotModified},
		contestant{name: "limit, 1 KB", process: limit, requests: []request{b.get(limit, "/small")}})
	if err != nil {
		return err
	}
	b.report.gate("304 of a page", "limit, 1 KB", got.ratio("storefront", "limit, 1 KB"), 0.75, 0.90)
	b.report.note("A stored page passes the limits, the log and the headers of every request, " +
		"which the minimal server does not have.")
	if err := b.measurePagesBesideOrders(ctx, p, metrics); err != nil {
		return err
	}
	if err := b.stop(p); err != nil {
		return err
	}
	return b.measureRendering(ctx)
}

// measureRendering measures pages that no cache has, without a network.
func (b *bench) measureRendering(ctx context.Context) error {
	all, err := goBench(ctx, "./server", "^BenchmarkSite_", "1s")
	if err != nil {
		return err
	}
	rendering := figureOf(all, "Site_Page/rendered", "ns/op") / 1e6
	b.report.gateAtMost("rendering of a page of 24 products", "", rendering, 1, 0.5, " ms")
	for _, document := range []string{"feed.xml", "sitemap.xml", "sitemap-1.xml"} {
		name := "Site_Documents/" + document
		b.report.gateAtMost("/"+document+" of 10,000 products", "", figureOf(all, name, "ns/op")/1e9, 2, 1, " s")
		memory := figureOf(all, name, "MiB")
		b.report.gateAtMost("/"+document+" of 10,000 products, memory", "", memory, 8, 4, " MiB")
	}
	return nil
}

// siteHost is the host of the shop's pages on this machine.
const siteHost = uid + ".localhost"

// pageOf returns the ETag and the size of a page.
func pageOf(ctx context.Context, address, path string) (etag string, size int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return "", 0, err
	}
	r.Host = siteHost
	r.Header.Set("Accept-Encoding", "identity") // as in the load
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if etag = response.Header.Get("ETag"); err == nil && etag == "" {
		err = fmt.Errorf("no ETag at %s: %s", path, response.Status)
	}
	return etag, len(body), err
}

// measurePagesBesideOrders reads 200 pages a second of 100 products while others order these
// products 100 times a second.
func (b *bench) measurePagesBesideOrders(ctx context.Context, p *process, metrics string) error {
	products, err := b.products(p)
	if err != nil {
		return err
	}
	orders, err := b.orders(p)
	if err != nil {
		return err
	}
	paths := []string{"/", "/collections/all"}
	for _, product := range products {
		paths = append(paths, "/products/"+product.Handle)
	}
	pages := requests(paths, func(path string) request {
		return newRequest(siteHost, http.MethodGet, path, nil, "")
	})
	reading := load{
		address: p.address, requests: pages, connections: 16, want: http.StatusOK, every: time.Second / 200,
	}
	if _, err := reading.run(ctx, time.Second); err != nil { // each page once
		return err
	}
	hits, misses, err := preparedAnswers(ctx, metrics)
	if err != nil {
		return err
	}
	var (
		wait     sync.WaitGroup
		failed   error
		ordering = load{
			address: p.address, requests: orders, connections: 16, want: http.StatusCreated, every: time.Second / 100,
		}
	)
	wait.Go(func() { _, failed = ordering.run(ctx, siteTime) })
	got, err := reading.run(ctx, siteTime)
	wait.Wait()
	if err != nil || failed != nil {
		return fmt.Errorf("pages beside orders: %w", errors.Join(err, failed))
	}
	nextHits, nextMisses, err := preparedAnswers(ctx, metrics)
	if err != nil {
		return err
	}
	memory, err := p.memory()
	if err != nil {
		return err
	}
	const what = "pages beside 100 orders a second"
	b.report.Measured = append(b.report.Measured, measured{
		What: what, Server: "storefront", Rate: got.perSecond(), P50: got.P50, P99: got.P99,
		Memory: memory, Bytes: got.Bytes,
	})
	b.report.gateAtMost(what+", p99", "", float64(got.P99)/float64(time.Millisecond), 10, 5, " ms")
	stored := (nextHits - hits) / (nextHits - hits + nextMisses - misses)
	share := gate{What: what + ", from the cache", Value: 100 * stored, Unit: " %", Gate: 99, Stretch: 99.9}
	b.report.Gates = append(b.report.Gates, share)
	return nil
}

var preparedMetric = regexp.MustCompile(`storefront_prepared_answers_total\{result="(hit|miss)"\} ([0-9.e+]+)`)

// preparedAnswers returns how many responses came from the cache, and how many did not.
func preparedAnswers(ctx context.Context, metrics string) (hits, misses float64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metrics+"/metrics", nil)
	if err != nil {
		return 0, 0, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, 0, err
	}
	counts := map[string]float64{}
	for _, m := range preparedMetric.FindAllStringSubmatch(string(body), -1) {
		if counts[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			return 0, 0, err
		}
	}
	if len(counts) != 2 {
		return 0, 0, fmt.Errorf("no counts of prepared responses at %s", metrics)
	}
	return counts["hit"], counts["miss"], nil
}
