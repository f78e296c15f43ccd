package cmd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"storefront/cmd"
)

func TestDeprecatedNames(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	invoice := placeOrder(t, c.dir, "acme")
	c.must("order", "ship", "acme", invoice, "--courier", "courier_a", "--consignment", "DL1")
	statement := writeFile(t, "statement.csv", "consignment,paid\nDL1,1\n")

	for _, tt := range []struct {
		group, name, former string
		args                []string
	}{
		{"order", "shipments", "parcels", []string{"acme", invoice}},
		{"cod", "reconcile", "settle", []string{"acme", statement, "--dry-run"}},
		{"payment", "resolve", "settle", []string{"acme", "01KAMZ3V7T9S0E8GQ2W4B6N1XY", "--accept"}},
	} {
		current := c.run(append([]string{tt.group, tt.name}, append(tt.args, "--json")...)...)
		former := c.run(append([]string{tt.group, tt.former}, append(tt.args, "--json")...)...)
		if former.code != current.code || former.stdout != current.stdout {
			t.Errorf("%s %s: exit %d, printed\n%s\nwant the same as %s: exit %d,\n%s",
				tt.group, tt.former, former.code, former.stdout, tt.name, current.code, current.stdout)
		}
		if tt.group != "payment" && !json.Valid([]byte(former.stdout)) {
			t.Errorf("%s %s --json printed\n%s", tt.group, tt.former, former.stdout)
		}
		note := "storefront: \"" + tt.group + " " + tt.former + "\" is deprecated; use \"" + tt.group + " " + tt.name + "\"\n"
		if former.stderr != note+current.stderr {
			t.Errorf("%s %s: got stderr %q, want %q", tt.group, tt.former, former.stderr, note+current.stderr)
		}
		help := c.must(tt.group, "--help")
		if !strings.Contains(help, "\n  "+tt.name+" ") || strings.Contains(help, "\n  "+tt.former+" ") {
			t.Errorf("%s --help must list %s and not %s:\n%s", tt.group, tt.name, tt.former, help)
		}
		if help := c.must(tt.group, tt.former, "--help"); !strings.Contains(help, `Deprecated: use "`+tt.name+`"`) {
			t.Errorf("%s %s --help: got\n%s\nwant the name %s", tt.group, tt.former, help, tt.name)
		}
		c.fails(cmd.ExitUsage, " needs a shop and ", tt.group, tt.former)
	}
}
