package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/replica"
)

// The commands of docs/backup.md run in the order in which an operator may need them, twice on one
// data folder.
func TestBackupPage_Commands(t *testing.T) {
	dbtest.NeedFiles(t, "the page is about them; see TestEngine_BackupPage")
	t.Parallel()
	data := newShop(t, "acme", marketStock)
	dir := filepath.Dir(data)
	linkProgram(t, dir)
	backups, shipped := filepath.Join(dir, "backups"), filepath.Join(dir, "replica")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{shipped, filepath.Join(dir, "safe")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	part := func(name string) string {
		text := commands(t, "../docs/backup.md", name, "end of "+name)
		return strings.NewReplacer("/backups", backups, "/mnt/replica", shipped, "/safe", filepath.Join(dir, "safe")).Replace(text)
	}
	flags := append(strings.Fields(part("plan"))[2:], strings.Fields(part("replica"))[2:]...)
	p := serve(t, append(flags, "--data", data, "--rate", "0")...)
	sold := p.order("acme", "one").text("invoiceUid")
	wantSold := func(when string) {
		t.Helper()
		if a := p.must(request{method: "GET", path: "/api/v1/orders/" + sold, tenant: "acme"}); a.status != http.StatusOK {
			t.Errorf("%s: got %d %s, want the order", when, a.status, a.body)
		}
	}
	dbtest.Eventually(t, "a scheduled backup", func() bool {
		found, err := filepath.Glob(filepath.Join(backups, "acme-*.db.json"))
		return err == nil && len(found) == 1
	})
	for range 2 {
		shell(t, dir, part("copies"))

		found, err := filepath.Glob(filepath.Join(backups, "acme-*.db"))
		if err != nil || len(found) < 3 {
			t.Fatalf("got backups %v, %v, want 3 or more", found, err)
		}
		named := filepath.Join(backups, "acme-20260301T060000.000Z.db")
		shell(t, dir, strings.ReplaceAll(part("one shop"), named, found[len(found)-1]))
		wantSold("after a restore")
		if out := shell(t, dir, strings.ReplaceAll(part("another shop"), named, found[len(found)-1])); !strings.Contains(out, sold) {
			t.Errorf("clone: got\n%s\nwant the order %s", out, sold)
		}
		target, err := replica.ParseTarget(shipped)
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Eventually(t, "the replica has the order", func() bool {
			invoices, ok := replicated(t, target, "acme")
			return ok && invoices[sold]
		})
		shell(t, dir, strings.ReplaceAll(part("at a time"), "2026-03-01T18:30:00+06:00", time.Now().Format(time.RFC3339Nano)))
		wantSold("after a point-in-time restore")

		p.stop()
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		shell(t, dir, part("lost machine"))
		shell(t, dir, part("upgrade"))
		shell(t, dir, part("leaving"))
		p = serve(t, append(flags, "--data", data, "--rate", "0")...)
		wantSold("on another machine")
	}
	p.stop()
}
