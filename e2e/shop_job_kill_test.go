package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// The process that copies a shop is killed at any moment. A server completes the copy if its job
// was stored: it is whole, there once, and nothing is left of the interrupted one.
func TestShopJob_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "the test reads the installation's file")
	t.Parallel()
	data := demoData(t)
	products := func(uid db.ID) (n int) {
		inShop(t, data, uid, func(tx *db.Tx) error { return tx.QueryRow(`SELECT COUNT(*) FROM products`).Scan(&n) })
		return n
	}
	run(t, "operator", "create", "Shaila", "--user", "shaila@agency.example", "--data", data)
	copies := 0
	for n := range 12 {
		cmd := storefront(t, "api", "installation", "copyShop", "--shop", "demo", "--uid", fmt.Sprintf("copy-%02d", n), "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n) * 25 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	p := serve(t, "--data", data, "--rate", "0")
	dbtest.Eventually(t, "every job has ended", func() bool {
		open := 0
		inShop(t, data, "installation", func(tx *db.Tx) error {
			if err := tx.QueryRow(`SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL`).Scan(&open); err != nil {
				return err
			}
			return tx.QueryRow(`SELECT COUNT(*) FROM jobs WHERE done = 1`).Scan(&copies)
		})
		return open == 0
	})
	p.stop()
	var list struct {
		Nodes []struct{ UID db.ID }
	}
	if err := json.Unmarshal([]byte(run(t, "api", "installation", "listShops", "--json", "--data", data)), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Nodes) != 1+copies {
		t.Errorf("got %d shops, want the first and %d copies", len(list.Nodes), copies)
	}
	for _, shop := range list.Nodes {
		if got, want := products(shop.UID), products("demo"); got != want {
			t.Errorf("%s: got %d products, want %d", shop.UID, got, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(data, "restoring", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d of 12 copies", copies)
}
