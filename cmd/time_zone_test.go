package cmd_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
)

// Times and days are those of the shop, not of this machine.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	invoice := placeOrder(t, c.dir, "acme")
	var order struct{ PlacedAt time.Time }
	c.json(&order, "order", "show", "acme", invoice)

	// The two zones never have the same day.
	for name, offset := range map[string]int{"Pacific/Kiritimati": 14, "Etc/GMT+12": -12} {
		c.must("tenant", "set", "acme", "timeZone="+name)
		placed := order.PlacedAt.In(time.FixedZone("", offset*60*60))
		for _, list := range []string{"order list acme", "order show acme " + invoice} {
			if out, want := c.must(strings.Fields(list)...), placed.Format("2006-01-02 15:04 -07:00"); !strings.Contains(out, want) {
				t.Errorf("%s: %s: got\n%s\nwant %s", name, list, out, want)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(c.must("api", "acme", "exportOrders"))).ReadAll()
		if want := placed.Truncate(time.Second).Format(time.RFC3339); err != nil || len(rows) != 2 || rows[1][2] != want {
			t.Errorf("%s: exportOrders: got %v, %v, want the time %s", name, rows, err, want)
		}
		from := func(day time.Time) string {
			return strings.TrimSpace(c.must("order", "list", "acme", "--format", "uid", "--from", day.Format(time.DateOnly)))
		}
		if got := from(placed); got != invoice {
			t.Errorf("%s: orders from the day of the order: got %q, want %s", name, got, invoice)
		}
		if got := from(placed.AddDate(0, 0, 1)); got != "" {
			t.Errorf("%s: orders from the next day: got %q, want none", name, got)
		}
		for flag, want := range map[string]bool{"--from": true, "--before": false} {
			log := c.must("audit", "acme", "--action", "settings.change", flag, placed.Format(time.DateOnly))
			if got := strings.Contains(log, "timeZone="+name) || strings.Contains(log, "→ "+name); got != want {
				t.Errorf("%s: audit %s the day of the order: got\n%s\nwant the change after it: %t", name, flag, log, want)
			}
		}
	}
	for _, wrong := range []string{"Asia/Atlantis", "Local", "+06:00"} {
		c.fails(cmd.ExitFailed, "Must be the name of a time zone such as Asia/Dhaka or UTC.", "tenant", "set", "acme", "timeZone="+wrong)
	}
	c.must("tenant", "set", "acme", "timeZone=null")
	if out := c.must("order", "list", "acme"); !strings.Contains(out, "+06:00") {
		t.Errorf("the default for BD: got\n%s\nwant the offset +06:00", out)
	}
}
