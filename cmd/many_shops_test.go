package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
)

// manyResults are the results of a command for shops.
type manyResults struct {
	Shops  []tenantView
	Failed []struct{ UID, Error string }
}

// A command for several shops reports each, and one failure does not stop the others.
func TestManyShops(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	uids := []string{"acme", "birch", "cedar", "elm", "fir", "maple", "oak"}
	for _, uid := range uids {
		c.must("tenant", "create", uid, "--name", "Shop "+uid)
	}
	states := func() (suspended []string) {
		t.Helper()
		var list []tenantView
		c.json(&list, "tenant", "list")
		for _, s := range list {
			if s.Suspended {
				suspended = append(suspended, s.UID)
			}
		}
		return suspended
	}
	if got := c.must("tenant", "suspend", "oak", "acme", "oak"); got != "oak is suspended.\nacme is suspended.\n" {
		t.Errorf("suspend: got %q", got)
	}
	c.fails(cmd.ExitFailed, "No shop has the UID larch. Nothing was done.", "tenant", "suspend", "elm", "larch")
	c.fails(cmd.ExitFailed, "this would suspend shops: 7 (acme, birch, cedar, elm, fir and 2 more)", "tenant", "suspend", "--all")
	if got := states(); !slices.Equal(got, []string{"acme", "oak"}) {
		t.Errorf("got %v suspended, want acme and oak", got)
	}
	c.must("api", "fir", "suspendShop")
	var results manyResults
	if c.json(&results, "tenant", "resume", "--all", "--yes"); len(results.Shops) != 7 || !slices.Equal(states(), []string{"fir"}) {
		t.Errorf("resume: got %+v and %v closed, want fir, which its staff have closed", results, states())
	}
	c.fails(cmd.ExitUsage, "--all cannot be combined", "tenant", "resume", "--all", "acme")
	c.fails(cmd.ExitUsage, "needs a shop and MODE", "tenant", "mode")
	if c.json(&results, "tenant", "mode", "elm", "fir", "sandbox"); results.Shops[1].ActiveMode != "sandbox" {
		t.Errorf("mode: got %+v", results)
	}
	var one tenantView
	if c.json(&one, "tenant", "mode", "elm", "live"); one.ActiveMode != "live" {
		t.Errorf("mode of one: got %+v", one)
	}

	// The currency of a shop with products is fixed.
	c.must("product", "import", "cedar", writeFile(t, "products.csv", "Handle,Title,Variant Price\nmug,Mug,99\n"))
	r := c.run("tenant", "set", "--all", "currency=EUR", "--yes")
	if r.code != cmd.ExitFailed || strings.Count(r.stdout, " changed.\n") != 6 || !strings.Contains(r.stdout, "cedar: The currency cannot be changed") ||
		!strings.Contains(r.stderr, "shops not changed: 1 of 7") {
		t.Errorf("set: got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	c.fails(cmd.ExitUsage, "elm must have the form KEY=VALUE", "tenant", "set", "acme", "elm")
	c.fails(cmd.ExitFailed, "this would change settings of shops: 7", "tenant", "set", "--all", "currency=BDT")

	if out := c.must("audit", "--all", "--action", "shop.suspend"); strings.Count(out, "shop.suspend") != 3 || strings.Count(out, "ACTION") != 7 {
		t.Errorf("audit: got\n%s", out)
	}
	var audits struct {
		Shops []struct {
			UID  string
			List struct{ Nodes []struct{ Action string } }
		}
	}
	if c.json(&audits, "audit", "acme", "oak", "--limit", "1"); len(audits.Shops) != 2 || len(audits.Shops[0].List.Nodes) != 1 {
		t.Errorf("audit: got %+v, want one entry of two shops", audits)
	}
	var products struct {
		Shops []struct {
			UID      string
			Response struct{ Nodes []struct{ Title string } }
		}
	}
	if c.json(&products, "api", "--all", "listProducts"); len(products.Shops) != 7 || len(products.Shops[2].Response.Nodes) != 1 {
		t.Errorf("api: got %+v, want the product of cedar", products)
	}
	if out := c.must("api", "--all", "listProducts"); strings.Count(out, "Nothing found.") != 6 {
		t.Errorf("api: got\n%s", out)
	}
	c.fails(cmd.ExitUsage, "suspendShop changes a shop", "api", "--all", "suspendShop")
	c.fails(cmd.ExitUsage, "--all cannot be combined with the UID", "api", "acme", "listProducts", "--all")

	dir := t.TempDir()
	c.must("tenant", "export", "--all", dir)
	if files, err := filepath.Glob(filepath.Join(dir, "*.jsonl")); err != nil || len(files) != 7 {
		t.Errorf("export: got %v, %v", files, err)
	}
	c.must("backup", "acme", "oak", filepath.Join(dir, "backups"))
	if files, err := filepath.Glob(filepath.Join(dir, "backups", "*."+backupSuffix())); err != nil || len(files) != 2 {
		t.Errorf("backup: got %v, %v", files, err)
	}
	c.fails(cmd.ExitFailed, "must be a folder", "backup", "acme", "oak", filepath.Join(dir, "both.db"))
	if r := c.run("site", "check", "acme", "cedar"); strings.Count(r.stdout, ": pages ") != 2 {
		t.Errorf("site check: got\n%s%s", r.stdout, r.stderr)
	}

	c.fails(cmd.ExitFailed, "this deletes shops: 6 (acme, birch, elm, fir, maple and 1 more)",
		append([]string{"tenant", "delete"}, without(uids, "cedar")...)...)
	c.must(append([]string{"tenant", "delete", "--yes"}, without(uids, "cedar")...)...)
	var list []tenantView
	if c.json(&list, "tenant", "list"); len(list) != 1 || list[0].UID != "cedar" {
		t.Errorf("got %+v, want cedar", list)
	}
	if got := c.must("tenant", "suspend"); got != "cedar is suspended.\n" { // the only shop
		t.Errorf("suspend without a UID: got %q", got)
	}
	if c.json(&results, "tenant", "resume", "--all", "--yes"); len(results.Shops) != 1 {
		t.Errorf("got %+v, want a list of one shop", results)
	}
	c.fails(cmd.ExitUsage, "tenant delete needs a shop", "tenant", "delete", "--yes")
}

// without returns a copy of a list without one element.
func without(list []string, element string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return e == element })
}

// A damaged shop does not stop the others.
func TestManyShops_Damaged(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it damages a file")
	c := newConsole(t)
	for i := range 3 {
		c.must("tenant", "create", fmt.Sprintf("shop-%d", i), "--name", "Shop")
	}
	file := filepath.Join(c.dir, "tenants", "shop-1.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.run("tenant", "suspend", "--all", "--yes")
	if r.code != cmd.ExitFailed || !strings.Contains(r.stdout, "shop-0 is suspended.\nshop-2 is suspended.\nshop-1: ") ||
		!strings.Contains(r.stderr, "shops not changed: 1 of 3") {
		t.Errorf("got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
