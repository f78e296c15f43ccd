package cmd_test

import (
	"strings"
	"testing"

	cli "storefront/cmd"
	"storefront/shop/design"
)

// A design is changed in a file, published, restored, and applied to another shop. What is wrong in
// a file is refused with its field, and the draft stays.
func TestDesign(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, uid := range []string{"acme", "zaman"} {
		c.must("tenant", "create", uid, "--name", uid)
	}
	file := func(name string) string {
		return writeFile(t, "design.json", `{"design":"`+name+`","tokens":{"seed":"#7a2740"},"templates":{"home":[{"kind":"products"}]}}`)
	}
	live := func(uid string) (d design.Document) {
		c.json(&d, "design", "show", uid, "--live")
		return d
	}
	if got := c.must("design", "apply", "acme", file("haat")); !strings.Contains(got, "buyers see angan") || !strings.Contains(got, "changes: haat") {
		t.Errorf("apply: got %s", got)
	}
	if got := live("acme").Design; got != design.Angan {
		t.Errorf("before publication: buyers see %s", got)
	}
	if got := c.must("design", "publish", "acme"); got != "Version 1 of the design is live: haat.\n" {
		t.Errorf("publish: got %s", got)
	}
	c.must("design", "apply", "acme", file("mela"))
	c.must("design", "publish", "acme")
	if got := c.must("design", "restore", "acme", "1"); got != "Version 3 of the design is live: haat.\n" {
		t.Errorf("restore: got %s", got)
	}

	c.must("design", "apply", "zaman", writeFile(t, "haat.json", c.must("design", "show", "acme")))
	c.must("design", "publish", "zaman")
	if got := live("zaman"); got.Design != design.Haat || len(got.Templates.Home) != 1 {
		t.Errorf("another shop: got %+v", got)
	}

	for _, bad := range [][2]string{
		{`{"design":"x","tokens":{},"templates":{}}`, "Must be angan, haat, alo or mela."},
		{`{"design":"haat","tokens":{},"templates":{"home":[{"kind":"products","settings":{"count":-1}}]}}`, "templates.home[0].settings.count:"},
		{`{"design":"haat","tokens":{},"templates":{},"price":1}`, "price"},
		{`{`, "JSON"},
	} {
		c.fails(cli.ExitFailed, bad[1], "design", "apply", "acme", writeFile(t, "bad.json", bad[0]))
	}
	c.fails(cli.ExitFailed, "no-such.json", "design", "apply", "acme", "no-such.json")
	c.fails(cli.ExitFailed, "version", "design", "restore", "acme", "9")
	c.fails(cli.ExitUsage, "must be a number", "design", "restore", "acme", "first")
	if got := live("acme").Design; got != design.Haat {
		t.Errorf("after bad files: buyers see %s", got)
	}
}
