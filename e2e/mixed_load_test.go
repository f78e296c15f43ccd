package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/shoptest"
)

var (
	mixedProducts  = flag.Int("mixed.products", 600, "products that TestMixedLoad imports")
	mixedShipments = flag.Int("mixed.shipments", 2500, "rows of the courier's statement in TestMixedLoad")
)

// latencies are the times that requests took.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

// String returns the number, the median, the 99th percentile and the longest.
func (l *latencies) String() string {
	slices.Sort(l.all)
	at := func(share float64) time.Duration {
		return l.all[min(int(share*float64(len(l.all))), len(l.all)-1)].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d, p50 %v, p99 %v, longest %v", len(l.all), at(0.5), at(0.99), at(1))
}

// Buyers order and read while an import, the reconciliation of a statement and a backup run, each
// as a process of its own. All succeed, and nothing is lost. With -v and 50000 products and 100000
// shipments, the test prints how long buyers wait.
func TestMixedLoad(t *testing.T) {
	t.Parallel()
	data, dir := newShop(t, "acme", 1_000_000), t.TempDir()
	p := serve(t, "--data", data, "--rate", "0")
	id, _ := p.product("acme", "item-0")
	order := request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}
	if a := p.must(order); a.status != http.StatusCreated {
		t.Fatalf("order: got %d %s, want 201", a.status, a.body)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("the server stopped with %d:\n%s", code, p.logged())
	}
	statement := writeFile(t, dir, "statement.csv", insertDelivered(t, data, "acme", *mixedShipments))
	var csv strings.Builder
	csv.WriteString("Handle,Title,Body (HTML),Status,Published,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price\n")
	for i := range *mixedProducts {
		fmt.Fprintf(&csv, "thing-%d,Thing number %d,<p>A thing of %d parts.</p>,active,true,THING-%d,shopify,5,%d.00\n", i, i, i%90, i, 100+i%900)
	}
	products := writeFile(t, dir, "many.csv", csv.String())
	p = serve(t, "--data", data, "--rate", "0")

	var orders, reads latencies
	var invoices []string
	var mu sync.Mutex
	ended := make(chan struct{})
	var buyers sync.WaitGroup
	each := func(request request, want int, took *latencies, also func(response)) {
		buyers.Go(func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(20 * time.Millisecond):
				}
				began := time.Now()
				a, err := p.do(request)
				took.add(time.Since(began))
				if err != nil || a.status != want {
					t.Errorf("%s %s: got %d %s, %v, want %d", request.method, request.path, a.status, a.body, err, want)
					return
				}
				also(a)
			}
		})
	}
	for i := range 4 {
		each(order, http.StatusCreated, &orders, func(a response) {
			mu.Lock()
			defer mu.Unlock()
			invoices = append(invoices, a.text("invoiceUid"))
		})
		read := []string{"/api/v1/products?limit=20", "/api/v1/products?search=number", "/api/v1/products/handle/item-0", "/api/v1/collections"}[i]
		each(request{method: "GET", path: read, tenant: "acme"}, http.StatusOK, &reads, func(response) {})
	}
	var jobs sync.WaitGroup
	for _, args := range [][]string{
		{"product", "import", "acme", products}, {"cod", "reconcile", "acme", statement}, {"backup", "acme", filepath.Join(dir, "backups")},
	} {
		jobs.Go(func() {
			cmd := storefront(t, append(args, "--data", data)...)
			var output bytes.Buffer
			cmd.Stdout, cmd.Stderr = &output, &output
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			peak := watchMemory(cmd.Process.Pid)
			if err := cmd.Wait(); err != nil {
				t.Errorf("storefront %v: %v\n%s", args, err, output.Bytes())
			}
			t.Logf("%s: %v, %s", strings.Join(args[:2], " "), time.Since(began).Round(time.Millisecond), peak())
		})
	}
	jobs.Wait()
	close(ended)
	buyers.Wait()
	t.Logf("orders: %v", &orders)
	t.Logf("reads: %v", &reads)

	for _, invoice := range invoices {
		a := p.must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "acme"})
		if a.status != http.StatusOK {
			t.Fatalf("acknowledged order %s: got %d %s, want it stored", invoice, a.status, a.body)
		}
	}
	list := p.must(request{method: "GET", path: "/api/v1/products?limit=1", tenant: "acme"})
	if got, want := fmt.Sprint(list.at("meta", "totalCount")), fmt.Sprint(*mixedProducts+1); got != want {
		t.Errorf("got %s products, want %s", got, want)
	}
	t.Logf("server: %s", peakMemory(p.cmd.Process.Pid))
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}

	var report struct {
		Couriers []struct {
			Holding int
			PaidOut struct{ Amount int }
		}
	}
	if err := json.Unmarshal([]byte(run(t, "api", "acme", "getCash", "--json", "--data", data)), &report); err != nil {
		t.Fatal(err)
	}
	if got, want := report.Couriers[0], *mixedShipments*46000; got.PaidOut.Amount != want || got.Holding != 0 {
		t.Errorf("cod report: got %+v, want %d paid out and nothing held", got, want)
	}
	run(t, "backup", "verify", filepath.Join(dir, "backups"))
}

// insertDelivered is [shoptest.InsertDelivered] for a shop that no process has open.
func insertDelivered(t testing.TB, data, uid string, orders int) (statement string) {
	t.Helper()
	store := openStore(t, data)
	defer store.Close(context.Background())
	return shoptest.InsertDelivered(t, store, uid, orders)
}

func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// watchMemory samples the peak memory of a process until peak is called, which returns the last
// sample.
func watchMemory(pid int) (peak func() string) {
	last := peakMemory(pid)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if now := peakMemory(pid); now != "" {
				last = now
			}
		}
	}()
	return func() string {
		close(stop)
		<-stopped
		return last
	}
}

// peakMemory returns the most memory that a running process has had resident; "" if it has ended,
// or without Linux.
func peakMemory(pid int) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return strings.TrimSpace(peak)
}
