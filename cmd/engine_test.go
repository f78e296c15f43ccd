package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
	"storefront/db/dbtest"
)

// The password of a database is in an environment variable or a file, never on a command line.
func TestEngine_Password(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, address := range []string{
		"postgres://shop:hunter2@db.example/shop", "postgres://db.example/shop?user=shop&password=hunter2", "host=db.example password=hunter2",
		"postgres://shop:hunter2@db.example/%zz",
	} {
		r := c.run("tenant", "create", "acme", "--name", "Acme", "--engine", address)
		if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "must not contain a password") || strings.Contains(r.stderr, "hunter2") {
			t.Errorf("%s: got %d\n%s\nwant a refusal without the password", address, r.code, r.stderr)
		}
	}
	c.env["STOREFRONT_ENGINE"] = "host=/nowhere user=shop password=hunter2 dbname=shop"
	r := c.run("tenant", "create", "acme", "--name", "Acme")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stderr, "cannot be reached") || strings.Contains(r.stderr, "hunter2") {
		t.Errorf("got %d\n%s\nwant that the database cannot be reached, without the password", r.code, r.stderr)
	}
	c.env["STOREFRONT_ENGINE"] = "postgres://shop:hunter2@%zz"
	c.fails(cmd.ExitFailed, "the address must be postgres://", "tenant", "create", "acme", "--name", "Acme")
	delete(c.env, "STOREFRONT_ENGINE")
	c.fails(cmd.ExitFailed, "needs the address of a database", "tenant", "create", "acme", "--name", "Acme", "--in", "postgres")
	c.fails(cmd.ExitFailed, "must be files or postgres", "tenant", "create", "acme", "--name", "Acme", "--in", "cloud")
	c.fails(cmd.ExitFailed, "read the address of the database", "tenant", "list", "--engine", "@"+filepath.Join(t.TempDir(), "none"))
}

// Commands work on shops in files and in a database alike.
func TestEngine_Commands(t *testing.T) {
	t.Parallel()
	cluster := dbtest.NewCluster(t)
	c := newConsole(t)
	file := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(file, []byte(cluster.Address("postgres")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.env["STOREFRONT_ENGINE"] = "@" + file
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "paper", "--name", "Paper", "--in", "files")
	if out := c.must("tenant", "list"); !strings.Contains(out, "IN") || !strings.Contains(out, "postgres") || !strings.Contains(out, "files") {
		t.Errorf("tenant list: got\n%s\nwant where each shop is", out)
	}
	for _, uid := range []string{"acme", "paper"} {
		c.must("seed", uid)
		if out := c.must("product", "list", uid, "--search", "tea"); !strings.Contains(strings.ToLower(out), "tea") {
			t.Errorf("search in %s: got\n%s\nwant tea", uid, out)
		}
	}
	c.must("migrate", "--all")
	backups := t.TempDir()
	if out := c.must("backup", "--all", backups); !strings.Contains(out, ".jsonl.gz") || !strings.Contains(out, ".db ") {
		t.Errorf("backup --all: got\n%s\nwant an export of one shop and a file of the other", out)
	}
	c.fails(cmd.ExitFailed, "ends in .jsonl.gz", "backup", "acme", filepath.Join(backups, "acme.db"))
	c.must("backup", "paper", filepath.Join(backups, "paper.jsonl.gz"))
	if out := c.must("backup", "verify", backups); strings.Count(out, "sound") != 3 {
		t.Errorf("backup verify: got\n%s\nwant three sound backups", out)
	}
	if out := c.must("backup", "list", "--backup-dir", backups); !strings.Contains(out, "acme") {
		t.Errorf("backup list: got\n%s\nwant acme", out)
	}
	found, _ := filepath.Glob(filepath.Join(backups, "acme-*.jsonl.gz"))
	c.fails(cmd.ExitFailed, "which a file cannot replace", "restore", found[0])
	c.must("tenant", "delete", "acme", "--yes")
	c.must("restore", found[0], "--in", "postgres")

	export := filepath.Join(t.TempDir(), "acme.jsonl")
	if err := os.WriteFile(export, []byte(c.must("tenant", "export", "acme")), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must("tenant", "import", export, "--as", "copy", "--in", "files")
	var list struct {
		Nodes []struct{ UID, Place string }
	}
	var places []struct{ UID, Place string }
	out := c.must("tenant", "list", "--json")
	if err := json.Unmarshal([]byte(out), &places); err != nil {
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatal(err)
		}
		places = list.Nodes
	}
	if len(places) != 3 || places[0].Place != "postgres" || places[1].Place != "files" || places[2].Place != "files" {
		t.Errorf("tenant list --json: got %+v, want acme in postgres, copy and paper in files", places)
	}

	r := c.run("doctor")
	if !strings.Contains(r.stdout, "fsync is off") || !strings.Contains(r.stdout, "No synchronous standby") {
		t.Errorf("doctor: got\n%s\nwant what is unsafe in this database", r.stdout)
	}
	cluster.Kill()
	if r := c.run("doctor"); !strings.Contains(r.stdout, "cannot be reached") || !strings.Contains(r.stdout, "paper") {
		t.Errorf("doctor without the database: got\n%s%s\nwant that it cannot be reached", r.stdout, r.stderr)
	}
	if out := c.must("product", "list", "paper"); out == "" {
		t.Error("got no products of the shop in a file")
	}
	c.fails(cmd.ExitFailed, "cannot be reached", "product", "list", "acme")
}

// A shop that moves to the database and back has what it had.
func TestEngine_Move(t *testing.T) {
	t.Parallel()
	c, _ := newDatabaseConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--in", "files")
	c.must("seed", "acme")
	c.must("order", "list", "acme", "--search", "rahim") // writes the search index
	before := exportedLines(c)
	c.fails(cmd.ExitFailed, "nothing was changed", "tenant", "move", "acme", "--to", "postgres", "--at-most", "1ns")
	c.fails(cmd.ExitFailed, "--to must be", "tenant", "move", "acme", "--to", "cloud")
	for _, to := range []string{"postgres", "files"} {
		r := c.run("tenant", "move", "--all", "--to", to)
		if r.code != 0 || !strings.Contains(r.stderr, "orders will wait for about") || !strings.Contains(r.stdout, "acme is in "+to+".") {
			t.Fatalf("tenant move: got %d, %s%s, want the shop in %s", r.code, r.stdout, r.stderr, to)
		}
		if out := c.must("tenant", "list"); strings.Contains(out, "postgres") != (to == "postgres") {
			t.Errorf("tenant list: got\n%s\nwant acme in %s", out, to)
		}
		if diff := cmp.Diff(before, exportedLines(c)); diff != "" {
			t.Errorf("in %s: the shop's data differs (-before +now):\n%s", to, diff)
		}
		if out := c.must("product", "list", "acme", "--search", "tea"); !strings.Contains(strings.ToLower(out), "tea") {
			t.Errorf("search in %s: got\n%s\nwant tea", to, out)
		}
		if out := c.must("tenant", "move", "acme", "--to", to); !strings.Contains(out, "already") {
			t.Errorf("move again: got %s, want that it is there", out)
		}
	}
	delete(c.env, "STOREFRONT_ENGINE")
	c.fails(cmd.ExitFailed, "needs the address of a database", "tenant", "move", "acme", "--to", "files")
}

// newDatabaseConsole returns a console whose shops can be in a database of its own.
func newDatabaseConsole(t *testing.T) (*console, *dbtest.Cluster) {
	t.Helper()
	cluster := dbtest.NewCluster(t)
	c := newConsole(t)
	c.env["STOREFRONT_ENGINE"] = cluster.Address("postgres")
	return c, cluster
}

// exportedLines returns the lines of the export of the shop acme, without what a search index
// writes again.
func exportedLines(c *console) []string {
	return slices.DeleteFunc(slices.Sorted(strings.Lines(c.must("tenant", "export", "acme"))), func(line string) bool {
		return strings.HasPrefix(line, `["order_search`) || strings.HasPrefix(line, `{"end"`)
	})
}
