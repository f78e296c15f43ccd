package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/provider/simulator"
)

// useDatabase makes the servers and commands of a test store shops in a database, with one key.
func useDatabase(t *testing.T, address string) {
	t.Helper()
	t.Setenv("STOREFRONT_ENGINE", address)
	t.Setenv("STOREFRONT_KEY", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
}

// parallelOnFiles lets a test on files run beside others. On PostgreSQL its shops are in a database
// that is as safe as doctor demands, unlike that of the other tests.
func parallelOnFiles(t *testing.T) {
	t.Helper()
	if !dbtest.OnPostgres() {
		t.Parallel()
		return
	}
	useDatabase(t, dbtest.NewCluster(t, "fsync=on").Address("postgres"))
}

// shareImages makes the servers and commands of a test store uploaded images in one folder.
func shareImages(t *testing.T) {
	t.Helper()
	t.Setenv("STOREFRONT_MEDIA_STORAGE", t.TempDir())
}

// serveTwice starts two servers, as on two machines: each has a data folder of its own, and they
// share one for images.
func serveTwice(t *testing.T, args ...string) []*process {
	t.Helper()
	shareImages(t)
	servers := make([]*process, 2)
	for i := range servers {
		servers[i] = serve(t, append([]string{"--data", filepath.Join(t.TempDir(), "data"), "--rate", "0"}, args...)...)
	}
	return servers
}

// Buyers at two servers of one database buy the last units: each is sold once.
func TestEngines_LastUnitsAtTwoServers(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t, "fsync=on").Address("postgres"))
	servers := serveTwice(t)
	const units, buyers, each = 100, 16, 12
	data := newShop(t, "busy", units)
	id, _ := servers[0].product("busy", "item-0")

	var mu sync.Mutex
	answers, invoices := map[string]int{}, map[string]bool{}
	var work sync.WaitGroup
	for buyer := range buyers {
		work.Go(func() {
			for n := range each {
				a, err := servers[(buyer+n)%2].do(request{method: "POST", path: "/api/v1/orders", tenant: "busy", body: orderOf(id, 1)})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				answers[fmt.Sprintf("%d %s", a.status, a.text("code"))]++
				if a.status == http.StatusCreated {
					invoices[a.text("invoiceUid")] = true
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if answers["201 "] != units || answers["409 out_of_stock"] != buyers*each-units || len(answers) != 2 {
		t.Errorf("answers: %v, want %d times 201 and %d times 409 out_of_stock", answers, units, buyers*each-units)
	}
	if len(invoices) != units {
		t.Errorf("%d different invoices, want %d", len(invoices), units)
	}
	for i, p := range servers {
		dbtest.Eventually(t, fmt.Sprintf("server %d shows that nothing is left", i+1), func() bool {
			_, left := p.product("busy", "item-0")
			return left == 0
		}, p.logged)
	}
	run(t, "doctor", "busy", "--public-url", servers[0].url, "--data", data)
}

// What one server changes, the other shows soon, although both keep prepared responses.
func TestEngines_ChangesAtTheOtherServer(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t).Address("postgres"))
	servers := serveTwice(t)
	newShop(t, "busy", 1000)
	id, _ := servers[0].product("busy", "item-0")
	servers[1].product("busy", "item-0")

	var waits []time.Duration
	for n := range 20 {
		at, other := servers[n%2], servers[(n+1)%2]
		if a := at.must(request{method: "POST", path: "/api/v1/orders", tenant: "busy", body: orderOf(id, 1)}); a.status != http.StatusCreated {
			t.Fatalf("order: got %d %s", a.status, a.body)
		}
		placed := time.Now()
		dbtest.Eventually(t, "the other server shows the order's unit as sold", func() bool {
			_, left := other.product("busy", "item-0")
			return left == 999-n
		}, other.logged)
		waits = append(waits, time.Since(placed))
	}
	slices.Sort(waits)
	t.Logf("the other server shows a change after %s (median), %s at most",
		waits[len(waits)/2].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond))
}

// Two servers of one database send each payment to its gateway once. A server that is killed while
// it does so leaves a claim: until that ends, the other server sends nothing, and afterwards one
// request.
func TestEngines_PaymentsAtTwoServers(t *testing.T) {
	cluster := dbtest.NewCluster(t, "fsync=on")
	useDatabase(t, cluster.Address("postgres"))
	sim := simulator.New()
	const starts = "/gateway_a/gwprocess/v4/api.php"
	var toKill atomic.Pointer[process] // by the next start
	gateways := sim.Handler()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == starts {
			if p := toKill.Swap(nil); p != nil {
				p.kill()
			}
			time.Sleep(50 * time.Millisecond) // so that requests for the same payment meet
		}
		gateways.ServeHTTP(w, r)
	}))
	t.Cleanup(host.Close)
	providers := []string{"--private-providers", "--provider-url", "gateway_a:live=" + host.URL + "/gateway_a"}
	flags := append([]string{"--public-url", "https://shops.example"}, providers...)
	servers := serveTwice(t, flags...)
	data := newShop(t, "busy", 1000)
	run(t, append([]string{"plugin", "configure", "busy", "gateway_a", "store_id=busy", "store_password=hush", "--data", data}, providers...)...)
	id, _ := servers[0].product("busy", "item-0")
	order := func(p *process, key string) (a response, page string) {
		body := orderOf(id, 1)
		body["paymentMethod"] = "gateway_a"
		a, err := p.do(request{
			method: "POST", path: "/api/v1/orders", tenant: "busy", body: body, header: map[string]string{"Idempotency-Key": key},
		})
		if err != nil {
			return response{}, ""
		}
		return a, a.text("payment", "redirectUrl")
	}
	// together sends an order eight times, and returns the page that all responses name.
	together := func(key string) string {
		t.Helper()
		pages := make([]string, 8)
		var work sync.WaitGroup
		for i := range pages {
			work.Go(func() {
				a, page := order(servers[i%len(servers)], key)
				if a.status != http.StatusCreated && a.status != http.StatusOK {
					t.Errorf("got %d %s, want the order", a.status, a.body)
				}
				pages[i] = page
			})
		}
		work.Wait()
		if slices.Sort(pages); pages[0] == "" || pages[0] != pages[7] {
			t.Errorf("got redirects to %q, want one page", pages)
		}
		return pages[0]
	}
	const orders = 10
	for n := range orders {
		together(fmt.Sprint("order-", n))
	}
	if n := sim.Calls(starts); n != orders {
		t.Fatalf("got %d requests to the gateway for %d payments, want one each", n, orders)
	}

	toKill.Store(servers[0])
	if a, _ := order(servers[0], "killed"); a.status != 0 {
		t.Fatalf("got %d %s, want a killed server", a.status, a.body)
	}
	servers[0] = serve(t, append([]string{"--data", filepath.Join(t.TempDir(), "data"), "--rate", "0"}, flags...)...)
	if a, page := order(servers[1], "killed"); a.status != http.StatusCreated && a.status != http.StatusOK || page != "" {
		t.Errorf("under the claim of the killed server: got %d %s; want the order without a page", a.status, a.body)
	}
	if n := sim.Calls(starts); n != orders+1 {
		t.Errorf("under the claim of the killed server: got %d requests, want none more than its own", n-orders)
	}
	cluster.SQL(`UPDATE storefront.payment_checks SET claimed_at = claimed_at - 120000 WHERE claimed_at IS NOT NULL`)
	together("killed")
	if n := sim.Calls(starts); n != orders+2 {
		t.Errorf("after the claim: got %d requests, want one more", n-orders-1)
	}
	run(t, "doctor", "busy", "--public-url", servers[0].url, "--data", data)
}
