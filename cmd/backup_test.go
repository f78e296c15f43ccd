package cmd_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/db/dbtest"
)

// backups is the output of backup --json.
type backups struct {
	Folder  string
	Backups []struct{ UID, File, SHA256 string }
	Failed  []struct{ UID, Error string }
	Key     *string
}

func (b backups) path(i int) string { return filepath.Join(b.Folder, b.Backups[i].File) }

func TestBackup_Restore(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Before")
	dest := filepath.Join(t.TempDir(), "new", "backups")
	var report backups
	c.json(&report, "backup", "acme", dest)
	if len(report.Backups) != 1 || report.Key != nil || !strings.HasPrefix(report.Backups[0].File, "acme-") {
		t.Fatalf("backup: got %+v, want one backup of acme", report)
	}
	c.must("tenant", "set", "acme", "name=After")

	var done struct{ UID, Replaced string }
	c.json(&done, "restore", report.path(0))
	if got := c.must("tenant", "show", "acme"); !strings.Contains(got, "Before") {
		t.Errorf("after restore: got\n%s\nwant the name Before", got)
	}
	if !strings.HasPrefix(done.Replaced, filepath.Join(c.dir, "trash", "acme-")) {
		t.Errorf("restore: got %+v, want the previous file in the trash", done)
	}
	if got := c.must("restore", done.Replaced); !strings.Contains(got, "Restored acme. Its previous file is "+filepath.Join(c.dir, "trash")) {
		t.Errorf("restore from the trash: got %q", got)
	}
	if got := c.must("tenant", "show", "acme"); !strings.Contains(got, "After") {
		t.Errorf("after restore from the trash: got\n%s\nwant the name After", got)
	}

	c.must("restore", report.path(0), "--as", "acme-two")
	if got := c.must("tenant", "list"); !strings.Contains(got, "suspended") || !strings.Contains(got, "sandbox") {
		t.Errorf("tenant list: got\n%s\nwant a suspended clone in sandbox mode", got)
	}
	c.fails(cmd.ExitFailed, "already exists", "restore", report.path(0), "--as", "acme-two")

	named := filepath.Join(dest, "by-name.db")
	c.must("backup", "acme", named)
	c.fails(cmd.ExitFailed, "already exists", "backup", "acme", named)
	c.must("restore", named) // the file beside it names the shop
	if err := os.Remove(named + ".json"); err != nil {
		t.Fatal(err)
	}
	c.fails(cmd.ExitFailed, "Hint: set the shop with --of UID", "restore", named)
	c.must("restore", named, "--of", "acme")
	c.fails(cmd.ExitFailed, "No shop has this UID", "backup", "nobody", dest)
	c.fails(cmd.ExitUsage, "unexpected argument", "backup", "--all", "acme", dest)
}

func TestBackup_All(t *testing.T) {
	dbtest.NeedFiles(t, "it damages the file of a shop")
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"acme", "broken", "maple"} {
		c.must("tenant", "create", uid, "--name", uid)
	}
	dest := t.TempDir()
	c.must("backup", "--all", dest, "--with-key")
	if got := c.must("backup", "verify", dest); strings.Count(got, "sound") != 3 || strings.Count(got, "readable") != 3 {
		t.Errorf("backup verify: got\n%s\nwant 3 sound backups with readable secrets", got)
	}

	// A damaged shop does not prevent the backups of the others.
	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "broken.db"), []byte("rubbish that is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.run("backup", "--all", dest, "--json")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "shops not backed up: 1 of 3") || !strings.Contains(r.stdout, `"uid": "broken"`) {
		t.Errorf("backup --all with a damaged shop: got exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	files, err := filepath.Glob(filepath.Join(dest, "*.db"))
	if err != nil || len(files) != 5 {
		t.Errorf("got files %v, %v, want 5", files, err)
	}

	// Moving to another machine: the key first, then the shops.
	other := newConsole(t)
	if err := os.MkdirAll(other.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(dest, "key"))
	if err != nil {
		t.Fatal(err)
	}
	first := files[0]
	other.fails(cmd.ExitFailed, "--drop-secrets", "restore", first)
	if err := os.WriteFile(filepath.Join(other.dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	other.must("restore", first)
	if got := other.must("tenant", "list"); !strings.Contains(got, "acme") {
		t.Errorf("tenant list on the other machine: got\n%s\nwant acme", got)
	}
	var all struct {
		Restored []struct{ UID, AsOf string }
		Present  []string
		Failed   []struct{ UID, Error string }
	}
	other.json(&all, "restore", "--all", dest)
	if len(all.Restored) != 2 || all.Restored[0].UID != "broken" || all.Restored[1].UID != "maple" ||
		!strings.Contains(files[4], strings.NewReplacer("-", "", ":", "").Replace(all.Restored[1].AsOf[:19])) || // the newer of two
		!slices.Equal(all.Present, []string{"acme"}) || len(all.Failed) != 0 {
		t.Errorf("restore --all: got %+v from %v", all, files)
	}
	empty := newConsole(t)
	empty.fails(cmd.ExitFailed, "has no key", "restore", "--all", dest)
	empty.fails(cmd.ExitFailed, "no backup found in", "restore", "--all", t.TempDir())
	other.fails(cmd.ExitFailed, "another key is in", "backup", "--all", folderWithKey(t), "--with-key")
}

// folderWithKey returns a folder that contains another key.
func folderWithKey(t *testing.T) string {
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
	c.fails(cmd.ExitFailed, "no backup found in", "backup", "verify", dest)
	var report backups
	for range 3 {
		c.json(&report, "backup", "acme", dest)
	}
	content, err := os.ReadFile(report.path(0))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dest, "*."+backupSuffix()))
	if err != nil || len(files) != 3 {
		t.Fatalf("got files %v, %v, want 3", files, err)
	}
	if err := os.WriteFile(files[0], content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files[1]); err != nil {
		t.Fatal(err)
	}
	r := c.run("backup", "verify", dest)
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "damaged backups: 2 of 3") || strings.Count(r.stdout, "sound") != 1 ||
		!strings.Contains(r.stdout, "differs from its manifest") || !strings.Contains(r.stdout, "no such file") {
		t.Errorf("backup verify: got exit code %d\n%s%s\nwant 2 of 3 backups damaged", r.code, r.stdout, r.stderr)
	}
	c.fails(cmd.ExitFailed, "backup verify", "restore", files[0])

	// Without the data folder, everything but the secrets is verified.
	c.dir = filepath.Join(t.TempDir(), "nothing")
	if got := c.must("backup", "verify", files[2]); !strings.Contains(got, "not checked (no key)") {
		t.Errorf("backup verify without a data folder: got\n%s", got)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("backup verify created a data folder")
	}
}

// An undamaged file is also checked for inconsistencies in the shop's totals.
func TestBackupVerify_InconsistentTotals(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	dest := t.TempDir()
	c.must("backup", "acme", dest)
	c.must("backup", "verify", dest)

	withShops(t, c.dir, func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE variants SET stock = stock + 1 WHERE id = (SELECT MIN(id) FROM variants)`)
			return err
		})
	})
	c.must("backup", "acme", dest)
	r := c.run("backup", "verify", dest)
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "damaged backups: 1 of 2") ||
		!strings.Contains(r.stdout, "1 variants whose stock is not the sum of its movements") {
		t.Errorf("backup verify: got exit code %d\n%s%s\nwant wrong stock in 1 of 2 backups", r.code, r.stdout, r.stderr)
	}
}
