package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// order places an order of the shop's first product by a guest.
func (p *process) order(tenant, key string) response {
	p.t.Helper()
	id, _ := p.product(tenant, "item-0")
	return p.must(request{method: "POST", path: "/api/v1/orders", tenant: tenant, body: orderOf(id, 1),
		header: map[string]string{"Idempotency-Key": key}})
}

// addShops adds shops like the first one to the data folder of newShop.
func addShops(t *testing.T, data string, uids ...string) {
	t.Helper()
	for _, uid := range uids {
		run(t, "tenant", "create", uid, "--name", "Shop "+uid, "--data", data)
		manyOrders(t, data, uid)
		run(t, "product", "import", uid, filepath.Join(filepath.Dir(data), "products.csv"), "--data", data)
	}
}

// mounted runs mount, and skips the test where that is refused. It is undone with the test.
func mounted(t *testing.T, at string, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", append(args, at)...).CombinedOutput(); err != nil {
		t.Skipf("this test must be able to mount: mount %s: %v %s", strings.Join(args, " "), err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", at).Run() }) // it may be undone already
}

func unmount(t *testing.T, at string) {
	t.Helper()
	if out, err := exec.Command("umount", "-l", at).CombinedOutput(); err != nil {
		t.Fatalf("umount %s: %v %s", at, err, out)
	}
}

func (p *process) ready() bool {
	return p.must(request{method: "GET", path: "/readyz"}).status == http.StatusOK
}

// wantLogged waits for a line of the log that has all the words.
func (p *process) wantLogged(words ...string) {
	p.t.Helper()
	dbtest.Eventually(p.t, "a line in the log with "+strings.Join(words, ", "), func() bool {
		for line := range strings.Lines(p.logged()) {
			all := true
			for _, word := range words {
				all = all && strings.Contains(line, word)
			}
			if all {
				return true
			}
		}
		return false
	})
}

// With a full disk orders are rejected, acknowledged ones survive and catalogues are served; once
// there is space, orders work again.
func TestFaults_FullDisk(t *testing.T) {
	dbtest.NeedFiles(t, "the shops' files fill the disk; see TestEngines_FullDisk")
	t.Parallel()
	disk := t.TempDir()
	mounted(t, disk, "-t", "tmpfs", "-o", "size=96m", "none")
	const stock = 10_000
	made := newShop(t, "acme", stock)
	if out, err := exec.Command("cp", "-a", made, filepath.Join(disk, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	key := adminKey(t, filepath.Join(disk, "data"), "acme", "*")
	p := serve(t, "--data", filepath.Join(disk, "data"), "--rate", "0")
	if !p.ready() {
		t.Fatalf("not ready on a disk with room:\n%s", p.logged())
	}
	placed := map[string]string{} // invoice by key
	sell := func(key string) response {
		a := p.order("acme", key)
		if a.status == http.StatusCreated {
			placed[key] = a.text("invoiceUid")
		}
		return a
	}
	sell("before").want(t, http.StatusCreated, "")

	ballast := filepath.Join(disk, "ballast")
	if err := fill(ballast); err == nil {
		t.Fatal("the disk is not full")
	}
	var refused response
	for i := 0; refused.status == 0; i++ { // the log may have room for some more
		if a := sell(fmt.Sprint("full-", i)); a.status != http.StatusCreated {
			refused = a
		}
		if i == 5000 {
			t.Fatal("a full disk takes any number of orders")
		}
	}
	refused.want(t, http.StatusServiceUnavailable, "unavailable")
	if refused.header.Get("Retry-After") == "" {
		t.Error("a refusal does not say when to come back")
	}
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusOK, "")
	p.wantStaffReads(t, "acme", key)
	p.wantLogged(`"tenant":"acme"`, "free space on the disk")
	if a := p.must(request{method: "GET", path: "/healthz"}); a.status != http.StatusOK {
		t.Errorf("health check: got %d", a.status)
	}
	dbtest.Eventually(t, "/readyz tells of a full disk", func() bool { return !p.ready() })
	p.wantLogged("the shops cannot be served", "free some space")

	// a server that starts meanwhile serves catalogues, too
	p.kill()
	if err := fill(ballast + "-2"); err == nil { // what the server has left
		t.Fatal("the disk is not full")
	}
	p = serve(t, "--data", filepath.Join(disk, "data"), "--rate", "0")
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}).want(t, http.StatusOK, "")
	if err := os.Remove(ballast + "-2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	sell("after").want(t, http.StatusCreated, "")
	dbtest.Eventually(t, "/readyz is well again", p.ready)
	for key, invoice := range placed {
		if again := p.order("acme", key); again.text("invoiceUid") != invoice || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("order %s was acknowledged as %s and is %d %s", key, invoice, again.status, again.body)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("ended with %d\n%s", code, p.logged())
	}
	if sold, moved := soldAndMoved(t, filepath.Join(disk, "data"), "acme"); sold != len(placed) || moved != stock-sold {
		t.Errorf("%d orders were acknowledged, %d are stored; movements sum to %d of %d", len(placed), sold, moved, stock)
	}
}

// wantStaffReads checks that staff can read a shop, also if the newest orders cannot be posted and
// indexed.
func (p *process) wantStaffReads(t *testing.T, uid, key string) {
	t.Helper()
	get := func(path string) response {
		a := p.must(request{method: "GET", path: "/admin/v1/shops/" + uid + path, token: key})
		if a.status != http.StatusOK {
			t.Errorf("%s: got %d %s, want a response", path, a.status, a.body)
		}
		return a
	}
	get("/products?sortBy=sold")
	variant := p.must(request{method: "GET", path: "/api/v1/products/handle/item-0", tenant: uid}).text("variants", 0, "_id")
	for _, path := range []string{
		"/orders?search=rahim", "/orders?sortBy=updatedAt", "/counts/orders", "/summary", "/search?q=rahim", "/flags", "/messages", "/audit",
		"/customers", "/customers?search=rahim", "/contacts/01711000000", "/stock/" + variant + "/history", "/payments",
		"/analytics/overview", "/analytics/products", "/analytics/buyers", "/cash", "/cash/balances", "/cash/shipments",
	} {
		get(path)
	}
}

// fill writes a file until its disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 16 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	return err
}

// Shops whose files are opened on a disk that has become read-only show their catalogue and refuse
// orders; those that were open continue.
func TestFaults_ReadOnlyDisk(t *testing.T) {
	dbtest.NeedFiles(t, "the disk of the shops' files becomes read-only")
	t.Parallel()
	data := newShop(t, "open", 10)
	addShops(t, data, "closed")
	key := adminKey(t, data, "open", "*")
	p := serve(t, "--data", data, "--rate", "0", "--max-open-tenants", "1")
	dbtest.Eventually(t, "the first look at all shops", func() bool {
		_, err := os.Stat(filepath.Join(data, "background.json"))
		return err == nil
	})
	p.order("open", "one").want(t, http.StatusCreated, "") // and so "closed" is closed

	files := filepath.Join(data, "tenants")
	mounted(t, files, "--bind", files)
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", files).CombinedOutput(); err != nil {
		t.Skipf("this test must be able to mount read-only: %v %s", err, out)
	}
	p.order("open", "two").want(t, http.StatusCreated, "")
	dbtest.Eventually(t, "/readyz tells of a read-only disk", func() bool { return !p.ready() })
	p.wantLogged("the shops cannot be served", "not writable")
	a := p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: "closed",
		body: map[string]any{"name": "Rahim", "phoneNumber": "01711-000000", "password": "correct horse battery"}})
	a.want(t, http.StatusServiceUnavailable, "unavailable")
	p.wantLogged(`"tenant":"closed"`, "remedy:")
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "closed"}).want(t, http.StatusOK, "")

	unmount(t, files)
	dbtest.Eventually(t, "/readyz is well again", p.ready)
	p.order("closed", "three").want(t, http.StatusCreated, "") // though it was opened meanwhile
	p.order("open", "four").want(t, http.StatusCreated, "")
	p.kill() // before the order is posted
	mounted(t, files, "--bind", files)
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", files).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p = serve(t, "--data", data, "--rate", "0")
	p.wantStaffReads(t, "open", key)
	p.kill()
	unmount(t, files)
}

// A damaged file stops its own shop only, and a good one in its place starts it again.
func TestFaults_DamagedShop(t *testing.T) {
	dbtest.NeedFiles(t, "the test damages a shop's file")
	t.Parallel()
	data := newShop(t, "whole", 10)
	addShops(t, data, "broken", "empty")
	path := func(uid string) string { return filepath.Join(data, "tenants", uid+".db") }
	good, err := os.ReadFile(path("broken"))
	if err != nil {
		t.Fatal(err)
	}
	damage := func(uid string, bytes []byte) {
		t.Helper()
		if err := os.WriteFile(path(uid), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage("broken", append([]byte(strings.Repeat("not a database ", 300)), good[4500:]...))
	damage("empty", nil)
	p := serve(t, "--data", data, "--rate", "0", "--metrics-listen", "127.0.0.1:0")
	for _, uid := range []string{"broken", "empty"} {
		p.must(request{method: "GET", path: "/api/v1/products", tenant: uid}).want(t, http.StatusServiceUnavailable, "unavailable")
		p.wantLogged(`open shop `+uid, "restore the shop's file from a backup")
	}
	a := p.graphql("broken", "", "{storeFront{name}}", nil)
	if a.status != http.StatusServiceUnavailable || a.text("errors", 0, "extensions", "code") != "unavailable" {
		t.Errorf("GraphQL: got %d %s", a.status, a.body)
	}
	p.order("whole", "one").want(t, http.StatusCreated, "")
	if !p.ready() {
		t.Error("one damaged shop takes all shops from the balancer")
	}
	p.wantFailing("damaged", 2)
	damage("broken", good)
	p.order("broken", "one").want(t, http.StatusCreated, "")
	p.wantFailing("damaged", 1)
	run(t, "tenant", "delete", "empty", "--yes", "--data", data)
	p.wantFailing("damaged", 0)
}

// wantFailing waits until the metric of failing shops has a value for a cause.
func (p *process) wantFailing(cause string, n int) {
	p.t.Helper()
	line := fmt.Sprintf("\nstorefront_tenants_failing{cause=%q} %d\n", cause, n)
	dbtest.Eventually(p.t, "the metrics contain"+line, func() bool { return strings.Contains(p.scrape(), line) }, p.scrape)
}

// A shop of another key fails only in operations that need its secrets.
func TestFaults_OtherKey(t *testing.T) {
	dbtest.NeedFiles(t, "the test moves a shop's file between folders")
	t.Parallel()
	data := newShop(t, "ours", 10)
	theirs := newShop(t, "theirs", 10)
	if err := os.Rename(filepath.Join(theirs, "tenants", "theirs.db"), filepath.Join(data, "tenants", "theirs.db")); err != nil {
		t.Fatal(err)
	}
	p := serve(t, "--data", data, "--rate", "0", "--metrics-listen", "127.0.0.1:0")
	register := func(uid string) response {
		return p.must(request{method: "POST", path: "/api/v1/auth/register", tenant: uid,
			body: map[string]any{"name": "Rahim", "phoneNumber": "01711-000000", "password": "correct horse battery"}})
	}
	register("theirs").want(t, http.StatusServiceUnavailable, "unavailable")
	p.wantLogged(`"tenant":"theirs"`, "restore the key")
	p.wantFailing("key", 1)
	p.must(request{method: "GET", path: "/api/v1/products", tenant: "theirs"}).want(t, http.StatusOK, "")
	register("ours").want(t, http.StatusCreated, "")
}

// Without its key the server does not start, and the error names the remedy.
func TestFaults_MissingKey(t *testing.T) {
	t.Parallel()
	data := newShop(t, "ours", 10)
	if err := os.Remove(filepath.Join(data, "key")); err != nil {
		t.Fatal(err)
	}
	cmd := storefront(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "restore "+filepath.Join(data, "key")+" from a backup") {
		t.Errorf("%v\n%s", err, out)
	}
}

// With fewer open files allowed than shops, all shops are served: idle ones are closed, however few
// files are left.
func TestFaults_OpenFileLimit(t *testing.T) {
	dbtest.NeedFiles(t, "the test limits how many shops' files may be open")
	t.Parallel()
	var shops dbtest.Prepared
	for limit := 44; limit < 48; limit++ {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			serveWithFewFiles(t, &shops, limit)
		})
	}
}

func serveWithFewFiles(t *testing.T, shops *dbtest.Prepared, limit int) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	uids := make([]string, 10)
	for i := range uids {
		uids[i] = fmt.Sprint("shop-", i)
	}
	shops.Copy(t, data, script(t), func(data string) {
		for _, uid := range uids {
			run(t, "tenant", "create", uid, "--name", uid, "--data", data)
		}
	})
	cmd := storefront(t, "serve", "--listen", "127.0.0.1:0", "--data", data, "--rate", "0", "--max-open-tenants", "100")
	limited := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit)}, cmd.Args...)...)
	limited.Env = cmd.Env
	p := start(t, limited)
	for range 3 {
		for _, uid := range uids {
			dbtest.Eventually(t, uid+" answers", func() bool {
				a := p.must(request{method: "GET", path: "/api/v1/tenant", tenant: uid})
				if a.status != http.StatusOK {
					a.want(t, http.StatusServiceUnavailable, "unavailable")
				}
				return a.status == http.StatusOK
			})
		}
	}
	p.wantLogged("too many open files")
	if code := p.stop(); code != 0 {
		t.Errorf("ended with %d\n%s", code, p.logged())
	}
}
