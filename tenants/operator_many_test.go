package tenants_test

import (
	"context"
	"fmt"
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// A change of many shops changes each that is not as requested, although the client has gone, and
// one shop's error does not end it. A dry run changes nothing.
func TestChangeShops(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	create(t, a.Tenants, "maple")
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	change := func(ctx context.Context, in tenants.ShopsChange) (got string) {
		t.Helper()
		done, err := a.ChangeShops(ctx, shaila, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range done.Results {
			got += fmt.Sprintf("%s %t %t;", r.UID, r.OK, r.Changed)
			if r.OK == (r.Code != nil) || r.OK != (r.Name != "") {
				t.Errorf("got %+v", r)
			}
		}
		return got
	}
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	in := tenants.ShopsChange{Action: tenants.SuspendShops, Shops: []string{"acme", "none", "maple", "acme"}, Reason: "Unpaid", DryRun: true}
	const both = "acme true true;none false false;maple true true;"
	want("dry run", change(t.Context(), in), both)
	if _, err := a.Shop(t.Context(), "acme"); err != nil {
		t.Errorf("after a dry run: got %v, want an open shop", err)
	}
	in.DryRun = false
	want("suspend", change(t.Context(), in), both)
	for _, uid := range []string{"acme", "maple"} {
		_, err := a.Shop(t.Context(), uid)
		wantCode(t, err, fault.CodeTenantSuspended)
	}
	want("again", change(t.Context(), in), "acme true false;none false false;maple true false;")
	in.Reason = "Unpaid since May"
	in.Shops = in.Shops[:1]
	want("another reason", change(t.Context(), in), "acme true true;")
	in = tenants.ShopsChange{Action: tenants.ResumeShops, Shops: []string{"maple", "acme"}}
	want("resume", change(t.Context(), in), "maple true true;acme true true;")
	want("again", change(t.Context(), in), "maple true false;acme true false;")
	log, err := a.own.Staff.ListOperatorLog(t.Context(), shaila, staff.AuditFilter{})
	if err != nil || log.Nodes[0].Action != access.ToChangeShops.Action || log.Nodes[0].Actor.Name != "Shaila" {
		t.Errorf("got the log %+v, %v, want the last change", log, err)
	}
	for _, in := range []tenants.ShopsChange{
		{Action: tenants.SuspendShops, Shops: []string{"acme"}},
		{Action: tenants.ResumeShops},
		{Action: tenants.ResumeShops, Shops: make([]string, 101)},
		{Action: "delete", Shops: []string{"acme"}, Reason: "x"},
	} {
		_, err := a.ChangeShops(t.Context(), shaila, in)
		wantCode(t, err, fault.CodeValidationFailed)
	}
}

// A change of many shops ends although its client leaves in the middle.
func TestChangeShops_ClientLeaves(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	in := tenants.ShopsChange{Action: tenants.SuspendShops, Shops: []string{"acme"}, Reason: "Unpaid"}
	for n := range 15 {
		uid := fmt.Sprintf("shop-%02d", n)
		create(t, a.Tenants, uid)
		in.Shops = append(in.Shops, uid)
	}
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := a.ChangeShops(ctx, shaila, in)
		ended <- err
	}()
	dbtest.Eventually(t, "the first suspended shop", func() bool {
		_, err := a.Shop(t.Context(), "acme")
		return err != nil
	})
	leave()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, uid := range in.Shops {
		_, err := a.Shop(t.Context(), uid)
		wantCode(t, err, fault.CodeTenantSuspended)
	}
}

// An operator creates a shop from a template, whose settings it receives.
func TestCreateShop_Template(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	if _, err := a.SetSettings(t.Context(), access.Operator(), "acme", shoptest.Raw(t, map[string]any{"autoConfirm": true}), nil); err != nil {
		t.Fatal(err)
	}
	in := tenants.NewShopInput{
		UID: "maple", Name: "Maple", Currency: "BDT", Country: "BD", Language: staff.Bangla,
		Owner: tenants.NewOwner{Name: "Rina", User: "01711-000000"}, Like: new("none"),
	}
	_, err := a.CreateShop(t.Context(), shaila, in)
	wantCode(t, err, fault.CodeValidationFailed)
	in.Like = new(tenants.Installation)
	_, err = a.CreateShop(t.Context(), shaila, in)
	wantCode(t, err, fault.CodeValidationFailed)
	in.Like = new("acme")
	if _, err := a.CreateShop(t.Context(), shaila, in); err != nil {
		t.Fatal(err)
	}
	maple, err := a.FindIncludingSuspended(t.Context(), "maple")
	if err != nil {
		t.Fatal(err)
	}
	if set, err := maple.Settings(t.Context()); err != nil || !set.AutoConfirm || set.Name != "Maple" {
		t.Errorf("got %+v, %v, want the template's settings with another name", set, err)
	}
}
