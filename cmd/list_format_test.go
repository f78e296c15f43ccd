package cmd_test

import (
	"slices"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestListFormat_UID(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "create", "maple", "--name", "Maple")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "6")
	if out := c.must("order", "list", "acme", "--format", "uid"); out != "" {
		t.Errorf("order list without orders: got %q, want nothing", out)
	}
	first, second := placeOrder(t, c.dir, "acme"), placeOrder(t, c.dir, "acme")
	c.register("acme", "Rahim Uddin", "01711-000000")
	var customers struct {
		Nodes []struct {
			ID string `json:"_id"`
		}
	}
	c.json(&customers, "customer", "list", "acme")
	var token struct {
		ID string `json:"_id"`
	}
	c.json(&token, "token", "create", "acme")

	for _, tt := range []struct {
		args string
		want string
	}{
		{"order list acme --format uid", second + "\n" + first + "\n"},
		{"order list acme --limit 1 --format uid", second + "\n"},
		{"order list acme --limit 1 --page 2 --format uid", first + "\n"},
		{"order list acme --status cancelled --format uid", ""},
		{"customer list acme --format uid", customers.Nodes[0].ID + "\n"},
		{"token list acme --format uid", token.ID + "\n"},
		{"tenant list --format uid", "acme\nmaple\n"},
		{"webhook list acme --format uid", ""},
		{"payment list acme --format uid", ""},
	} {
		if out := c.must(strings.Fields(tt.args)...); out != tt.want {
			t.Errorf("%s: got %q, want %q", tt.args, out, tt.want)
		}
	}
	table := c.must("order", "list", "acme")
	if out := c.must("order", "list", "acme", "--format", "table"); out != table || !strings.Contains(out, "INVOICE") {
		t.Errorf("--format table: got\n%s\nwant the default\n%s", out, table)
	}
}

// A list of nothing is a sentence, not the names of columns alone.
func TestLists_Empty(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for _, list := range []string{
		"order list", "product list", "collection list", "coupon list",
		"customer list", "customer list --guests", "job list", "payment list", "webhook list", "staff list", "token list", "api listFlags",
	} {
		if out := c.must(strings.Fields(list)...); !strings.Contains(out, " ") || strings.ToUpper(out) == out || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: got\n%s\nwant one sentence", list, out)
		}
	}
}

func TestListFormat_Payments(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	_, r := serveDemo(t, c.dir)
	list := []string{"payment", "list", "demo", "--status", "refund_due"}
	payments := strings.Fields(c.must(append(list, "--format", "uid")...)) // those of the demo
	demo := len(payments)
	for range 2 {
		order := placeOnline(t, r, "gateway_a")
		simulator, _, _ := strings.Cut(order.Payment.RedirectURL, "/gateway_a")
		c.must("simulate", "demo", "gateway_a", "pay", "--order", order.ID, "--simulator", simulator)
		c.must("order", "cancel", "demo", order.ID)
		payments = append(payments, order.Payment.Attempts[0].ID)
	}
	if out, want := c.must(append(list, "--format", "uid")...), strings.Join(payments, "\n")+"\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if out, want := c.must(append(list, "--format", "uid", "--limit", "1")...), payments[0]+"\n"; out != want {
		t.Errorf("--limit 1: got %q, want %q", out, want)
	}
	var nodes []struct {
		ID string `json:"_id"`
	}
	if c.json(&nodes, append(slices.Clip(list), "--limit", "9")...); len(nodes) != demo+2 || nodes[demo].ID != payments[demo] {
		t.Errorf("--limit 9: got %+v, want also both payments", nodes)
	}
}

func TestListFormat_Invalid(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	for args, want := range map[string]string{
		"order list acme --format json":                 "must be table or uid",
		"order list acme --format uid,status":           "must be table or uid",
		"order list acme --format uid --json":           "--json and --format uid cannot be combined; choose one",
		"payment list acme --limit 0":                   "--limit must be at least 1, or -1 for all payments",
		"payment list acme --limit -2 --format uid":     "--limit must be at least 1, or -1 for all payments",
		"product list acme --format uid":                "unknown flag: --format",
		"payment list acme --format uid --limit plenty": "invalid argument",
	} {
		c.fails(cmd.ExitUsage, want, strings.Fields(args)...)
	}
}
