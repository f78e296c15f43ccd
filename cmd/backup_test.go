package cmd_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// backups is what backup --json prints.
type backups struct {
	Folder  string
	Backups []struct{ UID, File, SHA256 string }
	Failed  []struct{ UID, Error string }
	Key     *string
}

func (b backups) path(i int) string { return filepath.Join(b.Folder, b.Backups[i].File) }

func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Before")
	dest := filepath.Join(t.TempDir(), "new", "backups")
	var made backups
	c.json(&made, "backup", "acme", dest)
	if len(made.Backups) != 1 || made.Key != nil || !strings.HasPrefix(made.Backups[0].File, "acme-") {
		t.Fatalf("made %+v", made)
	}
	c.must("tenant", "set", "acme", "name=After")

	var done struct{ UID, Replaced string }
	c.json(&done, "restore", made.path(0))
	if got := c.must("tenant", "show", "acme"); !strings.Contains(got, "Before") {
		t.Errorf("restored:\n%s", got)
	}
	if !strings.HasPrefix(done.Replaced, filepath.Join(c.dir, "trash", "acme-")) {
		t.Errorf("told %+v", done)
	}
	if got := c.must("restore", done.Replaced); !strings.Contains(got, "Restored acme. What it had before is "+filepath.Join(c.dir, "trash")) {
		t.Errorf("printed %q", got)
	}
	if got := c.must("tenant", "show", "acme"); !strings.Contains(got, "After") {
		t.Errorf("restored from the trash:\n%s", got)
	}

	c.must("restore", made.path(0), "--as", "acme-two")
	if got := c.must("tenant", "list"); !strings.Contains(got, "suspended") || !strings.Contains(got, "sandbox") {
		t.Errorf("a twin:\n%s", got)
	}
	c.fails(cmd.ExitFailed, "already exists", "restore", made.path(0), "--as", "acme-two")

	named := filepath.Join(dest, "by-name.db")
	c.must("backup", "acme", named)
	c.fails(cmd.ExitFailed, "already exists", "backup", "acme", named)
	c.must("restore", named) // the file beside it tells whose it is
	if err := os.Remove(named + ".json"); err != nil {
		t.Fatal(err)
	}
	c.fails(cmd.ExitFailed, "Try: --of UID", "restore", named)
	c.must("restore", named, "--of", "acme")
	c.fails(cmd.ExitFailed, "No shop has this UID", "backup", "nobody", dest)
	c.fails(cmd.ExitUsage, "accepts 1 arg(s)", "backup", "--all", "acme", dest)
}

func TestBackupAll(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"acme", "broken", "maple"} {
		c.must("tenant", "create", uid, "--name", uid)
	}
	dest := t.TempDir()
	c.must("backup", "--all", dest, "--with-key")
	if got := c.must("backup", "verify", dest); strings.Count(got, "sound") != 3 || strings.Count(got, "open") != 3 {
		t.Errorf("verified:\n%s", got)
	}

	// One bad shop does not keep the others from being copied.
	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "broken.db"), []byte("rubbish that is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.run("backup", "--all", dest, "--json")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "1 of 3 shops were not copied") || !strings.Contains(r.stdout, `"uid": "broken"`) {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	copies, err := filepath.Glob(filepath.Join(dest, "*.db"))
	if err != nil || len(copies) != 5 {
		t.Errorf("copies %v, %v", copies, err)
	}

	// The whole folder moves to another machine: the key first, then the shops.
	there := newConsole(t)
	if err := os.MkdirAll(there.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(dest, "key"))
	if err != nil {
		t.Fatal(err)
	}
	first := copies[0]
	there.fails(cmd.ExitFailed, "--drop-secrets", "restore", first)
	if err := os.WriteFile(filepath.Join(there.dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	there.must("restore", first)
	if got := there.must("tenant", "list"); !strings.Contains(got, "acme") {
		t.Errorf("on the other machine:\n%s", got)
	}
	var all struct {
		Restored []struct{ UID, AsOf string }
		Present  []string
		Failed   []struct{ UID, Error string }
	}
	there.json(&all, "restore", "--all", dest)
	if len(all.Restored) != 2 || all.Restored[0].UID != "broken" || all.Restored[1].UID != "maple" ||
		!strings.Contains(copies[4], strings.NewReplacer("-", "", ":", "").Replace(all.Restored[1].AsOf[:19])) || // the newer of two
		!slices.Equal(all.Present, []string{"acme"}) || len(all.Failed) != 0 {
		t.Errorf("restored %+v from %v", all, copies)
	}
	nowhere := newConsole(t)
	nowhere.fails(cmd.ExitFailed, "has no key", "restore", "--all", dest)
	nowhere.fails(cmd.ExitFailed, "no copy in", "restore", "--all", t.TempDir())
	there.fails(cmd.ExitFailed, "another key is in", "backup", "--all", withKey(t), "--with-key")
}

// withKey gives a folder that holds some other key.
func withKey(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBackupVerify(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	dest := t.TempDir()
	c.fails(cmd.ExitFailed, "there is no copy in", "backup", "verify", dest)
	var made backups
	for range 3 {
		c.json(&made, "backup", "acme", dest)
	}
	whole, err := os.ReadFile(made.path(0))
	if err != nil {
		t.Fatal(err)
	}
	copies, err := filepath.Glob(filepath.Join(dest, "*.db"))
	if err != nil || len(copies) != 3 {
		t.Fatalf("copies %v, %v", copies, err)
	}
	if err := os.WriteFile(copies[0], whole[:len(whole)-4096], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(copies[1]); err != nil {
		t.Fatal(err)
	}
	r := c.run("backup", "verify", dest)
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "2 of 3 copies are bad") || strings.Count(r.stdout, "sound") != 1 ||
		!strings.Contains(r.stdout, "not as it was made") || !strings.Contains(r.stdout, "no such file") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	c.fails(cmd.ExitFailed, "backup verify", "restore", copies[0])

	// Elsewhere, without the data folder, all but the secrets can be examined.
	c.dir = filepath.Join(t.TempDir(), "nothing")
	if got := c.must("backup", "verify", copies[2]); !strings.Contains(got, "no key to try") {
		t.Errorf("verified:\n%s", got)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("verifying made a data folder")
	}
}

// A copy that is whole as a file is examined for what does not agree in the shop.
func TestBackupVerify_BrokenSums(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	c.must("seed", "acme")
	dest := t.TempDir()
	c.must("backup", "acme", dest)
	c.must("backup", "verify", dest)

	store, err := db.Open(c.dir, db.Options{Schema: shoptest.Schema(t), Steps: tenants.Steps()})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE variants SET stock = stock + 1 WHERE id = (SELECT MIN(id) FROM variants)`)
		return err
	})
	if err := errors.Join(err, store.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	c.must("backup", "acme", dest)
	r := c.run("backup", "verify", dest)
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "1 of 2 copies are bad") ||
		!strings.Contains(r.stdout, "1 variants whose stock is not the sum of its movements") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
