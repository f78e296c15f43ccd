package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
)

func TestMigrate(t *testing.T) {
	dbtest.NeedFiles(t, "a shop's file is not a database")
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"acme", "broken", "maple", "newer"} {
		c.must("tenant", "create", uid, "--name", uid)
	}
	var got struct {
		Shops []struct {
			UID      string
			From, To int
			Copy     *string
		}
		Failed []struct{ UID, Error string }
	}
	c.json(&got, "migrate", "--all")
	if len(got.Shops) != 4 || got.Shops[0].From != got.Shops[0].To || got.Shops[0].Copy != nil {
		t.Errorf("migrate --all: got %+v, want 4 shops up to date", got)
	}

	c.later = 2
	c.must("migrate", "newer")
	c.later = 1
	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "broken.db"), []byte("rubbish that is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.run("migrate", "--all")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stdout, "2 migrated, 0 up to date, 2 failed.") ||
		!strings.Contains(r.stdout, "start that version, or restore an older backup") || !strings.Contains(r.stderr, "shops not migrated: 2 of 4") {
		t.Errorf("migrate --all: got exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	c.json(&got, "migrate", "acme", "maple")
	if len(got.Shops) != 2 || got.Shops[1].From != got.Shops[1].To {
		t.Errorf("migrate again: got %+v, want both up to date", got)
	}
	c.fails(cmd.ExitFailed, "written by a newer version", "migrate", "newer")
	c.fails(cmd.ExitUsage, "migrate needs a shop", "migrate")
}
