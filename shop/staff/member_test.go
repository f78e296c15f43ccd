package staff_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/notify"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// invite invites a staff member with the role at the command line.
func invite(t *testing.T, a *shoptest.Accounts, role staff.Role, email string) *staff.Member {
	t.Helper()
	m, _, err := a.Staff.InviteMember(t.Context(), access.Operator(), staff.InviteInput{Name: "A " + string(role), Email: &email, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Who may handle whom: an owner everybody, a manager those with the roles staff and viewer, and
// nobody else anybody.
func TestMember_Roles(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	callers := map[staff.Role]access.Caller{}
	for _, role := range staff.Roles() {
		callers[role] = a.Member(t, role, string(role)+"@example.com")
	}
	ctx := t.Context()
	for by, caller := range callers {
		for _, of := range staff.Roles() {
			want := fault.CodeForbidden
			if by == staff.RoleOwner || by == staff.RoleManager && of != staff.RoleOwner && of != staff.RoleManager {
				want = ""
			}
			email := string(by) + "-" + string(of) + "@example.com"
			for name, change := range map[string]func(m *staff.Member) error{
				"rename": func(m *staff.Member) error {
					_, err := a.Staff.UpdateMember(ctx, caller, m.ID, staff.MemberChange{Name: new("Renamed")})
					return err
				},
				"make a viewer": func(m *staff.Member) error {
					_, err := a.Staff.UpdateMember(ctx, caller, m.ID, staff.MemberChange{Role: new(staff.RoleViewer)})
					return err
				},
				"promote": func(*staff.Member) error {
					viewer := invite(t, a, staff.RoleViewer, "promoted-"+email)
					_, err := a.Staff.UpdateMember(ctx, caller, viewer.ID, staff.MemberChange{Role: &of})
					return err
				},
				"invite": func(*staff.Member) error {
					_, _, err := a.Staff.InviteMember(ctx, caller, staff.InviteInput{Name: "New", Email: new("new-" + email), Role: of})
					return err
				},
				"link": func(m *staff.Member) error {
					_, _, err := a.Staff.CreateLink(ctx, caller, m.ID)
					return err
				},
				"end sessions": func(m *staff.Member) error { return a.Staff.EndMemberSessions(ctx, caller, m.ID) },
				"turn off": func(m *staff.Member) error {
					_, err := a.Staff.TurnOffMember(ctx, caller, m.ID)
					return err
				},
				"remove": func(m *staff.Member) error { return a.Staff.RemoveMember(ctx, caller, m.ID, nil) },
			} {
				m := invite(t, a, of, email)
				if got := shoptest.ErrorCode(change(m)); got != want {
					t.Errorf("%s: %s of a %s: got %q, want %q", by, name, of, got, want)
				}
				err := a.Store.Update(ctx, a.Config.ID, func(_ context.Context, tx *db.Tx) error {
					_, err := tx.Exec(`DELETE FROM staff WHERE email LIKE '%-%'`)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Nobody grants a permission that they lack: not by a grant, by removing a denial, or by a link to
// the account of somebody who has it.
func TestMember_Permissions(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	manager := a.Member(t, staff.RoleManager, "manager@example.com")
	_, err := a.Staff.UpdateMember(ctx, access.Operator(), "manager@example.com", staff.MemberChange{Denies: &[]access.Permission{access.CostsRead}})
	if err != nil {
		t.Fatal(err)
	}
	m := invite(t, a, staff.RoleStaff, "staff@example.com")
	grant := func(caller access.Caller, list ...access.Permission) error {
		_, err := a.Staff.UpdateMember(ctx, caller, m.ID, staff.MemberChange{Grants: &list})
		return err
	}
	for p, want := range map[access.Permission]fault.Code{
		access.PaymentsRead: "", access.KeysWrite: fault.CodeForbidden, access.CostsRead: fault.CodeForbidden,
		access.OperatorOnly: fault.CodeValidationFailed, access.Own: fault.CodeValidationFailed,
	} {
		if got := shoptest.ErrorCode(grant(manager, p)); got != want {
			t.Errorf("manager grants %s: got %q, want %q", p, got, want)
		}
	}
	_, _, err = a.Staff.InviteMember(ctx, manager, staff.InviteInput{Name: "V", Email: new("v@example.com"), Role: staff.RoleViewer})
	shoptest.WantCode(t, err, fault.CodeForbidden) // viewers see costs
	if err := grant(access.Operator(), access.KeysWrite); err != nil {
		t.Fatal(err)
	}
	_, _, err = a.Staff.CreateLink(ctx, manager, m.ID)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	_, err = a.Staff.UpdateMember(ctx, manager, m.ID, staff.MemberChange{Email: new("mine@example.com")})
	shoptest.WantCode(t, err, fault.CodeForbidden)
	_, err = a.Staff.UpdateMember(ctx, manager, "manager@example.com", staff.MemberChange{Denies: &[]access.Permission{}})
	shoptest.WantCode(t, err, fault.CodeForbidden)
}

// The last active owner with every permission stays one, even for the operator, and nobody changes
// their own role.
func TestMember_LastOwner(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	invite(t, a, staff.RoleOwner, "invited@example.com") // has no password yet
	for name, change := range map[string]func(caller access.Caller, user string) error{
		"demote": func(caller access.Caller, user string) error {
			_, err := a.Staff.UpdateMember(ctx, caller, user, staff.MemberChange{Role: new(staff.RoleManager)})
			return err
		},
		"turn off": func(caller access.Caller, user string) error {
			_, err := a.Staff.TurnOffMember(ctx, caller, user)
			return err
		},
		"remove": func(caller access.Caller, user string) error { return a.Staff.RemoveMember(ctx, caller, user, nil) },
	} {
		if got := shoptest.ErrorCode(change(owner, ownersEmail)); got != fault.CodeForbidden {
			t.Errorf("%s themselves: got %q, want forbidden", name, got)
		}
		if got := shoptest.ErrorCode(change(access.Operator(), ownersEmail)); got != fault.CodeStateConflict {
			t.Errorf("%s the last owner: got %q, want state_conflict", name, got)
		}
	}
	_, err := a.Staff.UpdateMember(ctx, access.Operator(), ownersEmail, staff.MemberChange{Denies: &[]access.Permission{access.StaffWrite}})
	shoptest.WantCode(t, err, fault.CodeStateConflict)

	// Two owners who demote each other at once: one stays.
	second := a.Member(t, staff.RoleOwner, "second@example.com")
	var running sync.WaitGroup
	var errs [2]error
	for i, c := range []struct {
		caller access.Caller
		user   string
	}{{owner, "second@example.com"}, {second, ownersEmail}} {
		running.Go(func() {
			_, errs[i] = a.Staff.UpdateMember(ctx, c.caller, c.user, staff.MemberChange{Role: new(staff.RoleViewer)})
		})
	}
	running.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("got %v and %v, want one to succeed", errs[0], errs[1])
	}
	if n := a.Number(t, `SELECT count(*) FROM staff WHERE role = 'owner' AND status = 'active'`); n != 1 {
		t.Errorf("got %d active owners, want 1", n)
	}
}

// Another role, turning off and a new password end the sessions; another name does not.
func TestMember_EndsSessions(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	for i, tc := range []struct {
		name   string
		change func(user string) error
		ends   bool
	}{
		{"name", func(user string) error {
			_, err := a.Staff.UpdateMember(ctx, access.Operator(), user, staff.MemberChange{Name: new("Other")})
			return err
		}, false},
		{"role", func(user string) error {
			_, err := a.Staff.UpdateMember(ctx, access.Operator(), user, staff.MemberChange{Role: new(staff.RoleViewer)})
			return err
		}, true},
		{"off", func(user string) error {
			_, err := a.Staff.TurnOffMember(ctx, access.Operator(), user)
			return err
		}, true},
		{"sessions", func(user string) error { return a.Staff.EndMemberSessions(ctx, access.Operator(), user) }, true},
		{"removed", func(user string) error { return a.Staff.RemoveMember(ctx, access.Operator(), user, nil) }, true},
	} {
		email := fmt.Sprintf("staff%d@example.com", i)
		caller := a.Member(t, staff.RoleStaff, email)
		if err := tc.change(email); err != nil {
			t.Fatal(err)
		}
		_, err := a.Staff.FindSession(ctx, caller)
		if ended := fault.HasCode(err, fault.CodeUnauthenticated); ended != tc.ends {
			t.Errorf("%s: got %v, want ended %v", tc.name, err, tc.ends)
		}
	}
}

func TestMember_Limit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for i := range 100 {
		invite(t, a, staff.RoleStaff, fmt.Sprintf("staff%d@example.com", i))
	}
	_, _, err := a.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "One more", Email: new("more@example.com"), Role: staff.RoleStaff})
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

// A session that ends while a request runs does not reach the commit.
func TestStaff_EndedDuringRequest(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	for name, tc := range map[string]struct {
		end  func(access.Caller) error
		want fault.Code
	}{
		"signed out": {func(c access.Caller) error { return a.Staff.EndSession(t.Context(), c) }, fault.CodeUnauthenticated},
		"role lowered": {func(access.Caller) error {
			_, err := a.Staff.UpdateMember(t.Context(), owner, "manager@example.com", staff.MemberChange{Role: new(staff.RoleViewer)})
			return err
		}, fault.CodeUnauthenticated},
		"denied": {func(access.Caller) error {
			_, err := a.Staff.UpdateMember(t.Context(), owner, "manager@example.com", staff.MemberChange{Denies: &[]access.Permission{access.OrdersWrite}})
			return err
		}, fault.CodeForbidden},
		"turned off": {func(access.Caller) error {
			_, err := a.Staff.TurnOffMember(t.Context(), owner, "manager@example.com")
			return err
		}, fault.CodeUnauthenticated},
	} {
		caller := a.Member(t, staff.RoleManager, "manager@example.com")
		who, err := a.Staff.Authorize(t.Context(), caller, access.ToConfirmOrder)
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.end(caller); err != nil {
			t.Fatal(err)
		}
		err = a.Store.Update(t.Context(), a.Config.ID, func(_ context.Context, tx *db.Tx) error {
			return who.Audit(tx, access.Subject{Kind: access.SubjectOrder})
		})
		if got := shoptest.ErrorCode(err); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
		if err := a.Staff.RemoveMember(t.Context(), access.Operator(), "manager@example.com", nil); err != nil {
			t.Fatal(err)
		}
	}
}

// Every use case of staff members that changes something leaves one audit entry with its action, in
// the name of the staff member.
func TestMember_Audit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	ctx := t.Context()
	sent := textCodes(a)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	if _, err := a.Staff.UpdateMember(ctx, access.Operator(), ownersEmail, staff.MemberChange{PhoneNumber: new("01711-000000")}); err != nil {
		t.Fatal(err)
	}
	var link *staff.Link
	var member *staff.Member
	var setup *staff.TOTPSetup
	renew := func(session *staff.SignedIn, err error) error {
		if err == nil {
			owner.Session = session.Token
		}
		return err
	}
	const next = "jackfruit-river-9"
	var device *notify.Device
	var phone *shoptest.Authenticator
	var added *staff.NewPasskey
	steps := []struct {
		use access.UseCase
		run func() error
	}{
		{access.ToInviteMember, func() (err error) {
			member, link, err = a.Staff.InviteMember(ctx, owner, staff.InviteInput{Name: "Karim", Email: new("karim@example.com"), Role: staff.RoleStaff})
			return err
		}},
		{access.ToCreateLink, func() (err error) {
			_, link, err = a.Staff.CreateLink(ctx, owner, member.ID)
			return err
		}},
		{access.ToUseLink, func() error {
			_, err := a.Staff.UseLink(ctx, access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
			return err
		}},
		{access.ToUpdateMember, func() error {
			_, err := a.Staff.UpdateMember(ctx, owner, member.ID, staff.MemberChange{Role: new(staff.RoleViewer)})
			return err
		}},
		{access.ToEndMemberSessions, func() error { return a.Staff.EndMemberSessions(ctx, owner, member.ID) }},
		{access.ToTurnOffMember, func() error {
			_, err := a.Staff.TurnOffMember(ctx, owner, member.ID)
			return err
		}},
		{access.ToRemoveMember, func() error { return a.Staff.RemoveMember(ctx, owner, member.ID, nil) }},
		{access.ToSignIn, func() error { return renew(signInFrom(t, a, "192.0.2.2", shoptest.Password, "")) }},
		{access.ToProveSession, func() error {
			_, err := a.Staff.ProveSession(ctx, owner, staff.ProofInput{Password: new(shoptest.Password)})
			return err
		}},
		{access.ToUpdateMe, func() error {
			_, err := a.Staff.UpdateMe(ctx, owner, staff.MeChange{Theme: new(staff.ThemeDark)})
			return err
		}},
		{access.ToChangeOwnPassword, func() error {
			return renew(a.Staff.ChangeOwnPassword(ctx, owner, staff.ChangeOwnPasswordInput{CurrentPassword: shoptest.Password, NewPassword: next}))
		}},
		{access.ToRequestPasswordCode, func() error { return a.Staff.RequestPasswordCode(ctx, owner, ownersEmail) }},
		{access.ToResetOwnPassword, func() error {
			return renew(a.Staff.ResetOwnPassword(ctx, access.Caller{}, staff.ResetOwnPasswordInput{
				User: ownersEmail, Code: <-sent, Password: shoptest.Password,
			}))
		}},
		{access.ToStartTOTP, func() (err error) {
			setup, err = a.Staff.StartTOTP(ctx, owner)
			return err
		}},
		{access.ToConfirmTOTP, func() error {
			_, err := a.Staff.ConfirmTOTP(ctx, owner, shoptest.TOTPCode(t, setup.Secret, a.Clock.Now()))
			return err
		}},
		{access.ToRemoveTOTP, func() error { return a.Staff.RemoveTOTP(ctx, owner) }},
		{access.ToAddPasskey, func() error {
			phone, added = addPasskey(t, a, owner)
			return nil
		}},
		{access.ToRenamePasskey, func() error {
			_, err := a.Staff.RenamePasskey(ctx, owner, added.ID, "Laptop")
			return err
		}},
		{access.ToSignInByPasskey, func() error {
			_, err := a.Staff.SignInByPasskey(ctx, newClient(), phone.Sign(t, challenge(t, a)))
			return err
		}},
		{access.ToRemovePasskey, func() error { return a.Staff.RemovePasskey(ctx, owner, added.ID) }},
		{access.ToUpdatePreferences, func() error {
			_, err := a.Notify.UpdatePreferences(ctx, owner, notify.Change{Quiet: &notify.Quiet{From: "22:00", Until: "07:00"}})
			return err
		}},
		{access.ToSaveDevice, func() (err error) {
			device, err = a.Notify.SaveDevice(ctx, owner, notify.Subscription{Endpoint: "https://push.example.com/x", Keys: notify.SubscriptionKeys{
				P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", Auth: "BTBZMqHH6r4Tts7J_aSIgg",
			}})
			return err
		}},
		{access.ToTestNotifications, func() error {
			_, err := a.Notify.TestNotifications(ctx, owner)
			return err
		}},
		{access.ToTestMember, func() error {
			_, err := a.Notify.TestMember(ctx, owner, ownersEmail)
			return err
		}},
		{access.ToRemoveDevice, func() error { return a.Notify.RemoveDevice(ctx, owner, device.ID) }},
		{access.ToEndOwnSession, func() error {
			list, err := a.Staff.ListSessions(ctx, owner)
			if err != nil {
				return err
			}
			return a.Staff.EndOwnSession(ctx, owner, list[0].ID)
		}},
		{access.ToEndOwnSessions, func() error {
			if err := renew(signInFrom(t, a, "192.0.2.2", shoptest.Password, "")); err != nil {
				return err
			}
			return a.Staff.EndOwnSessions(ctx, owner)
		}},
		{access.ToEndSession, func() error {
			if err := renew(signInFrom(t, a, "192.0.2.2", shoptest.Password, "")); err != nil {
				return err
			}
			return a.Staff.EndSession(ctx, owner)
		}},
	}
	// The first is of a shop that is not there yet. Package server has the others, with a bot of
	// Telegram.
	tested := []access.UseCase{access.ToSetUp, access.ToStartTelegramLink, access.ToFinishTelegramLink, access.ToEndTelegramLink}
	for _, step := range steps {
		tested = append(tested, step.use)
		action := step.use.Action
		entries := func() int64 { return a.Number(t, `SELECT count(*) FROM audit_log WHERE action = ?`, action) }
		before := entries()
		if err := step.run(); err != nil {
			t.Fatalf("%s: %v", step.use, err)
		}
		if n := entries() - before; n != 1 {
			t.Errorf("%s: got %d audit entries with %s, want 1", step.use, n, action)
		}
	}
	for _, use := range access.UseCases() {
		isStaff := slices.Contains([]access.Permission{access.StaffWrite, access.Own, access.Anybody}, use.Permission)
		if isStaff && use.Action != "" && !slices.Contains(tested, use) {
			t.Errorf("got no step for %s", use)
		}
	}
	for _, text := range []string{shoptest.Password, next, link.Token, setup.Secret} {
		if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE replace(changes, ?, '') <> changes`, text); n != 0 {
			t.Errorf("got %q in the audit log", text)
		}
	}
}

// What ended long ago is deleted, except for the last use of each staff member.
func TestPurgeAccess(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Member(t, staff.RoleOwner, ownersEmail)
	a.Clock.Advance(time.Minute)
	if _, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Staff.CreateLink(t.Context(), access.Operator(), ownersEmail); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after           time.Duration
		sessions, links int64
	}{{0, 2, 1}, {2 * time.Hour, 2, 0}, {90 * 24 * time.Hour, 1, 0}, {90 * 24 * time.Hour, 1, 0}} {
		a.Clock.Advance(step.after)
		next, err := a.Staff.PurgeAccess(t.Context())
		if err != nil || !next.IsZero() && !next.After(a.Clock.Now()) {
			t.Errorf("got %v, %v, want a later time", next, err)
		}
		sessions, links := a.Number(t, `SELECT count(*) FROM staff_sessions`), a.Number(t, `SELECT count(*) FROM staff_links`)
		if sessions != step.sessions || links != step.links {
			t.Errorf("got %d sessions and %d links, want %d and %d", sessions, links, step.sessions, step.links)
		}
	}
}
