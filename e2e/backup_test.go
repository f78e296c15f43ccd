package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// Copies that are made while 16 buyers order have every order acknowledged before, and no order by
// half.
func TestBackup_DuringOrders(t *testing.T) {
	t.Parallel()
	data, uids := marketShops(t, 1)
	p := serve(t, "--data", data, "--rate", "0")
	m := openMarket(t, p, uids, 16)
	dest := t.TempDir()
	before := map[string][]sale{} // by copy
	for range 3 {
		m.sell(100)
		sales := m.sales()[uids[0]]
		before[backUp(t, data, uids[0], dest)] = sales
	}
	m.close()
	run(t, "backup", "verify", dest, "--data", data)
	for file, sales := range before {
		if missing := lacking(ordersIn(t, restoredData(t, data, file), uids[0]), sales); len(missing) > 0 {
			t.Errorf("%s: %d of %d orders that were acknowledged before are missing", filepath.Base(file), len(missing), len(sales))
		}
	}
}

// A shop is restored while 16 buyers order: nobody is refused, and each order that was acknowledged
// is in the shop of before or in the restored one.
func TestRestore_DuringOrders(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	data, uids := marketShops(t, 1)
	p := serve(t, "--data", data, "--rate", "0")
	m := openMarket(t, p, uids, 16)
	m.sell(100)
	file := backUp(t, data, uids[0], t.TempDir())
	m.sell(100)
	var done struct{ Replaced string }
	decode(t, run(t, "restore", file, "--data", data, "--json"), &done)
	m.sell(100)
	m.close()
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	kept := ordersIn(t, data, uids[0])
	replaced := ordersIn(t, restoredData(t, data, done.Replaced), uids[0])
	missing := lacking(replaced, lacking(kept, m.sales()[uids[0]]))
	if len(missing) > 0 {
		t.Errorf("%d of %d acknowledged orders are neither in the restored shop nor in the one that it replaced", len(missing), m.sold())
	}
}

// A full backup folder is reported, and shops continue to work.
func TestBackup_DiskFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	mounted(t, disk, "-t", "tmpfs", "-o", "size=32m", "none")
	data := newShop(t, "acme", 10)
	out, err := storefront(t, "backup", "acme", disk, "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "free some space") {
		t.Errorf("%v\n%s", err, out)
	}
	p := serve(t, "--data", data, "--rate", "0", "--backup-dir", disk)
	p.wantLogged("backups failed", "free some space")
	p.order("acme", "one").want(t, http.StatusCreated, "")
	if !p.ready() {
		t.Error("a folder of copies without room takes the shops from the balancer")
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// backUp runs a backup in another process, and returns its path.
func backUp(t *testing.T, data, uid, dest string) string {
	t.Helper()
	var made struct{ Backups []struct{ File string } }
	decode(t, run(t, "backup", uid, dest, "--data", data, "--json"), &made)
	return filepath.Join(dest, made.Backups[0].File)
}

// restoredData restores a file into a data folder of its own, with the key of data.
func restoredData(t *testing.T, data, file string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	writeKey(t, dir, readKey(t, data))
	run(t, "restore", file, "--data", dir)
	return dir
}

// readKey returns the key of a data folder.
func readKey(t *testing.T, data string) []byte {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(data, "key"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// writeKey makes a data folder with nothing but a key.
func writeKey(t *testing.T, data string, key []byte) {
	t.Helper()
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
