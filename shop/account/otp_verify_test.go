package account_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// A caller who registers another's phone number does not share an account with its owner.
func TestVerifyOTP_UnverifiedPhone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	login := func(a *accounts, user string) error {
		_, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: user, Password: goodPassword})
		return err
	}
	t.Run("account with an e-mail address loses the phone", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		maker := a.Rahim(t)
		owner := a.SignIn(t, rahimsPhone)
		if owner.User.ID == maker.User.ID || owner.User.Email != nil || owner.PasswordResetRequired {
			t.Errorf("got owner %+v, want a new account", owner)
		}
		me, err := a.Me(ctx, access.Caller{Bearer: maker.AccessToken})
		if err != nil || me.PhoneNumber != nil {
			t.Errorf("got %+v, %v; want the maker's account without phone", me, err)
		}
		if err := login(a, "rahim@example.com"); err != nil {
			t.Error(err)
		}
		shoptest.WantCode(t, login(a, rahimsPhone), fault.CodeInvalidCredentials)
	})
	t.Run("account without another contact is replaced", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		maker, err := a.Register(ctx, access.Caller{}, account.RegisterInput{Name: "Maker", PhoneNumber: new(rahimsPhone), Password: goodPassword})
		if err != nil {
			t.Fatal(err)
		}
		owner := a.SignIn(t, rahimsPhone)
		if owner.User.ID != maker.User.ID || owner.User.Name != "Rahim Uddin" || owner.PasswordResetRequired {
			t.Errorf("got owner %+v, want an empty account with the ID of the first", owner)
		}
		_, err = a.Me(ctx, access.Caller{Bearer: maker.AccessToken})
		shoptest.WantCode(t, err, fault.CodeTokenInvalid)
		shoptest.WantCode(t, login(a, rahimsPhone), fault.CodeInvalidCredentials)
	})
	for _, c := range []struct {
		name string
		with func(in *account.VerifyOTPInput, caller *access.Caller, registered *account.AuthPayload)
	}{
		{"with its Bearer", func(_ *account.VerifyOTPInput, caller *access.Caller, registered *account.AuthPayload) {
			caller.Bearer = registered.AccessToken
		}},
		{"with its password", func(in *account.VerifyOTPInput, _ *access.Caller, _ *account.AuthPayload) {
			in.Password = new(goodPassword)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAccounts(t)
			registered := a.Rahim(t)
			in, caller := shoptest.VerifyInput(rahimsPhone, a.Code(t, rahimsPhone), ""), access.Caller{}
			c.with(&in, &caller, registered)
			got, err := a.VerifyOTP(ctx, caller, in)
			if err != nil {
				t.Fatal(err)
			}
			if got.User.ID != registered.User.ID || got.PasswordResetRequired || !got.User.PhoneVerified {
				t.Errorf("got %+v, want the registered account", got)
			}
			if _, err = a.Me(ctx, access.Caller{Bearer: registered.AccessToken}); err != nil {
				t.Errorf("earlier token: %v", err)
			}
			if err := login(a, rahimsPhone); err != nil {
				t.Errorf("earlier password: %v", err)
			}
		})
	}
	t.Run("with a bad Bearer", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		registered := a.Rahim(t)
		in := shoptest.VerifyInput(rahimsPhone, a.Code(t, rahimsPhone), "Rahim Uddin")
		got, err := a.VerifyOTP(ctx, access.Caller{Bearer: registered.AccessToken + "x"}, in)
		if err != nil || got.User.ID == registered.User.ID {
			t.Errorf("got %+v, %v; want a new account", got, err)
		}
	})
	t.Run("verified phone retains the password", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		first := a.SignIn(t, rahimsPhone)
		changed, err := a.ChangePassword(ctx, access.Caller{Bearer: first.AccessToken},
			account.ChangePasswordInput{CurrentCode: new(a.Code(t, rahimsPhone)), NewPassword: goodPassword})
		if err != nil {
			t.Fatal(err)
		}
		if again := a.SignIn(t, rahimsPhone); again.PasswordResetRequired {
			t.Errorf("got %+v, want no password to reset", again)
		}
		if _, err := a.Me(ctx, access.Caller{Bearer: changed.AccessToken}); err != nil {
			t.Error(err)
		}
		if err := login(a, rahimsPhone); err != nil {
			t.Error(err)
		}
	})
}

// A wrong code does not reveal whether the password is correct, and computes no hash.
func TestVerifyOTP_WrongCodeWithPassword(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Rahim(t)
	code := a.Code(t, rahimsPhone)
	before := a.Hasher.Hashes()
	in := shoptest.VerifyInput(rahimsPhone, wrong(code, 1)[0], "")
	in.Password = new(goodPassword)
	_, err := a.VerifyOTP(context.Background(), access.Caller{}, in)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	if n := a.Hasher.Hashes() - before; n != 0 {
		t.Errorf("got %d hashes, want none", n)
	}
}

func TestVerifyOTP_AttachesGuestOrders(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.InsertOrder(t, "0000000000000001", rahimsPhone)
	a.InsertOrder(t, "0000000000000002", karimsPhone)
	orders := func(payload *account.AuthPayload) int {
		page, err := a.Orders.ListMyOrders(ctx, access.Caller{Bearer: payload.AccessToken}, order.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return page.Meta.TotalCount
	}
	if n := orders(a.Rahim(t)); n != 0 {
		t.Errorf("after registration: got %d orders, want none", n)
	}
	if n := orders(a.SignIn(t, rahimsPhone)); n != 1 {
		t.Errorf("after the first verification: got %d orders, want 1", n)
	}
	a.InsertOrder(t, "0000000000000003", rahimsPhone)
	a.Clock.Advance(time.Second)
	if n := orders(a.SignIn(t, rahimsPhone)); n != 2 {
		t.Errorf("after the second verification: got %d orders, want 2", n)
	}

	// Orders that Karim placed when signed in, with this phone, stay his.
	karim := a.SignIn(t, karimsPhone)
	a.Exec(t, `UPDATE orders SET customer_phone = ? WHERE customer_id = ?`, rahimsPhone, karim.User.ID)
	a.Clock.Advance(time.Second)
	if n := orders(a.SignIn(t, rahimsPhone)); n != 2 || orders(karim) != 1 {
		t.Errorf("got %d orders, and %d of the other account; want 2 and 1", n, orders(karim))
	}
}

// Of many who send one code at once, one gets the phone, and the account that claimed it loses it
// once.
func TestVerifyOTP_Concurrent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	claiming := a.Rahim(t)
	alice, err := a.Register(ctx, access.Caller{}, account.RegisterInput{Name: "Alice", Email: new("alice@example.com"), Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	code := a.Code(t, rahimsPhone)
	owners := make(chan string, 20)
	var wg sync.WaitGroup
	for i := range cap(owners) {
		wg.Go(func() {
			caller := access.Caller{Bearer: []string{"", alice.AccessToken, claiming.AccessToken}[i%3]}
			got, err := a.VerifyOTP(ctx, caller, shoptest.VerifyInput(rahimsPhone, code, "Bob"))
			switch {
			case err == nil:
				owners <- got.User.ID
			case !fault.HasCode(err, fault.CodeOTPInvalid):
				t.Errorf("got %v, want %s", err, fault.CodeOTPInvalid)
			}
		})
	}
	wg.Wait()
	close(owners)
	if len(owners) != 1 {
		t.Fatalf("%d callers got the phone, want 1", len(owners))
	}
	if n := a.Number(t, `SELECT count(*) FROM customers WHERE phone = ? AND id = ?`, rahimsPhone, <-owners); n != 1 {
		t.Error("the phone is not that of the caller who got it")
	}
}
