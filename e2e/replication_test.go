package e2e

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/replica"
)

var (
	replicaShops  = flag.Int("replica.shops", 4, "shops of the tests of replication")
	replicaOrders = flag.Int("replica.orders", 40, "orders of each shop before and after the replica has them all once")
)

func TestReplication_LostMachine(t *testing.T) {
	dbtest.NeedFiles(t, "a replica has shops in files")
	t.Parallel()
	deleteData(t, t.TempDir())
}

// deleteData sells in many shops at once with replication on, kills the server, deletes all but the
// key, restores all shops elsewhere, and compares: only orders of the last moment may be missing,
// and none older than a restored one.
func deleteData(t *testing.T, address string) {
	data, uids := marketShops(t, *replicaShops)
	target, err := replica.ParseTarget(address)
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, "--data", data, "--rate", "0", "--replica", address)
	m := openMarket(t, p, uids, 8)
	var images []string
	imageKey := mediaKey(t, data, uids[0])
	for i := range 3 {
		var image uploaded
		created := p.must(upload(uids[0], imageKey, photo(t, 500, 400, i+1)))
		if err := json.Unmarshal(created.body, &image); err != nil || created.status != http.StatusCreated {
			t.Fatalf("got %d %s, want an image", created.status, created.body)
		}
		images = append(images, image.ID)
	}
	m.sell(len(uids) * *replicaOrders)
	early := m.sales()
	for _, uid := range uids {
		dbtest.Eventually(t, "the replica has the first orders of "+uid, func() bool {
			there, ok := replicated(t, target, uid)
			return ok && len(lacking(there, early[uid])) == 0
		})
	}
	m.sell(len(uids) * *replicaOrders)
	killed := m.kill()

	key := readKey(t, data)
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	began := time.Now()
	restoreMachine(t, address, elsewhere, key)
	took := time.Since(began)

	restored := serve(t, "--data", elsewhere)
	got := restored.wholeImages(uids[0], imageKey)
	slices.Sort(got)
	slices.Sort(images)
	if !slices.Equal(got, images) {
		t.Errorf("got images %q, want %q", got, images)
	}
	restored.stop()

	missing, window := 0, time.Duration(0)
	for uid, sales := range m.sales() {
		for _, s := range lacking(ordersIn(t, elsewhere, uid), sales) {
			missing++
			window = max(window, killed.Sub(s.acknowledged))
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
	there, ok := replicated(t, target, uids[0])
	if want := ordersIn(t, elsewhere, uids[0]); !ok || !maps.Equal(there, want) {
		t.Errorf("after the restore and one more order the replica has %d orders, the shop %d", len(there), len(want))
	}
}

// A replica that is full costs the shops nothing but a line in the log; with room again it catches
// up.
func TestReplication_FullReplica(t *testing.T) {
	dbtest.NeedFiles(t, "a replica has shops in files")
	t.Parallel()
	disk := t.TempDir()
	mounted(t, disk, "-t", "tmpfs", "-o", "size=2m", "none")
	data, uids := marketShops(t, 2)
	p := serve(t, "--data", data, "--rate", "0", "--replica", disk, "--replica-interval", "100ms")
	m := openMarket(t, p, uids, 4)
	p.wantLogged("replica unavailable, changes are buffered", "not full")
	m.sell(100)
	if !p.ready() {
		t.Error("a full replica takes the shops from the balancer")
	}
	if out, err := exec.Command("mount", "-o", "remount,size=512m", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p.wantLogged("replication resumed")
	m.close()
	if n := strings.Count(p.logged(), "replica unavailable, changes are buffered"); n != 1 {
		t.Errorf("the same failure is logged %d times:\n%s", n, p.logged())
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	wantReplicated(t, disk, m)
}

// wantReplicated wants all that a market has sold to be in the replica.
func wantReplicated(t *testing.T, address string, m *market) {
	t.Helper()
	target, err := replica.ParseTarget(address)
	if err != nil {
		t.Fatal(err)
	}
	for uid, sales := range m.sales() {
		there, ok := replicated(t, target, uid)
		if missing := lacking(there, sales); !ok || len(missing) > 0 {
			t.Errorf("%s: %d of %d orders are not in the replica", uid, len(missing), len(sales))
		}
	}
}

// restoreMachine brings all shops to a folder that is not there yet; without the key it is refused.
func restoreMachine(t *testing.T, address, data string, key []byte) {
	t.Helper()
	restore := []string{"restore", "--all", "--replica", address, "--data", data}
	out, err := storefront(t, restore...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "copy the key of the old data folder to") {
		t.Errorf("without the key: %v\n%s", err, out)
	}
	writeKey(t, data, key)
	run(t, restore...)
}

// replicated returns the invoices of a shop in the replica; false if the replica is incomplete.
func replicated(t *testing.T, target *replica.Target, uid string) (invoices map[string]bool, ok bool) {
	t.Helper()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "tenants"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "tenants", uid+".db")
	if _, err := target.Restore(t.Context(), db.ID(uid), time.Time{}, file); err != nil {
		return nil, false // not there yet, or merged at this moment
	}
	return ordersIn(t, data, uid), true
}
