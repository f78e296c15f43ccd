//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// balancer passes requests to the servers that are ready, in turn, as of a check every 50 ms. It
// sends no request twice.
type balancer struct {
	servers [2]atomic.Pointer[url.URL] // nil while one is replaced
	ready   [2]atomic.Bool
	next    atomic.Int64
	*httptest.Server
}

func newBalancer(t *testing.T) *balancer {
	b := &balancer{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			first := int(b.next.Add(1))
			for i := range b.servers {
				if n := (first + i) % len(b.servers); b.ready[n].Load() {
					r.SetURL(b.servers[n].Load())
					return
				}
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	b.Server = httptest.NewServer(proxy)
	t.Cleanup(b.Close)
	var checks sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	for i := range b.servers {
		checks.Go(func() {
			for ctx.Err() == nil {
				if server := b.servers[i].Load(); server != nil {
					res, err := client.Get(server.String() + "/readyz")
					if err == nil {
						res.Body.Close()
					}
					b.ready[i].Store(err == nil && res.StatusCode == http.StatusOK)
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	t.Cleanup(func() { stop(); checks.Wait() })
	return b
}

// Two servers of one database are replaced one after the other, behind a balancer, while buyers
// order: no request is refused, and each acknowledged order is stored once.
func TestEngines_RollingUpgrade(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t).Address("postgres"))
	shareImages(t)
	data := []string{filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")}
	b := newBalancer(t)
	begin := func(i int) *process {
		p := serve(t, "--data", data[i], "--rate", "0", "--shutdown-delay", "2s")
		address, err := url.Parse(p.url)
		if err != nil {
			t.Fatal(err)
		}
		b.servers[i].Store(address)
		dbtest.Eventually(t, "the balancer sends requests to the server", b.ready[i].Load, p.logged)
		return p
	}
	servers := []*process{begin(0), begin(1)}
	folder := newShop(t, "acme", marketStock)
	productID, _ := servers[0].product("acme", "item-0")

	stopped, stop := context.WithCancel(t.Context())
	var buyers sync.WaitGroup
	var orders, reads atomic.Int64
	for i := range 6 {
		buyers.Go(func() {
			web := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%3 == 0}}
			for n := 0; stopped.Err() == nil; n++ {
				order := fmt.Sprintf(`{"items":[{"productId":%q,"quantity":1}],"customer":{"name":"Rahima","phoneNumber":"017%08d"},`+
					`"shippingAddress":{"line1":"House 12","area":"Dhaka","city":"Dhaka"}}`, productID, 10_000_000+i*1_000_000+n)
				if body, err := send(web, b.URL+"/api/v1/orders", order); err != nil {
					t.Errorf("order: %v %s", err, body)
					return
				}
				orders.Add(1)
				if body, err := send(web, b.URL+"/api/v1/products?limit=2", ""); err != nil {
					t.Errorf("read: %v %s", err, body)
					return
				}
				reads.Add(1)
			}
		})
	}
	for i := range servers {
		before := orders.Load()
		dbtest.Eventually(t, "buyers order", func() bool { return orders.Load() > before+20 || t.Failed() }, servers[i].logged)
		servers[i].stop()
		servers[i] = begin(i)
	}
	before := orders.Load()
	dbtest.Eventually(t, "buyers order afterwards", func() bool { return orders.Load() > before+20 || t.Failed() }, servers[0].logged)
	stop()
	buyers.Wait()
	listed := int64(strings.Count(run(t, "order", "list", "acme", "--limit", "-1", "--format", "uid", "--data", folder), "\n"))
	if listed != orders.Load() {
		t.Errorf("got %d orders, want the %d that were acknowledged", listed, orders.Load())
	}
	t.Logf("%d orders and %d reads during 2 restarts", orders.Load(), reads.Load())
}
