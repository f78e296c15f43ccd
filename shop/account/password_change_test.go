package account_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

func TestChangePassword(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	before := a.Rahim(t)
	caller := access.Caller{Bearer: before.AccessToken}
	for _, c := range []struct {
		name string
		in   account.ChangePasswordInput
		code fault.Code
	}{
		{"current one missing", account.ChangePasswordInput{NewPassword: "shapla-ful-9"}, fault.CodeValidationFailed},
		{"current one wrong", account.ChangePasswordInput{CurrentPassword: new("not it"), NewPassword: "shapla-ful-9"}, fault.CodeInvalidCredentials},
		{"new one short", account.ChangePasswordInput{CurrentPassword: new(goodPassword), NewPassword: "short"}, fault.CodePasswordRejected},
		{"new one is the phone", account.ChangePasswordInput{CurrentPassword: new(goodPassword), NewPassword: "01711000000"}, fault.CodePasswordRejected},
		{"new one missing", account.ChangePasswordInput{CurrentPassword: new(goodPassword)}, fault.CodeValidationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := a.ChangePassword(ctx, caller, c.in)
			shoptest.WantCode(t, err, c.code)
		})
	}
	_, err := a.ChangePassword(ctx, access.Caller{}, account.ChangePasswordInput{NewPassword: "shapla-ful-9"})
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)

	after, err := a.ChangePassword(ctx, caller, account.ChangePasswordInput{CurrentPassword: new(goodPassword), NewPassword: "shapla-ful-9"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Me(ctx, caller)
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
	if _, err := a.Me(ctx, access.Caller{Bearer: after.AccessToken}); err != nil {
		t.Error(err)
	}
	if _, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: "shapla-ful-9"}); err != nil {
		t.Error(err)
	}
}

// The first of concurrent changes with one token revokes the token for the others.
func TestChangePassword_Concurrent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	caller := access.Caller{Bearer: a.Rahim(t).AccessToken}
	payloads := make([]*account.AuthPayload, 4) // as many as may be wrong at once
	var wg sync.WaitGroup
	for i := range payloads {
		wg.Go(func() {
			var err error
			payloads[i], err = a.ChangePassword(ctx, caller, account.ChangePasswordInput{
				CurrentPassword: new(goodPassword), NewPassword: fmt.Sprintf("shapla-ful-%d", i),
			})
			if err != nil && !fault.HasCode(err, fault.CodeInvalidCredentials) { // it ran after another change
				shoptest.WantCode(t, err, fault.CodeTokenInvalid)
			}
		})
	}
	wg.Wait()
	changed := 0
	for i, payload := range payloads {
		if payload == nil {
			continue
		}
		changed++
		if _, err := a.Me(ctx, access.Caller{Bearer: payload.AccessToken}); err != nil {
			t.Errorf("token of change %d: %v", i, err)
		}
		if _, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: fmt.Sprintf("shapla-ful-%d", i)}); err != nil {
			t.Errorf("password of change %d: %v", i, err)
		}
	}
	if changed != 1 {
		t.Errorf("%d of %d changes with one token succeeded, want 1", changed, len(payloads))
	}
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	before := a.Rahim(t)
	reset, err := a.ResetPassword(ctx, access.Operator(), "rahim@example.com")
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Me(ctx, access.Caller{Bearer: before.AccessToken})
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
	if _, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: *reset.Password}); err != nil {
		t.Error(err)
	}
	_, err = a.ResetPassword(ctx, access.Operator(), "nobody@example.com")
	shoptest.WantCode(t, err, fault.CodeNotFound)
}

// Staff members end a customer's password without seeing another: the customer is notified and
// signs in with a code.
func TestResetPassword_ByStaff(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	desk := a.StaffCaller(t, "staff")
	claimed := a.Rahim(t)
	_, err := a.ResetPassword(ctx, desk, "rahim@example.com") // no contact is verified
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	if _, err := a.Me(ctx, access.Caller{Bearer: claimed.AccessToken}); err != nil {
		t.Errorf("after a refusal: got %v", err)
	}
	_, err = a.VerifyOTP(ctx, access.Caller{}, withPassword(shoptest.VerifyInput(rahimsPhone, a.Code(t, rahimsPhone), "Rahim")))
	if err != nil {
		t.Fatal(err)
	}
	before := len(a.SMS.Messages())
	reset, err := a.ResetPassword(ctx, desk, "rahim@example.com")
	if err != nil || reset.Password != nil || !slices.Equal(reset.SentTo, []string{"phone"}) {
		t.Fatalf("got %+v, %v, want no password and a notice to the phone", reset, err)
	}
	got := a.SMS.Messages()[before:]
	if want := "The shop has ended your password"; len(got) != 1 || got[0].To != rahimsPhone || !strings.Contains(got[0].Text, want) {
		t.Errorf("got messages %+v, want one to the customer with %q", got, want)
	}
	_, err = a.Me(ctx, access.Caller{Bearer: claimed.AccessToken})
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
	_, err = a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: goodPassword})
	shoptest.WantCode(t, err, fault.CodePasswordResetRequired)
	a.Clock.Advance(time.Minute)
	again, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, a.Code(t, rahimsPhone), "Rahim"))
	if err != nil || again.User.ID != claimed.User.ID {
		t.Errorf("with a code: got %+v, %v, want the same account", again, err)
	}
}

func TestLogin_Throttled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	login := func(a *accounts, client, user, password string) error {
		_, err := a.Login(ctx, from(client), account.LoginInput{User: user, Password: password})
		return err
	}
	t.Run("growing delay", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Rahim(t)
		for range 5 {
			shoptest.WantCode(t, login(a, "192.0.2.1", rahimsPhone, "wrong"), fault.CodeInvalidCredentials)
		}
		for _, wait := range []int{15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600} {
			hashes := a.Hasher.Hashes()
			e := shoptest.WantCode(t, login(a, "192.0.2.1", "01711-000000", goodPassword), fault.CodeRateLimited)
			if e.RetryAfter != wait || a.Hasher.Hashes() != hashes {
				t.Fatalf("got a wait of %d s, want %d; got %d hashes, want none", e.RetryAfter, wait, a.Hasher.Hashes()-hashes)
			}
			a.Clock.Advance(time.Duration(wait) * time.Second)
			shoptest.WantCode(t, login(a, "192.0.2.1", rahimsPhone, "wrong"), fault.CodeInvalidCredentials)
		}
		// Neither the owner at another address nor another account at this address is locked out.
		if err := login(a, "192.0.2.2", rahimsPhone, goodPassword); err != nil {
			t.Errorf("another address: %v", err)
		}
		if err := login(a, "192.0.2.1", karimsPhone, goodPassword); !fault.HasCode(err, fault.CodeInvalidCredentials) {
			t.Errorf("another account: %v", err)
		}
		a.Clock.Advance(time.Hour)
		if err := login(a, "192.0.2.1", rahimsPhone, goodPassword); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		for range 5 { // the correct password reset the count
			shoptest.WantCode(t, login(a, "192.0.2.1", rahimsPhone, "wrong"), fault.CodeInvalidCredentials)
		}
	})
	t.Run("unknown account", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		for range 5 {
			shoptest.WantCode(t, login(a, "192.0.2.1", "nobody@example.com", "wrong"), fault.CodeInvalidCredentials)
		}
		shoptest.WantCode(t, login(a, "192.0.2.1", "nobody@example.com", "wrong"), fault.CodeRateLimited)
	})
	t.Run("concurrent attempts", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Rahim(t)
		before := a.Hasher.Hashes()
		var refused atomic.Int64
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				err := login(a, "192.0.2.1", rahimsPhone, "wrong")
				if fault.HasCode(err, fault.CodeRateLimited) {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if attempts := a.Hasher.Hashes() - before; attempts != 5 || refused.Load() != 35 {
			t.Errorf("got %d attempts and %d refusals, want 5 and 35", attempts, refused.Load())
		}
	})
	t.Run("limit by client over all accounts", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Set(t, map[string]any{"limits": map[string]any{"wrongPasswordsByClient": 8}})
		a.Rahim(t)
		for range 20 { // successes do not count
			if err := login(a, "192.0.2.1", rahimsPhone, goodPassword); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 8 {
			shoptest.WantCode(t, login(a, "192.0.2.1", fmt.Sprintf("user%d@example.com", i), "wrong"), fault.CodeInvalidCredentials)
		}
		e := shoptest.WantCode(t, login(a, "192.0.2.1", "user9@example.com", "wrong"), fault.CodeRateLimited)
		if e.RetryAfter != 3600 {
			t.Errorf("got Retry-After %d", e.RetryAfter)
		}
	})
	t.Run("current password in a change", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		caller := access.Caller{Bearer: a.Rahim(t).AccessToken, Client: "192.0.2.1"}
		change := func(current string) error {
			_, err := a.ChangePassword(ctx, caller, account.ChangePasswordInput{CurrentPassword: &current, NewPassword: "shapla-ful-9"})
			return err
		}
		for range 5 {
			shoptest.WantCode(t, change("wrong"), fault.CodeInvalidCredentials)
		}
		shoptest.WantCode(t, change(goodPassword), fault.CodeRateLimited)
	})
}

// A flood from many addresses leaves a limited number of rows.
func TestFailures_Pruned(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	shoptest.FillFailures(t, a.Store, a.UID(), 21_000, a.Clock.Now().Add(time.Hour))
	for i := range 12 {
		_, err := a.Login(context.Background(), from(fmt.Sprintf("192.0.2.%d", i)), account.LoginInput{User: "nobody@example.com", Password: "wrong"})
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	if n := a.Number(t, `SELECT count(*) FROM failures`); n > 20_100 {
		t.Errorf("got %d counted failures, want at most 20,100", n)
	}
	a.Clock.Advance(3 * time.Hour)
	for i := range 210 {
		_, err := a.VerifyOTP(context.Background(), from(fmt.Sprintf("198.51.%d.%d", i/100, i%100)), shoptest.VerifyInput(rahimsPhone, "1234", ""))
		shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	}
	if n := a.Number(t, `SELECT count(*) FROM failures WHERE expires_at <= ?`, a.Clock.Now().UnixMilli()); n != 0 {
		t.Errorf("got %d expired rows, want none", n)
	}
}
