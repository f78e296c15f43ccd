package tenants_test

import (
	"slices"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

// The data of the whole server is stored as a shop is, and is none: nothing lists it, nothing finds
// it by its UID, and no shop can have the UID.
func TestInstallation_NoShop(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	_, err := all.Installation(t.Context())
	wantCode(t, err, fault.CodeNotFound)
	if _, err := all.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := all.NewSetupToken(t.Context()); err != nil {
		t.Errorf("got %v, want a link for the first shop", err)
	}
	create(t, all, "acme")
	list, err := all.List(t.Context())
	if err != nil || len(list) != 1 || list[0].UID != "acme" {
		t.Errorf("got the shops %+v, %v, want acme alone", list, err)
	}
	if uids, err := all.UIDs(t.Context()); err != nil || !slices.Equal(uids, []string{"acme"}) {
		t.Errorf("got the UIDs %v, %v, want acme alone", uids, err)
	}
	if uid, _, err := all.LastChange(t.Context()); err != nil || uid == tenants.Installation {
		t.Errorf("got the last change in %q, %v", uid, err)
	}
	for range 2 { // not from the cache of shops either
		_, err = all.Shop(t.Context(), tenants.Installation)
		wantCode(t, err, fault.CodeTenantNotFound)
		_, err = all.FindIncludingSuspended(t.Context(), tenants.Installation)
		wantCode(t, err, fault.CodeTenantNotFound)
		if _, err := all.Installation(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, all.Delete(t.Context(), tenants.Installation), fault.CodeTenantNotFound)
	_, err = all.Create(t.Context(), tenants.Installation, named(t, "Fake"))
	wantCode(t, err, fault.CodeValidationFailed)
}

// A restored backup of the installation has the operators of its time, and no session.
func TestInstallation_Backup(t *testing.T) {
	t.Parallel()
	sameKey := func(cfg *tenants.Config) { cfg.Key = exportKey }
	all := open(t, "", sameKey)
	s, err := all.CreateInstallation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := all.CreateInstallation(t.Context())
	if err != nil || again != s {
		t.Errorf("got another installation, %v", err)
	}
	in := staff.InviteInput{Name: "Shaila", Email: new("shaila@agency.example"), Role: staff.RoleOwner}
	_, link, err := s.Staff.InviteMember(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := all.StoredUIDs(t.Context())
	if err != nil || !slices.Equal(stored, []string{tenants.Installation}) {
		t.Errorf("got %v, %v to back up, want the installation", stored, err)
	}
	dir := t.TempDir()
	b, err := all.Backup(t.Context(), tenants.Installation, dir)
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, "", sameKey)
	if _, err := other.Restore(t.Context(), tenants.RestoreOptions{File: dir + "/" + b.File}); err != nil {
		t.Fatal(err)
	}
	s, err = other.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	members, err := s.Staff.ListMembers(t.Context(), access.Operator())
	if err != nil || len(members) != 1 || members[0].Name != "Shaila" {
		t.Errorf("got the operators %+v, %v, want Shaila", members, err)
	}
	_, err = s.Staff.InspectLink(t.Context(), access.Caller{}, link.Token)
	wantCode(t, err, fault.CodeLinkInvalid)
	_, err = other.Restore(t.Context(), tenants.RestoreOptions{File: dir + "/" + b.File, As: "clone"})
	wantCode(t, err, fault.CodeValidationFailed)
}
