package cmd_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/db"
	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// Every operation has a help with its flags, and is listed, except those of a staff member's own
// session, which are refused.
func TestAPI_EveryOperation(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	var list []struct{ OperationID string }
	c.json(&list, "api", "list")
	listed := map[string]bool{}
	for _, o := range list {
		listed[o.OperationID] = true
	}
	for _, o := range admin.Operations() {
		isOwn := o.Use.Permission == access.Own || o.Use.Permission == access.Anybody
		if listed[o.ID] == isOwn {
			t.Errorf("%s: got listed %t, want %t", o.ID, listed[o.ID], !isOwn)
		}
		help := c.must("api", "acme", o.ID, "--help")
		for _, want := range []string{o.Summary, "storefront api UID " + o.ID, "storefront api acme " + o.ID} {
			if !strings.Contains(help, want) {
				t.Errorf("%s --help: got\n%s\nwant %q", o.ID, help, want)
			}
		}
		isSingle := !strings.Contains(o.Path, "{") && o.Method == "GET"
		if isOwn && isSingle {
			c.fails(cmd.ExitFailed, "needs the session of a staff member", "api", "acme", o.ID)
		}
		if !isOwn && isSingle && !o.Changes() && !o.Live && o.ID != "search" && o.ID != "getOrderLink" { // which need a parameter
			c.must("api", "acme", o.ID, "--json")
		}
	}
}

// On a terminal a long list is shown by pages; piped and as JSON it is complete.
func TestAPI_LongList(t *testing.T) {
	t.Parallel()
	const orders = 130
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insertOrders(t, c, orders)
	var list page.List[struct{ OrderNumber int }]
	c.json(&list, "api", "acme", "listOrders")
	if len(list.Nodes) != orders || list.Meta.TotalCount != orders || list.Meta.HasNextPage || list.Meta.TotalPages != 1 {
		t.Errorf("--json: got %d orders, %+v, want all on one page", len(list.Nodes), list.Meta)
	}
	numbers := map[int]bool{}
	for _, o := range list.Nodes {
		numbers[o.OrderNumber] = true
	}
	if len(numbers) != orders {
		t.Errorf("--json: got %d different orders, want %d", len(numbers), orders)
	}
	if out := c.must("api", "acme", "listOrders"); strings.Count(out, "\n") != orders+1 || strings.Contains(out, "next:") {
		t.Errorf("piped: got %d lines, want a heading and %d orders", strings.Count(out, "\n"), orders)
	}
	wantFirstPage(t, c.must("api", "acme", "listOrders", "--limit", "50"))
	c.json(&list, "api", "acme", "listOrders", "--page", "3", "--limit", "50")
	if len(list.Nodes) != 30 {
		t.Errorf("--page 3: got %d orders, want 30", len(list.Nodes))
	}
	rows, err := csv.NewReader(strings.NewReader(c.must("api", "acme", "exportOrders", "--status", "completed"))).ReadAll()
	if err != nil || len(rows) != orders {
		t.Errorf("exportOrders: got %d rows, %v, want a header and %d orders", len(rows), err, orders-1)
	}
}

// Lists are complete with --json and in a pipe, unless a page is selected.
func TestLists_Complete(t *testing.T) {
	t.Parallel()
	const orders = 130
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	insertOrders(t, c, orders)
	withShops(t, c.dir, func(s *db.Store) error {
		return s.Update(t.Context(), "acme", func(_ context.Context, tx *db.Tx) error {
			for n := range 150 {
				id := fmt.Sprintf("01KAMZ3V7T9S0E8GQ2W4B6N%03d", n)
				for row, args := range map[string][]any{
					`INSERT INTO audit_log (id, at, actor_kind, actor_id, actor_name, via, client, request_id, action,
						subject_kind, subject_id, label, changes)
						VALUES (?, 1, 'cli', '', 'rina', 'cli', '', '', 'order.note', 'order', '', '', '[]')`: {id},
					`INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, created_at, finished_at)
						VALUES (?, 'confirm', '{"kind":"cli"}', '', '', '{}', 'done', 0, 1, 1)`: {id},
					`INSERT INTO provider_webhooks (id, provider, key, content_type, body, event, verdict, reason, copies,
						received_at, last_at)
						VALUES (?, 'courier_a', ?, '', ?, 'order.delivered', 'ignored', '', 1, 1, 1)`: {id, []byte(id), []byte("{}")},
				} {
					if _, err := tx.Exec(row, args...); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	for _, list := range []struct {
		command string
		least   int // entries; more than a page
	}{
		{"order list acme", orders},
		{"customer list acme --kind all", 1},
		{"audit acme", 150},
		{"webhook list acme", 150},
		{"job list acme", 150},
		{"api acme listOrders", orders},
	} {
		args := strings.Fields(list.command)
		var all page.List[any]
		c.json(&all, args...)
		if len(all.Nodes) < list.least || all.Meta.TotalCount != len(all.Nodes) || all.Meta.HasNextPage || all.Meta.Bounded {
			t.Errorf("%s --json: got %d entries, %+v, want all, at least %d", list.command, len(all.Nodes), all.Meta, list.least)
		}
		piped := c.must(args...)
		if got := strings.Count(piped, "\n") - 1; len(all.Nodes) > 0 && got != len(all.Nodes) || strings.Contains(piped, "next:") {
			t.Errorf("%s in a pipe: got %d entries, want %d", list.command, got, len(all.Nodes))
		}
		c.json(&all, append(args, "--limit", "1")...)
		if len(all.Nodes) != min(list.least, 1) {
			t.Errorf("%s --limit 1: got %d entries, want at most one", list.command, len(all.Nodes))
		}
		c.json(&all, append(args, "--page", "2")...)
		if want := min(50, max(list.least-50, 0)); len(all.Nodes) != want {
			t.Errorf("%s --page 2: got %d entries, want %d", list.command, len(all.Nodes), want)
		}
	}
	if got := strings.Count(c.must("order", "list", "acme", "--format", "uid"), "\n"); got != orders {
		t.Errorf("order list --format uid: got %d lines, want %d", got, orders)
	}
}

// insertOrders adds orders to the shop acme, which has products.
func insertOrders(t *testing.T, c *console, orders int) {
	t.Helper()
	placeOrder(t, c.dir, "acme")
	withShops(t, c.dir, func(s *db.Store) error {
		shoptest.InsertDelivered(t, s, "acme", orders-1)
		return nil
	})
}

// wantFirstPage checks that a command has printed the first 50 of 130 orders.
func wantFirstPage(t *testing.T, out string) {
	t.Helper()
	if !strings.HasSuffix(out, "\nPage 1 of 3, 130 in total; next: --page 2.\n") || strings.Count(out, "\n") != 50+3 {
		t.Errorf("a page: got\n%s\nwant 50 orders and how to read on", out)
	}
}

// Values are flags by either spelling, a file or the standard input; null clears a field.
func TestAPI_Body(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	type coupon struct {
		Code       string
		Amount     *int64
		UsageLimit *int64
	}
	var saved coupon
	c.stdin = `{"code":"EID","kind":"fixed","amount":10000,"usageLimit":5}`
	if c.json(&saved, "api", "acme", "saveCoupon", "--body", "-"); *saved.Amount != 100_00 || *saved.UsageLimit != 5 {
		t.Errorf("--body -: got %+v", saved)
	}
	saved = coupon{}
	c.json(&saved, "api", "acme", "updateCoupon", "--code", "eid", "--new-code", "EID2", "--usageLimit", "null")
	if saved.Code != "EID2" || saved.UsageLimit != nil || *saved.Amount != 100_00 {
		t.Errorf("updateCoupon: got %+v, want another code and no limit", saved)
	}
	c.fails(cmd.ExitFailed, "--usage-limit: ", "api", "acme", "updateCoupon", "--code", "EID2", "--usage-limit", "-1")
	unknown := writeFile(t, "coupon.json", `{"code":"A","kind":"fixed","amount":1,"colour":"red"}`)
	c.fails(cmd.ExitFailed, "colour", "api", "acme", "saveCoupon", "--body", unknown)
	c.fails(cmd.ExitFailed, "No coupon", "api", "acme", "getCoupon", "--code", "NOPE")
	c.fails(cmd.ExitFailed, "no such file", "api", "acme", "saveCoupon", "--body", "missing.json")

	file := filepath.Join(t.TempDir(), "mug.png")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(w, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if out := c.must("api", "acme", "uploadMedia", "--body", file); !strings.Contains(out, "width: 40") {
		t.Errorf("uploadMedia: got\n%s\nwant the image", out)
	}
	var report struct{ Products, Created int }
	c.json(&report, "api", "acme", "importProducts", "--body", writeFile(t, "products.csv", twoProducts))
	if report.Products != 2 || report.Created != 2 {
		t.Errorf("importProducts: got %+v, want two products", report)
	}
}

// The shop, the operation and its flags are completed.
func TestAPI_Completion(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.env["STOREFRONT_DATA"] = c.dir
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"api", ""}, "acme"},
		{[]string{"api", "acme", "cancelO"}, "cancelOrder"},
		{[]string{"api", "cancelOrder", "--rea"}, "--reason"},
		{[]string{"api", "acme", "cancelOrder", "--rea"}, "--reason"},
		{[]string{"api", "acme", "listOrders", "--view", "toC"}, "toConfirm"},
	} {
		var got []string
		for line := range strings.Lines(c.mustBare(append([]string{"__complete"}, tt.args...)...)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		if !slices.Contains(got, tt.want) {
			t.Errorf("%v: got %v, want %s", tt.args, got, tt.want)
		}
	}
}

// A command beside a server is seen by it, and runs a job to its end without one.
func TestAPI_BesideServer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	c.must("api", "demo", "updateProduct", "--id", "mango-pickle", "--title", "Green mango pickle")
	if _, body := get(t, r.URL+"/api/v1/products/handle/mango-pickle", "demo"); !strings.Contains(string(body), "Green mango pickle") {
		t.Errorf("got %s, want the new title", body)
	}
	var done struct {
		Status      string
		Total, Done int
	}
	c.json(&done, "api", "demo", "changeProducts", "--action", "addTags", "--filter", `{"search":"panjabi"}`, "--options", `{"tags":["eid"]}`)
	if done.Status != "done" || done.Total == 0 || done.Done != done.Total {
		t.Errorf("changeProducts: got %+v, want a job that has ended", fmt.Sprint(done))
	}
}
