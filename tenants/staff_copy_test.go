package tenants_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"storefront/db/dbtest"
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

// A restore in place lets nobody in who must not be let in any more: sessions and links end, and so
// does the access that ended after the backup, whichever of the copies is restored.
func TestStaff_RestoredInPlace(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	ctx, operator := t.Context(), access.Operator()
	invite := func(name string) (link string) {
		_, made, err := s.Staff.InviteMember(ctx, operator, staff.InviteInput{Name: name, Email: new(name + "@example.com"), Role: staff.RoleManager})
		if err != nil {
			t.Fatal(err)
		}
		return made.Token
	}
	session, err := s.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: invite("rina"), Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	link := invite("karim")
	first := backUp(t, all, "acme")
	invite("salma") // after the first backup, before the second
	key, record, err := s.Staff.CreateAPIKey(ctx, operator, staff.APIKeyInput{Label: "till"})
	if err != nil {
		t.Fatal(err)
	}
	second := backUp(t, all, "acme")
	if err := errors.Join(s.Staff.RemoveMember(ctx, operator, "salma@example.com", nil), s.Staff.RevokeAPIKey(ctx, operator, record.ID)); err != nil {
		t.Fatal(err)
	}
	restore := func(file string) *staff.CopyAccess {
		t.Helper()
		done, err := all.Restore(ctx, tenants.RestoreOptions{File: file, Of: "acme"})
		if err != nil {
			t.Fatal(err)
		}
		s = find(t, all, "acme")
		return done.Access
	}
	if got := restore(first); len(got.EndedMembers)+len(got.EndedKeys)+len(got.CheckMembers)+len(got.CheckKeys) > 0 {
		t.Errorf("first backup: got %+v, want nothing ended, as it has neither salma nor the key", got)
	}
	_, err = s.Staff.FindSession(ctx, access.Caller{Session: session.Token})
	wantCode(t, err, fault.CodeUnauthenticated)
	_, err = s.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link, Password: shoptest.Password})
	wantCode(t, err, fault.CodeLinkInvalid)
	if _, err := s.Staff.SignIn(ctx, access.Caller{}, staff.SignInInput{User: "rina@example.com", Password: shoptest.Password}); err != nil {
		t.Errorf("sign in after the restore: got %v", err)
	}
	want := &staff.CopyAccess{EndedMembers: []string{"salma"}, EndedKeys: []string{"till"}, CheckMembers: []string{}, CheckKeys: []string{}}
	if got := restore(second); !reflect.DeepEqual(got, want) {
		t.Errorf("second backup after the first: got %+v, want %+v", got, want)
	}
	_, err = s.Staff.Identify(ctx, access.Caller{Bearer: key})
	wantCode(t, err, fault.CodeUnauthenticated)
	if m, err := s.Staff.FindMember(ctx, operator, "salma@example.com"); err != nil || m.Status != staff.StatusOff {
		t.Errorf("salma: got %+v, %v, want a staff member who is off", m, err)
	}
}
