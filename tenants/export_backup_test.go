package tenants_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// exportKey is the key of the shop in exportShop.
const exportKey = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

// exportShop writes an export of a shop of fillShop, compressed, and returns its path and buyer.
func exportShop(t *testing.T, change func(*tenants.Config)) (path string, buyer access.Caller) {
	t.Helper()
	all := open(t, "", func(cfg *tenants.Config) {
		cfg.Key = exportKey
		change(cfg)
	})
	buyer = fillShop(t, create(t, all, "old"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := errors.Join(all.Export(t.Context(), "old", w), w.Close()); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "old-20260301T060000.000Z.jsonl.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, buyer
}

// thisVersion leaves a configuration as it is.
func thisVersion(*tenants.Config) {}

// An export of an earlier version is verified, restored and can sell.
func TestRestore_EarlierExport(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tenants.Config){
		"of two steps ago": thisVersion, "of the last step": later(t, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, buyer := exportShop(t, change)
			all := open(t, "", func(cfg *tenants.Config) {
				cfg.Key = exportKey
				later(t, 2)(cfg)
			})
			if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, NextOrder: 1003}); err != nil {
				t.Fatal(err)
			}
			checkShop(t, find(t, all, "old"), buyer, 0)
			if found := verify(t, file, later(t, 2)); len(found.Faults) > 0 || found.SecretsOpen == nil || !*found.SecretsOpen {
				t.Errorf("verify: got %+v, want an intact backup", found)
			}
		})
	}
}

// unpack returns the lines of an export.
func unpack(t *testing.T, file string) []byte {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// verify verifies a backup of the shop in exportShop.
func verify(t *testing.T, file string, change func(*tenants.Config)) *tenants.Verified {
	t.Helper()
	cfg := tenants.Config{Dir: t.TempDir(), Schema: shoptest.Schema(t), Key: exportKey}
	change(&cfg)
	v, err := tenants.OpenVerifier(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(context.Background())
	found, err := v.Verify(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// An export that is damaged, forged or of a newer version restores nothing.
func TestRestore_InvalidExport(t *testing.T) {
	t.Parallel()
	newest := len(tenants.Steps()) + 1
	export, _ := exportShop(t, thisVersion)
	packed, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	plain := string(unpack(t, export))
	sum := bytes.Clone(packed)
	sum[len(sum)-6] ^= 1 // of the checksum
	version := fmt.Sprintf(`"schema":%d`, newest)
	for name, test := range map[string]struct {
		content string
		want    error
	}{
		"truncated":         {string(packed[:len(packed)/2]), db.ErrCorrupt},
		"checksum":          {string(sum), db.ErrCorrupt},
		"without its end":   {plain[:strings.LastIndex(plain, `{"end"`)], db.ErrCorrupt},
		"more after it":     {plain + `{"table":"staff"}`, db.ErrCorrupt},
		"another table":     {strings.Replace(plain, `{"table":"orders"`, `{"table":"sqlite_schema"`, 1), db.ErrCorrupt},
		"newer":             {strings.Replace(plain, version, fmt.Sprintf(`"schema":%d`, newest+1), 1), db.ErrNewer},
		"no version":        {strings.Replace(plain, version, `"schema":0`, 1), db.ErrCorrupt},
		"only its header":   {plain[:strings.Index(plain, "\n")+1], db.ErrCorrupt},
		"another file":      {"{}\n", db.ErrCorrupt},
		"another packed":    {"\x1f\x8b packed", db.ErrCorrupt},
		"unknown beginning": {"storefront", db.ErrNotTenantFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "old-20260301T060000.000Z.jsonl.gz")
			if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			all := open(t, "", func(cfg *tenants.Config) { cfg.Key = exportKey })
			if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file}); !errors.Is(err, test.want) &&
				!(errors.Is(test.want, db.ErrNotTenantFile) && errors.Is(err, db.ErrCorrupt)) {
				t.Errorf("restore: got %v, want %v", err, test.want)
			}
			if shops, err := all.List(t.Context()); err != nil || len(shops) > 0 {
				t.Errorf("list: got %v and %v, want no shop", shops, err)
			}
			if left := list(t, filepath.Join(all.Dir(), "tenants")); len(left) > 1 {
				t.Errorf("got the files %v, want none", left)
			}
			if found := verify(t, file, thisVersion); len(found.Faults) == 0 {
				t.Error("verify: got an intact backup, want a fault")
			}
		})
	}
}

// A backup of a shop in the database has what a copy of a file has: secrets, sessions and API keys.
// It restores the shop in either place, and so does a copy of a file. It replaces a file, but never
// a shop in the database.
func TestEngines_BackupRestore(t *testing.T) {
	t.Parallel()
	c, backups := dbtest.NewCluster(t), t.TempDir()
	all := open(t, "", withDatabase(c))
	s := create(t, all, "acme")
	configureCourier(t, s)
	buyer := register(t, s, "buyer@example.com")
	addMug(t, s)
	backUp := func(uid, suffix string) string {
		t.Helper()
		b, err := all.Backup(t.Context(), uid, backups)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.File, suffix) || b.Schema != len(tenants.Steps())+1 || b.Key == "" || b.SHA256 == "" {
			t.Errorf("backup of %s: got %+v, want a name that ends in %s", uid, b, suffix)
		}
		return filepath.Join(backups, b.File)
	}
	restore := func(o tenants.RestoreOptions, want tenants.Place) *tenants.Restored {
		t.Helper()
		done, err := all.Restore(t.Context(), o)
		if err != nil {
			t.Fatalf("restore %s as %q in %q: %v", filepath.Base(o.File), o.As, o.In, err)
		}
		if len(done.Faults) > 0 {
			t.Errorf("restore %s: got the faults %q", filepath.Base(o.File), done.Faults)
		}
		list, err := all.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, shop := range list {
			if shop.UID == done.UID && shop.Place != want {
				t.Errorf("restore %s as %q: got it in %s, want in %s", filepath.Base(o.File), o.As, shop.Place, want)
			}
		}
		found, err := find(t, all, done.UID).Catalogue.FindProducts(t.Context(), catalogue.ProductFilter{Search: "mug"})
		if done.UID == done.Of && (err != nil || len(found.Nodes) != 1) {
			t.Errorf("search after the restore of %s: got %+v and %v, want the mug", filepath.Base(o.File), found, err)
		}
		return done
	}
	refused := func(o tenants.RestoreOptions, want error) {
		t.Helper()
		if _, err := all.Restore(t.Context(), o); !errors.Is(err, want) {
			t.Errorf("restore %s as %q in %q: got %v, want %v", filepath.Base(o.File), o.As, o.In, err, want)
		}
	}
	export := backUp("acme", ".jsonl.gz")
	if bytes.Contains(unpack(t, export), []byte("chosen")) {
		t.Error("the backup has a secret in plain text")
	}
	refused(tenants.RestoreOptions{File: export}, tenants.ErrInDatabase)
	refused(tenants.RestoreOptions{File: export, In: tenants.InFiles}, tenants.ErrInDatabase)
	refused(tenants.RestoreOptions{File: export, As: "acme"}, tenants.ErrInDatabase)

	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	trash, _ := filepath.Glob(filepath.Join(all.Dir(), "trash", "acme-*.jsonl.gz"))
	if len(trash) != 1 {
		t.Fatalf("got %q in the trash, want one export", trash)
	}
	for _, test := range []tenants.RestoreOptions{{File: trash[0]}, {File: export}, {File: export, In: tenants.InFiles}} {
		want := cmp.Or(test.In, tenants.InPostgres)
		restore(test, want)
		s := find(t, all, "acme")
		if got := secretOf(t, s); got != "chosen" {
			t.Errorf("in %s: got the secret %q, want the one of the backup", want, got)
		}
		if _, err := s.Accounts.Me(t.Context(), buyer); err != nil {
			t.Errorf("in %s: a buyer's session: %v", want, err)
		}
		if want == tenants.InPostgres {
			if err := all.Delete(t.Context(), "acme"); err != nil {
				t.Fatal(err)
			}
		}
	}

	file := backUp("acme", ".db")
	if done := restore(tenants.RestoreOptions{File: export}, tenants.InFiles); done.Replaced == nil {
		t.Error("an export of a shop with a file: got nothing replaced")
	}
	refused(tenants.RestoreOptions{File: file, In: tenants.InPostgres}, tenants.ErrInFile)
	restore(tenants.RestoreOptions{File: file, As: "copy", In: tenants.InPostgres}, tenants.InPostgres)
	restore(tenants.RestoreOptions{File: export, As: "other", In: tenants.InFiles}, tenants.InFiles)
	refused(tenants.RestoreOptions{File: file, As: "copy", In: tenants.InPostgres}, db.ErrExists)
	refused(tenants.RestoreOptions{File: file, As: "copy"}, db.ErrExists)
	refused(tenants.RestoreOptions{File: export, As: "other"}, db.ErrExists)
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	restore(tenants.RestoreOptions{File: file, In: tenants.InPostgres}, tenants.InPostgres)
	if left := list(t, filepath.Join(all.Dir(), "restoring")); len(left) > 1 {
		t.Errorf("got %v, want nothing left of the restores", left)
	}
	list, err := all.ListRestorable(t.Context(), tenants.RestoreSources{BackupDir: backups}, "acme")
	if err != nil || len(list) != 1 {
		t.Fatalf("list: got %v and %v", list, err)
	}
	kinds := map[tenants.BackupKind]int{}
	for _, f := range list[0].Files {
		kinds[f.Kind]++
	}
	if kinds[tenants.KindBackup] != 2 || kinds[tenants.KindTrash] < 4 {
		t.Errorf("list: got %v, want both backups, and those in the trash", list[0].Files)
	}
	newest, err := tenants.NewestBackups(backups)
	if err != nil || len(newest) != 1 || newest[0].File != file {
		t.Errorf("newest: got %+v and %v, want %s", newest, err, file)
	}
}
