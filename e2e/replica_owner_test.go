package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/replica"
)

// A second installation is refused at a replica that has an owner; the same installation on a new
// machine continues to write to it.
func TestReplication_OtherOwner(t *testing.T) {
	dbtest.NeedFiles(t, "a replica has shops in files")
	t.Parallel()
	address := t.TempDir()
	mine, other := newShop(t, "acme", marketStock), newShop(t, "acme", marketStock+1) // of another key
	p := serve(t, "--data", mine, "--rate", "0", "--replica", address)
	p.sellN("acme", "one-", 1)
	p.stop()
	wantRefused(t, []string{"serve", "--listen", "127.0.0.1:0", "--data", other, "--replica", address},
		"the replica belongs to another installation", replica.OwnerFile, "use a folder or prefix of its own")

	moved := filepath.Join(t.TempDir(), "data")
	restoreMachine(t, address, moved, readKey(t, mine))
	p = serve(t, "--data", moved, "--rate", "0", "--replica", address)
	p.stop()

	// The operator knows that the first installation is gone.
	removeFile(t, filepath.Join(address, replica.OwnerFile))
	p = serve(t, "--data", other, "--rate", "0", "--replica", address)
	p.stop()
	wantRefused(t, []string{"serve", "--listen", "127.0.0.1:0", "--data", moved, "--replica", address}, "another installation")
}

// A shop that was deleted stays deleted when all shops are restored on another machine from the
// backups.
func TestRestoreAll_DeletedShopsInBackups(t *testing.T) {
	t.Parallel()
	backups := t.TempDir()
	data := newShop(t, "stays", marketStock)
	addShops(t, data, "deleted")
	run(t, "backup", "--all", backups, "--data", data)
	run(t, "tenant", "delete", "deleted", "--yes", "--data", data)
	p := serve(t, "--data", data, "--backup-dir", backups)
	dbtest.Eventually(t, "the backups know the deleted shop", func() bool {
		_, err := os.Stat(filepath.Join(backups, "deleted.deleted"))
		return err == nil
	}, p.logged)
	if code := p.stop(); code != 0 {
		t.Fatalf("the server stopped with %d:\n%s", code, p.logged())
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	writeKey(t, elsewhere, readKey(t, data))
	for folder, restored := range map[string]int{elsewhere: 1, data: 0} {
		var report struct {
			Restored         []struct{ UID string }
			Present, Deleted []string
		}
		decode(t, run(t, "restore", "--all", backups, "--data", folder, "--json"), &report)
		if len(report.Restored) != restored || strings.Join(report.Deleted, " ") != "deleted" {
			t.Errorf("in %s: got %+v, want %d restored, and deleted left out", folder, report, restored)
		}
		run(t, "product", "list", "stays", "--data", folder)
	}
}

// A shop that was deleted stays deleted when all shops are restored on another machine, from the
// replica and then from the backups. Named, or as of a time before the deletion, it is restored.
func TestRestoreAll_DeletedShops(t *testing.T) {
	dbtest.NeedFiles(t, "a replica has shops in files")
	t.Parallel()
	address, backups := t.TempDir(), t.TempDir()
	data := newShop(t, "stays", marketStock)
	addShops(t, data, "deleted", "again")
	target, err := replica.ParseTarget(address)
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, "--data", data, "--replica", address, "--backup-dir", backups)
	for _, uid := range []string{"stays", "deleted", "again"} {
		dbtest.Eventually(t, "the replica has "+uid, func() bool {
			_, ok := replicated(t, target, uid)
			return ok
		}, p.logged)
	}
	dbtest.Eventually(t, "three backups", func() bool {
		files, err := filepath.Glob(filepath.Join(backups, "*.db"))
		return err == nil && len(files) == 3
	}, p.logged)
	before := time.Now()
	run(t, "tenant", "delete", "deleted", "--yes", "--data", data)
	run(t, "tenant", "delete", "again", "--yes", "--data", data)
	run(t, "tenant", "create", "again", "--name", "Again", "--data", data)
	dbtest.Eventually(t, "the replica has the new shop", func() bool {
		_, err := os.Stat(filepath.Join(address, "again"))
		generations, globErr := filepath.Glob(filepath.Join(address, "again", "*-*"))
		return err == nil && globErr == nil && len(generations) == 2
	}, p.logged)
	if code := p.stop(); code != 0 {
		t.Fatalf("the server stopped with %d:\n%s", code, p.logged())
	}

	// The next round of backups records the deletion.
	p = serve(t, "--data", data, "--replica", address, "--backup-dir", backups)
	dbtest.Eventually(t, "the backups know the deleted shop", func() bool {
		_, err := os.Stat(filepath.Join(backups, "deleted.deleted"))
		return err == nil
	}, p.logged)
	if code := p.stop(); code != 0 {
		t.Fatalf("the server stopped with %d:\n%s", code, p.logged())
	}

	key := readKey(t, data)
	var report struct {
		Restored         []struct{ UID string }
		Present, Deleted []string
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	writeKey(t, elsewhere, key)
	decode(t, run(t, "restore", "--all", "--replica", address, "--data", elsewhere, "--json"), &report)
	if len(report.Restored) != 2 || strings.Join(report.Deleted, " ") != "deleted" {
		t.Errorf("from the replica: got %+v, want again and stays restored, and deleted left out", report)
	}
	decode(t, run(t, "restore", "--all", backups, "--data", elsewhere, "--json"), &report)
	if len(report.Restored) != 0 || strings.Join(report.Deleted, " ") != "deleted" {
		t.Errorf("from the backups: got %+v, want deleted left out", report)
	}
	run(t, "restore", "deleted", "--replica", address, "--data", elsewhere)
	run(t, "product", "list", "deleted", "--data", elsewhere)

	for source, want := range map[string]string{
		backups: "deleted",
		"--replica=" + address + " --at=" + before.Format(time.RFC3339Nano): "",
	} {
		fresh := filepath.Join(t.TempDir(), "data")
		writeKey(t, fresh, key)
		decode(t, run(t, append([]string{"restore", "--all", "--data", fresh, "--json"}, strings.Fields(source)...)...), &report)
		if got := strings.Join(report.Deleted, " "); got != want {
			t.Errorf("restore --all %s: got %q left out, want %q", source, got, want)
		}
	}

	// The folder where it was deleted knows that by itself.
	decode(t, run(t, "restore", "--all", backups, "--data", data, "--json"), &report)
	if len(report.Restored) != 0 || strings.Join(report.Deleted, " ") != "deleted" {
		t.Errorf("in the folder of the deletion: got %+v, want deleted left out", report)
	}
	if out := run(t, "restore", "--all", "--replica", address, "--data", data); !strings.Contains(out, "deleted was deleted and was not restored") {
		t.Errorf("in the folder of the deletion: got\n%s", out)
	}
}
