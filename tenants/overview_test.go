package tenants

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/page"
)

// Operators page, search and filter 10,000 shops within 100 ms, and no file is opened: these are
// empty.
func TestListShops_Many(t *testing.T) {
	if dbtest.OnPostgres() {
		t.Skip("about files")
	}
	const shops = 10_000
	dir := t.TempDir()
	all := openFolder(t, dir)
	if _, err := all.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	index := map[db.ID]*indexedShop{}
	for n := range shops {
		uid := fmt.Sprintf("shop-%05d", n)
		path := filepath.Join(dir, "tenants", uid+".db")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		index[db.ID(uid)] = &indexedShop{
			ModTime: at, Name: fmt.Sprintf("The shop number %d", n), Currency: "BDT", Country: "BD", Domains: []string{uid + ".example"}, Held: n%10 == 0,
		}
	}
	all.domains.shops = index
	before := heap()
	var took []time.Duration
	for n := range 300 {
		filter, want := ShopFilter{}, shops
		switch n % 3 {
		case 1:
			filter.Search, want = "number 77", 111 // 77, 770 to 779 and 7700 to 7799
		case 2:
			filter.State, want = []ShopState{ShopSuspended}, shops/10
		}
		filter.Request = page.Request{Page: new(1 + n%2), Limit: new(50)}
		began := time.Now()
		list, err := all.ListShops(t.Context(), access.Operator(), filter)
		took = append(took, time.Since(began))
		if err != nil || list.Meta.TotalCount != want || len(list.Nodes) != 50 {
			t.Fatalf("got %d of %d shops, %v, want 50 of %d", len(list.Nodes), list.Meta.TotalCount, err, want)
		}
	}
	slices.Sort(took)
	used := heap() - before
	t.Logf("median %v, p99 %v, slowest %v; %d MiB", took[150], took[297], took[299], used>>20)
	if took[297] > 100*time.Millisecond {
		t.Errorf("got %v in 99 of 100 calls, want 100 ms", took[297])
	}
	if used > 200<<20 {
		t.Errorf("got %d MiB, want 200", used>>20)
	}
}

// heap returns the size of the objects in use, in bytes.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
