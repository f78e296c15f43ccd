package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/staff"
)

// operatorLink is the part of the JSON of an operator's link that the tests compare.
type operatorLink struct {
	ID   string `json:"_id"`
	Role staff.OperatorRole
	Link struct {
		Kind staff.LinkKind
		URL  string
	}
}

// The operators of a server are separate from its shops, and are in its backups.
func TestOperator(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.fails(cmd.ExitFailed, "operator create", "operator", "list")
	var created operatorLink
	c.json(&created, "operator", "create", "Shaila Karim", "--user", "shaila@agency.example", "--public-url", "https://shops.example")
	if created.Role != staff.OperatorOwner || created.Link.Kind != staff.LinkInvite ||
		!strings.HasPrefix(created.Link.URL, "https://shops.example/admin/#/-/link/") {
		t.Errorf("operator create: got %+v, want an owner's link", created)
	}
	c.must("operator", "create", "Tanvir", "--user", "tanvir@agency.example", "--role", "support")
	c.fails(cmd.ExitFailed, "Must be owner, support, viewer", "operator", "create", "X", "--user", "x@agency.example", "--role", "manager")
	c.fails(cmd.ExitFailed, "already", "operator", "create", "X", "--user", "tanvir@agency.example")
	var list []staff.Operator
	if c.json(&list, "operator", "list"); len(list) != 2 || list[1].Role != staff.OperatorSupport {
		t.Errorf("operator list: got %+v, want two", list)
	}
	var reset operatorLink
	if c.json(&reset, "operator", "reset", "tanvir@agency.example"); reset.ID != list[1].ID {
		t.Errorf("operator reset: got %+v", reset)
	}
	c.must("operator", "remove", "tanvir@agency.example")
	c.fails(cmd.ExitFailed, "operator list", "operator", "reset", "tanvir@agency.example")

	if out := c.must("tenant", "list", "--format", "uid"); strings.TrimSpace(out) != "acme" {
		t.Errorf("tenant list: got %q, want acme alone", out)
	}
	c.fails(cmd.ExitFailed, "No shop", "tenant", "show", "installation")
	c.fails(cmd.ExitFailed, "reserved", "tenant", "create", "installation", "--name", "X")
	backups := t.TempDir()
	c.must("backup", "--all", backups, "--with-key")
	if found, _ := filepath.Glob(filepath.Join(backups, "installation-*")); len(found) != 2 {
		t.Errorf("got the backups %v, want the installation's with its manifest", found)
	}
	c.must("restore", "--all", backups) // all is there
	var log struct{ Nodes []staff.AuditEntry }
	c.json(&log, "api", "installation", "listOperatorLog")
	if len(log.Nodes) == 0 || log.Nodes[0].Action != "staff.remove" {
		t.Errorf("listOperatorLog: got %+v, want the removal first", log.Nodes)
	}
}
