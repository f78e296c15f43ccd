package account_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

// from returns a guest who connects from an address.
func from(client string) access.Caller { return access.Caller{Client: client} }

// wrong returns n wrong codes.
func wrong(right string, n int) []string {
	var codes []string
	for i := 0; len(codes) < n; i++ {
		if code := fmt.Sprintf("%04d", i); code != right {
			codes = append(codes, code)
		}
	}
	return codes
}

func TestOTP(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	sent, err := a.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: "০১৭১১-০০০০০০"})
	if err != nil {
		t.Fatal(err)
	}
	if !sent.Success || !sent.IsNewCustomer || sent.Message == "" {
		t.Errorf("got %+v", sent)
	}
	text := a.SMS.Messages()[0].Text
	code := a.SMS.Code(t, rahimsPhone)
	if !strings.HasPrefix(text, code+" is your Test Shop code") || sender.Segments(text) != 1 {
		t.Errorf("got message %q", text)
	}

	// The code stays valid after name_required.
	_, err = a.VerifyOTP(ctx, access.Caller{}, account.VerifyOTPInput{PhoneNumber: rahimsPhone, Code: &code})
	if e := shoptest.WantCode(t, err, fault.CodeNameRequired); len(e.Fields) != 1 || e.Fields[0].Field != "name" {
		t.Errorf("got fields %+v, want name", e.Fields)
	}
	bangla := strings.NewReplacer("0", "০", "1", "১", "2", "২", "3", "৩", "4", "৪", "5", "৫",
		"6", "৬", "7", "৭", "8", "৮", "9", "৯").Replace(code)
	name := "Rahim Uddin"
	got, err := a.VerifyOTP(ctx, access.Caller{}, account.VerifyOTPInput{PhoneNumber: "01711000000", OTP: &bangla, Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	want := account.Customer{
		ID: got.User.ID, Name: name, PhoneNumber: new(rahimsPhone), PhoneVerified: true,
		Addresses: []account.Address{}, CreatedAt: a.Clock.Now(),
	}
	if diff := cmp.Diff(want, got.User); diff != "" || got.PasswordResetRequired {
		t.Errorf("user (-want +got):\n%s", diff)
	}
	if _, err := a.Me(ctx, access.Caller{Bearer: got.AccessToken}); err != nil {
		t.Error(err)
	}

	// Without a wait, since the first code was used. The phone has an account now.
	if sent, err = a.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: rahimsPhone}); err != nil || sent.IsNewCustomer {
		t.Fatalf("got %+v, %v; want a code for a customer", sent, err)
	}
	again, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, a.SMS.Code(t, rahimsPhone), "Somebody Else"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.User, again.User); diff != "" {
		t.Errorf("account (-first sign-in +second):\n%s", diff)
	}
}

func TestVerifyOTP_Invalid(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("shape", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		_, err := a.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: "0171"})
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
		for _, code := range []string{"", "12", "12345", "12a4", "1 34"} {
			_, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim"))
			if e := shoptest.WantCode(t, err, fault.CodeValidationFailed); e.Fields[0].Field != "code" {
				t.Errorf("code %q: got fields %+v, want code", code, e.Fields)
			}
		}
		if len(a.SMS.Messages()) != 0 {
			t.Error("a message was sent")
		}
	})
	t.Run("code stays valid after an invalid name", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		code := a.Code(t, rahimsPhone)
		_, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, strings.Repeat("x", 200)))
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
		if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim")); err != nil {
			t.Error(err)
		}
	})

	// All of these return the same error.
	var first *fault.Error
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, a *accounts) (code string)
	}{
		{"never sent", func(*testing.T, *accounts) string { return "1234" }},
		{"wrong", func(t *testing.T, a *accounts) string { return wrong(a.Code(t, rahimsPhone), 1)[0] }},
		{"another phone's", func(t *testing.T, a *accounts) string {
			other := a.Code(t, karimsPhone)
			for a.Code(t, rahimsPhone) == other { // by chance
				a.Clock.Advance(time.Minute)
			}
			return other
		}},
		{"expired", func(t *testing.T, a *accounts) string {
			code := a.Code(t, rahimsPhone)
			a.Clock.Advance(account.OTPLifetime)
			return code
		}},
		{"used", func(t *testing.T, a *accounts) string {
			code := a.Code(t, rahimsPhone)
			if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim")); err != nil {
				t.Fatal(err)
			}
			return code
		}},
		{"replaced", func(t *testing.T, a *accounts) string {
			code := a.Code(t, rahimsPhone)
			a.Clock.Advance(time.Minute)
			for a.Code(t, rahimsPhone) == code { // by chance
				a.Clock.Advance(time.Minute)
			}
			return code
		}},
		{"the one before a used one", func(t *testing.T, a *accounts) string {
			code := a.Code(t, rahimsPhone)
			a.Clock.Advance(time.Minute)
			a.SignIn(t, rahimsPhone)
			return code
		}},
		{"burnt", func(t *testing.T, a *accounts) string {
			code := a.Code(t, rahimsPhone)
			for _, bad := range wrong(code, account.MaxOTPAttempts) {
				_, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, bad, "Rahim"))
				shoptest.WantCode(t, err, fault.CodeOTPInvalid)
			}
			return code
		}},
		{"another shop's", func(t *testing.T, a *accounts) string {
			return a.Another(t, "other-shop").Code(t, rahimsPhone)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAccounts(t)
			code := c.prepare(t, a)
			_, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim"))
			e := shoptest.WantCode(t, err, fault.CodeOTPInvalid)
			if first == nil {
				first = e
			}
			if diff := cmp.Diff(first, e); diff != "" {
				t.Errorf("errors differ (-first +this):\n%s", diff)
			}
		})
	}
}

func TestVerifyOTP_LastSecondAndLastAttempt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	code := a.Code(t, rahimsPhone)
	for _, bad := range wrong(code, account.MaxOTPAttempts-1) {
		_, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, bad, "Rahim"))
		shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	}
	a.Clock.Advance(account.OTPLifetime - time.Millisecond)
	if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim")); err != nil {
		t.Error(err)
	}
}

func TestVerifyOTP_CodeUsedOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	code := a.Code(t, rahimsPhone)
	const callers = 20
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			_, errs[i] = a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim"))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			shoptest.WantCode(t, err, fault.CodeOTPInvalid)
		}
	}
	page, err := a.ListCustomers(ctx, access.Operator(), shop.CustomerFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if won != 1 || page.Meta.TotalCount != 1 {
		t.Errorf("got %d sign-ins and %d accounts, want 1 and 1", won, page.Meta.TotalCount)
	}
}

// Only a message that was certainly not sent does not count.
func TestSendOTP_GatewayResponse(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	refuse := func(string, string) error { return fmt.Errorf("%w: no balance", sender.ErrSMSRefused) }
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		before := a.Code(t, rahimsPhone)
		a.Clock.Advance(time.Minute)
		a.SMS.Answer(refuse)
		for range 12 { // messages that were not sent do not count
			_, err := a.SendOTP(ctx, from("192.0.2.1"), account.SendOTPInput{PhoneNumber: rahimsPhone})
			if e := shoptest.WantCode(t, err, fault.CodeSMSUnavailable); e.RetryAfter == 0 || strings.Contains(e.Message, "balance") {
				t.Errorf("got %+v, want a time to retry and not the gateway's reason", e)
			}
		}
		a.SMS.Answer(nil)
		if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, before, "Rahim")); err != nil {
			t.Errorf("previous code: got %v, want success", err)
		}
		a.Code(t, rahimsPhone)
	})
	t.Run("no response", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.SMS.Answer(func(string, string) error { return fmt.Errorf("%w: timed out", sender.ErrSMSUnknown) })
		code := a.Code(t, rahimsPhone)
		_, err := a.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: rahimsPhone})
		shoptest.WantCode(t, err, fault.CodeRateLimited)
		if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, code, "Rahim")); err != nil {
			t.Error(err)
		}
	})
	t.Run("caller disconnected", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		gone, leave := context.WithCancel(ctx)
		a.SMS.Answer(func(string, string) error { leave(); return nil })
		if _, err := a.SendOTP(gone, access.Caller{}, account.SendOTPInput{PhoneNumber: rahimsPhone}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.VerifyOTP(ctx, access.Caller{}, shoptest.VerifyInput(rahimsPhone, a.SMS.Code(t, rahimsPhone), "Rahim")); err != nil {
			t.Error(err)
		}
	})
	t.Run("no gateway", func(t *testing.T) {
		t.Parallel()
		_, err := shoptest.New(t, nil).Accounts.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: rahimsPhone})
		if e := shoptest.WantCode(t, err, fault.CodeSMSUnavailable); !errors.Is(e, sender.ErrSMSNotConfigured) {
			t.Errorf("got cause %v, want ErrSMSNotConfigured", e.Err)
		}
	})
}

// No transaction is open during the call to the gateway, so that a slow gateway does not block
// writes.
func TestSendOTP_SlowGateway(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.SMS.Answer(func(to, _ string) error {
		if to == rahimsPhone {
			if _, err := a.Register(ctx, access.Caller{}, shoptest.RegisterInput("Karim", "karim@example.com", "")); err != nil {
				return err
			}
		}
		return nil
	})
	a.SignIn(t, rahimsPhone)
}

// The file alone does not allow testing all 10,000 codes: their hash needs a key that is stored
// sealed.
func TestOTPHash_Keyed(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	code := a.Code(t, rahimsPhone)
	var id string
	var stored []byte
	err := a.Store.View(t.Context(), a.Config.ID, func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`SELECT id, code_hash FROM otp_codes`).Scan(&id, &stored)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{code, rahimsPhone + code, rahimsPhone + "\x00" + code, id + "\x00" + code, id + "\x00" + rahimsPhone + "\x00" + code} {
		plain := sha256.Sum256([]byte(text))
		unkeyed := hmac.New(sha256.New, nil)
		unkeyed.Write([]byte(text))
		if bytes.Equal(stored, plain[:]) || bytes.Equal(stored, unkeyed.Sum(nil)) || bytes.Contains(stored, []byte(code)) {
			t.Errorf("the hash of %q is the stored one", text)
		}
	}
}

// A clock that was ahead and is set back locks nobody out.
func TestAccounts_ClockSetBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Rahim(t)
	a.Clock.Advance(24 * time.Hour)
	for i := range 5 {
		a.send(t, "192.0.2.1", phoneNumber(i))
		_, err := a.Login(ctx, from("192.0.2.1"), account.LoginInput{User: rahimsPhone, Password: "wrong"})
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	a.Clock.Advance(-24 * time.Hour)
	if wait := a.send(t, "192.0.2.1", phoneNumber(0)); wait != 0 {
		t.Errorf("send code: got a wait of %d s, want none", wait)
	}
	if _, err := a.VerifyOTP(ctx, from("192.0.2.1"), shoptest.VerifyInput(phoneNumber(0), a.SMS.Code(t, phoneNumber(0)), "Rahim")); err != nil {
		t.Errorf("sign in with the code: %v", err)
	}
	if _, err := a.Login(ctx, from("192.0.2.1"), account.LoginInput{User: rahimsPhone, Password: goodPassword}); err != nil {
		t.Errorf("sign in with the password: %v", err)
	}
}
