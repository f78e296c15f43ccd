package staff_test

import (
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

func TestLink(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	m, first, err := a.Staff.InviteMember(ctx, access.Operator(), staff.InviteInput{Name: "Rina", Email: new(ownersEmail), Role: staff.RoleOwner})
	if err != nil || first.Kind != staff.LinkInvite || !first.ExpiresAt.Equal(m.CreatedAt.Add(72*time.Hour)) {
		t.Fatalf("got %+v, %v", first, err)
	}
	if n := a.Number(t, `SELECT count(*) FROM staff_links WHERE hash = ?`, []byte(first.Token)); n != 0 {
		t.Error("got the token in the file")
	}
	invalid := func(token string) {
		t.Helper()
		_, err := a.Staff.InspectLink(ctx, access.Caller{}, token)
		shoptest.WantCode(t, err, fault.CodeLinkInvalid)
		_, err = a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: token, Password: shoptest.Password})
		shoptest.WantCode(t, err, fault.CodeLinkInvalid)
	}
	invalid("x")
	_, link, err := a.Staff.CreateLink(ctx, access.Operator(), ownersEmail)
	if err != nil {
		t.Fatal(err)
	}
	invalid(first.Token) // replaced
	_, err = a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: "password"})
	shoptest.WantCode(t, err, fault.CodePasswordRejected) // and stays valid
	info, err := a.Staff.InspectLink(ctx, access.Caller{}, link.Token)
	if err != nil || info.Kind != staff.LinkInvite || info.Member.Name != "Rina" {
		t.Errorf("got %+v, %v", info, err)
	}

	// Used twice at once: one signs in.
	var running sync.WaitGroup
	var sessions [3]*staff.SignedIn
	var errs [3]error
	for i := range errs {
		running.Go(func() {
			sessions[i], errs[i] = a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{
				Token: link.Token, Password: shoptest.Password, Name: new("Rina Akter"), Language: new(staff.Bangla),
			})
		})
	}
	running.Wait()
	used := 0
	for i := range errs {
		if errs[i] == nil {
			used++
			if s := sessions[i]; s.Member.Name != "Rina Akter" || s.Member.Language != staff.Bangla || s.Member.Status != staff.StatusActive {
				t.Errorf("got %+v", s.Member)
			}
		} else {
			shoptest.WantCode(t, errs[i], fault.CodeLinkInvalid)
		}
	}
	if used != 1 {
		t.Errorf("got %d uses of a link, want 1", used)
	}
	invalid(link.Token)

	_, link, err = a.Staff.CreateLink(ctx, access.Operator(), ownersEmail)
	if err != nil || link.Kind != staff.LinkReset {
		t.Fatalf("got %+v, %v, want a link that resets the password", link, err)
	}
	a.Clock.Advance(2*time.Hour - time.Second)
	if _, err := a.Staff.InspectLink(ctx, access.Caller{}, link.Token); err != nil {
		t.Errorf("a second before it expires: got %v", err)
	}
	a.Clock.Advance(time.Second)
	invalid(link.Token)
}

// A link and a code must not sign anybody in to more than their creator could have granted, nor
// to a contact that has changed since.
func TestLink_TargetChanged(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	manager := a.Member(t, staff.RoleManager, "manager@example.com")
	for name, tc := range map[string]struct {
		change staff.MemberChange
		valid  bool
	}{
		"grant":    {staff.MemberChange{Grants: &[]access.Permission{access.KeysWrite}}, false},
		"no deny":  {staff.MemberChange{Denies: &[]access.Permission{}}, false},
		"e-mail":   {staff.MemberChange{Email: new("other@example.com")}, false},
		"deny":     {staff.MemberChange{Denies: &[]access.Permission{access.OrdersWrite, access.StockWrite}}, true},
		"name":     {staff.MemberChange{Name: new("Other")}, true},
		"language": {staff.MemberChange{Language: new(staff.Bangla)}, true},
	} {
		m, link, err := a.Staff.InviteMember(ctx, manager, staff.InviteInput{
			Name: "S", Email: new("staff@example.com"), Role: staff.RoleStaff, Denies: []access.Permission{access.OrdersWrite},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Staff.UpdateMember(ctx, access.Operator(), m.ID, tc.change); err != nil {
			t.Fatal(err)
		}
		_, err = a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
		if valid := err == nil; valid != tc.valid || !valid && !fault.HasCode(err, fault.CodeLinkInvalid) {
			t.Errorf("%s: got %v, want a valid link: %v", name, err, tc.valid)
		}
		if err := a.Staff.RemoveMember(ctx, access.Operator(), m.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// A link is valid while who has created it may create it: a manager who has left does not sign in
// with the link of somebody else.
func TestLink_CreatorChanged(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	const creator = "creator@example.com"
	update := func(c staff.MemberChange) func() error {
		return func() error {
			_, err := a.Staff.UpdateMember(ctx, owner, creator, c)
			return err
		}
	}
	for _, tc := range []struct {
		name   string
		role   staff.Role // of the creator
		change func() error
		valid  bool
	}{
		{"turned off", staff.RoleManager, func() error {
			_, err := a.Staff.TurnOffMember(ctx, owner, creator)
			return err
		}, false},
		{"removed", staff.RoleManager, func() error { return a.Staff.RemoveMember(ctx, owner, creator, nil) }, false},
		{"lowered", staff.RoleManager, update(staff.MemberChange{Role: new(staff.RoleStaff)}), false},
		{"denied to handle staff", staff.RoleManager, update(staff.MemberChange{Denies: &[]access.Permission{access.StaffWrite}}), false},
		{"denied what the target may", staff.RoleManager, update(staff.MemberChange{Denies: &[]access.Permission{access.OrdersWrite}}), false},
		{"renamed", staff.RoleManager, update(staff.MemberChange{Name: new("Other")}), true},
		{"an owner becomes a manager", staff.RoleOwner, update(staff.MemberChange{Role: new(staff.RoleManager)}), true},
		{"an owner is removed", staff.RoleOwner, func() error { return a.Staff.RemoveMember(ctx, owner, creator, nil) }, false},
	} {
		by := a.Member(t, tc.role, creator)
		invited, invitation, err := a.Staff.InviteMember(ctx, by, staff.InviteInput{Name: "N", Email: new("new@example.com"), Role: staff.RoleStaff})
		if err != nil {
			t.Fatal(err)
		}
		a.Member(t, staff.RoleStaff, "staff@example.com")
		_, reset, err := a.Staff.CreateLink(ctx, by, "staff@example.com")
		if err != nil {
			t.Fatal(err)
		}
		a.Member(t, staff.RoleStaff, "other@example.com")
		_, ofOwner, err := a.Staff.CreateLink(ctx, owner, "other@example.com")
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.change(); err != nil {
			t.Fatal(err)
		}
		m, err := a.Staff.FindMember(ctx, owner, invited.ID)
		if err != nil || (m.InvitationExpiresAt != nil) != tc.valid {
			t.Errorf("%s: got %+v, %v, want an invitation that works: %v", tc.name, m, err, tc.valid)
		}
		for kind, link := range map[string]struct {
			token string
			valid bool
		}{"invitation": {invitation.Token, tc.valid}, "reset": {reset.Token, tc.valid}, "owner's reset": {ofOwner.Token, true}} {
			want := fault.CodeLinkInvalid
			if link.valid {
				want = ""
			}
			_, err := a.Staff.InspectLink(ctx, access.Caller{}, link.token)
			if got := shoptest.ErrorCode(err); got != want {
				t.Errorf("%s: inspect %s: got %q, want %q", tc.name, kind, got, want)
			}
			_, err = a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link.token, Password: shoptest.Password})
			if got := shoptest.ErrorCode(err); got != want {
				t.Errorf("%s: use %s: got %q, want %q", tc.name, kind, got, want)
			}
		}
		a.Exec(t, `DELETE FROM staff WHERE email <> ?`, ownersEmail)
	}
}

// A link by a manager signs in with the second factor alone. One by an owner or the command line
// does without, and the audit log shows it.
func TestLink_SecondFactor(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	owner, manager := a.StaffCaller(t, staff.RoleOwner), a.StaffCaller(t, staff.RoleManager)
	secret, _ := a.TOTP(t, a.Member(t, staff.RoleStaff, "staff@example.com"))
	link := func(by access.Caller) string {
		t.Helper()
		_, link, err := a.Staff.CreateLink(ctx, by, "staff@example.com")
		if err != nil {
			t.Fatal(err)
		}
		return link.Token
	}
	use := func(token, code string) error {
		in := staff.UseLinkInput{Token: token, Password: shoptest.Password}
		if code != "" {
			in.SecondFactorCode = &code
		}
		_, err := a.Staff.UseLink(ctx, access.Caller{Client: shoptest.StaffClient}, in)
		return err
	}
	token := link(manager)
	info, err := a.Staff.InspectLink(ctx, access.Caller{}, token)
	if err != nil || !info.SecondFactorRequired {
		t.Errorf("got %+v, %v, want a link that requires the second factor", info, err)
	}
	shoptest.WantCode(t, use(token, ""), fault.CodeSecondFactorRequired)
	shoptest.WantCode(t, use(token, "000000"), fault.CodeInvalidCredentials)
	a.Clock.Advance(30 * time.Second)
	if err := use(token, shoptest.TOTPCode(t, secret, a.Clock.Now())); err != nil {
		t.Errorf("with a code: got %v", err)
	}
	noted := func() int64 {
		return a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'link.use' AND changes LIKE '%secondFactor%'`)
	}
	if n := noted(); n != 0 {
		t.Errorf("got %d entries of a link without the second factor, want 0", n)
	}
	for i, by := range []access.Caller{owner, access.CommandLine("rina")} {
		if err := use(link(by), ""); err != nil {
			t.Errorf("by an owner or the command line: got %v", err)
		}
		if n := noted(); n != int64(i+1) {
			t.Errorf("got %d entries of a link without the second factor, want %d", n, i+1)
		}
	}
}

// Two requests with one idempotency key create one link, even if the first one's response is lost.
func TestCreateLink_IdempotencyKey(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	m := invite(t, a, staff.RoleStaff, "staff@example.com")
	caller := a.StaffCaller(t, staff.RoleOwner)
	create := func(nonce string) error {
		caller.Request = access.Request{Operation: "createStaffLink", Key: "k", Fingerprint: "f", Nonce: nonce}
		_, _, err := a.Staff.CreateLink(t.Context(), caller, m.ID)
		return err
	}
	if err := create("first"); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, create("second"), fault.CodeStateConflict)
}
