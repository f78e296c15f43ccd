package staff_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// Every use case is permitted to exactly those roles and keys that its permission is granted to.
func TestStaff_Permissions(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	customer := access.Caller{Bearer: a.Rahim(t).AccessToken}
	whole, none := a.KeyCaller(t), a.KeyCaller(t, "coupons.read")
	callers := map[staff.Role]access.Caller{}
	for _, role := range staff.Roles() {
		callers[role] = a.StaffCaller(t, role)
	}
	try := func(caller access.Caller, use access.UseCase) fault.Code {
		_, err := a.Staff.Authorize(t.Context(), caller, use)
		return shoptest.ErrorCode(err)
	}
	for _, use := range append(access.UseCases(), access.UseCase{}) { // the last is for the operator alone
		for role, caller := range callers {
			want := fault.CodeForbidden
			isOfServer := slices.Contains(access.InstallationPermissions(), use.Permission)
			if role.Has(use.Permission) && !isOfServer || use.Permission == access.Own {
				want = ""
			}
			if got := try(caller, use); got != want {
				t.Errorf("%s as %s: got %q, want %q", use, role, got, want)
			}
		}
		want := fault.CodeForbidden
		if use.Permission == access.Any || slices.Contains(staff.Scopes(), use.Permission) {
			want = ""
		}
		if got := try(whole, use); got != want {
			t.Errorf("%s with a key of every scope: got %q, want %q", use, got, want)
		}
		if got := try(none, use); use.Permission != access.CouponsRead && use.Permission != access.Any && got != fault.CodeForbidden {
			t.Errorf("%s with a key without the scope: got %q, want forbidden", use, got)
		}
		if got := try(access.Caller{}, use); got != fault.CodeUnauthenticated {
			t.Errorf("%s as nobody: got %q, want unauthenticated", use, got)
		}
		if got := try(customer, use); got != fault.CodeForbidden {
			t.Errorf("%s as a customer: got %q, want forbidden", use, got)
		}
		want = ""
		if use.Permission == access.Own {
			want = fault.CodeForbidden
		}
		if got := try(access.Operator(), use); got != want {
			t.Errorf("%s as the operator: got %q, want %q", use, got, want)
		}
	}
	for _, p := range []access.Permission{access.StaffWrite, access.KeysWrite, access.ShopClose, access.OperatorOnly} {
		_, _, err := a.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Scopes: []staff.Scope{staff.Scope(p)}})
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
}

func TestStaff_Proof(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.StaffCaller(t, staff.RoleOwner)
	a.Clock.Advance(16 * time.Minute)
	_, err := a.Staff.ListAPIKeys(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeProofRequired)
	if _, err := a.Orders.ListOrders(t.Context(), owner, order.ListFilter{}); err != nil {
		t.Errorf("without a recent proof: got %v, want the orders", err)
	}
	a.Clock.Advance(time.Hour)
	if _, err := a.Orders.ListOrders(t.Context(), owner, order.ListFilter{}); err != nil {
		t.Errorf("a session that was used: got %v, want the orders", err)
	}
	a.Clock.Advance(31 * 24 * time.Hour)
	_, err = a.Orders.ListOrders(t.Context(), owner, order.ListFilter{})
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
}

// Each change writes its entry; what changes nothing writes none, and no entry has a secret.
func TestStaff_Audit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	owner := a.StaffCaller(t, staff.RoleOwner)
	owner.RequestID = "R1"
	manager := a.KeyCaller(t, "settings.write", "coupons.write")
	for range 2 {
		if _, err := a.Orders.ConfirmOrder(t.Context(), owner, "0123456789ABCDEF"); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.SetSettings(t.Context(), manager, shoptest.Raw(t, map[string]any{"name": "Renamed"})); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Orders.SaveCoupon(t.Context(), manager,
		order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage, BasisPoints: new(int64(1000)), Active: true}); err != nil {
		t.Fatal(err)
	}
	if err := a.Sender.ConfigureSMS(t.Context(), access.CommandLine("rina"), []byte("secret-password")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Catalogue.SaveCollection(t.Context(), access.CommandLine("rina"), catalogue.CollectionInput{Title: "Eid"}, nil); err != nil {
		t.Fatal(err)
	}
	limit := page.MaxLimit
	list, err := a.Staff.ListAudit(t.Context(), owner, staff.AuditFilter{Request: page.Request{Limit: &limit}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range slices.Backward(list.Nodes) {
		got = append(got, string(e.Actor.Kind)+" "+e.Actor.Name+" "+string(e.Via)+" "+e.Action+" "+e.Subject.Label)
		for _, c := range e.Changes {
			if text, ok := c.After.(string); ok && strings.Contains(text, "secret-password") {
				t.Errorf("%s: got a secret in the audit log", e.Action)
			}
		}
	}
	want := []string{
		"cli  cli key.create panel", "staff A owner dashboard order.confirm 1", "key panel api settings.change ", "key panel api coupon.save TEN",
		"cli rina cli sms.configure ", "cli rina cli collection.save Eid",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got audit log\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	confirm := list.Nodes[len(list.Nodes)-2]
	if len(confirm.Changes) != 1 || confirm.Changes[0].Field != "status" || confirm.Changes[0].After != "confirmed" || confirm.RequestID != "R1" {
		t.Errorf("got entry %+v, want the change of the status", confirm)
	}
	found, err := a.Staff.ListAudit(t.Context(), owner, staff.AuditFilter{Subject: "0123456789ABCDEF", Action: "order.confirm", Actor: "id-owner"})
	if err != nil || found.Meta.TotalCount != 1 {
		t.Errorf("by subject, action and actor: got %+v, %v, want 1 entry", found, err)
	}
}

// Deleting a customer clears what the audit log says about the person.
func TestStaff_AuditErased(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0123456789ABCDEF", shoptest.RahimsPhone)
	if _, err := a.Orders.ConfirmOrder(t.Context(), access.Operator(), "0123456789ABCDEF"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.confirm' AND label = '' AND changes = '[]'`); n != 1 {
		t.Errorf("got %d cleared entries, want 1", n)
	}
}

// Deleting a guest clears no entry of anybody or anything else, and the log shows which entries
// concern the same guest, without the phone number.
func TestStaff_AuditErasedOfGuest(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	a.InsertOrder(t, "0000000000000002", shoptest.KarimsPhone)
	a.Set(t, map[string]any{"storefrontUrl": "https://shop.example"})
	for _, phone := range []string{shoptest.RahimsPhone, shoptest.KarimsPhone} {
		if _, err := a.ExportCustomer(t.Context(), access.Operator(), phone); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'settings.change' AND changes LIKE '%shop.example%'`); n != 1 {
		t.Errorf("got %d entries of the settings with their changes, want 1", n)
	}
	subjects := map[string][]string{}
	log, err := a.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Nodes {
		if e.Subject.Kind == "guest" {
			subjects[e.Subject.ID] = append(subjects[e.Subject.ID], fmt.Sprintf("%s %q %d", e.Action, e.Subject.Label, len(e.Changes)))
		}
	}
	got := slices.SortedFunc(maps.Values(subjects), slices.Compare)
	if want := `[[customer.delete "" 1 export.customer "" 0] [export.customer "Rahim Uddin" 1]]`; fmt.Sprint(got) != want {
		t.Errorf("got entries of guests %v, want %s", subjects, want)
	}
	for id := range subjects {
		if id == "" || strings.Contains(id, "1711") {
			t.Errorf("got the subject %q, want a hash", id)
		}
	}
}

// A padded credential is another one, so that it is not a way around the rate limit.
func TestStaff_PaddedCredential(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	key, owner := a.KeyCaller(t), a.StaffCaller(t, staff.RoleOwner)
	for _, caller := range []access.Caller{{Bearer: key.Bearer + "\u00a0"}, {Session: owner.Session + "  "}} {
		_, err := a.Orders.ListOrders(t.Context(), caller, order.ListFilter{})
		shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	}
	_, err := a.Orders.ListOrders(t.Context(), access.Caller{}, order.ListFilter{})
	if e := shoptest.WantCode(t, err, fault.CodeUnauthenticated); !strings.HasPrefix(e.Message, "Sign in") {
		t.Errorf("got %q without a credential, want the advice to sign in", e.Message)
	}
}
