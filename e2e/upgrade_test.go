package e2e

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"

	"storefront/db/dbtest"
	"storefront/db/sqlite"
	"storefront/tenants"
)

// oldShopData returns a data folder whose shop old, with an order, is of an earlier version than
// the program.
func oldShopData(t *testing.T) string {
	t.Helper()
	data := newShop(t, "old", 10)
	p := serve(t, "--data", data)
	p.order("old", "one").want(t, http.StatusCreated, "")
	p.stop()
	useLater(t, data)
	return data
}

// wantOldSchema wants the schema of a file to be this version's.
func wantOldSchema(t *testing.T, file string) {
	t.Helper()
	if version, err := sqlite.FileSchema(file); err != nil || version != len(tenants.Steps())+1 {
		t.Errorf("schema of %s: got %d, %v, want %d", file, version, err, len(tenants.Steps())+1)
	}
}

// wantRefused wants a command to fail with all the words.
func wantRefused(t *testing.T, args []string, words ...string) {
	t.Helper()
	out, err := storefront(t, args...).CombinedOutput()
	if err == nil {
		t.Errorf("%s: got success, want a refusal\n%s", strings.Join(args, " "), out)
	}
	for _, word := range words {
		if !strings.Contains(string(out), word) {
			t.Errorf("%s: got\n%s\nwant %q in it", strings.Join(args, " "), out, word)
		}
	}
}

// Commands other than migrate leave a shop of an older version as it is, and name the remedy.
func TestUpgrade_OtherCommands(t *testing.T) {
	dbtest.NeedFiles(t, "one is of an earlier version")
	t.Parallel()
	data := oldShopData(t)
	file := filepath.Join(data, "tenants", "old.db")
	for _, args := range [][]string{
		{"order", "list", "old"}, {"tenant", "show", "old"}, {"product", "list", "old"}, {"tenant", "set", "old", "name=New"},
		{"tenant", "export", "old"}, {"seed", "old"},
	} {
		wantRefused(t, append(args, "--data", data), "older than this program's", "migrate --all")
	}
	dest := t.TempDir()
	run(t, "backup", "old", dest, "--data", data) // before the upgrade
	run(t, "backup", "verify", dest, "--data", data)
	wantOldSchema(t, file)
	if _, err := os.Stat(filepath.Join(data, "before-steps")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("copies of before: got %v, want none", err)
	}

	// A server migrates the shops without a request, and then all commands work.
	p := serve(t, "--data", data)
	p.wantLogged("schema upgraded", `"tenant":"old"`)
	dbtest.Eventually(t, "order list works", func() bool {
		out, err := storefront(t, "order", "list", "old", "--data", data).CombinedOutput()
		return err == nil && strings.Contains(string(out), "1001")
	}, p.logged)
}

// Nothing of this version writes beside a server of another one, which holds only the server's
// lock.
func TestUpgrade_OtherServer(t *testing.T) {
	dbtest.NeedFiles(t, "a server of another version holds their lock")
	t.Parallel()
	data := oldShopData(t)
	other := flock.New(filepath.Join(data, "serve.lock"))
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	file := filepath.Join(data, "tenants", "old.db")
	backup := filepath.Join(t.TempDir(), "old-20260101T000000.000Z.db")
	copyFile(t, file, backup)
	for _, args := range [][]string{
		{"order", "list", "old"}, {"migrate", "old"}, {"tenant", "create", "acme", "--name", "Acme"}, {"restore", backup},
		{"restore", backup, "--as", "copy"},
	} {
		wantRefused(t, append(args, "--data", data), "a server of another version is running", "stop the server")
	}
	wantOldSchema(t, file)
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "migrate", "--all", "--data", data); !strings.Contains(got, "1 migrated, 0 up to date, 0 failed.") {
		t.Errorf("migrate without a server: got %s", got)
	}
	// Beside a server of the same version, idle shops can be migrated and shops restored.
	serve(t, "--data", data)
	run(t, "restore", backup, "--as", "copy", "--data", data)
	run(t, "migrate", "--all", "--data", data)
}

// Processes that migrate a shop of an earlier version at the same time upgrade it once between
// them.
func TestUpgrade_ConcurrentProcesses(t *testing.T) {
	dbtest.NeedFiles(t, "one is of an earlier version")
	t.Parallel()
	data := oldShopData(t)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if out, err := storefront(t, "migrate", "old", "--data", data).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	work.Wait()
	if got := run(t, "order", "list", "old", "--data", data); !strings.Contains(got, "1001") {
		t.Errorf("order list: got %s", got)
	}
	if copies, err := os.ReadDir(filepath.Join(data, "before-steps")); err != nil || len(copies) != 1 {
		t.Errorf("copies of before: %v, %v", copies, err)
	}
	if got := run(t, "migrate", "--all", "--data", data); got != "0 migrated, 1 up to date, 0 failed.\n" {
		t.Errorf("afterwards: %s", got)
	}
	dest := t.TempDir()
	run(t, "backup", "old", dest, "--data", data)
	run(t, "backup", "verify", dest, "--data", data)
}
