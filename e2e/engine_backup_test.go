package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/db/dbtest"
)

// killedAt runs a command and kills it at a moment of its conversation with the database.
func killedAt(t *testing.T, cluster *dbtest.Cluster, at moment, args ...string) {
	t.Helper()
	g := newGate(t, cluster.Socket(), at)
	defer g.close()
	command := storefront(t, append(args, "--engine", g.address())...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // killed
		close(ended)
	}()
	select {
	case <-g.reached:
	case <-ended:
		t.Fatalf("%q ended before %+v:\n%s", args, at, out.String())
	}
	_ = command.Process.Kill()
	<-ended
}

// A backup that is killed leaves none, and a restore to the database that is killed leaves the
// whole shop or nothing. Both can be repeated.
func TestEngine_BackupKilled(t *testing.T) {
	t.Parallel()
	cluster := dbtest.NewCluster(t)
	data, backups := newShop(t, "acme", 5), t.TempDir()
	direct := []string{"--data", data, "--engine", cluster.Address("postgres")}
	engine := func(args ...string) string {
		t.Helper()
		return run(t, append(args, direct...)...)
	}
	engine("tenant", "move", "acme", "--to", "postgres", "--at-most", "0")
	products := engine("product", "list", "acme", "--json")

	killedAt(t, cluster, moment{statement: "order_items"}, "backup", "acme", backups, "--data", data)
	if found, _ := filepath.Glob(filepath.Join(backups, "acme*")); len(found) > 0 {
		t.Errorf("after the kill: got %v, want no backup", found)
	}
	engine("backup", "acme", backups)
	found, _ := filepath.Glob(filepath.Join(backups, "*.jsonl.gz"))
	if len(found) != 1 {
		t.Fatalf("got the backups %v, want one", found)
	}
	engine("backup", "verify", backups)
	engine("tenant", "delete", "acme", "--yes")

	const created = "INSERT INTO engine_state"
	for _, test := range []struct {
		name  string
		at    moment
		there bool
	}{
		{"nothing is stored", moment{statement: created}, false},
		{"before the commit", moment{statement: created, commit: true}, false},
		{"after the commit", moment{statement: created, commit: true, after: true}, true},
	} {
		killedAt(t, cluster, test.at, "restore", found[0], "--data", data)
		dbtest.Eventually(t, test.name+": the shop is there or not", func() bool {
			return strings.Contains(engine("tenant", "list"), "acme") == test.there
		})
	}
	if got := engine("product", "list", "acme", "--json"); got != products {
		t.Errorf("products: got\n%s\nwant those of the backup:\n%s", got, products)
	}
	engine("tenant", "delete", "acme", "--yes")
	engine("restore", found[0])
	if left, err := os.ReadDir(filepath.Join(data, "restoring")); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v, want nothing left of the killed restores", left, err)
	}
	if got := engine("product", "list", "acme", "--json"); got != products {
		t.Errorf("products: got\n%s\nwant those of the backup:\n%s", got, products)
	}
}

// The commands about backups in docs/postgres.md run, twice on one data folder.
func TestEngine_BackupPage(t *testing.T) {
	t.Parallel()
	cluster := dbtest.NewCluster(t)
	data := newShop(t, "paris", 5)
	dir := filepath.Dir(data)
	linkProgram(t, dir)
	backups := filepath.Join(dir, "backups")
	prefix := "export STOREFRONT_ENGINE='" + cluster.Address("postgres") + "'\n"
	shell(t, dir, prefix+"./storefront tenant create acme --name Acme\n./storefront seed acme\n")
	for range 2 {
		run := func(name string) string {
			t.Helper()
			text := strings.ReplaceAll(commands(t, "../docs/postgres.md", name, "end of "+name), "/backups", backups)
			for _, uid := range []string{"acme", "paris"} {
				if found, _ := filepath.Glob(filepath.Join(backups, uid+"-2*[bz]")); len(found) > 0 {
					suffix := map[string]string{"acme": ".jsonl.gz", "paris": ".db"}[uid]
					text = strings.ReplaceAll(text, filepath.Join(backups, uid+"-20260301T060000.000Z"+suffix), found[len(found)-1])
				}
			}
			return shell(t, dir, prefix+text)
		}
		if out := run("backups"); strings.Contains(out, "damaged") || !strings.Contains(out, "acme") {
			t.Errorf("backups: got\n%s\nwant sound ones of acme", out)
		}
		run("restores")
		run("leaving")
		if out := shell(t, dir, prefix+"./storefront product list acme --search tea"); !strings.Contains(strings.ToLower(out), "tea") {
			t.Errorf("search: got\n%s\nwant tea", out)
		}
		shell(t, dir, prefix+"for uid in acme-file paris-copy acme-copy; do ./storefront tenant delete $uid --yes; done")
	}
}

// The commands of docs/postgres.md replace the key of a database: the shops are complete in another
// one with a new key, which opens none of the old secrets.
func TestEngine_KeysPage(t *testing.T) {
	t.Parallel()
	cluster := dbtest.NewCluster(t)
	cluster.SQL("CREATE DATABASE fresh")
	dir := t.TempDir()
	linkProgram(t, dir)
	prefix := "export STOREFRONT_ENGINE='" + cluster.Address("postgres") + "'\n"
	shell(t, dir, prefix+`./storefront tenant create acme --name Acme
		./storefront seed acme
		./storefront token create acme --name old
		./storefront plugin configure acme courier_a webhook_secret=read-by-somebody`)
	page := commands(t, "../docs/postgres.md", "keys", "end of keys")
	text := strings.ReplaceAll(page, "host=db.example dbname=fresh", cluster.Address("fresh"))
	if strings.Count(text, cluster.Address("fresh")) != 2 {
		t.Fatalf("got other addresses than expected in\n%s", page)
	}
	if out := shell(t, dir, prefix+text); !strings.Contains(out, "acme") {
		t.Errorf("got the shops\n%s\nwant acme", out)
	}
	keys := map[string]bool{}
	for _, folder := range []string{"data", "new-data"} {
		keys[string(readKey(t, filepath.Join(dir, folder)))] = true
	}
	if len(keys) != 2 {
		t.Error("got the old key in the new data folder, want another")
	}
	products := "./storefront product list acme --json"
	moved := "export STOREFRONT_ENGINE='" + cluster.Address("fresh") + "' STOREFRONT_DATA=new-data\n"
	if got, want := shell(t, dir, moved+products), shell(t, dir, prefix+products); got != want {
		t.Errorf("products: got\n%s\nwant\n%s", got, want)
	}
	if got := shell(t, dir, moved+"./storefront plugin list acme"); strings.Contains(got, "(set, not shown)") {
		t.Errorf("got the old secret in\n%s", got)
	}
	if got := shell(t, dir, moved+"./storefront token list acme"); strings.Contains(got, "old") {
		t.Errorf("got the old API key in\n%s", got)
	}
}
