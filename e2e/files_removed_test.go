package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// sellN places n orders, each of which must be acknowledged, and returns their invoices.
func (p *process) sellN(uid, prefix string, n int) (invoices []string) {
	p.t.Helper()
	for i := range n {
		a := p.order(uid, fmt.Sprint(prefix, i))
		if a.status != http.StatusCreated {
			p.t.Fatalf("order %s%d: got %d %s\n%s", prefix, i, a.status, a.body, p.logged())
		}
		invoices = append(invoices, a.text("invoiceUid"))
	}
	return invoices
}

func removeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// wantInvoices wants every acknowledged order to be in the shop, after the server was killed.
func wantInvoices(t *testing.T, data, uid string, invoices []string) {
	t.Helper()
	stored, missing := ordersIn(t, data, uid), 0
	for _, invoice := range invoices {
		if !stored[invoice] {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d acknowledged orders of %s are missing", missing, len(invoices), uid)
	}
}

// Somebody removes the log of an open shop: the shop stops, the operator is alerted, and no
// acknowledged order is lost when the server is killed. The next server sells.
func TestFiles_LogRemoved(t *testing.T) {
	dbtest.NeedFiles(t, "the test removes a shop's file")
	t.Parallel()
	for _, suffixes := range [][]string{{"-wal"}, {"-wal", "-shm"}} {
		t.Run(strings.Join(suffixes, ""), func(t *testing.T) {
			t.Parallel()
			data := newShop(t, "sells", marketStock)
			addShops(t, data, "idle")
			p := serve(t, "--data", data, "--rate", "0", "--metrics-listen", "127.0.0.1:0")
			sold, idle := p.sellN("sells", "before-", 20), p.sellN("idle", "before-", 20)
			product, _ := p.product("sells", "item-0")
			for _, uid := range []string{"sells", "idle"} {
				for _, suffix := range suffixes {
					removeFile(t, filepath.Join(data, "tenants", uid+".db"+suffix))
				}
			}
			order := request{method: "POST", path: "/api/v1/orders", tenant: "sells", body: orderOf(product, 1)}
			stopped := p.must(order)
			if stopped.status == http.StatusCreated { // it noticed the removal, and is saved
				sold = append(sold, stopped.text("invoiceUid"))
				stopped = p.must(order)
			}
			stopped.want(t, http.StatusServiceUnavailable, "unavailable")
			p.must(request{method: "GET", path: "/api/v1/products", tenant: "sells"}).want(t, http.StatusServiceUnavailable, "unavailable")
			p.wantLogged("ERROR", "the log of an open shop was removed", `"tenant":"sells"`)
			p.wantLogged("ERROR", "the log of an open shop was removed", `"tenant":"idle"`)
			if text := p.scrape(); !strings.Contains(text, "\nstorefront_tenant_files_removed_total 2\n") {
				t.Errorf("metric storefront_tenant_files_removed_total: want 2 in\n%s", text)
			} else if !strings.Contains(text, `storefront_tenants_failing{cause="removed"} `) || strings.Contains(text, `{cause="removed"} 0`) {
				t.Errorf("metric storefront_tenants_failing: want the stopped shops in\n%s", text)
			}
			p.kill()
			wantInvoices(t, data, "sells", sold)
			wantInvoices(t, data, "idle", idle)
			p = serve(t, "--data", data, "--rate", "0")
			p.sellN("sells", "restarted-", 1)
			p.sellN("idle", "restarted-", 1)
		})
	}
}

// With a replica, whose connection reads an earlier state, the shop is stopped until the operator
// has restored the copy that the log names, also after a restart. It has every acknowledged order.
func TestFiles_LogRemovedWithReplica(t *testing.T) {
	dbtest.NeedFiles(t, "the test removes a shop's file")
	t.Parallel()
	data := newShop(t, "acme", marketStock)
	args := []string{"--data", data, "--rate", "0", "--replica", t.TempDir()}
	p := serve(t, args...)
	sold := p.sellN("acme", "before-", 20)
	removeFile(t, filepath.Join(data, "tenants", "acme.db-wal"))
	p.wantLogged("ERROR", "the shop is stopped until that is restored", `"tenant":"acme"`)
	product := request{method: "GET", path: "/api/v1/products", tenant: "acme"}
	p.must(product).want(t, http.StatusServiceUnavailable, "unavailable")
	p.kill()
	saved := savedCopy.FindStringSubmatch(p.logged())
	if saved == nil {
		t.Fatalf("the log names no copy:\n%s", p.logged())
	}
	p = serve(t, args...)
	p.must(product).want(t, http.StatusServiceUnavailable, "unavailable")
	p.wantLogged("ERROR", "restore "+saved[1])
	wantRefused(t, []string{"doctor", "acme", "--data", data}, "restore "+saved[1])
	wantRefused(t, []string{"order", "list", "acme", "--data", data}, "restore "+saved[1])
	run(t, "restore", saved[1], "--data", data)
	sold = append(sold, p.sellN("acme", "after-", 5)...)
	p.kill()
	wantInvoices(t, data, "acme", sold)
}

var savedCopy = regexp.MustCompile(`"copy":"([^"]+)"`)

// Somebody removes the file of an open shop: the copy that the log names has every acknowledged
// order.
func TestFiles_DataRemoved(t *testing.T) {
	dbtest.NeedFiles(t, "the test removes a shop's file")
	t.Parallel()
	data := newShop(t, "acme", marketStock)
	p := serve(t, "--data", data, "--rate", "0")
	sold := p.sellN("acme", "before-", 20)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		removeFile(t, filepath.Join(data, "tenants", "acme.db"+suffix))
	}
	p.wantLogged("ERROR", "its orders were saved in a copy", `"tenant":"acme"`)
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusNotFound, "tenant_not_found")
	saved := savedCopy.FindStringSubmatch(p.logged())
	if saved == nil {
		t.Fatalf("the log names no copy:\n%s", p.logged())
	}
	run(t, "restore", saved[1], "--data", data)
	sold = append(sold, p.sellN("acme", "after-", 5)...)
	p.kill()
	wantInvoices(t, data, "acme", sold)
}
