package account_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// send requests a code, with a proof of work if one is required, and returns the seconds to wait,
// or 0 if a code was sent.
func (a *accounts) send(t *testing.T, client, phone string) (wait int) {
	t.Helper()
	caller, in := from(client), account.SendOTPInput{PhoneNumber: phone}
	_, err := a.SendOTP(context.Background(), caller, in)
	if fault.HasCode(err, fault.CodeWorkRequired) {
		caller.WorkProof = solve(shoptest.WantCode(t, err, fault.CodeWorkRequired).Details)
		_, err = a.SendOTP(context.Background(), caller, in)
	}
	if err == nil {
		return 0
	}
	e := shoptest.WantCode(t, err, fault.CodeRateLimited)
	if e.RetryAfter == 0 {
		t.Error("got no Retry-After")
	}
	return e.RetryAfter
}

// solve returns a proof of work for a challenge.
func solve(details map[string]any) string {
	for nonce := 0; ; nonce++ {
		proof := fmt.Sprintf("%s.%d", details["challenge"], nonce)
		sum := sha256.Sum256([]byte(proof))
		if bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:4])) >= details["difficulty"].(int) {
			return proof
		}
	}
}

func phoneNumber(i int) string { return fmt.Sprintf("+88017%08d", i) }

func TestSendOTP_Limits(t *testing.T) {
	t.Parallel()
	t.Run("one a minute", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Code(t, rahimsPhone)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 60 {
			t.Errorf("got a wait of %d s", wait)
		}
		a.Clock.Advance(59 * time.Second)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 1 {
			t.Errorf("got a wait of %d s", wait)
		}
		a.Clock.Advance(time.Second)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 0 {
			t.Errorf("got a wait of %d s", wait)
		}
	})
	t.Run("5 a day by client, 10 in all", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		counts := map[string]int{}
		for i := range 60 {
			client := fmt.Sprintf("192.0.2.%d", i%3)
			if a.send(t, client, rahimsPhone) == 0 {
				counts[client]++
			}
			a.Clock.Advance(20 * time.Minute)
		}
		if total := counts["192.0.2.0"] + counts["192.0.2.1"] + counts["192.0.2.2"]; total != 10 {
			t.Errorf("got %d codes to one phone, by client %v", total, counts)
		}
		a = newAccounts(t)
		sent := 0
		for range 8 {
			if a.send(t, "192.0.2.1", rahimsPhone) == 0 {
				sent++
			}
			a.Clock.Advance(2 * time.Hour)
		}
		if sent != 5 {
			t.Errorf("got %d codes to one phone for one client", sent)
		}
		a.Clock.Advance(24*time.Hour - 8*2*time.Hour)
		if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 0 {
			t.Errorf("a day later: got a wait of %d s, want none", wait)
		}
	})
	t.Run("concurrent requests", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { a.send(t, fmt.Sprintf("192.0.2.%d", i), rahimsPhone) })
		}
		wg.Wait()
		if n := len(a.SMS.Messages()); n != 1 {
			t.Errorf("got %d messages to one phone, want 1", n)
		}
	})
	t.Run("30 an hour by client", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		for i := range 30 {
			if wait := a.send(t, "192.0.2.1", phoneNumber(i)); wait != 0 {
				t.Fatalf("code %d: got a wait of %d s, want none", i, wait)
			}
		}
		if wait := a.send(t, "192.0.2.1", phoneNumber(30)); wait != 3600 {
			t.Errorf("got a wait of %d s", wait)
		}
		if wait := a.send(t, "192.0.2.2", phoneNumber(30)); wait != 0 {
			t.Errorf("another client: got a wait of %d s, want none", wait)
		}
	})
	t.Run("messages a day of the shop", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Set(t, map[string]any{"limits": map[string]any{"messagesPerDay": 3}})
		for i := range 3 {
			a.SignIn(t, phoneNumber(i)) // used codes do not count
		}
		for i := range 3 {
			if wait := a.send(t, fmt.Sprintf("192.0.2.%d", i), phoneNumber(100+i)); wait != 0 {
				t.Fatalf("got a wait of %d s, want none", wait)
			}
		}
		if wait := a.send(t, "192.0.2.9", phoneNumber(9)); wait != 24*3600 {
			t.Errorf("got a wait of %d s", wait)
		}
	})
}

// Carriers share an address between thousands of customers, so used codes do not count.
func TestSendOTP_SharedAddress(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	for i := range 120 {
		phone := phoneNumber(i)
		if wait := a.send(t, "192.0.2.1", phone); wait != 0 {
			t.Fatalf("customer %d: got a wait of %d s, want none", i, wait)
		}
		code := a.SMS.Code(t, phone)
		if i%6 == 0 { // one of six sends a wrong code
			_, err := a.VerifyOTP(ctx, from("192.0.2.1"), shoptest.VerifyInput(phone, wrong(code, 1)[0], "Buyer"))
			shoptest.WantCode(t, err, fault.CodeOTPInvalid)
		}
		if _, err := a.VerifyOTP(ctx, from("192.0.2.1"), shoptest.VerifyInput(phone, code, "Buyer")); err != nil {
			t.Fatalf("customer %d: %v", i, err)
		}
	}
}

// A guesser with 100 addresses and concurrent requests has three attempts per code.
func TestVerifyOTP_ConcurrentGuessing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	code := a.Code(t, rahimsPhone)
	guesses := wrong(code, 1000)
	var tried, limited atomic.Int64
	var wg sync.WaitGroup
	for client := range 100 {
		wg.Go(func() {
			for i := range 10 {
				_, err := a.VerifyOTP(ctx, from(fmt.Sprintf("192.0.2.%d", client)), shoptest.VerifyInput(rahimsPhone, guesses[10*client+i], "Thief"))
				if fault.HasCode(err, fault.CodeOTPInvalid) {
					tried.Add(1)
				} else if fault.HasCode(err, fault.CodeRateLimited) {
					limited.Add(1)
				} else {
					t.Errorf("attempt: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := a.Number(t, `SELECT wrong_tries FROM otp_codes WHERE phone = ?`, rahimsPhone); got != account.MaxOTPAttempts {
		t.Errorf("got %d attempts at the code, want %d", got, account.MaxOTPAttempts)
	}
	_, err := a.VerifyOTP(ctx, from("198.51.100.1"), shoptest.VerifyInput(rahimsPhone, code, "Rahim"))
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	t.Logf("%d guesses refused as wrong, %d unread", tried.Load(), limited.Load())
}

func TestVerifyOTP_Limits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	verify := func(a *accounts, client, phone, code string) error {
		_, err := a.VerifyOTP(ctx, from(client), shoptest.VerifyInput(phone, code, "Thief"))
		return err
	}
	t.Run("30 an hour by client", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		for i := range 30 {
			shoptest.WantCode(t, verify(a, "192.0.2.1", phoneNumber(i), "1234"), fault.CodeOTPInvalid)
		}
		e := shoptest.WantCode(t, verify(a, "192.0.2.1", rahimsPhone, a.Code(t, rahimsPhone)), fault.CodeRateLimited)
		if e.RetryAfter != 3600 {
			t.Errorf("got Retry-After %d", e.RetryAfter)
		}
		// A restart does not reset the count.
		restarted := &accounts{a.Reopened()}
		shoptest.WantCode(t, verify(restarted, "192.0.2.1", rahimsPhone, "1234"), fault.CodeRateLimited)
		a.Clock.Advance(time.Hour)
		shoptest.WantCode(t, verify(a, "192.0.2.1", rahimsPhone, "1234"), fault.CodeOTPInvalid)
	})
	t.Run("of the whole shop", func(t *testing.T) {
		t.Parallel()
		a := newAccounts(t)
		a.Set(t, map[string]any{"limits": map[string]any{"wrongCodes": 5}})
		attempts := 0
		for i := range 10 {
			code := a.Code(t, phoneNumber(i))
			for j, bad := range wrong(code, 2) {
				err := verify(a, fmt.Sprintf("192.0.%d.%d", i, j), phoneNumber(i), bad)
				if fault.HasCode(err, fault.CodeOTPInvalid) {
					attempts++
				} else {
					shoptest.WantCode(t, err, fault.CodeRateLimited)
				}
			}
		}
		if attempts != 5 {
			t.Errorf("got %d attempts at the codes of the shop, want 5", attempts)
		}
		// Slow guessing is limited too.
		a.Clock.Advance(time.Hour - time.Second)
		late := phoneNumber(20)
		code := a.Code(t, late)
		if e := shoptest.WantCode(t, verify(a, "198.51.100.1", late, code), fault.CodeRateLimited); e.RetryAfter != 1 {
			t.Errorf("got Retry-After %d", e.RetryAfter)
		}
		a.Clock.Advance(time.Second)
		if err := verify(a, "198.51.100.1", late, code); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}

func TestLimits_Invalid(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for _, limits := range []string{`{"wrongCodes":-1}`, `{"wrongCodes":1000001}`, `{"wrongCodes":1.5}`, `{"unknown":1}`} {
		err := a.SetSettings(context.Background(), access.Operator(), map[string]json.RawMessage{"limits": json.RawMessage(limits)})
		if e := shoptest.WantCode(t, err, fault.CodeValidationFailed); e.Fields[0].Field != "limits" {
			t.Errorf("%s: got fields %+v, want limits", limits, e.Fields)
		}
	}
	a.Set(t, map[string]any{"limits": map[string]any{"codeInterval": 5}})
	a.send(t, "192.0.2.1", rahimsPhone)
	if wait := a.send(t, "192.0.2.1", rahimsPhone); wait != 5 {
		t.Errorf("got a wait of %d s", wait)
	}
}
