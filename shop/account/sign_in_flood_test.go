package account_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/shoptest"
)

// registerInputFor returns the input of another customer's registration.
func registerInputFor(i int) account.RegisterInput {
	return shoptest.RegisterInput("Buyer", fmt.Sprintf("buyer%d@example.com", i), "")
}

// The hasher is shared by all shops: registrations at another one, from any number of addresses, do
// not stop sign-ins.
func TestLogin_RegistrationsElsewhere(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Rahim(t)
	for i := range 1000 {
		_, err := a.Hasher.Enqueue(password.Use{Shop: "another", Client: fmt.Sprintf("203.0.113.%d", i), Registration: true})
		if err != nil && !fault.HasCode(err, fault.CodeRateLimited) {
			t.Fatal(err)
		}
	}
	if err := a.loginFrom("192.0.2.1", "rahim@example.com", goodPassword); err != nil {
		t.Errorf("login while another shop's registrations hold all places they can: %v", err)
	}
}

func TestRegister_Limits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Set(t, map[string]any{"limits": map[string]any{"registrationsPerClient": 5}})
	register := func(client string, i int) error {
		_, err := a.Register(ctx, from(client), registerInputFor(i))
		return err
	}
	for i := range 4 {
		if err := register("192.0.2.1", i); err != nil {
			t.Fatalf("registration %d: %v", i, err)
		}
	}
	shoptest.WantCode(t, register("192.0.2.1", 0), fault.CodeCustomerExists) // counts too: nobody can look customers up
	hashes := a.Hasher.Hashes()
	if e := shoptest.WantCode(t, register("192.0.2.1", 5), fault.CodeRateLimited); e.RetryAfter != 3600 {
		t.Errorf("got Retry-After %d, want 3600", e.RetryAfter)
	}
	if n := a.Hasher.Hashes() - hashes; n != 0 {
		t.Errorf("got %d hashes of a refused registration, want none", n)
	}
	// A network may do four times as much as one address.
	for i := range 15 {
		if err := register(fmt.Sprintf("192.0.2.%d", 2+i), 100+i); err != nil {
			t.Fatalf("registration at another address %d: %v", i, err)
		}
	}
	shoptest.WantCode(t, register("192.0.2.200", 200), fault.CodeRateLimited)
	if err := register("198.51.100.1", 200); err != nil {
		t.Errorf("another network: %v", err)
	}
	a.Clock.Advance(time.Hour)
	if err := register("192.0.2.1", 201); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

func TestLogin_WrongPasswordsFromManyAddresses(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Rahim(t)
	const home, new = "198.51.100.7", "198.51.100.8"
	if err := a.loginFrom(home, "rahim@example.com", goodPassword); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"rahim@example.com", "nobody@example.com"} { // the limit reveals no account
		for i := range 50 {
			shoptest.WantCode(t, a.loginFrom(fmt.Sprintf("192.0.2.%d", i), user, "a wrong password"), fault.CodeInvalidCredentials)
		}
		if e := shoptest.WantCode(t, a.loginFrom(new, user, goodPassword), fault.CodeRateLimited); e.RetryAfter != 3600 {
			t.Errorf("%s: got Retry-After %d, want 3600", user, e.RetryAfter)
		}
	}
	if err := a.loginFrom(home, "rahim@example.com", goodPassword); err != nil {
		t.Errorf("from the owner's address: %v", err)
	}
	// Signing in with a code makes the new address known, so that its passwords are accepted.
	if _, err := a.VerifyOTP(context.Background(), from(new), withPassword(shoptest.VerifyInput(rahimsPhone,
		a.Code(t, rahimsPhone), "Rahim"))); err != nil {
		t.Fatal(err)
	}
	if err := a.loginFrom(new, "rahim@example.com", goodPassword); err != nil {
		t.Errorf("from the address that verified a code: %v", err)
	}
	a.Clock.Advance(time.Hour)
	if err := a.loginFrom("198.51.100.9", "rahim@example.com", goodPassword); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

func withPassword(in account.VerifyOTPInput) account.VerifyOTPInput {
	in.Password = new(goodPassword)
	return in
}

// An account stores a bounded number of known clients.
func TestLogin_KnownClientsBounded(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Rahim(t)
	for i := range 25 {
		a.Clock.Advance(time.Second)
		if err := a.loginFrom(fmt.Sprintf("192.0.2.%d", i), "rahim@example.com", goodPassword); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Number(t, `SELECT count(*) FROM known_clients`); n != 20 {
		t.Errorf("got %d known clients, want 20", n)
	}
}

func (a *accounts) loginFrom(client, user, password string) error {
	_, err := a.Login(context.Background(), from(client), account.LoginInput{User: user, Password: password})
	return err
}

// The bounds that a caller shares with strangers do not refuse the right code of the address that
// requested it, and that address has no further attempts.
func TestVerifyOTP_SharedBoundsReached(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Set(t, map[string]any{"limits": map[string]any{"wrongCodes": 2, "wrongCodesPerClient": 2}})
	verify := func(client, phone, code string) error {
		_, err := a.VerifyOTP(ctx, from(client), shoptest.VerifyInput(phone, code, "Buyer"))
		return err
	}
	request := func(client, phone string) string {
		t.Helper()
		if wait := a.send(t, client, phone); wait != 0 {
			t.Fatalf("got a wait of %d s for a code, want none", wait)
		}
		return a.SMS.Code(t, phone)
	}
	attacked := request("192.0.2.99", phoneNumber(1))
	for i, bad := range wrong(attacked, 2) { // the bound of the shop
		shoptest.WantCode(t, verify(fmt.Sprintf("203.0.113.%d", i), phoneNumber(1), bad), fault.CodeOTPInvalid)
	}
	code := request("192.0.2.1", rahimsPhone)
	shoptest.WantCode(t, verify("198.51.100.1", rahimsPhone, code), fault.CodeRateLimited) // another address
	if err := verify("192.0.2.1", rahimsPhone, code); err != nil {
		t.Errorf("the right code from the address that requested it: %v", err)
	}
	// Wrong codes of that address count towards the code, so that it gets three attempts as ever.
	code = request("192.0.2.2", phoneNumber(2))
	for _, bad := range wrong(code, 2) {
		shoptest.WantCode(t, verify("192.0.2.2", phoneNumber(2), bad), fault.CodeOTPInvalid)
	}
	shoptest.WantCode(t, verify("192.0.2.2", phoneNumber(2), code), fault.CodeRateLimited) // its own bound
}

func TestVerifyOTP_WrongCodesOfNetwork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	verify := func(client, code string) error {
		_, err := a.VerifyOTP(ctx, from(client), shoptest.VerifyInput(rahimsPhone, code, "Thief"))
		return err
	}
	for i := range 4 * 30 { // each address stays below its own limit
		shoptest.WantCode(t, verify(fmt.Sprintf("2001:db8:1:%x::/64", i), "1234"), fault.CodeOTPInvalid)
	}
	shoptest.WantCode(t, verify("2001:db8:1:ffff::/64", "1234"), fault.CodeRateLimited)
	shoptest.WantCode(t, verify("2001:db8:2:ffff::/64", "1234"), fault.CodeOTPInvalid)
}

func TestSendOTP_Network(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Set(t, map[string]any{"limits": map[string]any{"codesPerClient": 3}})
	for i := range 12 {
		if wait := a.send(t, fmt.Sprintf("192.0.2.%d", i), phoneNumber(i)); wait != 0 {
			t.Fatalf("code %d: got a wait of %d s, want none", i, wait)
		}
	}
	if wait := a.send(t, "192.0.2.200", phoneNumber(20)); wait != 3600 {
		t.Errorf("another address of the network: got a wait of %d s, want 3600", wait)
	}
	if wait := a.send(t, "198.51.100.1", phoneNumber(20)); wait != 0 {
		t.Errorf("another network: got a wait of %d s, want none", wait)
	}
}

// A flood of codes uses up neither the day's budget at once nor what is reserved for known phones.
// After half of an hour's budget each code costs work.
func TestSendOTP_Budget(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Set(t, map[string]any{"limits": map[string]any{"messagesPerDay": 240}})
	a.SignIn(t, rahimsPhone)
	for i := range 7 { // half of three quarters of a twelfth of the day's
		if _, err := a.SendOTP(t.Context(), from(fmt.Sprintf("172.16.%d.1", i)), account.SendOTPInput{PhoneNumber: phoneNumber(i)}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.SendOTP(t.Context(), from("172.16.9.1"), account.SendOTPInput{PhoneNumber: phoneNumber(9)})
	shoptest.WantCode(t, err, fault.CodeWorkRequired)
	if _, err := a.SendOTP(t.Context(), from("172.16.9.1"), account.SendOTPInput{PhoneNumber: rahimsPhone}); err != nil {
		t.Errorf("a known phone without work: %v", err)
	}
	a.Clock.Advance(24 * time.Hour)
	flood := func(n int) (sent, wait int) {
		for i := range n {
			wait = a.send(t, fmt.Sprintf("10.%d.%d.1", i, a.Clock.Now().Unix()%200), phoneNumber(int(a.Clock.Now().Unix()%1e6)*100+i))
			if wait != 0 {
				return sent, wait
			}
			sent++
		}
		return sent, 0
	}
	if sent, wait := flood(90); sent != 60 || wait != 3600 {
		t.Errorf("got %d codes with work in an hour, then a wait of %d s; want 60 and 3600 s", sent, wait)
	}
	if wait := a.send(t, "198.51.100.1", rahimsPhone); wait != 0 {
		t.Errorf("a known phone: got a wait of %d s, want none", wait)
	}
	total := 60
	for range 20 {
		a.Clock.Advance(time.Hour)
		sent, _ := flood(90)
		total += sent
	}
	if total != 179 { // with the known phone's, three quarters of the day's
		t.Errorf("got %d codes in a day, want 179", total)
	}
	if wait := a.send(t, "198.51.100.1", rahimsPhone); wait != 0 {
		t.Errorf("a known phone after a day of flood: got a wait of %d s, want none", wait)
	}
}
