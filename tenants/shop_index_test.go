package tenants_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/tenants"
)

// A list opens only the files that were written since the last one, and notices files that were
// copied, removed or changed by hand.
func TestList_Index(t *testing.T) {
	dbtest.NeedFiles(t, "it counts the files that a list opens")
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	for _, uid := range []string{"acme", "maple", "oak"} {
		if _, err := all.Create(t.Context(), uid, named(t, "Shop "+uid)); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Suspend(t.Context(), access.Operator(), "oak", shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := func(uid string) string { return filepath.Join(dir, "tenants", uid+".db") }
	age := func(uid string, ago time.Duration) { // times of young files are not trusted
		t.Helper()
		if err := os.Chtimes(path(uid), time.Now().Add(-ago), time.Now().Add(-ago)); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path(uid) + "-wal")
	}
	for i, uid := range []string{"acme", "maple", "oak"} {
		age(uid, time.Duration(i+1)*time.Minute)
	}
	want := func(when string, opened uint64, shops ...string) {
		t.Helper()
		fresh := open(t, dir, func(cfg *tenants.Config) { cfg.Command = true })
		list, err := fresh.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			text := s.UID + " " + s.Name
			if s.Suspended {
				text += " suspended"
			}
			if s.Problem != nil {
				text += " problem"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(shops, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
		if n := fresh.Stats().Opened; n != opened {
			t.Errorf("%s: got %d files opened, want %d", when, n, opened)
		}
		if err := fresh.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want("without an index", 3, "acme Shop acme", "maple Shop maple", "oak Shop oak suspended")
	want("with an index", 0, "acme Shop acme", "maple Shop maple", "oak Shop oak suspended")

	copyFile(t, path("maple"), path("birch"))
	age("birch", time.Hour) // as a copy that preserves times
	copyFile(t, path("oak"), path("acme"))
	age("acme", 2*time.Hour)
	if err := os.Remove(path("maple")); err != nil {
		t.Fatal(err)
	}
	want("after copies by hand", 2, "acme Shop oak suspended", "birch Shop maple", "oak Shop oak suspended")

	if err := os.WriteFile(filepath.Join(dir, "shops.json"), []byte(`{"acme":`), 0o600); err != nil {
		t.Fatal(err)
	}
	want("with a broken index", 3, "acme Shop oak suspended", "birch Shop maple", "oak Shop oak suspended")
	if err := os.WriteFile(path("birch"), []byte("not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("with a broken shop", 0, "acme Shop oak suspended", "birch  problem", "oak Shop oak suspended")
}

// The first list after many shops were created opens only those that were written or copied since.
func TestList_CreatedShops(t *testing.T) {
	dbtest.NeedFiles(t, "it counts the files that a list opens")
	t.Parallel()
	dir := t.TempDir()
	all := open(t, dir, nil)
	for i := range 20 {
		if _, err := all.Create(t.Context(), fmt.Sprintf("shop-%02d", i), named(t, fmt.Sprint("Shop ", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Suspend(t.Context(), access.Operator(), "shop-07", shop.Suspension{}); err != nil { // at once, before any clock has moved on
		t.Fatal(err)
	}
	if err := all.Delete(t.Context(), "shop-08"); err != nil {
		t.Fatal(err)
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := func(opened uint64) map[string]tenants.Summary {
		t.Helper()
		fresh := open(t, dir, func(cfg *tenants.Config) { cfg.Command = true })
		list, err := fresh.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := fresh.Stats().Opened; n != opened {
			t.Errorf("got %d files opened, want %d", n, opened)
		}
		shops := map[string]tenants.Summary{}
		for _, s := range list {
			shops[s.UID] = s
		}
		return shops
	}
	shops := list(1)
	if s := shops["shop-19"]; len(shops) != 19 || s.Name != "Shop 19" || s.Currency != "BDT" || s.Suspended || !shops["shop-07"].Suspended {
		t.Errorf("got %d shops, shop-19 %+v, shop-07 %+v, want 19 shops, shop-07 suspended", len(shops), s, shops["shop-07"])
	}
	copyFile(t, filepath.Join(dir, "tenants", "shop-01.db"), filepath.Join(dir, "tenants", "copied.db"))
	if s := list(2)["copied"]; s.Name != "Shop 1" { // shop-07 was written less than two seconds ago
		t.Errorf("got the copied shop %+v, want Shop 1", s)
	}
	if err := os.Remove(filepath.Join(dir, "shops.json")); err != nil {
		t.Fatal(err)
	}
	if shops := list(20); len(shops) != 20 {
		t.Errorf("without an index: got %d shops, want 20", len(shops))
	}
}

// The first list after many shops were restored or imported opens none but those that were
// replaced.
func TestList_RestoredShops(t *testing.T) {
	dbtest.NeedFiles(t, "it counts the files that a list opens")
	t.Parallel()
	const shops = 6
	source, backups := open(t, t.TempDir(), nil), t.TempDir()
	dir := t.TempDir()
	target := open(t, dir, nil)
	for i := range shops {
		uid := fmt.Sprint("shop-", i)
		if _, err := source.Create(t.Context(), uid, named(t, "Shop "+uid)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			var export bytes.Buffer
			if err := source.Export(t.Context(), uid, &export); err != nil {
				t.Fatal(err)
			}
			if _, err := target.Import(t.Context(), tenants.ImportOptions{From: &export, DropSecrets: true}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		backup, err := source.Backup(t.Context(), uid, backups)
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range []string{uid, uid + "-clone"} {
			_, err := target.Restore(t.Context(), tenants.RestoreOptions{File: filepath.Join(backups, backup.File), As: as, DropSecrets: true})
			if err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 { // replaced, whose file is not dated back
			if _, err := target.Restore(t.Context(), tenants.RestoreOptions{File: filepath.Join(backups, backup.File), DropSecrets: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh := open(t, dir, func(cfg *tenants.Config) { cfg.Command = true })
	list, err := fresh.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := fresh.Stats().Opened; n != 1 {
		t.Errorf("got %d files opened, want the replaced one", n)
	}
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprint(s.UID, ", ", s.Name, ", suspended ", s.Suspended))
	}
	want := []string{
		"shop-0, Shop shop-0, suspended false", "shop-1, Shop shop-1, suspended false", "shop-1-clone, Shop shop-1, suspended true",
		"shop-2, Shop shop-2, suspended false", "shop-3, Shop shop-3, suspended false", "shop-3-clone, Shop shop-3, suspended true",
		"shop-4, Shop shop-4, suspended false", "shop-5, Shop shop-5, suspended false", "shop-5-clone, Shop shop-5, suspended true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
