package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// A page at one of two servers follows an order at the other that sells the last units, and a
// change of a price and a design by commands. An order of a few units leaves the stored page valid.
func TestEngines_PageAtTheOtherServer(t *testing.T) {
	useDatabase(t, dbtest.NewCluster(t).Address("postgres"))
	data := newShop(t, "busy", 1000, 2)
	servers := serveTwice(t)
	for _, p := range servers { // show the only shop soon after their start
		dbtest.Eventually(t, "the server's own host shows the shop", func() bool {
			return p.must(request{method: "GET", path: "/"}).status == http.StatusOK
		}, p.logged)
	}
	page := func(p *process, handle string) (body, etag string) {
		t.Helper()
		a := p.must(request{method: "GET", path: "/products/" + handle})
		if a.status != http.StatusOK {
			t.Fatalf("%s: got %d %s", handle, a.status, a.body)
		}
		return string(a.body), a.header.Get("ETag")
	}
	order := func(handle string, units int) {
		t.Helper()
		id, _ := servers[0].product("busy", handle)
		if a := servers[0].must(request{method: "POST", path: "/api/v1/orders", tenant: "busy", body: orderOf(id, units)}); a.status != http.StatusCreated {
			t.Fatalf("order: got %d %s", a.status, a.body)
		}
	}
	shows := func(handle, text string) {
		t.Helper()
		began := time.Now()
		for _, p := range servers {
			dbtest.Eventually(t, handle+" shows "+text, func() bool {
				body, _ := page(p, handle)
				return strings.Contains(body, text)
			}, p.logged)
		}
		t.Logf("%s shows %q at both servers after %s", handle, text, time.Since(began).Round(time.Millisecond))
	}
	var before [2]string // the pages state their server's address
	for i, p := range servers {
		_, before[i] = page(p, "item-0")
	}
	order("item-0", 3)
	dbtest.Eventually(t, "the API at the other server shows the quantity", func() bool {
		_, left := servers[1].product("busy", "item-0")
		return left == 997
	}, servers[1].logged)
	for i, p := range servers {
		if _, etag := page(p, "item-0"); etag != before[i] {
			t.Errorf("server %d, after an order of a few units: got ETag %s, want %s", i+1, etag, before[i])
		}
	}
	if body, _ := page(servers[1], "item-1"); strings.Contains(body, "Sold out") {
		t.Fatalf("got %s, want an available product", body)
	}
	order("item-1", 2)
	shows("item-1", "Sold out")
	table := filepath.Join(t.TempDir(), "products.csv")
	if err := os.WriteFile(table, []byte("Handle,Title,Variant Price\nitem-0,Item 0,317\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "product", "import", "busy", table, "--data", data)
	shows("item-0", "317")
	design := filepath.Join(t.TempDir(), "design.json")
	document := `{"design":"haat","tokens":{},"templates":{"product":[{"kind":"text","settings":{"title":{"en":"News of today"}}}]}}`
	if err := os.WriteFile(design, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "design", "apply", "busy", design, "--data", data)
	run(t, "design", "publish", "busy", "--data", data)
	shows("item-0", "News of today")
}
