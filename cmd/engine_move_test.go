package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
)

// A shop whose data folder was lost in the middle of a move is hidden in the database: doctor lists
// it, and a command makes one of the copies count. No copy is deleted.
func TestEngine_LostFolder(t *testing.T) {
	t.Parallel()
	c, cluster := newDatabaseConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--in", "files")
	c.must("seed", "acme", "--no-orders")
	before := exportedLines(c)
	file := filepath.Join(c.dir, "tenants", "acme.db")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hide := func(state string) {
		t.Helper()
		cluster.SQL(`UPDATE storefront.engine_state SET state = '` + state + `', token = 7`)
	}
	trashed := func() int {
		found, _ := filepath.Glob(filepath.Join(c.dir, "trash", "acme*"))
		found = slices.DeleteFunc(found, func(path string) bool { return strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") })
		return len(found)
	}
	c.fails(cmd.ExitFailed, "no unfinished move", "tenant", "move", "acme", "--use", "postgres")
	c.fails(cmd.ExitFailed, "--use must be", "tenant", "move", "acme", "--use", "cloud")
	c.fails(cmd.ExitFailed, "No shop has this UID", "tenant", "move", "..", "--use", "files")
	c.must("tenant", "move", "acme", "--to", "postgres")
	for _, state := range []string{"moved", "arriving"} {
		hide(state)
		c.fails(cmd.ExitFailed, "No shop has this UID", "product", "list", "acme")
		if out := c.run("doctor").stdout; !strings.Contains(out, "tenant move acme --use postgres") {
			t.Errorf("%s: doctor: got\n%s\nwant what to do about the shop", state, out)
		}
		c.fails(cmd.ExitFailed, "has no usable file", "tenant", "move", "acme", "--use", "files")
		c.must("tenant", "move", "acme", "--use", "postgres")
		if diff := cmp.Diff(before, exportedLines(c)); diff != "" {
			t.Errorf("%s: the shop's data differs (-before +now):\n%s", state, diff)
		}
		if out := c.run("doctor").stdout; strings.Contains(out, "--use") {
			t.Errorf("%s: doctor: got\n%s\nwant no unfinished move", state, out)
		}
		c.fails(cmd.ExitFailed, "no unfinished move", "tenant", "move", "acme", "--use", "postgres")
	}
	// A restored file is beside the hidden copy.
	restored := func(state string) {
		t.Helper()
		hide(state)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	restored("arriving")
	were := trashed()
	c.must("tenant", "move", "acme", "--use", "files")
	if diff := cmp.Diff(before, exportedLines(c)); diff != "" {
		t.Errorf("in the file: the shop's data differs (-before +now):\n%s", diff)
	}
	if n := trashed() - were; n != 1 || cluster.SQL(`SELECT COUNT(*) FROM storefront.engine_state`) != "0" {
		t.Errorf("got %d copies more in the trash, want the export of the database's copy, which is gone there", n)
	}
	c.must("tenant", "move", "acme", "--to", "postgres")
	restored("moved")
	were = trashed()
	c.must("tenant", "move", "acme", "--use", "postgres")
	if diff := cmp.Diff(before, exportedLines(c)); diff != "" {
		t.Errorf("in the database: the shop's data differs (-before +now):\n%s", diff)
	}
	if n := trashed() - were; n != 1 {
		t.Errorf("got %d copies more in the trash, want the file", n)
	}
	if out := c.must("tenant", "list"); !strings.Contains(out, "postgres") {
		t.Errorf("got\n%s\nwant the shop in the database", out)
	}
}

// A copy in the database is deleted when its shop has moved to a file, or put in the trash, from
// where it can be restored.
func TestTenantMove_Keep(t *testing.T) {
	t.Parallel()
	c, cluster := newDatabaseConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--in", "postgres")
	c.must("seed", "acme", "--no-orders")
	kept := func() []string {
		found, err := filepath.Glob(filepath.Join(c.dir, "trash", "acme-*.jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	lines := func() []string {
		ofRestore := func(line string) bool { // it raises the next number, renews cursors, and is an event
			return strings.HasPrefix(line, `["order",`) || strings.HasPrefix(line, `["epoch",`) || strings.HasPrefix(line, `["content",`) ||
				strings.Contains(line, `"shop.restored"`)
		}
		return slices.DeleteFunc(exportedLines(c), ofRestore)
	}
	before := lines()
	c.must("tenant", "move", "acme", "--to", "files")
	if got := kept(); len(got) != 0 {
		t.Errorf("without --keep: got %q in the trash, want no export", got)
	}
	c.must("tenant", "move", "acme", "--to", "postgres", "--keep")
	c.must("tenant", "move", "acme", "--to", "files", "--keep")
	got := kept()
	if len(got) != 1 {
		t.Fatalf("with --keep: got %q in the trash, want an export", got)
	}
	if rows := cluster.SQL(`SELECT (SELECT count(*) FROM storefront.shops) + (SELECT count(*) FROM storefront.products)`); rows != "0" {
		t.Errorf("got %s rows in the database, want none", rows)
	}
	c.must("tenant", "delete", "acme", "--yes")
	c.must("restore", got[0], "--in", "postgres")
	if diff := cmp.Diff(before, lines()); diff != "" {
		t.Errorf("the restored copy differs (-before +now):\n%s", diff)
	}
}
