package tenants_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// database returns the address of the database of a data folder; "" if tests run on files.
func database(t testing.TB, dir string) string {
	t.Helper()
	if !dbtest.OnPostgres() {
		return ""
	}
	script, err := tenants.DatabaseScript(shoptest.Schema(t), false)
	if err != nil {
		t.Fatal(err)
	}
	return dbtest.Database(t, dir, script)
}

// backupSuffix returns the suffix of the files into which shops are copied.
func backupSuffix() string {
	if dbtest.OnPostgres() {
		return "jsonl.gz"
	}
	return "db"
}

// open opens the data folder dir, or a new one if dir is "".
func open(t testing.TB, dir string, change func(*tenants.Config)) *tenants.Tenants {
	t.Helper()
	cfg := tenants.Config{
		Dir: dir, Schema: shoptest.Schema(t),
		Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
	}
	if dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Engine = database(t, cfg.Dir)
	if change != nil {
		change(&cfg)
	}
	all, err := tenants.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return all
}

func named(t testing.TB, name string) map[string]json.RawMessage {
	return shoptest.Raw(t, map[string]any{"name": name, "currency": "BDT", "country": "BD"})
}

func create(t *testing.T, all *tenants.Tenants, uid string) *shop.Shop {
	t.Helper()
	s, err := all.Create(t.Context(), uid, named(t, "Shop "+uid))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if !fault.HasCode(err, want) {
		t.Errorf("got error %v, want code %s", err, want)
	}
}

func TestShop(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	create(t, all, "acme")

	t.Run("OK", func(t *testing.T) {
		s, err := all.Shop(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		front, err := s.StoreFront(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if front.UID != "acme" || front.Name != "Shop acme" {
			t.Errorf("got shop %s, %q, want acme, Shop acme", front.UID, front.Name)
		}
	})
	t.Run("ErrTenantNotFound", func(t *testing.T) {
		_, err := all.Shop(t.Context(), "nobody")
		wantCode(t, err, fault.CodeTenantNotFound)
	})
	t.Run("ErrTenantSuspended", func(t *testing.T) {
		create(t, all, "closed")
		if err := all.Suspend(t.Context(), access.Operator(), "closed", shop.Suspension{}); err != nil {
			t.Fatal(err)
		}
		_, err := all.Shop(t.Context(), "closed")
		wantCode(t, err, fault.CodeTenantSuspended)
		if _, err := all.FindIncludingSuspended(t.Context(), "closed"); err != nil {
			t.Errorf("suspended shop, for webhooks: got %v", err)
		}
		if err := all.Resume(t.Context(), access.Operator(), "closed"); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Shop(t.Context(), "closed"); err != nil {
			t.Errorf("resumed shop: got %v", err)
		}
	})
}

// Text from outside reaches the file system only as a valid UID.
func TestShop_HostileUID(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "data")
	all := open(t, dir, nil)
	before := tree(t, parent)
	for _, uid := range []string{
		"", ".", "..", "../x", "../../etc/passwd", "a/b/c", `a\b\c`, "a\x00b", "acme\x00.db", "ACME", "Acme", "-acme", "acme-", "ab",
		strings.Repeat("a", 41), strings.Repeat("a", 300), "ac me", "acme\n", "acmé", "acme.db", "acme%2f", "acme?mode=ro", "file:acme", "con:",
		"\xff\xfe\xfd",
	} {
		_, err := all.Shop(t.Context(), uid)
		wantCode(t, err, fault.CodeTenantNotFound)
		_, err = all.FindIncludingSuspended(t.Context(), uid)
		wantCode(t, err, fault.CodeTenantNotFound)
		_, err = all.Create(t.Context(), uid, named(t, "Hostile"))
		wantCode(t, err, fault.CodeValidationFailed)
		wantCode(t, all.Delete(t.Context(), uid), fault.CodeTenantNotFound)
		wantCode(t, all.Suspend(t.Context(), access.Operator(), uid, shop.Suspension{}), fault.CodeTenantNotFound)
	}
	if diff := cmp.Diff(before, tree(t, parent)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestCreate(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	keys, err := s.Staff.ListAPIKeys(t.Context(), access.Operator())
	if err != nil || len(keys) > 0 {
		t.Errorf("a new shop: got the API keys %v, %v, want none", keys, err)
	}
	customers, err := s.ListCustomers(t.Context(), access.Operator(), shop.CustomerFilter{})
	if err != nil || len(customers.Nodes) > 0 {
		t.Errorf("a new shop: got the accounts %+v, %v, want none", customers, err)
	}
	t.Run("ErrExists", func(t *testing.T) {
		_, err := all.Create(t.Context(), "acme", named(t, "Another"))
		if !errors.Is(err, db.ErrExists) {
			t.Fatalf("got error %v, want db.ErrExists", err)
		}
		s, err := all.FindIncludingSuspended(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		if settings, err := s.Settings(t.Context()); err != nil || settings.Name != "Shop acme" {
			t.Errorf("settings of the first shop: got %v, %v", settings, err)
		}
	})
	t.Run("ErrValidationFailed", func(t *testing.T) {
		_, err := all.Create(t.Context(), "bad-currency", shoptest.Raw(t, map[string]any{"name": "Bad", "currency": "taka", "country": "BD"}))
		wantCode(t, err, fault.CodeValidationFailed)
		_, err = all.FindIncludingSuspended(t.Context(), "bad-currency")
		wantCode(t, err, fault.CodeTenantNotFound)
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	create(t, all, "acme")
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	_, err := all.Shop(t.Context(), "acme")
	wantCode(t, err, fault.CodeTenantNotFound)
	wantCode(t, all.Delete(t.Context(), "acme"), fault.CodeTenantNotFound)

	trash, err := filepath.Glob(filepath.Join(dir, "trash", "acme-*."+backupSuffix()))
	if err != nil {
		t.Fatal(err)
	}
	if len(trash) != 1 {
		t.Errorf("got %v in the trash, want the shop", trash)
	}

	// The UID can be used again, for a shop without data of the old one.
	if _, err := all.Create(t.Context(), "acme", named(t, "The second")); err != nil {
		t.Fatal(err)
	}
	s, err := all.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if settings, err := s.Settings(t.Context()); err != nil || settings.Name != "The second" {
		t.Errorf("got settings %v, %v, want those of the second shop", settings, err)
	}
}

func TestList(t *testing.T) {
	dbtest.NeedFiles(t, "a shop's file is not a database")
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	for _, uid := range []string{"walnut", "acme", "maple"} {
		create(t, all, uid)
	}
	if err := all.Suspend(t.Context(), access.Operator(), "maple", shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	if err := all.SetMode(t.Context(), access.Operator(), "walnut", plugin.Sandbox); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tenants", "broken.db"), []byte("not a shop at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := all.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || got[1].Problem == nil {
		t.Fatalf("got %+v, want 4 shops, the second with a problem", got)
	}
	got[1].Problem = nil
	want := []tenants.Summary{
		{Place: tenants.InFiles, UID: "acme", Name: "Shop acme", Currency: "BDT", Country: "BD", ActiveMode: plugin.Live},
		{Place: tenants.InFiles, UID: "broken"},
		{Place: tenants.InFiles, UID: "maple", Name: "Shop maple", Currency: "BDT", Country: "BD", ActiveMode: plugin.Live, Suspended: true},
		{Place: tenants.InFiles, UID: "walnut", Name: "Shop walnut", Currency: "BDT", Country: "BD", ActiveMode: plugin.Sandbox},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestSetMode_Invalid(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	create(t, all, "acme")
	wantCode(t, all.SetMode(t.Context(), access.Operator(), "acme", "test"), fault.CodeValidationFailed)
}

// A server sees the changes of commands in other processes.
func TestTenants_ChangedByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, cli := open(t, dir, nil), open(t, dir, nil)

	_, err := server.Shop(t.Context(), "acme")
	wantCode(t, err, fault.CodeTenantNotFound)
	create(t, cli, "acme")
	dbtest.Eventually(t, "new shop found", func() bool {
		_, err := server.Shop(t.Context(), "acme")
		return err == nil
	})
	if err := cli.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "shop suspended", func() bool {
		_, err := server.Shop(t.Context(), "acme")
		return fault.HasCode(err, fault.CodeTenantSuspended)
	})
	if err := cli.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "shop deleted", func() bool {
		_, err := server.Shop(t.Context(), "acme")
		return fault.HasCode(err, fault.CodeTenantNotFound)
	})
	if _, err := cli.Create(t.Context(), "acme", named(t, "The second")); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "second shop found", func() bool {
		s, err := server.Shop(t.Context(), "acme")
		if err != nil {
			return false
		}
		settings, err := s.Settings(t.Context())
		return err == nil && settings.Name == "The second"
	})
}

// With more shops than the cache holds, each lookup returns the right shop, and a change through
// one reference is seen through all, evicted in between or not.
func TestShop_Evicted(t *testing.T) {
	t.Parallel()
	all := open(t, "", func(cfg *tenants.Config) { cfg.MaxOpen = 3 })
	const count = 12
	uids := make([]string, count)
	for i := range uids {
		uids[i] = fmt.Sprintf("shop-%02d", i)
		create(t, all, uids[i])
	}
	first, err := all.FindIncludingSuspended(t.Context(), uids[0])
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, uid := range append(uids, uids...) {
				s, err := all.Shop(t.Context(), uid)
				if err != nil {
					t.Error(err)
				} else if s.UID() != uid {
					t.Errorf("got shop %s, want %s", s.UID(), uid)
				}
			}
		})
	}
	group.Wait()
	if err := first.SetSettings(t.Context(), access.Operator(), named(t, "Renamed")); err != nil {
		t.Fatal(err)
	}
	s, err := all.Shop(t.Context(), uids[0])
	if err != nil {
		t.Fatal(err)
	}
	settings, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if settings.Name != "Renamed" {
		t.Errorf("got name %q, want Renamed", settings.Name)
	}
}

func TestOpen_WrongKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const one, two = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=", "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
	create(t, open(t, dir, func(cfg *tenants.Config) { cfg.Key = one }), "acme")
	for _, key := range []string{two, ""} {
		_, err := tenants.Open(tenants.Config{Dir: dir, Engine: database(t, dir), Schema: shoptest.Schema(t), Key: key})
		if err == nil {
			t.Fatalf("key %q: got no error", key)
		}
	}
}

func TestLockServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := open(t, dir, nil), open(t, dir, nil)
	unlock, err := first.LockServer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.LockServer(); !errors.Is(err, db.ErrLocked) {
		t.Fatalf("got error %v, want db.ErrLocked", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = second.LockServer()
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	dir := filepath.Join(t.TempDir(), "data")
	all := open(t, dir, func(cfg *tenants.Config) { cfg.Now = clock.Now })
	before := tree(t, dir)
	if err := all.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("files after the check (-before +after):\n%s", diff)
	}
	// The folder is renamed, since root may write to a read-only one.
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Second)
	if err := all.Ready(t.Context()); err == nil {
		t.Error("without a data folder: got no error")
	}
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Second)
	if err := all.Ready(t.Context()); err != nil {
		t.Errorf("with the folder restored: %v", err)
	}
}

func BenchmarkShop(b *testing.B) {
	all, err := tenants.Open(tenants.Config{Dir: b.TempDir(), Schema: shoptest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer all.Close(context.Background())
	_, err = all.Create(b.Context(), "acme", shoptest.Raw(b, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"}))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := all.Shop(b.Context(), "acme"); err != nil {
			b.Fatal(err)
		}
	}
}
