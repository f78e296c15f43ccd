package tenants_test

import (
	"bytes"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// A copy lets nobody in: an export has no sessions, links and codes, and in a clone staff members
// are off until invited again.
func TestStaff_Copies(t *testing.T) {
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	_, link, err := s.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina Akter", Email: new("rina@example.com"), Role: staff.RoleOwner})
	if err != nil {
		t.Fatal(err)
	}
	session, err := s.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Staff.CreateLink(t.Context(), access.Operator(), "rina@example.com"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Staff.StartTOTP(t.Context(), access.Caller{Session: session.Token}); err != nil {
		t.Fatal(err)
	}
	file := backUp(t, all, "acme")
	if _, err := all.Restore(t.Context(), tenants.RestoreOptions{File: file, Of: "acme", As: "acme-copy"}); err != nil {
		t.Fatal(err)
	}
	clone := find(t, all, "acme-copy")
	_, err = clone.Staff.FindSession(t.Context(), access.Caller{Session: session.Token})
	wantCode(t, err, fault.CodeUnauthenticated)
	in := staff.SignInInput{User: "rina@example.com", Password: shoptest.Password}
	_, err = clone.Staff.SignIn(t.Context(), access.Caller{}, in)
	wantCode(t, err, fault.CodeInvalidCredentials)
	m, err := clone.Staff.FindMember(t.Context(), access.Operator(), "rina@example.com")
	if err != nil || m.Status != staff.StatusOff {
		t.Errorf("got %+v, %v, want a staff member who is off", m, err)
	}
	_, link, err = clone.Staff.CreateLink(t.Context(), access.Operator(), "rina@example.com")
	if err != nil || link.Kind != staff.LinkInvite {
		t.Fatalf("got %+v, %v, want an invitation", link, err)
	}
	if _, err := clone.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password}); err != nil {
		t.Error(err)
	}

	var export bytes.Buffer
	if err := all.Export(t.Context(), "acme", &export); err != nil {
		t.Fatal(err)
	}
	for _, table := range staff.AccessTables() {
		if strings.Contains(export.String(), `"`+table+`"`) {
			t.Errorf("got the table %s in the export", table)
		}
	}
	if err := all.Delete(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Import(t.Context(), tenants.ImportOptions{From: &export}); err != nil {
		t.Fatal(err)
	}
	imported := find(t, all, "acme")
	_, err = imported.Staff.FindSession(t.Context(), access.Caller{Session: session.Token})
	wantCode(t, err, fault.CodeUnauthenticated)
	if _, err := imported.Staff.SignIn(t.Context(), access.Caller{}, in); err != nil {
		t.Errorf("sign in to the imported shop: got %v", err)
	}
}
