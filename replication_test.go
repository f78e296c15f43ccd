package main

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/replica"
)

var (
	replicaShops  = flag.Int("replica.shops", 4, "shops of the tests of replication")
	replicaOrders = flag.Int("replica.orders", 40, "orders of each shop before and after the replica has them all once")
)

func TestLostMachine(t *testing.T) {
	t.Parallel()
	loseMachine(t, t.TempDir())
}

// loseMachine sells in many shops at once with replication on, kills the server, keeps nothing but
// the key, restores all shops elsewhere, and compares: what is missing was sold in the last moment,
// and nothing is missing before something that is there.
func loseMachine(t *testing.T, address string) {
	data, uids := marketShops(t, *replicaShops)
	target, err := replica.ParseTarget(address)
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, "--data", data, "--rate", "0", "--replica", address)
	m := openMarket(t, p, uids, 8)
	m.sell(len(uids) * *replicaOrders)
	early := m.sales()
	for _, uid := range uids {
		eventually(t, "the replica has the first orders of "+uid, func() bool {
			numbers, ok := replicated(t, target, uid)
			return ok && len(lacking(numbers, early[uid])) == 0
		})
	}
	m.sell(len(uids) * *replicaOrders)
	killed := m.kill()

	key, err := os.ReadFile(filepath.Join(data, "key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	began := time.Now()
	restoreMachine(t, address, elsewhere, key)
	took := time.Since(began)

	missing, window := 0, time.Duration(0)
	for uid, sales := range m.sales() {
		for _, s := range lacking(orderNumbers(t, elsewhere, uid), sales) {
			missing++
			window = max(window, killed.Sub(s.told))
		}
	}
	t.Logf("%d shops: %d of %d acknowledged orders missing, the oldest %v old when the server was killed; restored in %v",
		len(uids), missing, m.sold(), window.Round(time.Millisecond), took.Round(time.Millisecond))
	copies := t.TempDir()
	run(t, "backup", "--all", copies, "--data", elsewhere)
	run(t, "backup", "verify", copies, "--data", elsewhere)

	// The restored shops sell on, and are replicated on.
	p = serve(t, "--data", elsewhere, "--rate", "0", "--replica", address)
	a := p.order(uids[0], "after")
	a.want(t, http.StatusCreated, "")
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	numbers, ok := replicated(t, target, uids[0])
	if want := orderNumbers(t, elsewhere, uids[0]); !ok || len(numbers) != len(want) {
		t.Errorf("after the restore and one more order the replica has %d orders, the shop %d", len(numbers), len(want))
	}
}

// restoreMachine brings all shops to a folder that is not there yet; without the key it is refused.
func restoreMachine(t *testing.T, address, data string, key []byte) {
	t.Helper()
	restore := []string{"restore", "--all", "--replica", address, "--data", data}
	out, err := storefront(t, restore...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "put the key of the lost data folder there") {
		t.Errorf("without the key: %v\n%s", err, out)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, restore...)
}

// replicated gives the numbers of a shop's orders in the replica; false: the shop is not there whole.
func replicated(t *testing.T, target *replica.Target, uid string) (numbers []int, ok bool) {
	t.Helper()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "tenants"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "tenants", uid+".db")
	if _, err := target.Restore(t.Context(), db.ID(uid), time.Time{}, file); err != nil {
		return nil, false // not there yet, or merged at this moment
	}
	return orderNumbers(t, data, uid), true
}
