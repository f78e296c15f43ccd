package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
)

// status is the part of status --json that the tests compare.
type shipmentStatus struct {
	Running bool
	Server  *struct {
		URL, BackupDir, Replica string
		StoppedAt               *time.Time
		Status                  struct {
			OpenShops int
			Replica   *struct{ UploadAt *time.Time }
			Backups   *struct{ CompleteAt *time.Time }
		}
	}
	Shops      struct{ Total, Suspended, Failing int }
	LastChange *struct{ UID string }
}

// A server's backups and replica are found without flags, while it runs and after it.
func TestStatus_BackupsAndReplica(t *testing.T) {
	dbtest.NeedFiles(t, "a replica has shops in files")
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "gone", "--name", "Gone")
	c.must("tenant", "create", "maple", "--name", "Maple")
	c.must("tenant", "suspend", "maple")
	c.fails(cmd.ExitFailed, "no server runs", "health")
	backups, replica := t.TempDir(), t.TempDir()
	p, r := serve(t, c.dir, "--backup-dir", backups, "--replica", replica)
	c.must("health")
	c.must("health", "--live")

	var got shipmentStatus
	dbtest.Eventually(t, "the server reports its backups and its replica", func() bool {
		c.json(&got, "status")
		return got.Server != nil && got.Server.Status.Backups.CompleteAt != nil && got.Server.Status.Replica.UploadAt != nil
	}, p.stderr.String)
	if !got.Running || got.Server.URL != r.URL || got.Server.BackupDir != backups || got.Server.Replica != replica ||
		got.Shops.Total != 3 || got.Shops.Suspended != 1 || got.LastChange == nil {
		t.Errorf("got %+v of %+v", got, got.Server)
	}
	text := c.must("status")
	for _, want := range []string{"running since", r.URL, "3, 1 suspended", replica + ", lag", backups + ", complete at"} {
		if !strings.Contains(text, want) {
			t.Errorf("status: got\n%s\nwant %q", text, want)
		}
	}

	c.must("tenant", "delete", "gone", "--yes")
	checkBackupList(t, c)
	var shop struct {
		Shops []struct{ Files []struct{ Kind string } }
	}
	c.json(&shop, "backup", "list", "gone")
	if len(shop.Shops) != 1 || len(shop.Shops[0].Files) != 2 || shop.Shops[0].Files[1].Kind != "trash" {
		t.Errorf("backup list gone: got %+v, want a backup and the file in the trash", shop)
	}
	c.fails(cmd.ExitFailed, "No shop", "backup", "list", "nobody")

	if code := p.stop(syscall.SIGTERM); code != cmd.ExitOK {
		t.Fatalf("got exit code %d\n%s", code, p.stderr)
	}
	got = shipmentStatus{}
	if c.json(&got, "status"); got.Running || got.Server == nil || got.Server.StoppedAt == nil {
		t.Errorf("after the server: got %+v", got)
	}
	if text := c.must("status"); !strings.Contains(text, "not running; stopped at") {
		t.Errorf("after the server: got\n%s", text)
	}
	checkBackupList(t, c)
	checkMissingTargets(t, c, backups, replica)
}

// checkBackupList checks that each shop has a backup and a range in the replica.
func checkBackupList(t *testing.T, c *console) {
	t.Helper()
	var list struct {
		Shops []struct {
			UID     string
			Present bool
			Files   []struct{ Kind string }
			Replica *struct{ From, To time.Time }
		}
	}
	c.json(&list, "backup", "list")
	if len(list.Shops) != 3 {
		t.Fatalf("backup list: got %+v, want 3 shops", list.Shops)
	}
	for _, s := range list.Shops {
		if len(s.Files) == 0 || s.Files[0].Kind != "backup" || s.Replica == nil || s.Replica.To.Before(s.Replica.From) || s.Present != (s.UID != "gone") {
			t.Errorf("backup list: got %+v, want a backup and a range", s)
		}
	}
	if text := c.must("backup", "list"); !strings.Contains(text, "not in the data folder") {
		t.Errorf("backup list: got\n%s\nwant the deleted shop marked", text)
	}
}

// checkMissingTargets checks that doctor and serve notice missing folders.
func checkMissingTargets(t *testing.T, c *console, backups, replica string) {
	t.Helper()
	finding := func(name string) string {
		var found struct {
			Folder []struct{ Name, State, Message string }
		}
		if err := json.Unmarshal([]byte(c.run("doctor", "--json").stdout), &found); err != nil {
			t.Fatal(err)
		}
		for _, f := range found.Folder {
			if f.Name == name {
				return f.State + ": " + f.Message
			}
		}
		return ""
	}
	for name, folder := range map[string]string{"backups": backups, "replica": replica} {
		if got := finding(name); !strings.HasPrefix(got, "ok: "+folder) {
			t.Errorf("doctor: got %q, want a sound %s", got, name)
		}
		if err := os.Rename(folder, folder+"-unmounted"); err != nil {
			t.Fatal(err)
		}
		if got := finding(name); !strings.HasPrefix(got, "failing: ") || !strings.Contains(got, folder+" does not exist: mount it") {
			t.Errorf("doctor without %s: got %q, want failing", folder, got)
		}
	}
	c.fails(cmd.ExitUsage, "does not exist: mount it, or create it once with mkdir", "serve", "--backup-dir", backups)
	if _, err := os.Stat(backups); err == nil {
		t.Error("serve created the folder of backups")
	}
}

// A server that was killed is shown as such.
func TestStatus_KilledServer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	p, _ := serve(t, c.dir)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if text := c.must("status"); !strings.Contains(text, "not running; it was killed after") {
		t.Errorf("got\n%s\nwant a killed server", text)
	}
	c.fails(cmd.ExitFailed, "no server runs", "health")
	if _, err := os.Stat(filepath.Join(c.dir, "server.json")); err != nil {
		t.Error(err)
	}
}
