package cmd_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop/page"
	"storefront/shop/staff"
)

// exportedRows returns the rows of a shop's export by table.
func (c *console) exportedRows(uid string) map[string][]string {
	c.t.Helper()
	rows, table := map[string][]string{}, ""
	for line := range strings.Lines(c.must("tenant", "export", uid)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			rows[table] = append(rows[table], line)
			continue
		}
		var head struct{ Table string }
		if err := json.Unmarshal([]byte(line), &head); err != nil {
			c.t.Fatal(err)
		}
		table = head.Table
	}
	return rows
}

// A shop receives the template's settings and content, and nothing that belongs to its merchant,
// buyers or staff.
func TestTenantCreate_Like(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	c.must("staff", "invite", "acme", "--role", "owner", "--name", "Template Owner", "--email", "template@example.com")
	c.must("tenant", "set", "acme", `advance={"rules":[],"wallets":[{"method":"bkash","number":"01711000000"}]}`,
		`supportContact={"phone":"01711000001"}`, `domains=["template.example"]`, `autoConfirm=true`,
		`storefrontUrl=https://template.example`)
	c.must("tenant", "suspend", "acme")
	c.must("api", "acme", "saveMenus", "--body", writeFile(t, "menus.json",
		`{"main":[{"title":{"en":"Eid"},"link":"/collections/eid"}],"footer":[],"secondary":[]}`))
	c.must("tenant", "create", "plain", "--name", "Plain", "--like", "acme")
	c.must("tenant", "create", "full", "--name", "Full", "--like", "acme", "--with-catalogue", "--owner", "rina@example.com")
	template, plain, full := c.exportedRows("acme"), c.exportedRows("plain"), c.exportedRows("full")
	want := map[string][]string{
		"plain": {"settings", "secrets", "counters", "designs", "menus", "design_images", "media", "translations"},
		"full": {
			"settings", "secrets", "designs", "menus", "design_images", "media", "translations", "counters", "products", "product_revisions",
			"images", "product_handles", "variants", "stock_movements", "product_tags", "collections", "collection_handles",
			"collection_products", "landing_pages", "staff", "staff_links", "audit_log", "outbox",
		},
	}
	for uid, rows := range map[string]map[string][]string{"plain": plain, "full": full} {
		for table, list := range rows {
			if len(list) > 0 && !slices.Contains(want[uid], table) {
				t.Errorf("%s: got %d rows of %s, want none", uid, len(list), table)
			}
			for _, row := range list {
				for _, own := range []string{"01711000000", "01711000001", "template.example", "Template Owner", "template@example.com"} {
					if strings.Contains(row, own) {
						t.Errorf("%s: got %q in a row of %s", uid, own, table)
					}
				}
			}
		}
	}
	for _, table := range []string{"variants", "images", "collections", "collection_products", "product_tags", "landing_pages", "menus"} {
		if got, want := len(full[table]), len(template[table]); got != want || want == 0 {
			t.Errorf("%s: got %d rows, want %d as the template", table, got, want)
		}
	}
	var was, is tenantView
	c.json(&was, "tenant", "show", "acme")
	c.json(&is, "tenant", "show", "full")
	if is.Name != "Full" || is.Suspended || !is.AutoConfirm || len(is.DeliveryCharges) == 0 || len(is.DeliveryCharges) != len(was.DeliveryCharges) {
		t.Errorf("got settings %+v, want the template's %+v under another name, and open", is, was)
	}
	if got := c.run("doctor").stdout; !strings.Contains(got, "Shops without problems: 2 of 3") { // the template has orders to check
		t.Errorf("doctor: got\n%s\nwant no problem of a new shop", got)
	}
	var found page.Page[struct{ Handle string }]
	c.json(&found, "api", "full", "listProducts", "--search", "panjabi")
	if len(found.Nodes) == 0 {
		t.Error("got no product by a search, want an index")
	}
	c.fails(cmd.ExitFailed, "Must be the currency of the template, BDT",
		"tenant", "create", "euro", "--name", "Euro", "--currency", "EUR", "--like", "acme")
	c.fails(cmd.ExitFailed, "No shop has this UID", "tenant", "create", "none", "--name", "None", "--like", "nobody")
	c.fails(cmd.ExitUsage, "--with-catalogue needs --like", "tenant", "create", "none", "--name", "None", "--with-catalogue")
}

// readLinks returns the rows of a file of links by the shop's UID.
func readLinks(t *testing.T, path string) map[string][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, record := range records[1:] {
		rows[record[0]] = record
	}
	return rows
}

func TestTenantCreate_FileColumns(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "set", "acme", `domains=["taken.example"]`)
	file := writeFile(t, "shops.csv", `uid,name,owner,ownerName,domains,deliveryCharges,autoConfirm,unitsPerOrder
acme,Acme,,,,,,
maple,Maple,rina@example.com,Rina Akter,maple.example www.maple.example,"[{""name"": ""Dhaka"", ""charge"": 7000}]",true,12
oak,Oak,01711-000000,,,,,
`)
	bad := writeFile(t, "bad.csv", `uid,name,owner,domains,deliveryCharges
elm,Elm,nobody@,,
fir,Fir,,taken.example,
yew,Yew,,yew.example,[broken
ash,Ash,,ash.example,
ivy,Ivy,,ash.example,
`)
	for _, problem := range []string{
		"invalid rows: 4 of 5", "line 2: ", "line 3: taken.example belongs to the shop acme", "line 4: Invalid value for deliveryCharges: not JSON",
		"line 6: the domain ash.example is in line 5 already",
	} {
		c.fails(cmd.ExitFailed, problem, "tenant", "create", "--from", bad)
	}
	c.fails(cmd.ExitFailed, "already exists", "tenant", "create", "--from", file)
	if got := c.must("tenant", "create", "--from", file, "--skip-existing", "--dry-run"); got !=
		"Nothing was created. Shops to create: 2 (maple, oak).\nShops that exist already, unchanged: 1 (acme).\n" {
		t.Errorf("dry run: got %q", got)
	}
	links := filepath.Join(t.TempDir(), "links.csv")
	c.must("tenant", "create", "--from", file, "--skip-existing", "--links", links, "--public-url", "https://shop.example")
	if info, err := os.Stat(links); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("got %v, %v, want a file for its owner only", info.Mode(), err)
	}
	got := readLinks(t, links)
	if len(got) != 2 || got["maple"][1] != "Rina Akter" || got["oak"][2] != "+8801711000000" ||
		!strings.HasPrefix(got["maple"][3], "https://shop.example/admin/#/maple/link/") {
		t.Errorf("got links %v", got)
	}
	var maple tenantView
	c.json(&maple, "tenant", "show", "maple")
	if !maple.AutoConfirm || len(maple.DeliveryCharges) != 1 || maple.DeliveryCharges[0].Charge != 7000 {
		t.Errorf("got %+v, want the columns' settings", maple)
	}
	var settings struct{ Domains, ConfirmedDomains []string }
	if c.json(&settings, "tenant", "show", "maple"); len(settings.Domains) != 2 || len(settings.ConfirmedDomains) != 2 {
		t.Errorf("got %+v, want two confirmed domains", settings)
	}
	c.fails(cmd.ExitFailed, "choose a new file", "tenant", "create", "--from", writeFile(t, "more.csv", "uid,name\npine,Pine\n"), "--links", links)
	if got := c.must("tenant", "create", "--from", file, "--skip-existing"); !strings.Contains(got, "Shops created: 0.") {
		t.Errorf("again: got %q, want nothing to do", got)
	}
	var many strings.Builder
	many.WriteString("uid,name\n")
	for range 30 {
		many.WriteString("acme,Acme\n")
	}
	out := c.run("tenant", "create", "--from", writeFile(t, "many.csv", many.String())).stderr
	if strings.Count(out, "line ") != 20 || !strings.Contains(out, "and 10 more") {
		t.Errorf("got\n%s\nwant 20 problems and the number of the others", out)
	}
}

// A shop exists completely or not at all if the command is killed, and the next run creates the
// others.
func TestTenantCreate_Killed(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	const shops = 20
	var text strings.Builder
	text.WriteString("uid,name,owner\n")
	for i := range shops {
		fmt.Fprintf(&text, "shop-%02d,Shop %d,owner-%d@example.com\n", i, i, i)
	}
	dir := t.TempDir()
	file, links := writeFile(t, "shops.csv", text.String()), filepath.Join(dir, "links.csv")
	p := startProcess(t, "tenant", "create", "--from", file, "--like", "acme", "--with-catalogue", "--links", links, "--data", c.dir)
	dbtest.Eventually(t, "links of five shops", func() bool {
		written, err := os.ReadFile(links)
		return err == nil && strings.Count(string(written), "\n") > 5
	})
	if code := p.stop(syscall.SIGKILL); code == 0 {
		t.Skip("the command ended before it was killed")
	}
	var list []tenantView
	c.json(&list, "tenant", "list")
	if len(list) < 6 || len(list) > shops {
		t.Fatalf("got %d shops, want some of %d", len(list), shops+1)
	}
	before := c.exportedRows("acme")
	for _, shop := range list {
		if shop.UID == "acme" {
			continue
		}
		rows := c.exportedRows(shop.UID)
		if got, want := len(rows["variants"]), len(before["variants"]); got != want || len(rows["staff"]) != 1 {
			t.Errorf("%s: got %d variants and %d staff members, want %d and the owner", shop.UID, got, len(rows["staff"]), want)
		}
	}
	c.must("tenant", "create", "--from", file, "--like", "acme", "--with-catalogue", "--skip-existing", "--links", filepath.Join(dir, "more.csv"))
	if c.json(&list, "tenant", "list"); len(list) != shops+1 {
		t.Errorf("got %d shops, want %d", len(list), shops+1)
	}
	var members []staff.Member
	if c.json(&members, "staff", "list", "shop-19"); len(members) != 1 || members[0].Role != staff.RoleOwner {
		t.Errorf("got members %+v, want the owner", members)
	}
	if got := c.run("doctor").stdout; !strings.Contains(got, fmt.Sprintf("Shops without problems: %d of %d", shops, shops+1)) {
		t.Errorf("doctor: got\n%s\nwant no problem of a new shop", got)
	}
}
