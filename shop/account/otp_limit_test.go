package account_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// send asks for a code and gives how many seconds to wait, 0 where one was sent.
func (a *accounts) send(t *testing.T, client, phone string) (wait int) {
	t.Helper()
	_, err := a.SendOTP(context.Background(), from(client), account.SendOTPInput{PhoneNumber: phone})
	if err == nil {
		return 0
	}
	e := wantCode(t, err, fault.CodeRateLimited)
	if e.RetryAfter == 0 {
		t.Error("no Retry-After")
	}
	return e.RetryAfter
}

func phoneNumber(i int) string { return fmt.Sprintf("+88017%08d", i) }

func TestOTPSendLimits(t *testing.T) {
	t.Parallel()
	t.Run("one a minute", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.code(t, rahimsPhone)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 60 {
			t.Errorf("wait %d s", wait)
		}
		a.clock.Advance(59 * time.Second)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 1 {
			t.Errorf("wait %d s", wait)
		}
		a.clock.Advance(time.Second)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 0 {
			t.Errorf("wait %d s", wait)
		}
	})
	t.Run("five a day for a client, ten for all", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		counts := map[string]int{}
		for i := range 60 {
			client := fmt.Sprintf("192.0.2.%d", i%3)
			if a.send(t, client, rahimsPhone) == 0 {
				counts[client]++
			}
			a.clock.Advance(20 * time.Minute)
		}
		if total := counts["192.0.2.0"] + counts["192.0.2.1"] + counts["192.0.2.2"]; total != 10 {
			t.Errorf("%d codes to one phone: %v", total, counts)
		}
		a = newAccounts(t)
		sent := 0
		for range 8 {
			if a.send(t, "192.0.2.1", rahimsPhone) == 0 {
				sent++
			}
			a.clock.Advance(2 * time.Hour)
		}
		if sent != 5 {
			t.Errorf("%d codes to one phone for one client", sent)
		}
		a.clock.Advance(24*time.Hour - 8*2*time.Hour)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 0 {
			t.Errorf("a day later: wait %d s", wait)
		}
	})
	t.Run("of many at once, one", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { a.send(t, fmt.Sprintf("192.0.2.%d", i), rahimsPhone) })
		}
		wg.Wait()
		if n := len(a.sms.Messages()); n != 1 {
			t.Errorf("%d messages to one phone at once", n)
		}
	})
	t.Run("thirty an hour for a client", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		for i := range 30 {
			if wait := a.send(t, "192.0.2.1", phoneNumber(i)); wait != 0 {
				t.Fatalf("code %d: wait %d s", i, wait)
			}
		}
		if wait := a.send(t, "192.0.2.1", phoneNumber(30)); wait != 3600 {
			t.Errorf("wait %d s", wait)
		}
		if wait := a.send(t, "192.0.2.2", phoneNumber(30)); wait != 0 {
			t.Errorf("another client waits %d s", wait)
		}
	})
	t.Run("what the shop may spend in a day", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.set(t, map[string]any{"limits": map[string]any{"messagesPerDay": 3}})
		for i := range 3 {
			a.signIn(t, phoneNumber(i)) // proven: given back
			if wait := a.send(t, fmt.Sprintf("192.0.2.%d", i), phoneNumber(100+i)); wait != 0 {
				t.Fatalf("wait %d s", wait)
			}
		}
		if wait := a.send(t, "192.0.2.9", phoneNumber(9)); wait != 24*3600 {
			t.Errorf("wait %d s", wait)
		}
	})
}

// A carrier puts thousands of customers behind one address. Those who sign in count for nothing.
func TestOTPManyCustomersBehindOneAddress(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	for i := range 120 {
		phone := phoneNumber(i)
		if wait := a.send(t, "192.0.2.1", phone); wait != 0 {
			t.Fatalf("customer %d waits %d s", i, wait)
		}
		code := a.sms.Code(t, phone)
		if i%6 == 0 { // one of six mistypes
			_, err := a.VerifyOTP(ctx, from("192.0.2.1"), verifyInput(phone, wrong(code, 1)[0], "Buyer"))
			wantCode(t, err, fault.CodeOTPInvalid)
		}
		if _, err := a.VerifyOTP(ctx, from("192.0.2.1"), verifyInput(phone, code, "Buyer")); err != nil {
			t.Fatalf("customer %d: %v", i, err)
		}
	}
}

// A guesser has a hundred addresses, asks in parallel, and never gets more tries than three a code.
func TestOTPGuessing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	code := a.code(t, rahimsPhone)
	guesses := wrong(code, 1000)
	var tried, limited atomic.Int64
	var wg sync.WaitGroup
	for client := range 100 {
		wg.Go(func() {
			for i := range 10 {
				_, err := a.VerifyOTP(ctx, from(fmt.Sprintf("192.0.2.%d", client)), verifyInput(rahimsPhone, guesses[10*client+i], "Thief"))
				if fault.HasCode(err, fault.CodeOTPInvalid) {
					tried.Add(1)
				} else if fault.HasCode(err, fault.CodeRateLimited) {
					limited.Add(1)
				} else {
					t.Errorf("guess: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := a.count(t, `SELECT wrong_tries FROM otp_codes WHERE phone = ?`, rahimsPhone); got != account.MaxOTPAttempts {
		t.Errorf("%d tries were compared with the code, want %d", got, account.MaxOTPAttempts)
	}
	_, err := a.VerifyOTP(ctx, from("198.51.100.1"), verifyInput(rahimsPhone, code, "Rahim"))
	wantCode(t, err, fault.CodeOTPInvalid)
	t.Logf("%d guesses refused as wrong, %d unread", tried.Load(), limited.Load())
}

func TestOTPFailuresAreCounted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	try := func(a *accounts, client, phone, code string) error {
		_, err := a.VerifyOTP(ctx, from(client), verifyInput(phone, code, "Thief"))
		return err
	}
	t.Run("thirty an hour from a client", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		for i := range 30 {
			wantCode(t, try(a, "192.0.2.1", phoneNumber(i), "1234"), fault.CodeOTPInvalid)
		}
		e := wantCode(t, try(a, "192.0.2.1", rahimsPhone, a.code(t, rahimsPhone)), fault.CodeRateLimited)
		if e.RetryAfter != 3600 {
			t.Errorf("Retry-After %d", e.RetryAfter)
		}
		// A restart forgives nothing.
		restarted := *a
		restarted.reopen()
		wantCode(t, try(&restarted, "192.0.2.1", rahimsPhone, "1234"), fault.CodeRateLimited)
		a.clock.Advance(time.Hour)
		wantCode(t, try(a, "192.0.2.1", rahimsPhone, "1234"), fault.CodeOTPInvalid)
	})
	t.Run("of the whole shop", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.set(t, map[string]any{"limits": map[string]any{"wrongCodes": 5}})
		tries := 0
		for i := range 10 {
			code := a.code(t, phoneNumber(i))
			for j, bad := range wrong(code, 2) {
				err := try(a, fmt.Sprintf("192.0.%d.%d", i, j), phoneNumber(i), bad)
				if fault.HasCode(err, fault.CodeOTPInvalid) {
					tries++
				} else {
					wantCode(t, err, fault.CodeRateLimited)
				}
			}
		}
		if tries != 5 {
			t.Errorf("%d tries at the codes of the shop, want 5", tries)
		}
		// Slow guessing is guessing too.
		a.clock.Advance(time.Hour - time.Second)
		late := phoneNumber(20)
		code := a.code(t, late)
		if e := wantCode(t, try(a, "198.51.100.1", late, code), fault.CodeRateLimited); e.RetryAfter != 1 {
			t.Errorf("Retry-After %d", e.RetryAfter)
		}
		a.clock.Advance(time.Second)
		if err := try(a, "198.51.100.1", late, code); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}

func TestAccountLimitsAreChecked(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for _, limits := range []string{`{"wrongCodes":-1}`, `{"wrongCodes":1000001}`, `{"wrongCodes":1.5}`, `{"unknown":1}`} {
		err := a.SetSettings(context.Background(), access.Operator(), map[string]json.RawMessage{"limits": json.RawMessage(limits)})
		if e := wantCode(t, err, fault.CodeValidationFailed); e.Fields[0].Field != "limits" {
			t.Errorf("%s: %+v", limits, e.Fields)
		}
	}
	a.set(t, map[string]any{"limits": map[string]any{"codeInterval": 5}})
	a.send(t, "192.0.2.1", rahimsPhone)
	if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 5 {
		t.Errorf("wait %d s", wait)
	}
}
