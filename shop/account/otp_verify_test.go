package account_test

import (
	"context"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// A caller who registers another's phone number must lose access once the owner verifies it.
func TestVerifyOTP_PreHijacking(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	login := func(a *accounts) error {
		_, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: goodPassword})
		return err
	}
	t.Run("owner receives the account", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		hijacker := a.rahim(t)
		owner := a.signIn(t, rahimsPhone)
		if owner.User.ID != hijacker.User.ID || !owner.User.PhoneVerified || !owner.PasswordResetRequired {
			t.Errorf("owner: %+v", owner)
		}
		_, err := a.Me(ctx, access.Caller{Bearer: hijacker.AccessToken})
		wantCode(t, err, fault.CodeTokenInvalid)
		wantCode(t, login(a), fault.CodePasswordResetRequired)
		_, err = a.Login(ctx, access.Caller{}, account.LoginInput{User: "rahim@example.com", Password: "not " + goodPassword})
		wantCode(t, err, fault.CodeInvalidCredentials)

		changed, err := a.ChangePassword(ctx, access.Caller{Bearer: owner.AccessToken}, account.ChangePasswordInput{NewPassword: "shapla-ful-9"})
		if err != nil || changed.PasswordResetRequired {
			t.Fatalf("%+v, %v", changed, err)
		}
		if _, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: rahimsPhone, Password: "shapla-ful-9"}); err != nil {
			t.Error(err)
		}
		wantCode(t, login(a), fault.CodeInvalidCredentials)
	})
	for _, c := range []struct {
		name string
		keep bool
		with func(in *account.VerifyOTPInput, caller *access.Caller, registered *account.AuthPayload)
	}{
		{"with its Bearer", true, func(_ *account.VerifyOTPInput, caller *access.Caller, registered *account.AuthPayload) {
			caller.Bearer = registered.AccessToken
		}},
		{"with its password", true, func(in *account.VerifyOTPInput, _ *access.Caller, _ *account.AuthPayload) {
			in.Password = new(goodPassword)
		}},
		{"with a wrong password", false, func(in *account.VerifyOTPInput, _ *access.Caller, _ *account.AuthPayload) {
			in.Password = new("not " + goodPassword)
		}},
		{"with a bad Bearer", false, func(_ *account.VerifyOTPInput, caller *access.Caller, registered *account.AuthPayload) {
			caller.Bearer = registered.AccessToken + "x"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAccounts(t)
			registered := a.rahim(t)
			in, caller := verifyInput(rahimsPhone, a.code(t, rahimsPhone), ""), access.Caller{}
			c.with(&in, &caller, registered)
			got, err := a.VerifyOTP(ctx, caller, in)
			if err != nil {
				t.Fatal(err)
			}
			if got.PasswordResetRequired == c.keep || !got.User.PhoneVerified {
				t.Errorf("%+v", got)
			}
			_, err = a.Me(ctx, access.Caller{Bearer: registered.AccessToken})
			if (err == nil) != c.keep {
				t.Errorf("earlier token: %v", err)
			}
			if err := login(a); (err == nil) != c.keep {
				t.Errorf("earlier password: %v", err)
			}
		})
	}
	t.Run("token of another account", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.rahim(t)
		karim := a.signIn(t, karimsPhone)
		got, err := a.VerifyOTP(ctx, access.Caller{Bearer: karim.AccessToken}, verifyInput(rahimsPhone, a.code(t, rahimsPhone), ""))
		if err != nil || !got.PasswordResetRequired {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("verified phone retains the password", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		first := a.signIn(t, rahimsPhone)
		changed, err := a.ChangePassword(ctx, access.Caller{Bearer: first.AccessToken}, account.ChangePasswordInput{NewPassword: goodPassword})
		if err != nil {
			t.Fatal(err)
		}
		if again := a.signIn(t, rahimsPhone); again.PasswordResetRequired {
			t.Errorf("%+v", again)
		}
		if _, err := a.Me(ctx, access.Caller{Bearer: changed.AccessToken}); err != nil {
			t.Error(err)
		}
		if err := login(a); err != nil {
			t.Error(err)
		}
	})
	t.Run("phone set in the profile of an account without password", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		hijacker := a.signIn(t, karimsPhone)
		caller := access.Caller{Bearer: hijacker.AccessToken}
		changed, err := a.UpdateProfile(ctx, caller, account.ProfileInput{PhoneNumber: new(rahimsPhone)})
		if err != nil || changed.PhoneVerified {
			t.Fatalf("%+v, %v", changed, err)
		}
		a.signIn(t, rahimsPhone)
		_, err = a.Me(ctx, caller)
		wantCode(t, err, fault.CodeTokenInvalid)
	})
}

// A wrong code does not reveal whether the password is correct, and computes no hash.
func TestVerifyOTP_WrongCodeWithPassword(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.rahim(t)
	code := a.code(t, rahimsPhone)
	before := a.hasher.Hashes()
	in := verifyInput(rahimsPhone, wrong(code, 1)[0], "")
	in.Password = new(goodPassword)
	_, err := a.VerifyOTP(context.Background(), access.Caller{}, in)
	wantCode(t, err, fault.CodeOTPInvalid)
	if n := a.hasher.Hashes() - before; n != 0 {
		t.Errorf("got %d hashes, want none", n)
	}
}

func TestVerifyOTP_AttachesGuestOrders(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.guestOrder(t, "0000000000000001", rahimsPhone)
	a.guestOrder(t, "0000000000000002", karimsPhone)
	orders := func(payload *account.AuthPayload) int {
		page, err := a.ListMyOrders(ctx, access.Caller{Bearer: payload.AccessToken}, shop.OrderFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return page.Meta.TotalCount
	}
	if n := orders(a.rahim(t)); n != 0 {
		t.Errorf("after registration: got %d orders, want none", n)
	}
	if n := orders(a.signIn(t, rahimsPhone)); n != 1 {
		t.Errorf("after the first verification: got %d orders, want 1", n)
	}
	a.guestOrder(t, "0000000000000003", rahimsPhone)
	a.clock.Advance(time.Second)
	if n := orders(a.signIn(t, rahimsPhone)); n != 2 {
		t.Errorf("after the second verification: got %d orders, want 2", n)
	}

	// Orders that Karim placed when signed in, with this phone, stay his.
	karim := a.signIn(t, karimsPhone)
	a.exec(t, `UPDATE orders SET customer_phone = ? WHERE customer_id = ?`, rahimsPhone, karim.User.ID)
	a.clock.Advance(time.Second)
	if n := orders(a.signIn(t, rahimsPhone)); n != 2 || orders(karim) != 1 {
		t.Errorf("got %d orders, and %d of the other account; want 2 and 1", n, orders(karim))
	}
}
