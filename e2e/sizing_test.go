package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/tenants"
)

var (
	sizing         = flag.Int("sizing", 0, "measure a server of so many shops, for docs/sizing.md")
	sizingProducts = flag.Int("sizing-products", 60, "products of each of those shops")
	sizingImport   = flag.Int("sizing-import", 0, "measure an import of so many products, for docs/sizing.md")
	sizingLoad     = flag.Duration("sizing-load", 20*time.Second, "how long each load lasts; 0: only starts are measured")
)

// TestSizing measures what docs/sizing.md states. Only ratios within one run mean anything.
func TestSizing(t *testing.T) {
	if *sizing == 0 {
		t.Skip("it takes minutes: go test ./e2e -run TestSizing -sizing 2000 -v -timeout 1h")
	}
	program := filepath.Join(t.TempDir(), "storefront")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	sizes := []int{1, *sizing}
	data := map[int]string{}
	for _, shops := range sizes {
		data[shops] = manyShops(t, shops)
	}
	serve := func(shops int, args ...string) *process {
		return start(t, exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--rate", "0",
			"--metrics-listen", "127.0.0.1:0", "--data", data[shops]}, args...)...))
	}

	for _, shops := range sizes {
		began := time.Now()
		p := serve(shops)
		p.waitChecked(data[shops], began)
		t.Logf("%d shops, never served before: all were looked at after %v; %s", shops, time.Since(began).Round(100*time.Millisecond), p.state())
		p.stop()
	}
	took := map[int][]time.Duration{}
	for range 7 {
		for _, shops := range sizes {
			began := time.Now()
			p := serve(shops)
			p.must(request{method: "GET", path: "/api/v1/products", tenant: shopName(0)}).want(t, http.StatusOK, "")
			took[shops] = append(took[shops], time.Since(began))
			p.waitChecked(data[shops], began)
			p.stop()
		}
	}
	for _, shops := range sizes {
		slices.Sort(took[shops])
		t.Logf("%d shops: from the start to the first answer of a shop %v, at best %v", shops, took[shops][3].Round(time.Millisecond),
			took[shops][0].Round(time.Millisecond))
	}
	for _, c := range []struct {
		shops int
		args  []string
	}{{1, nil}, {*sizing, nil}, {*sizing, []string{"--max-open-tenants", "256"}}} {
		began := time.Now()
		p := serve(c.shops, c.args...)
		p.waitChecked(data[c.shops], began)
		what := fmt.Sprintf("%d shops %v", c.shops, c.args)
		t.Logf("%s, at rest after a start: %s", what, p.state())
		if *sizingLoad > 0 {
			for range 2 {
				l := &zipfLoad{p: p, shops: c.shops, durations: map[string][]time.Duration{}}
				t.Logf("%s, loaded: %s; %s", what, l.run(*sizingLoad), p.state())
			}
			time.Sleep(30 * time.Second) // Go returns memory to the system gradually
			t.Logf("%s, at rest again: %s", what, p.state())
		}
		p.stop()
	}
}

func shopName(i int) string { return fmt.Sprintf("shop-%05d", i) }

// manyShops makes a data folder of equal shops.
func manyShops(t *testing.T, shops int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	all, err := tenants.Open(tenants.Config{Dir: dir, Schema: schemaSQL(t), MaxOpen: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close(context.Background())
	var csv strings.Builder
	csv.WriteString("Handle,Title,Body (HTML),Status,Published,Tags,Variant SKU,Variant Inventory Tracker," +
		"Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src\n")
	for i := range *sizingProducts {
		fmt.Fprintf(&csv, "item-%d,Item %d of the season,%s,active,true,\"new, tag-%d\",SKU-%d,shopify,1000000,"+
			"deny,250.00,https://cdn.example.com/%d.jpg\n",
			i, i, strings.Repeat("Woven by hand. ", 20), i%7, i, i)
	}
	var work sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range shops {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			s, err := all.Create(t.Context(), shopName(i), map[string]json.RawMessage{"name": json.RawMessage(`"Shop"`),
				"currency": json.RawMessage(`"BDT"`), "country": json.RawMessage(`"BD"`)})
			if err == nil {
				_, err = s.Catalogue.ImportProducts(t.Context(), access.Operator(), bytes.NewReader([]byte(csv.String())), catalogue.ImportOptions{})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return dir
}

// waitChecked waits until the server has checked all shops for due work.
func (p *process) waitChecked(data string, began time.Time) {
	p.t.Helper()
	for {
		if info, err := os.Stat(filepath.Join(data, "background.json")); err == nil && info.ModTime().After(began) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// state returns the server's memory and number of open shops.
func (p *process) state() string {
	text := p.scrape()
	value := func(name string) float64 {
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
		if found == nil {
			p.t.Fatalf("no metric %s", name)
		}
		v, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			p.t.Fatal(err)
		}
		return v
	}
	return fmt.Sprintf("%.0f MiB resident, %.0f of at most %.0f shops open, %.0f openings, %.0f s of processor",
		value("process_resident_memory_bytes")/(1<<20), value("storefront_tenants_open"), value("storefront_tenants_open_limit"),
		value("storefront_tenants_opened_total"), value("process_cpu_seconds_total"))
}

// zipfLoad is a load on shops by Zipf's law: few are busy, many almost idle.
type zipfLoad struct {
	p         *process
	shops     int
	mu        sync.Mutex
	durations map[string][]time.Duration
}

// run sends requests of 16 buyers and returns a summary of the latencies.
func (l *zipfLoad) run(length time.Duration) string {
	end := time.Now().Add(length)
	var buyers sync.WaitGroup
	for i := range 16 {
		buyers.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			zipf := rand.NewZipf(random, 1.1, 1, uint64(l.shops-1))
			for n := 0; time.Now().Before(end); n++ {
				l.visit(shopName(int(zipf.Uint64())), fmt.Sprintf("item-%d", random.IntN(*sizingProducts)), n%20 == 0)
			}
		})
	}
	buyers.Wait()
	var said []string
	requests := 0
	for _, kind := range slices.Sorted(maps.Keys(l.durations)) {
		took := l.durations[kind]
		slices.Sort(took)
		requests += len(took)
		said = append(said, fmt.Sprintf("%s p50 %v p99 %v", kind, took[len(took)/2].Round(10*time.Microsecond),
			took[len(took)*99/100].Round(100*time.Microsecond)))
	}
	return fmt.Sprintf("%.0f requests a second, %s", float64(requests)/length.Seconds(), strings.Join(said, ", "))
}

// visit requests a shop's list and one product, and sometimes orders it.
func (l *zipfLoad) visit(tenant, handle string, orders bool) {
	l.send("list", http.StatusOK, request{method: "GET", path: "/api/v1/products?limit=20", tenant: tenant})
	product := l.send("product", http.StatusOK, request{method: "GET", path: "/api/v1/products/handle/" + handle, tenant: tenant})
	if orders {
		l.send("order", http.StatusCreated, request{method: "POST", path: "/api/v1/orders", tenant: tenant, body: orderOf(product.text("_id"), 1)})
	}
}

func (l *zipfLoad) send(kind string, want int, r request) response {
	began := time.Now()
	a, err := l.p.do(r)
	took := time.Since(began)
	if err != nil || a.status != want {
		l.p.t.Errorf("%s of %s: %d %s, %v", kind, r.tenant, a.status, a.body, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durations[kind] = append(l.durations[kind], took)
	return a
}
