package tenants_test

import (
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// A passkey that was removed after a backup does not sign in once the backup is restored in place,
// and a clone has none.
func TestStaff_PasskeyInCopies(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	_, link, err := s.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	session, err := s.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	rina := access.Caller{Session: session.Token, Origin: "https://shop.example"}
	add := func() *staff.NewPasskey {
		device := shoptest.NewAuthenticator(t, rina.Origin)
		options, err := s.Staff.BeginPasskey(t.Context(), rina)
		if err != nil {
			t.Fatal(err)
		}
		added, err := s.Staff.AddPasskey(t.Context(), rina, staff.AddPasskeyInput{Name: "Phone", Credential: device.Create(t, options)})
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	lost := add()
	add()
	file := backUp(t, all, "acme")
	if err := s.Staff.RemovePasskey(t.Context(), rina, lost.ID); err != nil {
		t.Fatal(err)
	}
	for _, copied := range []struct {
		as   string
		want int
	}{{"acme-copy", 0}, {"", 1}} {
		if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: copied.as}); err != nil {
			t.Fatal(err)
		}
		uid := "acme"
		if copied.as != "" {
			uid = copied.as
		}
		m, err := find(t, all, uid).Staff.FindMember(t.Context(), access.Operator(), "rina@example.com")
		if err != nil || m.Passkeys != copied.want {
			t.Errorf("%s: got %+v, %v, want %d passkeys", uid, m, err, copied.want)
		}
	}
}
