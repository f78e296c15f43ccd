package cmd_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/cmd"
	"storefront/shop"
)

// tenantView is the part of a shop's JSON that these tests compare.
type tenantView struct {
	UID             string
	Name            string
	Currency        string
	Locale          string
	Origins         []string
	ActiveMode      string
	AutoConfirm     bool
	Suspended       bool
	DeliveryCharges []struct {
		ID     string `json:"_id"`
		Charge int64
	}
}

func TestTenant(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	out := c.must("tenant", "create", "acme", "--name", "Acme Dhaka", "--locale", "en-BD")
	if !strings.Contains(out, "Created the shop acme.") || !strings.Contains(out, "product import acme") {
		t.Errorf("tenant create: got\n%s", out)
	}
	c.fails(cmd.ExitFailed, "already exists", "tenant", "create", "acme", "--name", "Another")
	c.fails(cmd.ExitFailed, "The UID must be 3 to 40", "tenant", "create", "../x", "--name", "Hostile")
	c.fails(cmd.ExitFailed, "ISO 4217", "tenant", "create", "taka", "--name", "Taka", "--currency", "taka")

	var shown tenantView
	c.json(&shown, "tenant", "show", "acme")
	want := tenantView{UID: "acme", Name: "Acme Dhaka", Currency: "BDT", Locale: "en-BD", ActiveMode: "live"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("show (-want +got):\n%s", diff)
	}
	c.fails(cmd.ExitFailed, "tenant list", "tenant", "show", "nobody")

	var changed tenantView
	c.json(&changed, "tenant", "mode", "acme", "sandbox")
	if changed.ActiveMode != "sandbox" {
		t.Errorf("got mode %q, want sandbox", changed.ActiveMode)
	}
	c.fails(cmd.ExitFailed, "live or sandbox", "tenant", "mode", "acme", "test")
	c.json(&changed, "tenant", "suspend", "acme")
	if !changed.Suspended {
		t.Error("after suspend: got an open shop")
	}
	var list []tenantView
	c.json(&list, "tenant", "list")
	if len(list) != 1 || list[0].UID != "acme" || !list[0].Suspended {
		t.Errorf("tenant list: got %+v, want acme, suspended", list)
	}
	c.json(&changed, "tenant", "resume", "acme")
	if changed.Suspended {
		t.Error("after resume: got a suspended shop")
	}
}

func TestTenantDelete(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.fails(cmd.ExitFailed, "tenant delete acme --yes", "tenant", "delete", "acme")
	c.must("tenant", "show", "acme")
	c.must("tenant", "delete", "acme", "--yes")
	c.fails(cmd.ExitFailed, "No shop has this UID", "tenant", "show", "acme")
	trash, err := filepath.Glob(filepath.Join(c.dir, "trash", "acme-*."+backupSuffix()))
	if err != nil || len(trash) != 1 {
		t.Errorf("got %v, %v in the trash, want one file", trash, err)
	}
	if out := c.must("tenant", "list"); !strings.Contains(out, "No shops") {
		t.Errorf("tenant list: got\n%s\nwant no shops", out)
	}
}

func TestTenantSet(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	file := filepath.Join(t.TempDir(), "charges.json")
	if err := os.WriteFile(file, []byte(`[{"name": "Inside Dhaka", "charge": 7000}]`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.stdin = "Named from the input\n"
	tests := []struct {
		name   string
		args   []string
		change func(*tenantView)
	}{
		{"plain text", []string{"name=Acme & Sons"}, func(v *tenantView) { v.Name = "Acme & Sons" }},
		{"numeric text", []string{"name=1234"}, func(v *tenantView) { v.Name = "1234" }},
		{"JSON string", []string{`name="Quoted"`}, func(v *tenantView) { v.Name = "Quoted" }},
		{"text with an equals sign", []string{"name=a=b"}, func(v *tenantView) { v.Name = "a=b" }},
		{"boolean", []string{"autoConfirm=true"}, func(v *tenantView) { v.AutoConfirm = true }},
		{"null", []string{"autoConfirm=null"}, func(v *tenantView) { v.AutoConfirm = false }},
		{"list", []string{`origins=["https://acme.example"]`}, func(v *tenantView) { v.Origins = []string{"https://acme.example"} }},
		{"several settings", []string{"name=Acme", "locale=bn-BD"}, func(v *tenantView) { v.Name, v.Locale = "Acme", "bn-BD" }},
		{"file", []string{"deliveryCharges=@" + file}, func(v *tenantView) {
			v.DeliveryCharges = append(v.DeliveryCharges, struct {
				ID     string `json:"_id"`
				Charge int64
			}{"inside-dhaka", 7000})
		}},
		{"standard input", []string{"name=@-"}, func(v *tenantView) { v.Name = "Named from the input" }},
	}
	var want tenantView
	c.json(&want, "tenant", "show", "acme")
	for _, tt := range tests {
		tt.change(&want)
		var got tenantView
		c.json(&got, append([]string{"tenant", "set", "acme"}, tt.args...)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}

	c.fails(cmd.ExitFailed, "There is no setting colour", "tenant", "set", "acme", "colour=red")
	c.fails(cmd.ExitFailed, "autoConfirm cannot be a string", "tenant", "set", "acme", "autoConfirm=perhaps")
	c.fails(cmd.ExitFailed, "deliveryCharges.charge cannot be a string", "tenant", "set", "acme", `deliveryCharges=[{"name": "A", "charge": "80"}]`)
	c.fails(cmd.ExitFailed, "Invalid value for deliveryCharges: not JSON", "tenant", "set", "acme", `deliveryCharges=[{"name": "A"`)
	c.fails(cmd.ExitFailed, "Amounts must be 0 or more", "tenant", "set", "acme", `deliveryCharges=[{"name": "Free", "charge": -1}]`)
	c.fails(cmd.ExitFailed, "at most the largest amount", "tenant", "set", "acme", `deliveryCharges=[{"name": "All", "charge": 9007199254740992}]`)
	c.fails(cmd.ExitFailed, "http or https", "tenant", "set", "acme", "logoUrl=javascript:alert(1)")
	c.fails(cmd.ExitFailed, "Must be an amount in minor units", "tenant", "set", "acme", "cashRounding=-1")
	c.fails(cmd.ExitFailed, "no such file", "tenant", "set", "acme", "name=@"+file+".missing")
	c.fails(cmd.ExitFailed, "There is no setting colour", "tenant", "set", "acme", "name=Half", "colour=red")
	var after tenantView
	c.json(&after, "tenant", "show", "acme")
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("settings after rejected changes (-want +got):\n%s", diff)
	}
}

// Every setting has a row in docs/settings.md.
func TestTenantSet_SettingsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[shop.Settings]().Fields() {
		if name := field.Tag.Get("json"); !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/settings.md: got no setting %s", name)
		}
	}
}
