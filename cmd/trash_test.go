package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/tenants"
)

// namesWith returns the files below a folder whose path or content has a text.
func namesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if strings.Contains(name, text) || strings.Contains(string(content), text) {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// age renames what is in the trash of a shop, as if it had been put there n days before.
func (c *console) age(uid string, days int) {
	c.t.Helper()
	var items []tenants.TrashItem
	c.json(&items, "trash", "list", uid)
	for _, item := range items {
		const layout = "20060102T150405.000Z"
		older := strings.Replace(item.Path, item.TrashedAt.Format(layout), item.TrashedAt.AddDate(0, 0, -days).Format(layout), 1)
		for _, part := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(item.Path+part, older+part); err != nil && !os.IsNotExist(err) {
				c.t.Fatal(err)
			}
		}
	}
}

func TestTrash(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	for _, uid := range []string{"acme-log", "maple"} {
		c.must("tenant", "create", uid, "--name", "Shop "+uid)
	}
	if got := c.must("trash", "list"); got != "The trash is empty.\n" {
		t.Errorf("got %q", got)
	}
	c.must("tenant", "delete", "acme", "acme-log", "--yes")
	var items []tenants.TrashItem
	if c.json(&items, "trash", "list", "acme"); len(items) != 2 || items[0].Bytes == 0 || items[1].Bytes == 0 || items[0].Kind == items[1].Kind {
		t.Fatalf("got %+v, want the shop and its images", items)
	}
	if c.json(&items, "trash", "list"); len(items) != 3 {
		t.Fatalf("got %+v, want both shops", items)
	}
	c.age("acme", 31)
	c.fails(cmd.ExitFailed, "confirm with --yes: items deleted for ever: 2", "trash", "purge", "--older-than", "30d")
	if got := c.must("trash", "purge", "maple", "--older-than", "30d"); got != "Nothing to delete.\n" {
		t.Errorf("got %q", got)
	}
	c.fails(cmd.ExitUsage, "older-than", "trash", "purge", "--older-than", "30 days")
	c.must("trash", "purge", "--older-than", "30d", "--yes")
	if c.json(&items, "trash", "list"); len(items) != 1 || items[0].UID != "acme-log" {
		t.Errorf("got %+v, want acme-log", items)
	}
	c.must("restore", items[0].Path) // it is not acme's log
	if got := c.must("tenant", "list"); !strings.Contains(got, "acme-log") || !strings.Contains(got, "maple") {
		t.Errorf("got\n%s", got)
	}
}

// An erased shop leaves nothing in the data folder but the record that its UID was deleted.
func TestTenantDelete_Purge(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	backups := t.TempDir()
	c.must("backup", "acme", backups)
	files, err := filepath.Glob(filepath.Join(backups, "acme-*."+backupSuffix()))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v", files, err)
	}
	c.must("tenant", "delete", "acme", "--yes")
	c.must("restore", files[0]) // an earlier copy is in the trash
	if found := namesWith(t, c.dir, "+8801"); len(found) == 0 && !dbtest.OnPostgres() {
		t.Fatal("got no file with a buyer's name before the deletion")
	}
	c.fails(cmd.ExitFailed, "confirm with --yes", "tenant", "delete", "acme", "--purge")
	if got := c.must("tenant", "delete", "acme", "--purge", "--yes"); !strings.Contains(got, "Erased the shop acme") ||
		!strings.Contains(got, "Backups and a replica have copies") {
		t.Errorf("got %q", got)
	}
	if found := namesWith(t, c.dir, "+8801"); len(found) > 0 {
		t.Errorf("got a buyer's name in %v", found)
	}
	for _, name := range namesWith(t, c.dir, "acme") {
		if name != filepath.Join("trash", "acme.deleted") && name != "shops.json" && filepath.Ext(name) != ".lock" {
			t.Errorf("got %s in the data folder", name)
		}
	}
	c.fails(cmd.ExitFailed, "No shop has this UID", "tenant", "delete", "acme", "--purge", "--yes")
}

// A run that was interrupted after the shop was moved to the trash is completed by the next one.
func TestTenantDelete_PurgeInterrupted(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "delete", "acme", "--yes")
	c.must("tenant", "delete", "acme", "--purge", "--yes")
	if got := c.must("trash", "list"); got != "The trash is empty.\n" {
		t.Errorf("got %q", got)
	}
}

// The copy of a stopped shop is its only data.
func TestTrash_Stopped(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "files are stopped")
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "delete", "acme", "--yes")
	var items []tenants.TrashItem
	c.json(&items, "trash", "list")
	stopped := filepath.Join(c.dir, "trash", "acme.stopped")
	if err := os.WriteFile(stopped, []byte(filepath.Base(items[0].Path)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("trash", "purge", "--yes")
	if c.json(&items, "trash", "list"); len(items) != 1 || !items[0].Needed {
		t.Errorf("got %+v, want the copy", items)
	}
}

// A server purges what is older than --trash-keep.
func TestServe_TrashKeep(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"old", "new"} {
		c.must("tenant", "create", uid+"-shop", "--name", uid)
		c.must("tenant", "delete", uid+"-shop", "--yes")
	}
	c.age("old-shop", 29)
	p, _ := serve(t, c.dir, "--trash-keep", "0")
	p.stop(os.Interrupt)
	p, _ = serve(t, c.dir) // 30 days
	time.Sleep(200 * time.Millisecond)
	p.stop(os.Interrupt)
	var items []tenants.TrashItem
	if c.json(&items, "trash", "list"); len(items) != 2 {
		t.Fatalf("got %+v, want both shops", items)
	}
	c.age("old-shop", 2)
	serve(t, c.dir)
	dbtest.Eventually(t, "the purge of the older shop", func() bool {
		c.json(&items, "trash", "list")
		return len(items) == 1 && items[0].UID == "new-shop"
	})
}
