package tenants_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

func setDomains(t *testing.T, all *tenants.Tenants, uid string, domains ...string) error {
	t.Helper()
	_, err := all.SetSettings(
		t.Context(),
		access.Operator(),
		uid,
		shoptest.Raw(t, map[string]any{"domains": domains}),
		nil,
	)
	return err
}

// wantOwner waits until uid owns name; "" means that no shop owns it.
func wantOwner(t *testing.T, all *tenants.Tenants, uid, name string) {
	t.Helper()
	dbtest.Eventually(t, fmt.Sprintf("%q as the owner of %s", uid, name), func() bool {
		owner, _ := all.DomainOwner(name)
		return owner.UID == uid
	})
}

// watchDomains runs WatchDomains until the end of the test.
func watchDomains(t *testing.T, all *tenants.Tenants) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.WatchDomains(ctx, nil)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// Hosts of no shop show the only shop of a server, until it has another.
func TestOnlyShop(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	for _, step := range []struct{ create, want string }{{"", ""}, {"acme", "acme"}, {"maple", ""}} {
		if step.create != "" {
			create(t, all, step.create)
		}
		if err := all.RefreshDomains(t.Context()); err != nil {
			t.Fatal(err)
		}
		if uid, ok := all.OnlyShop(); uid != step.want || ok != (step.want != "") {
			t.Errorf("after creating %q: got %q, want %q", step.create, uid, step.want)
		}
	}
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if err := all.RefreshDomains(t.Context()); err != nil {
		t.Fatal(err)
	}
	if uid, _ := all.OnlyShop(); uid != "maple" {
		t.Errorf("after deleting acme: got %q, want maple", uid)
	}
}

func TestSetSettings_DomainInUse(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, all, uid)
	}
	if err := setDomains(t, all, "acme", "shop.acme.example", "acme.example"); err != nil {
		t.Fatal(err)
	}
	err := setDomains(t, all, "maple", "maple.example", "SHOP.acme.example.")
	var rejected *fault.Error
	if !errors.As(err, &rejected) || rejected.Code != fault.CodeValidationFailed ||
		len(rejected.Fields) != 1 || rejected.Fields[0].Field != "domains[1]" {
		t.Fatalf("domain of another shop: got %v, want validation_failed of domains[1]", err)
	}
	if !strings.Contains(rejected.Fields[0].Message, "acme") {
		t.Errorf("got message %q, want one that names the owner", rejected.Fields[0].Message)
	}
	team := find(t, all, "maple").Staff
	_, link, err := team.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleManager})
	if err != nil {
		t.Fatal(err)
	}
	session, err := team.UseLink(
		t.Context(),
		access.Caller{},
		staff.UseLinkInput{Token: link.Token, Password: shoptest.Password},
	)
	if err != nil {
		t.Fatal(err)
	}
	_, err = all.SetSettings(t.Context(), access.Caller{Session: session.Token}, "maple",
		shoptest.Raw(t, map[string]any{"domains": []string{"shop.acme.example"}}), nil)
	const want = "shop.acme.example belongs to another shop: remove it there first."
	if !errors.As(err, &rejected) || rejected.Message != want ||
		rejected.Fields[0].Message != want {
		t.Errorf("domain of another shop as manager: got %v, want %q", err, want)
	}
	wantOwner(t, all, "", "maple.example") // a change is applied completely or not at all
	if err := setDomains(t, all, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	if err := setDomains(t, all, "maple", "shop.acme.example"); err != nil {
		t.Errorf("domain that was removed from its shop: %v", err)
	}
	wantOwner(t, all, "maple", "shop.acme.example")
	wantOwner(t, all, "acme", "acme.example")
}

// A server sees the changes of commands in other processes.
func TestWatchDomains(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := open(t, dir, func(c *tenants.Config) { c.DomainPause = 50 * time.Millisecond })
	command := open(t, dir, nil)
	create(t, command, "acme")
	watchDomains(t, server)
	if err := setDomains(t, command, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	if err := command.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{}); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "suspended owner of acme.example", func() bool {
		owner, _ := server.DomainOwner("acme.example")
		return owner.Suspended
	})
	if err := command.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	wantOwner(t, server, "", "acme.example")
}

// The state file only saves work: it may be missing, damaged or outdated.
func TestWatchDomains_StateFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, first, uid)
	}
	if err := setDomains(t, first, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "shops.json")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := setDomains(t, first, "maple", "maple.example"); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"old": old, "broken": []byte(`{"acme": `), "null": []byte(`{"acme": null}`), "missing": nil} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			again := open(t, dir, nil)
			watchDomains(t, again)
			wantOwner(t, again, "acme", "acme.example")
			wantOwner(t, again, "maple", "maple.example")
		})
	}
}

// A shop whose file is damaged retains its domain, and the others are found.
func TestWatchDomains_BrokenShop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, nil)
	for _, uid := range []string{"acme", "maple"} {
		create(t, first, uid)
		if err := setDomains(t, first, uid, uid+".example"); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "tenants", "acme.db")
	if err := os.WriteFile(broken, bytes.Repeat([]byte("broken"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, nil)
	watchDomains(t, again)
	wantOwner(t, again, "maple", "maple.example")
	wantOwner(t, again, "acme", "acme.example")
}

// owner returns a new owner of a shop, with a session.
func owner(t *testing.T, all *tenants.Tenants, uid string) access.Caller {
	t.Helper()
	team := find(t, all, uid).Staff
	_, link, err := team.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	session, err := team.UseLink(
		t.Context(),
		access.Caller{},
		staff.UseLinkInput{Token: link.Token, Password: shoptest.Password},
	)
	if err != nil {
		t.Fatal(err)
	}
	return access.Caller{Session: session.Token}
}

// No shop takes a name of the server: neither its owner nor the operator enters one.
func TestSetSettings_DomainOfServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := open(t, dir, nil)
	create(t, command, "acme")
	if err := setDomains(t, command, "acme", "api.agency.example"); err != nil { // it does not know the server
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := open(t, dir, func(c *tenants.Config) {
		c.PublicURL, c.DashboardURL = "https://api.agency.example", "https://staff.agency.example:8443"
		c.OwnHosts, c.Logger = []string{
			"Second.agency.example.",
		}, slog.New(
			slog.NewTextHandler(&log, nil),
		)
	})
	if err := server.RefreshDomains(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := server.DomainOwner("api.agency.example"); ok {
		t.Error("a shop owns a name of the server, want none")
	}
	if !strings.Contains(log.String(), "a shop claims a name of the server") {
		t.Errorf("got log %q, want a warning", log.String())
	}
	for caller, who := range map[string]access.Caller{"operator": access.Operator(), "owner": owner(t, server, "acme")} {
		for _, name := range []string{"api.agency.example", "API.Agency.example.", "staff.agency.example", "second.agency.example"} {
			_, err := server.SetSettings(
				t.Context(),
				who,
				"acme",
				shoptest.Raw(t, map[string]any{"domains": []string{"acme.example", name}}),
				nil,
			)
			var rejected *fault.Error
			if !errors.As(err, &rejected) || len(rejected.Fields) != 1 ||
				rejected.Fields[0].Field != "domains[1]" {
				t.Errorf("%s enters %s: got %v, want it rejected", caller, name, err)
			}
		}
	}
	wantOwner(t, server, "", "acme.example")
}

// A domain that only staff have entered yields to the operator, unless a certificate has proved it.
// One that the operator has entered does not.
func TestSetSettings_DomainDisplaced(t *testing.T) {
	t.Parallel()
	all := open(t, "", func(c *tenants.Config) {
		c.HasCertificate = func(name string) bool { return name == "proved.example" }
	})
	for _, uid := range []string{"acme", "maple"} {
		create(t, all, uid)
	}
	squatter := owner(t, all, "acme")
	set := func(caller access.Caller, uid string, changes map[string]any) error {
		_, err := all.SetSettings(t.Context(), caller, uid, shoptest.Raw(t, changes), nil)
		return err
	}
	if err := setDomains(t, all, "acme", "acme.example"); err != nil {
		t.Fatal(err)
	}
	names := []string{"acme.example", "maple.example", "proved.example"}
	if err := set(squatter, "acme", map[string]any{"domains": names}); err != nil {
		t.Fatal(err)
	}
	wantCode(
		t,
		set(squatter, "acme", map[string]any{"confirmedDomains": names}),
		fault.CodeForbidden,
	)
	wantCode(
		t,
		set(owner(t, all, "maple"), "maple", map[string]any{"domains": []string{"maple.example"}}),
		fault.CodeValidationFailed,
	)
	wantCode(t, setDomains(t, all, "maple", "acme.example"), fault.CodeValidationFailed)
	wantCode(t, setDomains(t, all, "maple", "proved.example"), fault.CodeValidationFailed)
	if err := setDomains(t, all, "maple", "maple.example"); err != nil {
		t.Errorf("operator enters a domain that only staff have entered: %v", err)
	}
	wantOwner(t, all, "maple", "maple.example")
	wantOwner(t, all, "acme", "acme.example")
	wantOwner(t, all, "acme", "proved.example")
	wantCode(t, set(squatter, "acme", map[string]any{"domains": names}), fault.CodeValidationFailed)
	if err := set(squatter, "acme", map[string]any{"domains": []string{"proved.example"}}); err != nil {
		t.Errorf("staff remove a confirmed domain: %v", err)
	}
	if err := setDomains(t, all, "maple", "maple.example", "acme.example"); err != nil {
		t.Errorf("operator enters a domain that was removed: %v", err)
	}
}

// Staff cannot squat a domain: one without proof yields to the staff of another shop. One whose DNS
// leads to the server does not, and who may not change settings takes none.
func TestSetSettings_DomainSquatted(t *testing.T) {
	t.Parallel()
	all := open(t, "", func(c *tenants.Config) {
		c.PublicURL = "https://api.agency.example"
		c.LookupHost = func(_ context.Context, host string) ([]string, error) {
			if host == "api.agency.example" || host == "proved.example" {
				return []string{"203.0.113.7"}, nil
			}
			return nil, errors.New("no such host")
		}
	})
	for _, uid := range []string{"acme", "maple"} {
		create(t, all, uid)
	}
	set := func(caller access.Caller, uid string, names ...string) error {
		_, err := all.SetSettings(
			t.Context(),
			caller,
			uid,
			shoptest.Raw(t, map[string]any{"domains": names}),
			nil,
		)
		return err
	}
	squatter, honest := owner(t, all, "acme"), owner(t, all, "maple")
	if err := setDomains(t, all, "acme", "entered.example"); err != nil {
		t.Fatal(err)
	}
	if err := set(squatter, "acme", "entered.example", "proved.example", "maple.example"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, set(honest, "maple", "entered.example"), fault.CodeValidationFailed)
	wantCode(t, set(honest, "maple", "proved.example"), fault.CodeValidationFailed)
	wantCode(t, set(squatter, "maple", "maple.example"), fault.CodeUnauthenticated)
	wantOwner(t, all, "acme", "maple.example")
	if err := set(honest, "maple", "maple.example"); err != nil {
		t.Errorf("staff enter a domain that other staff have entered without proof: %v", err)
	}
	wantOwner(t, all, "maple", "maple.example")
	wantOwner(t, all, "acme", "proved.example")
}
