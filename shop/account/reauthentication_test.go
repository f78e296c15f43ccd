package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

// A code proves one change, however many are sent with it at once.
func TestUpdateProfile_OneCodeConcurrent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	caller := access.Caller{Bearer: a.SignIn(t, rahimsPhone).AccessToken}
	if _, err := a.UpdateProfile(ctx, caller, account.ProfileInput{Email: new("rahim@example.com")}); err != nil {
		t.Fatal(err)
	}
	code := a.Code(t, rahimsPhone)
	changed := make(chan string, 10)
	var wg sync.WaitGroup
	for i := range cap(changed) {
		wg.Go(func() {
			email := fmt.Sprintf("rahim%d@example.com", i)
			_, err := a.UpdateProfile(ctx, caller, account.ProfileInput{Email: &email, CurrentCode: &code})
			switch {
			case err == nil:
				changed <- email
			case !fault.HasCode(err, fault.CodeOTPInvalid):
				t.Errorf("got %v, want %s", err, fault.CodeOTPInvalid)
			}
		})
	}
	wg.Wait()
	close(changed)
	if len(changed) != 1 {
		t.Fatalf("%d changes with one code, want 1", len(changed))
	}
	me, err := a.Me(ctx, caller)
	if want := <-changed; err != nil || *me.Email != want {
		t.Errorf("got %+v, %v; want %s", me, err, want)
	}
}

// A wrong code costs no password hash, so that a token is no means to keep the hasher busy.
func TestChangePassword_WrongCodeHashesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	caller := access.Caller{Bearer: a.SignIn(t, rahimsPhone).AccessToken}
	in := account.ChangePasswordInput{NewPassword: goodPassword, CurrentCode: new(wrong(a.Code(t, rahimsPhone), 1)[0])}
	before := a.Hasher.Hashes()
	_, err := a.ChangePassword(ctx, caller, in)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	in.CurrentCode = nil
	_, err = a.ChangePassword(ctx, caller, in)
	shoptest.WantCode(t, err, fault.CodeReauthenticationRequired)
	if n := a.Hasher.Hashes() - before; n != 0 {
		t.Errorf("got %d hashes, want none", n)
	}
}

// Notices of a shop have a budget over all phones, apart from that of sign-in codes. Using
// it up does not silence the first notice to another phone.
func TestNotice_BudgetOfTheShop(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Set(t, map[string]any{"limits": map[string]any{"messagesPerDay": 20}}) // two further notices
	change := func(phone, email string) {
		t.Helper()
		caller := access.Caller{Bearer: a.SignIn(t, phone).AccessToken}
		for _, address := range []string{"first-" + email, "second-" + email, email} {
			in := account.ProfileInput{Email: &address, CurrentCode: new(a.Code(t, phone))}
			if _, err := a.UpdateProfile(ctx, caller, in); err != nil {
				t.Fatal(err)
			}
			a.Clock.Advance(account.OTPLifetime) // the code that was not required stays unused
		}
	}
	change(rahimsPhone, "rahim@example.com")
	before := len(a.SMS.Messages())
	change(karimsPhone, "karim@example.com")
	if n := len(a.SMS.Messages()) - before - 4; n != 1 {
		t.Errorf("got %d notices beside the codes, want the first alone", n)
	}
}

// A gateway that does not respond loses a notice, not the change.
func TestNotice_GatewayFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, failure := range []error{sender.ErrSMSRefused, sender.ErrSMSUnknown, errors.New("broken")} {
		a := newAccounts(t)
		caller := access.Caller{Bearer: a.SignIn(t, rahimsPhone).AccessToken}
		code := a.Code(t, rahimsPhone)
		a.SMS.Answer(func(string, string) error { return failure })
		got, err := a.UpdateProfile(ctx, caller, account.ProfileInput{PhoneNumber: new(karimsPhone), CurrentCode: &code})
		if err != nil || *got.PhoneNumber != karimsPhone {
			t.Errorf("%v: got %+v, %v; want the change", failure, got, err)
		}
	}
}
