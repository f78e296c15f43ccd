package cmd_test

import (
	"strings"
	"testing"

	"storefront/cmd"
	"storefront/shop/page"
	"storefront/shop/staff"
)

// staffLink is the part of the JSON of a new link that these tests compare.
type staffLink struct {
	ID     string `json:"_id"`
	Status staff.Status
	Link   struct {
		Kind  staff.LinkKind
		Token string
		URL   string
	}
}

func TestStaff(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.env["SUDO_USER"] = "rina"
	var created struct {
		UID   string
		Owner staffLink
	}
	c.json(&created, "tenant", "create", "acme", "--name", "Acme", "--owner", "rina@example.com", "--owner-name", "Rina Akter",
		"--public-url", "https://shop.example")
	if link := created.Owner.Link; created.UID != "acme" || link.Kind != staff.LinkInvite || len(link.Token) != 43 ||
		link.URL != "https://shop.example/admin/#/acme/link/"+link.Token {
		t.Errorf("tenant create: got %+v, want the owner's link", created)
	}
	out := c.must("tenant", "create", "maple", "--name", "Maple", "--owner", "karim@example.com")
	if !strings.Contains(out, "Send this link to karim@example.com alone") {
		t.Errorf("tenant create without --owner-name: got\n%s\nwant the link for karim@example.com", out)
	}
	var invited staffLink
	c.json(&invited, "staff", "invite", "acme", "--name", "Karim", "--phone", "01711-000000", "--role", "manager", "--deny", "export")
	var list []staff.Member
	if c.json(&list, "staff", "list", "acme"); len(list) != 2 || list[1].ID != invited.ID || list[1].Status != staff.StatusInvited {
		t.Errorf("staff list: got %+v, want the owner and Karim", list)
	}
	c.fails(cmd.ExitFailed, "already", "staff", "invite", "acme", "--name", "Another", "--phone", "+8801711000000", "--role", "viewer")
	c.fails(cmd.ExitFailed, "Must be owner, manager", "staff", "invite", "acme", "--name", "X", "--email", "x@example.com", "--role", "boss")
	c.fails(cmd.ExitUsage, "email", "staff", "invite", "acme", "--name", "X", "--role", "viewer")
	c.fails(cmd.ExitFailed, "staff list acme", "staff", "disable", "acme", "nobody@example.com")

	var changed staff.Member
	if c.json(&changed, "staff", "disable", "acme", "01711-000000"); changed.Status != staff.StatusOff {
		t.Errorf("staff disable: got %+v", changed)
	}
	var reset staffLink
	if c.json(&reset, "staff", "reset", "acme", changed.ID); reset.Status != staff.StatusInvited || reset.Link.Kind != staff.LinkInvite ||
		!strings.HasPrefix(reset.Link.URL, "https://YOUR-SERVER/admin/#/acme/link/") {
		t.Errorf("staff reset: got %+v, want another invitation", reset)
	}
	c.must("api", "acme", "removeStaffMember", "--id", "01711000000")
	if out := c.must("staff", "list", "acme"); strings.Contains(out, "Karim") || !strings.Contains(out, "Rina Akter") {
		t.Errorf("staff list: got\n%s\nwant Rina Akter alone", out)
	}
	var entries page.Page[staff.AuditEntry]
	c.json(&entries, "audit", "acme")
	var actions []string
	for _, e := range entries.Nodes {
		actions = append(actions, string(e.Actor.Kind)+" "+e.Actor.Name+" "+e.Action)
	}
	want := "cli rina staff.remove|cli rina staff.link|cli rina staff.turn_off|cli rina staff.invite|cli rina staff.invite"
	if got := strings.Join(actions, "|"); got != want {
		t.Errorf("got the audit log\n%s, want\n%s", got, want)
	}
	c.must("token", "create", "acme")
	if out := c.must("audit", "acme"); !strings.Contains(out, "scopes=[*], expiresAt=-\n") {
		t.Errorf("audit: got\n%s\nwant a key that never expires", out)
	}
}
