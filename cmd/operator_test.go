package cmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
	"storefront/tenants/doctor"
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
	var changed staff.Operator
	if c.json(&changed, "operator", "set-role", "tanvir@agency.example", "viewer"); changed.Role != staff.OperatorViewer {
		t.Errorf("operator set-role: got %+v, want a viewer", changed)
	}
	c.fails(cmd.ExitFailed, "operator list", "operator", "set-role", "nobody@agency.example", "viewer")
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

// The doctor checks the data of operators, and that an owner among them can sign in.
func TestDoctor_Operators(t *testing.T) {
	dbtest.NeedFiles(t, "it damages a file")
	t.Parallel()
	c := newDoctor(t, "acme")
	if found, _ := c.findings(); found["operators"].Code != "" {
		t.Errorf("got %+v, want nothing about operators, since there are none", found["operators"])
	}
	var created operatorLink
	c.json(&created, "operator", "create", "Shaila", "--user", "shaila@agency.example")
	found, code := c.findings()
	if wantFinding(t, found, "operators", doctor.StateWarning, "No owner of 1 operators"); code != cmd.ExitOK {
		t.Errorf("got exit code %d, want 0", code)
	}
	all, err := tenants.Open(tenants.Config{
		Dir: c.dir, Schema: shoptest.Schema(t), Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := all.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(created.Link.URL, "/link/")
	session, err := s.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	caller := access.Caller{Session: session.Token}
	setup, err := s.Staff.StartTOTP(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Staff.ConfirmTOTP(t.Context(), caller, shoptest.TOTPCode(t, setup.Secret, time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := all.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, _ = c.findings()
	wantFinding(t, found, "operators", doctor.StateOK, "operators: 1.")
	file, err := os.OpenFile(filepath.Join(c.dir, "tenants", "installation.db"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(strings.Repeat("x", 3*4096)), 4096); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	found, code = c.findings()
	if wantFinding(t, found, "operators", doctor.StateFailing, ""); code != cmd.ExitFailed {
		t.Errorf("got exit code %d, want a failure", code)
	}
}

// After a crash in the middle of a change of many shops each is suspended or not, and a repetition
// suspends the others.
func TestChangeShops_Killed(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	const shops = 60
	var rows strings.Builder
	rows.WriteString("uid,name\n")
	uids := make([]string, shops)
	for i := range shops {
		uids[i] = fmt.Sprintf("shop-%02d", i)
		fmt.Fprintf(&rows, "%s,Shop %d\n", uids[i], i)
	}
	c.must("tenant", "create", "--from", writeFile(t, "shops.csv", rows.String()))
	c.must("operator", "create", "Shaila", "--user", "shaila@agency.example")
	input, err := json.Marshal(map[string]any{"action": "suspend", "shops": uids, "reason": "Unpaid since May"})
	if err != nil {
		t.Fatal(err)
	}
	change := []string{"api", "installation", "changeShops", "--body", writeFile(t, "change.json", string(input))}
	suspended := func() int {
		t.Helper()
		var list struct{ Meta struct{ TotalCount int } }
		c.json(&list, "api", "installation", "listShops", "--state", "suspended")
		return list.Meta.TotalCount
	}
	p := startProcess(t, append(change, "--data", c.dir)...)
	dbtest.Eventually(t, "a suspended shop", func() bool { return suspended() > 0 })
	if code := p.stop(syscall.SIGKILL); code == 0 {
		t.Log("the command ended before it was killed")
	}
	before := suspended()
	var done tenants.ChangedShops
	c.json(&done, change...)
	changed := 0
	for _, r := range done.Results {
		if !r.OK {
			t.Errorf("got %+v, want the shop suspended", r)
		}
		if r.Changed {
			changed++
		}
	}
	if n := suspended(); n != shops || changed != shops-before {
		t.Errorf("got %d suspended shops, %d of them now, want %d and %d", n, changed, shops, shops-before)
	}
}
