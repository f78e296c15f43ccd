package account_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
)

const storefront = "https://shop.example"

// newBrowser is a browser at the shop without a session.
func newBrowser() access.Caller { return access.Caller{Origin: storefront, Client: "198.51.100.7"} }

// signedIn returns a browser at the shop with a session.
func signedIn(payload *account.AuthPayload) access.Caller {
	caller := newBrowser()
	caller.Bearer = payload.AccessToken
	return caller
}

func byPassword() account.ProofInput { return account.ProofInput{CurrentPassword: new(goodPassword)} }

// addPasskey adds a passkey of a caller with a password.
func (a *accounts) addPasskey(t *testing.T, caller access.Caller) (*shoptest.Authenticator, *passkey.Passkey) {
	t.Helper()
	device := shoptest.NewAuthenticator(t, caller.Origin)
	options, err := a.BeginPasskey(t.Context(), caller, byPassword())
	if err != nil {
		t.Fatal(err)
	}
	in := account.AddPasskeyInput{Name: "Phone", Credential: device.Create(t, options)}
	added, err := a.AddPasskey(t.Context(), caller, in)
	if err != nil {
		t.Fatal(err)
	}
	return device, added
}

// challenge returns options to sign in.
func (a *accounts) challenge(t *testing.T) *passkey.RequestOptions {
	t.Helper()
	options, err := a.BeginPasskeySignIn(t.Context(), newBrowser())
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// proof returns a proof of the caller's account by a passkey.
func (a *accounts) proof(t *testing.T, caller access.Caller, device *shoptest.Authenticator) account.ProofInput {
	t.Helper()
	options, err := a.BeginPasskeyProof(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	return account.ProofInput{CurrentPasskey: new(device.Sign(t, options))}
}

// signInByPasskey signs in from a client.
func (a *accounts) signInByPasskey(t *testing.T, client string, in passkey.Assertion) (*account.AuthPayload, error) {
	t.Helper()
	caller := newBrowser()
	caller.Client = client
	return a.SignInByPasskey(t.Context(), caller, account.PasskeyProof{Credential: in})
}

// A passkey signs in, and proves the account for a change.
func TestPasskey_SignIn(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	registered := a.Rahim(t)
	rahim := signedIn(registered)
	device, added := a.addPasskey(t, rahim)
	second, _ := a.addPasskey(t, rahim)
	if added.Host != "shop.example" || added.Name != "Phone" || added.LastUsedAt != nil {
		t.Errorf("got %+v, want an unused one at the host", added)
	}
	a.Clock.Advance(91 * 24 * time.Hour) // the token ends, passkeys do not
	payload, err := a.signInByPasskey(t, "198.51.100.7", device.Sign(t, a.challenge(t)))
	if err != nil || payload.User.ID != registered.User.ID {
		t.Fatalf("got %+v, %v, want the account", payload, err)
	}
	rahim = signedIn(payload)
	a.Clock.Advance(6 * 24 * time.Hour) // signed in now, so the token can be renewed
	if _, err := a.RenewToken(t.Context(), rahim); err != nil {
		t.Errorf("renew: got %v", err)
	}
	list, err := a.ListPasskeys(t.Context(), rahim)
	if err != nil || len(list.Nodes) != 2 || list.Nodes[0].LastUsedAt == nil || list.Nodes[1].LastUsedAt != nil {
		t.Errorf("got %+v, %v, want the first used", list, err)
	}
	renamed, err := a.RenamePasskey(t.Context(), rahim, added.ID, account.PasskeyName{Name: "Old phone"})
	if err != nil || renamed.Name != "Old phone" {
		t.Errorf("got %+v, %v, want the new name", renamed, err)
	}

	in := account.ChangePasswordInput{NewPassword: "shapla-ful-9", CurrentPasskey: a.proof(t, rahim, second).CurrentPasskey}
	changed, err := a.ChangePassword(t.Context(), rahim, in)
	if err != nil {
		t.Fatal(err)
	}
	rahim = signedIn(changed)
	profile := account.ProfileInput{Email: new("new@example.com"), CurrentPasskey: a.proof(t, rahim, second).CurrentPasskey}
	if _, err := a.UpdateProfile(t.Context(), rahim, profile); err != nil {
		t.Errorf("change of the e-mail address: got %v", err)
	}
	options, err := a.BeginPasskey(t.Context(), rahim, a.proof(t, rahim, device))
	if err != nil || len(options.Exclude) != 2 {
		t.Errorf("got %+v, %v, want options without the existing passkeys", options, err)
	}
	if _, err := a.RemovePasskey(t.Context(), rahim, added.ID, a.proof(t, rahim, device)); err != nil {
		t.Errorf("remove: got %v", err)
	}
	_, err = a.signInByPasskey(t, "a", device.Sign(t, a.challenge(t)))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	if _, err := a.signInByPasskey(t, "b", second.Sign(t, a.challenge(t))); err != nil {
		t.Errorf("the other passkey: got %v", err)
	}
	deleted, err := a.DeleteAccount(t.Context(), rahim, a.proof(t, rahim, second))
	if err != nil || !deleted.Success {
		t.Errorf("got %+v, %v, want the account deleted", deleted, err)
	}
	if n := a.Number(t, `SELECT count(*) FROM customer_passkeys`); n != 0 {
		t.Errorf("got %d passkeys of a deleted account", n)
	}
}

// Everything that is not a live proof by an account's passkey returns the same error.
func TestPasskey_Rejected(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	rahim := signedIn(a.Rahim(t))
	device, _ := a.addPasskey(t, rahim)
	other := &accounts{a.Another(t, "other-shop")}
	foreign, _ := other.addPasskey(t, signedIn(other.Rahim(t)))
	stranger := shoptest.NewAuthenticator(t, storefront)
	stranger.Create(t, &passkey.CreationOptions{User: passkey.User{ID: "bm9ib2R5"}})
	proof, err := a.BeginPasskeyProof(t.Context(), rahim)
	if err != nil {
		t.Fatal(err)
	}
	ofStaff, err := a.Staff.BeginPasskeySignIn(t.Context(), newBrowser())
	if err != nil {
		t.Fatal(err)
	}
	used := device.Sign(t, a.challenge(t))
	if _, err := a.signInByPasskey(t, "", used); err != nil {
		t.Fatal(err)
	}
	expired := device.Sign(t, a.challenge(t))
	a.Clock.Advance(5 * time.Minute)
	with := func(change func(d *shoptest.Authenticator)) passkey.Assertion {
		changed := *device
		change(&changed)
		return changed.Sign(t, a.challenge(t))
	}
	cut := device.Sign(t, a.challenge(t))
	cut.Signature = cut.Signature[:len(cut.Signature)-4]
	mixed := device.Sign(t, a.challenge(t))
	mixed.UserHandle = stranger.Sign(t, a.challenge(t)).UserHandle
	anonymous := device.Sign(t, a.challenge(t))
	anonymous.UserHandle = nil
	for name, in := range map[string]passkey.Assertion{
		"replayed":             used,
		"expired":              expired,
		"challenge of a proof": device.Sign(t, proof),
		"challenge of staff":   device.Sign(t, ofStaff),
		"another shop's own":   foreign.Sign(t, a.challenge(t)),
		"to another shop":      device.Sign(t, other.challenge(t)),
		"unknown passkey":      stranger.Sign(t, a.challenge(t)),
		"user not verified":    with(func(d *shoptest.Authenticator) { d.Unverified = true }),
		"another page":         with(func(d *shoptest.Authenticator) { d.Origin = "https://evil.example" }),
		"another port":         with(func(d *shoptest.Authenticator) { d.Origin = storefront + ":8443" }),
		"without TLS":          with(func(d *shoptest.Authenticator) { d.Origin = "http://shop.example" }),
		"another site":         with(func(d *shoptest.Authenticator) { d.RPID = "example" }),
		"broken signature":     cut,
		"another handle":       mixed,
		"no handle":            anonymous,
		"nothing":              {},
	} {
		_, err := a.signInByPasskey(t, name, in) // each from another client, so none is throttled
		if shoptest.ErrorCode(err) != fault.CodeInvalidCredentials ||
			err.Error() != "invalid_credentials: The passkey was not accepted. Start again, or sign in with a code." {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, origin := range []string{"", "http://shop.example", "https://192.0.2.1"} {
		caller := rahim
		caller.Origin = origin
		_, err := a.BeginPasskeySignIn(t.Context(), caller)
		shoptest.WantCode(t, err, fault.CodeStateConflict)
		_, err = a.BeginPasskey(t.Context(), caller, byPassword())
		shoptest.WantCode(t, err, fault.CodeStateConflict)
		_, err = a.SignInByPasskey(t.Context(), caller, account.PasskeyProof{Credential: device.Sign(t, a.challenge(t))})
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	elsewhere := rahim
	elsewhere.Origin = "https://www.shop.example"
	_, err = a.BeginPasskeyProof(t.Context(), elsewhere)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

// An access token alone adds and removes no passkey, and neither does the passkey of somebody else.
func TestPasskey_TokenAlone(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	rahim := signedIn(a.Rahim(t))
	device, added := a.addPasskey(t, rahim)
	registered, err := a.Register(t.Context(), access.Caller{}, shoptest.RegisterInput("Karim", "", "01811000000"))
	if err != nil {
		t.Fatal(err)
	}
	karim := signedIn(registered)
	karims, _ := a.addPasskey(t, karim)
	for name, c := range map[string]struct {
		in   account.ProofInput
		code fault.Code
	}{
		"nothing":         {account.ProofInput{}, fault.CodeReauthenticationRequired},
		"wrong password":  {account.ProofInput{CurrentPassword: new("not it")}, fault.CodeInvalidCredentials},
		"another account": {a.proof(t, karim, karims), fault.CodeInvalidCredentials},
		"to sign in":      {account.ProofInput{CurrentPasskey: new(device.Sign(t, a.challenge(t)))}, fault.CodeInvalidCredentials},
	} {
		_, err := a.BeginPasskey(t.Context(), rahim, c.in)
		if shoptest.ErrorCode(err) != c.code {
			t.Errorf("%s: add: got %v, want %s", name, err, c.code)
		}
		_, err = a.RemovePasskey(t.Context(), rahim, added.ID, c.in)
		if shoptest.ErrorCode(err) != c.code {
			t.Errorf("%s: remove: got %v, want %s", name, err, c.code)
		}
	}
	_, err = a.RemovePasskey(t.Context(), karim, added.ID, byPassword())
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.RenamePasskey(t.Context(), karim, added.ID, account.PasskeyName{Name: "Mine"})
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = a.RenamePasskey(t.Context(), rahim, added.ID, account.PasskeyName{Name: " "})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)

	// Options are for the account, the page and the purpose that they were created for.
	options, err := a.BeginPasskey(t.Context(), rahim, byPassword())
	if err != nil {
		t.Fatal(err)
	}
	credential := shoptest.NewAuthenticator(t, storefront).Create(t, options)
	_, err = a.AddPasskey(t.Context(), karim, account.AddPasskeyInput{Name: "Mine", Credential: credential})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	if _, err := a.AddPasskey(t.Context(), rahim, account.AddPasskeyInput{Name: "Mine", Credential: credential}); err != nil {
		t.Fatal(err)
	}
	_, err = a.AddPasskey(t.Context(), rahim, account.AddPasskeyInput{Name: "Mine", Credential: credential})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	invented := shoptest.NewAuthenticator(t, storefront).Create(t, &passkey.CreationOptions{Challenge: a.challenge(t).Challenge})
	_, err = a.AddPasskey(t.Context(), rahim, account.AddPasskeyInput{Name: "Mine", Credential: invented})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)

	// An account that nothing proves gets no passkey by its token, and one with a passkey needs it.
	a.Exec(t, `UPDATE customers SET password_hash = NULL`)
	_, err = a.RemovePasskey(t.Context(), rahim, added.ID, account.ProofInput{})
	shoptest.WantCode(t, err, fault.CodeReauthenticationRequired)
	a.Exec(t, `DELETE FROM customer_passkeys`)
	_, err = a.BeginPasskey(t.Context(), rahim, account.ProofInput{})
	shoptest.WantCode(t, err, fault.CodeReauthenticationRequired)
}

// A proof is accepted once, however many requests have it at once.
func TestPasskey_OneProofConcurrent(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	rahim := signedIn(a.Rahim(t))
	device, _ := a.addPasskey(t, rahim)
	signIn, proof := device.Sign(t, a.challenge(t)), a.proof(t, rahim, device)
	var signIns, changes sync.Map
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			if _, err := a.signInByPasskey(t, fmt.Sprint(i), signIn); err == nil {
				signIns.Store(i, true)
			}
		})
		wg.Go(func() {
			caller := rahim
			caller.Client = fmt.Sprint("other ", i)
			if _, err := a.BeginPasskey(t.Context(), caller, proof); err == nil {
				changes.Store(i, true)
			}
		})
	}
	wg.Wait()
	for name, m := range map[string]*sync.Map{"sign-ins": &signIns, "changes": &changes} {
		n := 0
		m.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("got %d %s with one proof, want 1", n, name)
		}
	}
}

// A sign count that was used before is refused and logged, for a sign-in and for a change.
func TestPasskey_Cloned(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	var log bytes.Buffer
	cfg := a.Config
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	a.Shop = shop.New(cfg)
	a.Accounts.Accounts = a.Shop.Accounts
	registered := a.Rahim(t)
	rahim := signedIn(registered)
	device, added := a.addPasskey(t, rahim)
	device.Count = 5
	if _, err := a.signInByPasskey(t, "a", device.Sign(t, a.challenge(t))); err != nil {
		t.Fatal(err)
	}
	device.Count = 4
	_, err := a.signInByPasskey(t, "a", device.Sign(t, a.challenge(t)))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	_, err = a.RemovePasskey(t.Context(), rahim, added.ID, a.proof(t, rahim, device))
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	line := "passkey refused, sign count was used before"
	if got := log.String(); strings.Count(got, line) != 2 || !strings.Contains(got, "passkey="+added.ID) {
		t.Errorf("got log %q, want two lines with the passkey", got)
	}
	device.Count = 6
	if _, err := a.signInByPasskey(t, "b", device.Sign(t, a.challenge(t))); err != nil {
		t.Errorf("the next count: got %v", err)
	}
}

// Failures are limited by passkey and client, and a right proof ends them.
func TestPasskey_Throttled(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	device, _ := a.addPasskey(t, signedIn(a.Rahim(t)))
	broken := *device
	broken.Unverified = true
	for range 5 {
		_, err := a.signInByPasskey(t, "192.0.2.1", broken.Sign(t, a.challenge(t)))
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	_, err := a.signInByPasskey(t, "192.0.2.1", device.Sign(t, a.challenge(t)))
	shoptest.WantCode(t, err, fault.CodeRateLimited)
	if _, err := a.signInByPasskey(t, "192.0.2.2", device.Sign(t, a.challenge(t))); err != nil {
		t.Errorf("another client: got %v", err)
	}
	a.Clock.Advance(time.Minute)
	if _, err := a.signInByPasskey(t, "192.0.2.1", device.Sign(t, a.challenge(t))); err != nil {
		t.Errorf("after the delay: got %v", err)
	}
}

// An account has ten passkeys at most, however many are added at once.
func TestPasskey_Most(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	rahim := signedIn(a.Rahim(t))
	for range passkey.Most - 1 {
		a.addPasskey(t, rahim)
	}
	var options []*passkey.CreationOptions
	for range 2 {
		o, err := a.BeginPasskey(t.Context(), rahim, byPassword())
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, o)
	}
	add := func(o *passkey.CreationOptions) error {
		credential := shoptest.NewAuthenticator(t, storefront).Create(t, o)
		_, err := a.AddPasskey(t.Context(), rahim, account.AddPasskeyInput{Name: "Phone", Credential: credential})
		return err
	}
	if err := add(options[0]); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, add(options[1]), fault.CodeStateConflict)
	_, err := a.BeginPasskey(t.Context(), rahim, byPassword())
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

// A customer who recovers the account from somebody with a passkey gets it without that passkey. A
// customer who changes the password retains the own ones.
func TestPasskey_Ended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(t *testing.T, a *accounts, rahim access.Caller)
		stays bool
	}{
		"the shop ends the password": {end: func(t *testing.T, a *accounts, _ access.Caller) {
			a.Exec(t, `UPDATE customers SET phone_verified_at = created_at`)
			if _, err := a.ResetPassword(t.Context(), access.Operator(), rahimsPhone); err != nil {
				t.Fatal(err)
			}
		}},
		"the password changes": {stays: true, end: func(t *testing.T, a *accounts, rahim access.Caller) {
			in := account.ChangePasswordInput{CurrentPassword: new(goodPassword), NewPassword: "shapla-ful-9"}
			if _, err := a.ChangePassword(t.Context(), rahim, in); err != nil {
				t.Fatal(err)
			}
		}},
		"signed out everywhere": {stays: true, end: func(t *testing.T, a *accounts, rahim access.Caller) {
			if _, err := a.Logout(t.Context(), rahim, account.LogoutInput{Everywhere: new(true)}); err != nil {
				t.Fatal(err)
			}
		}},
		"the account is joined with another": {end: func(t *testing.T, a *accounts, _ access.Caller) {
			a.Exec(t, `UPDATE customers SET phone_verified_at = created_at`)
			karim, err := a.Register(t.Context(), access.Caller{}, shoptest.RegisterInput("Karim", "karim@example.com", ""))
			if err != nil {
				t.Fatal(err)
			}
			in := account.JoinInput{PhoneNumber: new(rahimsPhone), Code: a.Code(t, rahimsPhone), CurrentPassword: new(goodPassword)}
			if _, err := a.Join(t.Context(), signedIn(karim), in); err != nil {
				t.Fatal(err)
			}
		}},
		"the owner of the phone verifies it": {end: func(t *testing.T, a *accounts, _ access.Caller) {
			a.Exec(t, `UPDATE customers SET email = NULL`)
			a.SignIn(t, rahimsPhone)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccounts(t)
			rahim := signedIn(a.Rahim(t))
			device, _ := a.addPasskey(t, rahim)
			begun, err := a.BeginPasskey(t.Context(), rahim, byPassword())
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, a, rahim)
			if _, err = a.signInByPasskey(t, "", device.Sign(t, a.challenge(t))); (err == nil) != c.stays {
				t.Errorf("got %v, want the passkey to sign in: %t", err, c.stays)
			}
			// What was begun before ends with the tokens.
			in := account.AddPasskeyInput{Name: "Phone", Credential: shoptest.NewAuthenticator(t, storefront).Create(t, begun)}
			_, err = a.AddPasskey(t.Context(), rahim, in)
			shoptest.WantCode(t, err, fault.CodeTokenInvalid)
			if signedInAgain, err := a.signInByPasskey(t, "", device.Sign(t, a.challenge(t))); err == nil {
				_, err = a.AddPasskey(t.Context(), signedIn(signedInAgain), in)
				shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
			}
		})
	}
}
