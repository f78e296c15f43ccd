package e2e

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/order"
)

// newShop makes a tenant with one product per stock figure, named item-0, item-1, …, by the
// command line, and returns the data folder. The folders of equal shops have the same key.
func newShop(t testing.TB, uid string, stocks ...int) string {
	t.Helper()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "products.csv")
	var csv strings.Builder
	csv.WriteString("Handle,Title,Status,Published,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price\n")
	for i, stock := range stocks {
		fmt.Fprintf(&csv, "item-%d,Item %d,active,true,SKU-%d,shopify,%d,deny,250.00\n", i, i, i, stock)
	}
	if err := os.WriteFile(file, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	create := func(data string) {
		run(t, "tenant", "create", uid, "--name", "Shop "+uid, "--data", data)
		manyOrders(t, data, uid)
		run(t, "product", "import", uid, file, "--data", data)
	}
	folder, _ := shopFolders.LoadOrStore(fmt.Sprint(uid, stocks), new(dbtest.Prepared))
	folder.(*dbtest.Prepared).Copy(t, data, script(t), create)
	return data
}

// shopFolders are the data folders of newShop, as dbtest.Prepared by shop and stocks.
var shopFolders sync.Map

// manyOrders lets a shop have many unconfirmed orders: the buyers of these tests share a phone and
// an address.
func manyOrders(t testing.TB, data, uid string) {
	t.Helper()
	run(t, "tenant", "set", uid, "openOrdersPerPhone=1000000", "openOrdersPerClient=1000000", "unitsPerLine=100000", "--data", data)
}

// product returns the id of a product and the available quantity of its first variant.
func (p *process) product(tenant, handle string) (id string, left int) {
	p.t.Helper()
	a := p.must(request{method: "GET", path: "/api/v1/products/handle/" + handle, tenant: tenant})
	if a.status != http.StatusOK {
		p.t.Fatalf("product %s: got %d %s, want 200", handle, a.status, a.body)
	}
	n, err := fmt.Sscan(fmt.Sprint(a.at("variants", 0, "availableQuantity")), &left)
	if n != 1 || err != nil {
		p.t.Fatalf("product %s has no availableQuantity: %s", handle, a.body)
	}
	return a.text("_id"), left
}

// orderOf is an order of one product by a guest.
func orderOf(productID string, quantity int) map[string]any {
	return map[string]any{
		"items":           []map[string]any{{"productId": productID, "quantity": quantity}},
		"customer":        map[string]any{"name": "Rahim Uddin", "phoneNumber": "01711-000000"},
		"shippingAddress": map[string]any{"line1": "House 1, Road 2", "city": "Dhaka"},
	}
}

func TestOrders_ConcurrentBuyersForLastUnits(t *testing.T) {
	t.Parallel()
	data := newShop(t, "busy", 10)
	p := serve(t, "--data", data, "--rate", "0")
	id, _ := p.product("busy", "item-0")

	answers := make([]response, 200)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range answers {
		wg.Go(func() {
			<-start
			a, err := p.do(request{method: "POST", path: "/api/v1/orders", tenant: "busy", body: orderOf(id, 1)})
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
	}
	close(start)
	wg.Wait()

	got := map[string]int{}
	invoices := map[string]bool{}
	for _, a := range answers {
		got[fmt.Sprintf("%d %s", a.status, a.text("code"))]++
		if a.status == http.StatusCreated {
			invoices[a.text("invoiceUid")] = true
		}
	}
	if got["201 "] != 10 || got["409 out_of_stock"] != 190 || len(got) != 2 {
		t.Errorf("answers: %v, want 10 times 201 and 190 times 409 out_of_stock", got)
	}
	if len(invoices) != 10 {
		t.Errorf("%d different invoices, want 10", len(invoices))
	}
	if _, left := p.product("busy", "item-0"); left != 0 {
		t.Errorf("%d left, want 0", left)
	}
}

var kills = flag.Int("kills", 3, "how often TestOrders_KilledServer kills the server; at least 10 with -all")

// TestOrders_KilledServer kills the server in the middle of concurrent orders, again and again over
// the same file. Buyers repeat an order without a response, with the same idempotency key. In the
// end every acknowledged order is stored, and none twice.
func TestOrders_KilledServer(t *testing.T) {
	parallelOnFiles(t)
	const stock, buyers = 1_000_000, 16
	data := newShop(t, "crashy", stock)
	acknowledged := map[string]string{} // invoices by idempotency key
	unanswered := make([]string, buyers)
	var mu sync.Mutex
	order := func(p *process, id, key string) (repeat bool) {
		a, err := p.do(request{
			method: "POST", path: "/api/v1/orders", tenant: "crashy", header: map[string]string{"Idempotency-Key": key}, body: orderOf(id, 1),
		})
		if err != nil {
			return true // the server is gone
		}
		if a.status != http.StatusCreated {
			t.Errorf("order %s: got %d %s, want 201", key, a.status, a.body)
		}
		mu.Lock()
		defer mu.Unlock()
		acknowledged[key] = a.text("invoiceUid")
		return false
	}
	rounds := *kills
	if *all {
		rounds = max(rounds, 10)
	}
	for round := range rounds {
		p := serve(t, "--data", data, "--rate", "0")
		id, _ := p.product("crashy", "item-0")
		var wg sync.WaitGroup
		for buyer := range buyers {
			wg.Go(func() {
				if key := unanswered[buyer]; key != "" && order(p, id, key) {
					return
				}
				for n := 0; !t.Failed(); n++ {
					unanswered[buyer] = fmt.Sprintf("%d-%d-%d", round, buyer, n)
					if order(p, id, unanswered[buyer]) {
						return
					}
				}
			})
		}
		// Each round is killed at a different moment: after another number of acknowledged orders.
		mu.Lock()
		want := len(acknowledged) + 20 + 7*(round%10)
		mu.Unlock()
		for ; ; time.Sleep(time.Millisecond) {
			mu.Lock()
			enough := len(acknowledged) >= want
			mu.Unlock()
			if enough || t.Failed() {
				break
			}
		}
		p.kill()
		wg.Wait()
	}

	p := serve(t, "--data", data, "--rate", "0")
	id, _ := p.product("crashy", "item-0")
	for _, key := range unanswered {
		if order(p, id, key) {
			t.Fatalf("order %s has no response of the last server", key)
		}
	}
	_, left := p.product("crashy", "item-0")
	invoices := map[string]bool{}
	for key, invoice := range acknowledged {
		a := p.must(request{method: "GET", path: "/api/v1/orders/" + invoice, tenant: "crashy"})
		if a.status != http.StatusOK || a.text("invoiceUid") != invoice {
			t.Fatalf("acknowledged order %s: got %d %s, want it stored", key, a.status, a.body)
		}
		invoices[invoice] = true
	}
	run(t, "doctor", "crashy", "--public-url", p.url, "--data", data)
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}

	sold, moved := soldAndMoved(t, data, "crashy")
	if left != stock-sold || left != moved {
		t.Errorf("got %d left, %d by the movements; want %d, as %d of %d are sold", left, moved, stock-sold, sold, stock)
	}
	if sold != len(acknowledged) || len(invoices) != sold {
		t.Errorf("got %d orders, %d invoices, want one of each of the %d idempotency keys", sold, len(invoices), len(acknowledged))
	}
	t.Logf("%d kills: %d orders acknowledged, %d stored", rounds, len(acknowledged), sold)
}

// soldAndMoved reads a shop that no server has open and whose file must be intact. It returns the
// units that its orders have and the sum of its stock movements.
func soldAndMoved(t testing.TB, data, uid string) (sold, moved int) {
	t.Helper()
	store := openStore(t, data)
	defer store.Close(context.Background())
	if !dbtest.OnPostgres() {
		files := openFiles(t, data)
		if found, err := files.Check(t.Context(), db.ID(uid)); err != nil || len(found.Faults) > 0 {
			t.Errorf("the file is not sound: %v %v", found, err)
		}
		files.Close(context.Background())
	}
	err := store.View(t.Context(), db.ID(uid), func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(`
			SELECT (SELECT COALESCE(SUM(quantity), 0) FROM order_items),
				(SELECT COALESCE(SUM(delta), 0) FROM stock_movements) - (
					SELECT COALESCE(SUM(quantity), 0)
					FROM order_items
					WHERE stock_taken = 1 AND order_number > `+order.Posted+`)`).Scan(&sold, &moved)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sold, moved
}
