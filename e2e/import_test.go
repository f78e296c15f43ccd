package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// importFile writes a file of new products and returns its path. Each product has two variants, a
// description, images and a collection.
func importFile(t testing.TB, products, price int) string {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("Handle,Title,Body (HTML),Vendor,Tags,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Tracker," +
		"Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src,Cost per item,Collection\n")
	body := strings.Repeat("<p>Woven by hand in Tangail, of combed cotton; wash cold and dry in the shade.</p>", 8)
	for i := range products {
		fmt.Fprintf(&csv, "new-%d,New %d of the season,\"%s\",Vendor %d,\"woven, tag-%d\",Size,S,", i, i, body, i%9, i%7)
		fmt.Fprintf(&csv, "NEW-%d-S,226,shopify,%d,deny,%d,", i, price, price)
		fmt.Fprintf(&csv, "https://cdn.example.com/%d.jpg,%d.25,Season\n", i, price-1)
		fmt.Fprintf(&csv, "new-%d,,,,,,M,NEW-%d-M,230,shopify,%d,deny,%d,,,\n", i, i, price, price+10)
	}
	path := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(path, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// orderOnce places an order of the shop's first product by a guest, without an idempotency key.
func (p *process) orderOnce(tenant string) response {
	p.t.Helper()
	id, _ := p.product(tenant, "item-0")
	return p.must(request{method: "POST", path: "/api/v1/orders", tenant: tenant, body: orderOf(id, 1)})
}

// productsListed returns how many products the server lists to buyers.
func (p *process) productsListed(tenant string) string {
	p.t.Helper()
	return fmt.Sprint(p.must(request{method: "GET", path: "/api/v1/products?limit=1", tenant: tenant}).at("meta", "totalCount"))
}

// An import that is killed while a server sells from the same shop leaves nothing that anybody
// sees, and what it has left is removed before the next one. The server takes orders all the time.
func TestImport_KilledProcess(t *testing.T) {
	t.Parallel()
	const products = 1500
	data := newShop(t, "acme", 1_000_000)
	p := serve(t, "--data", data, "--rate", "0")
	file := importFile(t, products, 100)
	rows := countRows(t, data)
	for _, at := range []int{1, products / 4, products / 2} {
		cmd := storefront(t, "product", "import", "acme", file, "--data", data)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for rows("products") <= at { // one product is the shop's own
			if a := p.orderOnce("acme"); a.status != http.StatusCreated {
				t.Errorf("order during the import: got %d %s, want 201", a.status, a.body)
			}
			if got := p.productsListed("acme"); got != "1" && rows("imports") > 0 {
				t.Errorf("during the import: got %s products, want 1", got)
			}
			if len(ended) > 0 {
				t.Fatalf("the import has ended: %v\n%s", <-ended, out.Bytes())
			}
		}
		_ = cmd.Process.Kill() // it may have ended, which the number of products shows
		<-ended
		if got := p.productsListed("acme"); got != "1" {
			t.Errorf("killed after %d products: got %s products, want 1", at, got)
		}
		if out := run(t, "product", "export", "acme", "--data", data); strings.Contains(out, "new-") {
			t.Errorf("killed after %d products: the export contains new products", at)
		}
	}
	if rows("imports") == 0 {
		t.Error("got no abandoned import, want one")
	}
	run(t, "product", "import", "acme", file, "--data", data)
	dbtest.Eventually(t, "the server lists all products", func() bool { return p.productsListed("acme") == fmt.Sprint(products+1) })
	if imports, indexed := rows("imports"), rows("product_search"); imports != 0 || indexed != products+1 {
		t.Errorf("got %d imports and %d indexed products, want 0 and %d", imports, indexed, products+1)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("server: got exit code %d, want 0\n%s", code, p.logged())
	}
}

// An import of changes that is killed before it is committed changes nothing. One that is killed
// afterwards is completed when a server starts, without anybody's doing.
func TestImport_KilledChanging(t *testing.T) {
	t.Parallel()
	const products = 1500
	data := newShop(t, "acme", 1_000_000)
	run(t, "product", "import", "acme", importFile(t, products, 100), "--data", data)
	changes := importFile(t, products, 120)
	p := serve(t, "--data", data, "--rate", "0")
	rows := countRows(t, data)
	changed := func() int { return strings.Count(run(t, "product", "export", "acme", "--data", data), ",120.00,") }
	kill := func(when string, reached func() bool) {
		t.Helper()
		cmd := storefront(t, "product", "import", "acme", changes, "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !reached() {
			if a := p.orderOnce("acme"); a.status != http.StatusCreated {
				t.Errorf("order %s: got %d %s, want 201", when, a.status, a.body)
			}
		}
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("%s: the import has ended, want it killed", when)
		}
	}

	kill("while changes are stored", func() bool { return rows("import_changes") > 300 })
	if n, pending := changed(), rows("imports WHERE committed_at IS NULL"); n != 0 || pending != 1 {
		t.Errorf("killed before the commit: got %d products changed and %d imports, want 0 and 1", n, pending)
	}
	kill("while changes are applied", func() bool {
		return rows("imports WHERE committed_at IS NOT NULL") > 0 && rows("import_changes") < products-100
	})
	if n := changed(); n < 100 || n >= products {
		t.Errorf("killed after the commit: got %d products changed, want some", n)
	}
	p.stop()
	p = serve(t, "--data", data, "--rate", "0")
	dbtest.Eventually(t, "the import is completed", func() bool { return rows("imports") == 0 })
	if n, left := changed(), rows("import_changes"); n != products || left != 0 {
		t.Errorf("after the restart: got %d products changed and %d changes left, want %d and 0", n, left, products)
	}
	if out := run(t, "product", "import", "acme", changes, "--dry-run", "--data", data); !strings.Contains(out, fmt.Sprintf("%d unchanged", products)) {
		t.Errorf("import again: got %s, want all unchanged", out)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("server: got exit code %d, want 0\n%s", code, p.logged())
	}
}

// countRows returns a function that counts the rows of a table as another process does.
func countRows(t *testing.T, data string) func(table string) int {
	t.Helper()
	store := openStore(t, data)
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	return func(table string) (n int) {
		err := store.View(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			return tx.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// A second import beside a running one is refused, and says why.
func TestImport_TwoProcesses(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	store := openStore(t, data)
	defer store.Close(context.Background())
	unlock, err := store.LockNamed(t.Context(), "import-acme") // as a running import does
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	cmd := storefront(t, "product", "import", "acme", importFile(t, 1, 100), "--data", data)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Another import into this shop is under way") {
		t.Errorf("got %v, %s, want it refused", err, out)
	}
}

// A file that is too large is rejected before it is read.
func TestImport_TooLarge(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 1)
	file := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 300<<20); err != nil {
		t.Fatal(err)
	}
	out, err := storefront(t, "product", "import", "acme", file, "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "The file must not be larger than 200 MiB.") {
		t.Errorf("got %v, %s, want it rejected", err, out)
	}
}

// The cost of a variant reaches no buyer, by any transport.
func TestImport_CostIsSecret(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 5)
	file := filepath.Join(t.TempDir(), "costs.csv")
	text := "Handle,Title,Variant SKU,Variant Price,Cost per item\nsecret,Secret,SEC-1,900,7654.32\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "product", "import", "acme", file, "--data", data)
	if out := run(t, "product", "export", "acme", "--data", data); !strings.Contains(out, "7654.32") {
		t.Errorf("export for staff members: got\n%s\nwant the cost 7654.32", out)
	}
	p := serve(t, "--data", data)
	id := p.must(request{method: "GET", path: "/api/v1/products/handle/secret", tenant: "acme"}).text("_id")
	answers := []response{
		p.must(request{method: "GET", path: "/api/v1/products/handle/secret", tenant: "acme"}),
		p.must(request{method: "GET", path: "/api/v1/products/" + id, tenant: "acme"}),
		p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}),
		p.graphql("acme", "", `{ product(handle: "secret") { _id title metadata variants { _id sku price { amount } } } }`, nil),
		p.graphql("acme", "", `{ __type(name: "Variant") { fields { name } } }`, nil),
		p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}),
	}
	for _, a := range answers {
		if len(a.body) == 0 || bytes.Contains(a.body, []byte("7654")) || bytes.Contains(a.body, []byte(`"cost`)) {
			t.Errorf("got %d %s, want no cost", a.status, a.body)
		}
	}
}

// TestSizing_Import measures an import beside a server that takes orders, for docs/sizing.md.
func TestSizing_Import(t *testing.T) {
	if *sizingImport == 0 {
		t.Skip("it takes minutes: go test ./e2e -run TestSizing_Import -sizing-import 50000 -v -timeout 1h")
	}
	data := newShop(t, "acme", 1_000_000)
	p := serve(t, "--data", data, "--rate", "0")
	for _, c := range []struct{ name, file string }{
		{"new", importFile(t, *sizingImport, 100)}, {"changed", importFile(t, *sizingImport, 120)}, {"unchanged", importFile(t, *sizingImport, 120)},
	} {
		cmd := storefront(t, "product", "import", "acme", c.file, "--data", data)
		began := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var waits []time.Duration
		memory := 0
		for len(ended) == 0 {
			memory = max(memory, maxResident(cmd.Process.Pid))
			ordered := time.Now()
			if a := p.orderOnce("acme"); a.status != http.StatusCreated {
				t.Errorf("order: got %d %s, want 201", a.status, a.body)
			}
			waits = append(waits, time.Since(ordered))
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		slices.Sort(waits)
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		t.Logf("%d %s products: %v, %v of processor, at most %d MiB resident; %d orders, p50 %v, p99 %v, the longest %v", *sizingImport, c.name,
			time.Since(began).Round(100*time.Millisecond), used.Round(100*time.Millisecond), memory, len(waits),
			waits[len(waits)/2].Round(100*time.Microsecond), waits[len(waits)*99/100].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond))
	}
}

// maxResident returns the most memory that a running process has had, in MiB; 0 if the system does
// not report it. The usage that Wait returns includes the memory of the process that has started
// it.
func maxResident(pid int) (mib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &mib)
	}
	return mib >> 10
}

// Every command of the document runs in its order, twice on one data folder.
func TestImport_Document(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	script := commands(t, "../docs/import.md", "import", "end of import")
	rest := shell(t, dir, script)
	again := shell(t, dir, script)
	if got := strings.Count(again, "0 new, 0 changed, 1 unchanged"); got != 3 {
		t.Errorf("repeated: got %d imports without a change, want 3:\n%s", got, again)
	}
	for _, fact := range []string{ // in this order
		"tea-tin™", "becomes tea-tin.", "226.796185 g is rounded to 227 g", "-3 becomes 0", "Dry run, nothing written. Rows: 2, products: 1 (",
		"was removed: 2", "[style] 1", "Ignored columns: Variant Taxable", "Imported. Rows: 2, products: 1 (",
		"The product Elsewhere is not imported: it is sold elsewhere.", "Imported. Rows: 4, products: 1 (", "New collections: Clothing, Kurtas.",
	} {
		_, after, found := strings.Cut(rest, fact)
		if !found {
			t.Fatalf("got no %q in\n%s", fact, rest)
		}
		rest = after
	}
}
