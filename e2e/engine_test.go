package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// useDatabase makes the servers and commands of a test store shops in a database, with one key.
func useDatabase(t *testing.T, address string) {
	t.Helper()
	t.Setenv("STOREFRONT_ENGINE", address)
	t.Setenv("STOREFRONT_KEY", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
}

// serveTwice starts two servers, as on two machines: each has a data folder of its own.
func serveTwice(t *testing.T) []*process {
	t.Helper()
	servers := make([]*process, 2)
	for i := range servers {
		servers[i] = serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--rate", "0")
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
