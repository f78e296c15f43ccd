package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/shoptest"
)

var (
	replicaShops  = flag.Int("replica.shops", 4, "shops of the tests of replication")
	replicaOrders = flag.Int("replica.orders", 40, "orders a shop takes before the machine is lost")
)

func TestLostMachine(t *testing.T) {
	t.Parallel()
	loseMachine(t, t.TempDir())
}

// sale is an order that a buyer was told of.
type sale struct {
	number int
	told   time.Time
}

// loseMachine sells in many shops at once with replication on, kills the server, keeps nothing but
// the key, restores all shops elsewhere, and compares: what is missing was sold in the last moment,
// and nothing is missing before something that is there.
func loseMachine(t *testing.T, replica string) {
	data, uids := replicatedShops(t)
	p := serve(t, "--data", data, "--rate", "0", "--replica", replica)
	told := sellUntilKilled(t, p, uids)
	killed := time.Now()

	elsewhere := filepath.Join(t.TempDir(), "data")
	if out, err := storefront(t, "restore", "--all", "--replica", replica, "--data", elsewhere).CombinedOutput(); err == nil || !strings.Contains(string(out), "key") {
		t.Errorf("without the key: %v\n%s", err, out)
	}
	key, err := os.ReadFile(filepath.Join(data, "key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	run(t, "restore", "--all", "--replica", replica, "--data", elsewhere)
	took := time.Since(began)

	missing, all, window := 0, 0, time.Duration(0)
	for _, uid := range uids {
		numbers := orderNumbers(t, elsewhere, uid)
		for i, n := range numbers {
			if n != numbers[0]+i {
				t.Fatalf("%s: a hole before the order %d of %v", uid, n, numbers)
			}
		}
		for _, s := range told[uid] {
			if all++; !slices.Contains(numbers, s.number) {
				missing++
				window = max(window, killed.Sub(s.told))
			}
		}
	}
	t.Logf("%d shops: %d of %d acknowledged orders missing, the oldest told of %v before the end; restored in %v", len(uids), missing, all, window.Round(time.Millisecond), took.Round(time.Millisecond))

	p = serve(t, "--data", elsewhere, "--rate", "0", "--replica", replica)
	id, _ := p.product(uids[0], "item-0")
	if a := p.must(request{method: "POST", path: "/api/v1/orders", tenant: uids[0], body: orderOf(id, 1)}); a.status != http.StatusCreated {
		t.Errorf("the restored shop does not sell: %d %s", a.status, a.body)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
}

// replicatedShops makes as many shops as the flag says.
func replicatedShops(t *testing.T) (data string, uids []string) {
	t.Helper()
	const stock = 1_000_000
	data = newShop(t, "shop-0", stock)
	uids = []string{"shop-0"}
	for i := 1; i < *replicaShops; i++ {
		uid := fmt.Sprintf("shop-%d", i)
		run(t, "tenant", "create", uid, "--name", "Shop "+uid, "--data", data)
		run(t, "product", "import", uid, filepath.Join(filepath.Dir(data), "products.csv"), "--data", data)
		uids = append(uids, uid)
	}
	return data, uids
}

// sellUntilKilled has 8 buyers go round the shops until enough was sold, and kills the server.
func sellUntilKilled(t *testing.T, p *process, uids []string) map[string][]sale {
	t.Helper()
	const buyers = 8
	id, _ := p.product(uids[0], "item-0")
	told := map[string][]sale{}
	count := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	enough := make(chan struct{})
	for buyer := range buyers {
		wg.Go(func() {
			for i := buyer; ; i++ {
				uid := uids[i%len(uids)]
				a, err := p.do(request{method: "POST", path: "/api/v1/orders", tenant: uid, body: orderOf(id, 1)})
				if err != nil {
					return // the server is gone
				}
				var number int
				if _, err := fmt.Sscan(fmt.Sprint(a.at("orderNumber")), &number); a.status != http.StatusCreated || err != nil {
					t.Errorf("%s: %d %s", uid, a.status, a.body)
					return
				}
				mu.Lock()
				told[uid] = append(told[uid], sale{number, time.Now()})
				if count++; count == len(uids)**replicaOrders {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-enough:
	case <-time.After(10 * time.Minute):
		t.Error("the shops did not sell enough")
	}
	p.kill()
	wg.Wait()
	return told
}

// orderNumbers looks into a restored file, which must be sound and its stock what its orders left.
func orderNumbers(t *testing.T, data, uid string) []int {
	t.Helper()
	sold, moved := soldAndMoved(t, data, uid)
	if stock := 1_000_000; moved != stock-sold {
		t.Errorf("%s: %d sold, movements sum to %d", uid, sold, moved)
	}
	store, err := db.Open(data, db.Options{Schema: shoptest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close(context.Background())
	numbers := map[int]bool{}
	err = store.View(t.Context(), db.ID(uid), func(_ context.Context, tx *db.Tx) error {
		return tx.Each("SELECT order_number FROM orders", nil, func(r db.Row) error {
			var n int
			err := r.Scan(&n)
			numbers[n] = true
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(numbers))
}
