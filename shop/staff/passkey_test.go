package staff_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

const dashboard = "https://admin.example"

// at returns the caller at a page.
func at(caller access.Caller, origin string) access.Caller {
	caller.Origin = origin
	return caller
}

// addPasskey adds a passkey of the caller at the dashboard.
func addPasskey(t *testing.T, a *shoptest.Accounts, caller access.Caller) (*shoptest.Authenticator, *staff.NewPasskey) {
	t.Helper()
	device := shoptest.NewAuthenticator(t, dashboard)
	caller = at(caller, dashboard)
	options, err := a.Staff.BeginPasskey(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	added, err := a.Staff.AddPasskey(t.Context(), caller, staff.AddPasskeyInput{Name: "Phone", Credential: device.Create(t, options)})
	if err != nil {
		t.Fatal(err)
	}
	return device, added
}

// newClient is a browser at the dashboard without a session.
func newClient() access.Caller { return access.Caller{Origin: dashboard, Client: "198.51.100.7"} }

// challenge returns options to sign in.
func challenge(t *testing.T, a *shoptest.Accounts) *passkey.RequestOptions {
	t.Helper()
	options, err := a.Staff.BeginPasskeySignIn(t.Context(), newClient())
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// A passkey signs in without a user and a password, and proves the session.
func TestPasskey_SignIn(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := at(a.Member(t, staff.RoleOwner, ownersEmail), dashboard)
	device, added := addPasskey(t, a, owner)
	if len(added.RecoveryCodes) != 10 || added.Host != "admin.example" {
		t.Errorf("got %+v, want recovery codes and the host", added)
	}
	_, second := addPasskey(t, a, owner)
	if len(second.RecoveryCodes) != 0 {
		t.Errorf("got %d recovery codes with the second passkey, want those of the first to stay", len(second.RecoveryCodes))
	}
	a.Clock.Advance(20 * time.Minute)
	session, err := a.Staff.SignInByPasskey(t.Context(), newClient(), device.Sign(t, challenge(t, a)))
	if err != nil {
		t.Fatal(err)
	}
	if m := session.Member; m.Email == nil || *m.Email != ownersEmail || m.Passkeys != 2 || m.SecondFactor != staff.SecondFactorPasskey {
		t.Errorf("got %+v, want the owner with two passkeys", m)
	}
	list, err := a.Staff.ListPasskeys(t.Context(), owner)
	if err != nil || len(list) != 2 || list[0].LastUsedAt == nil || list[1].LastUsedAt != nil {
		t.Errorf("got %+v, %v, want the first used", list, err)
	}

	_, err = a.Staff.ListAPIKeys(t.Context(), owner) // the session without proof
	shoptest.WantCode(t, err, fault.CodeProofRequired)
	options, err := a.Staff.BeginPasskeyProof(t.Context(), owner)
	if err != nil || len(options.Allow) != 2 {
		t.Fatalf("got %+v, %v, want both passkeys", options, err)
	}
	if _, err := a.Staff.ProveSession(t.Context(), owner, staff.ProofInput{Credential: new(device.Sign(t, options))}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Staff.ListAPIKeys(t.Context(), owner); err != nil {
		t.Errorf("after the proof: got %v", err)
	}
	// The password signs in as before.
	if _, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, ""); err != nil {
		t.Errorf("password: got %v", err)
	}
}

// Everything that is not a live proof by an active member's passkey returns the same error.
func TestPasskey_Rejected(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := at(a.Member(t, staff.RoleOwner, ownersEmail), dashboard)
	device, _ := addPasskey(t, a, owner)
	stranger := shoptest.NewAuthenticator(t, dashboard)
	stranger.Create(t, &passkey.CreationOptions{User: passkey.User{ID: "bm9ib2R5"}})
	proof, err := a.Staff.BeginPasskeyProof(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	used := device.Sign(t, challenge(t, a))
	if _, err := a.Staff.SignInByPasskey(t.Context(), newClient(), used); err != nil {
		t.Fatal(err)
	}
	expired := device.Sign(t, challenge(t, a))
	a.Clock.Advance(5 * time.Minute)
	with := func(change func(d *shoptest.Authenticator)) passkey.Assertion {
		changed := *device
		change(&changed)
		return changed.Sign(t, challenge(t, a))
	}
	cut := device.Sign(t, challenge(t, a))
	cut.Signature = cut.Signature[:len(cut.Signature)-4]
	unsigned := device.Sign(t, challenge(t, a))
	unsigned.UserHandle = stranger.Sign(t, challenge(t, a)).UserHandle
	anonymous := device.Sign(t, challenge(t, a))
	anonymous.UserHandle = nil
	for name, in := range map[string]passkey.Assertion{
		"replayed":          used,
		"expired":           expired,
		"challenge of use":  device.Sign(t, proof),
		"own challenge":     device.Sign(t, &passkey.RequestOptions{Challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}),
		"unknown passkey":   stranger.Sign(t, challenge(t, a)),
		"user not verified": with(func(d *shoptest.Authenticator) { d.Unverified = true }),
		"another page":      with(func(d *shoptest.Authenticator) { d.Origin = "https://evil.example" }),
		"another port":      with(func(d *shoptest.Authenticator) { d.Origin = dashboard + ":8443" }),
		"without TLS":       with(func(d *shoptest.Authenticator) { d.Origin = "http://admin.example" }),
		"another site":      with(func(d *shoptest.Authenticator) { d.RPID = "example" }),
		"broken signature":  cut,
		"another handle":    unsigned,
		"no handle":         anonymous,
		"nothing":           {},
	} {
		client := newClient()
		client.Client = name // not throttled
		_, err := a.Staff.SignInByPasskey(t.Context(), client, in)
		if shoptest.ErrorCode(err) != fault.CodeInvalidCredentials ||
			err.Error() != "invalid_credentials: The passkey was not accepted. Start again, or sign in in another way." {
			t.Errorf("%s: got %v", name, err)
		}
	}

	// The passkey at another host of the same server, and that of another shop.
	elsewhere := *device
	elsewhere.Origin = "https://shop.example"
	options, err := a.Staff.BeginPasskeySignIn(t.Context(), access.Caller{Origin: elsewhere.Origin})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Staff.SignInByPasskey(t.Context(), access.Caller{Origin: elsewhere.Origin, Client: "elsewhere"}, elsewhere.Sign(t, options))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	other := shoptest.NewAccounts(t)
	_, err = other.Staff.SignInByPasskey(t.Context(), newClient(), device.Sign(t, challenge(t, other)))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)

	for _, origin := range []string{"", "http://admin.example", "https://192.0.2.1", "https://[2001:db8::1]:8443", "app:x"} {
		_, err := a.Staff.BeginPasskeySignIn(t.Context(), access.Caller{Origin: origin})
		shoptest.WantCode(t, err, fault.CodeStateConflict)
	}
	if _, err := a.Staff.BeginPasskeySignIn(t.Context(), access.Caller{Origin: "http://localhost:8080"}); err != nil {
		t.Errorf("localhost: got %v", err)
	}

	a.Exec(t, `UPDATE staff SET status = 'off'`)
	client := newClient()
	client.Client = "later"
	_, err = a.Staff.SignInByPasskey(t.Context(), client, device.Sign(t, challenge(t, a)))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
}

// Of concurrent sign-ins with one answer of the authenticator, one succeeds.
func TestPasskey_ConcurrentReplay(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	device, _ := addPasskey(t, a, a.Member(t, staff.RoleOwner, ownersEmail))
	in := device.Sign(t, challenge(t, a))
	var succeeded sync.Map
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			client := newClient()
			client.Client = fmt.Sprintf("198.51.100.%d", i)
			if _, err := a.Staff.SignInByPasskey(t.Context(), client, in); err == nil {
				succeeded.Store(i, true)
			}
		})
	}
	wait.Wait()
	n := 0
	succeeded.Range(func(_, _ any) bool { n++; return true })
	if n != 1 {
		t.Errorf("got %d sessions, want 1", n)
	}
}

// A sign count that another device has used already is refused and recorded.
func TestPasskey_Cloned(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	device, _ := addPasskey(t, a, a.Member(t, staff.RoleOwner, ownersEmail))
	for _, step := range []struct {
		count uint32
		want  fault.Code
	}{{0, ""}, {0, ""}, {7, ""}, {7, fault.CodeInvalidCredentials}, {3, fault.CodeInvalidCredentials}, {0, fault.CodeInvalidCredentials}, {8, ""}} {
		device.Count = step.count
		_, err := a.Staff.SignInByPasskey(t.Context(), newClient(), device.Sign(t, challenge(t, a)))
		if got := shoptest.ErrorCode(err); got != step.want {
			t.Errorf("count %d: got %v, want %q", step.count, err, step.want)
		}
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'passkey.clone'`); n != 3 {
		t.Errorf("got %d warnings, want 3", n)
	}
}

// Failures with one passkey delay that client, and nobody else.
func TestPasskey_Throttled(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	device, _ := addPasskey(t, a, a.Member(t, staff.RoleOwner, ownersEmail))
	forged := *device
	forged.RPID = "example"
	var err error
	for range 20 {
		_, err = a.Staff.SignInByPasskey(t.Context(), newClient(), forged.Sign(t, challenge(t, a)))
	}
	shoptest.WantCode(t, err, fault.CodeRateLimited)
	other := newClient()
	other.Client = "203.0.113.9"
	if _, err := a.Staff.SignInByPasskey(t.Context(), other, device.Sign(t, challenge(t, a))); err != nil {
		t.Errorf("another client: got %v", err)
	}
}

// A new passkey needs live options of this session and page, and a recent proof.
func TestPasskey_Add(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := at(a.Member(t, staff.RoleOwner, ownersEmail), dashboard)
	viewer := at(a.Member(t, staff.RoleViewer, "viewer@example.com"), dashboard)
	begin := func(caller access.Caller) *passkey.CreationOptions {
		options, err := a.Staff.BeginPasskey(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		return options
	}
	add := func(caller access.Caller, device *shoptest.Authenticator, options *passkey.CreationOptions) error {
		_, err := a.Staff.AddPasskey(t.Context(), caller, staff.AddPasskeyInput{Name: "Phone", Credential: device.Create(t, options)})
		return err
	}
	for name, change := range map[string]func(d *shoptest.Authenticator){
		"user not verified": func(d *shoptest.Authenticator) { d.Unverified = true },
		"another page":      func(d *shoptest.Authenticator) { d.Origin = "https://evil.example" },
		"another site":      func(d *shoptest.Authenticator) { d.RPID = "example" },
	} {
		device := shoptest.NewAuthenticator(t, dashboard)
		change(device)
		if err := add(owner, device, begin(owner)); shoptest.ErrorCode(err) != fault.CodeInvalidCredentials {
			t.Errorf("%s: got %v", name, err)
		}
	}
	shoptest.WantCode(t, add(owner, shoptest.NewAuthenticator(t, dashboard), begin(viewer)), fault.CodeInvalidCredentials)
	device, options := shoptest.NewAuthenticator(t, dashboard), begin(owner)
	if err := add(owner, device, options); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, add(owner, shoptest.NewAuthenticator(t, dashboard), options), fault.CodeInvalidCredentials) // the options are used up
	shoptest.WantCode(t, add(viewer, device, begin(viewer)), fault.CodeStateConflict)                                // a passkey has one account
	if got := begin(owner).Exclude; len(got) != 1 {
		t.Errorf("got %+v, want the passkey to be excluded", got)
	}
	for range passkey.Most - 1 {
		if err := add(owner, shoptest.NewAuthenticator(t, dashboard), begin(owner)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.Staff.BeginPasskey(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	late := begin(viewer)
	a.Clock.Advance(5 * time.Minute)
	shoptest.WantCode(t, add(viewer, shoptest.NewAuthenticator(t, dashboard), late), fault.CodeInvalidCredentials)
	a.Clock.Advance(15*time.Minute - 5*time.Minute)
	_, err = a.Staff.BeginPasskey(t.Context(), viewer)
	shoptest.WantCode(t, err, fault.CodeProofRequired)
	_, err = a.Staff.RenamePasskey(t.Context(), viewer, "01ANOTHER", "Mine")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	list, err := a.Staff.ListPasskeys(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Staff.RenamePasskey(t.Context(), viewer, list[0].ID, "Mine") // the owner's
	shoptest.WantCode(t, err, fault.CodeNotFound)
}

// Where a second factor is required, a passkey is one: a password then needs a recovery code, and
// the last passkey stays.
func TestPasskey_SecondFactorRequired(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := at(a.Member(t, staff.RoleOwner, ownersEmail), dashboard)
	a.Set(t, map[string]any{"requireSecondFactor": "everyone"})
	_, added := addPasskey(t, a, owner) // nothing else is permitted before
	if session, err := a.Staff.FindSession(t.Context(), owner); err != nil || session.SetupRequired {
		t.Errorf("got %+v, %v, want the requirement met", session, err)
	}
	_, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, "")
	shoptest.WantCode(t, err, fault.CodeSecondFactorRequired)
	var required *fault.Error
	if !errors.As(err, &required) || fmt.Sprint(required.Details["methods"]) != "[passkey recovery]" {
		t.Errorf("got %+v, want a passkey or a recovery code", required)
	}
	for _, code := range []string{"000000", "AAAAA-AAAAA"} {
		_, err = signInFrom(t, a, "192.0.2.2", shoptest.Password, code)
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	if _, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, added.RecoveryCodes[0]); err != nil {
		t.Errorf("recovery code: got %v", err)
	}
	shoptest.WantCode(t, a.Staff.RemovePasskey(t.Context(), owner, added.ID), fault.CodeStateConflict)
	a.TOTP(t, owner)
	if err := a.Staff.RemovePasskey(t.Context(), owner, added.ID); err != nil {
		t.Errorf("with an authenticator app: got %v", err)
	}
	if n := a.Number(t, `SELECT count(*) FROM staff_recovery WHERE used_at IS NULL`); n != 10 {
		t.Errorf("got %d recovery codes, want those of the app", n)
	}
}

// A link that signs in without a second factor removes passkeys, which somebody else may have. One
// that a manager creates needs a code, and leaves them.
func TestPasskey_Link(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	manager := a.Member(t, staff.RoleManager, "manager@example.com")
	member := a.Member(t, staff.RoleStaff, ownersEmail)
	device, added := addPasskey(t, a, member)
	use := func(by access.Caller, code *string) error {
		_, link, err := a.Staff.CreateLink(t.Context(), by, ownersEmail)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: "another-7-word", SecondFactorCode: code})
		return err
	}
	shoptest.WantCode(t, use(manager, nil), fault.CodeSecondFactorRequired)
	if err := use(manager, &added.RecoveryCodes[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Staff.SignInByPasskey(t.Context(), newClient(), device.Sign(t, challenge(t, a))); err != nil {
		t.Errorf("after the manager's link: got %v", err)
	}
	if err := use(access.Operator(), nil); err != nil {
		t.Fatal(err)
	}
	_, err := a.Staff.SignInByPasskey(t.Context(), newClient(), device.Sign(t, challenge(t, a)))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	if n := a.Number(t, `SELECT (SELECT count(*) FROM staff_passkeys) + (SELECT count(*) FROM staff_recovery)`); n != 0 {
		t.Errorf("got %d passkeys and recovery codes, want none", n)
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'passkey.remove'`); n != 1 {
		t.Errorf("got %d audit entries, want 1", n)
	}
}
