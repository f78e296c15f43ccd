package server_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// lockout is a site behind a proxy with an owner, who has a phone.
type lockout struct {
	*adminSite
	t    *testing.T
	next int // number of the guesser's next address
	sent chan string
}

const (
	lockoutUser = "rina@example.com"
	lockoutBase = "/admin/v1/shops/test/"
)

func newLockout(t *testing.T) *lockout {
	t.Helper()
	s := newAdminSite(t, func(cfg *server.Config) {
		cfg.PublicURL = "https://api.example.com"
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	l := &lockout{adminSite: s, t: t, sent: make(chan string, 10)}
	s.shop.SMS.Answer(func(_, text string) error { l.sent <- text; return nil })
	_, link, err := s.shop.Staff.InviteMember(t.Context(), access.Operator(), staff.InviteInput{
		Name: "Rina", Email: new(lockoutUser), PhoneNumber: new("01711-000000"), Role: staff.RoleOwner,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.post("198.51.100.1", "links/use", `{"token":"`+link.Token+`","password":"`+shoptest.Password+`"}`).ok(200, new(any))
	return l
}

func (l *lockout) post(client, path, body string, header ...string) *reply {
	return l.send("POST", lockoutBase+path, body, append([]string{"X-Forwarded-For", client}, header...)...)
}

func (l *lockout) signIn(client, user, password, code string, header ...string) *reply {
	body := `{"user":"` + user + `","password":"` + password + `"`
	if code != "" {
		body += `,"code":"` + code + `"`
	}
	return l.post(client, "session", body+"}", header...)
}

// guess tries n wrong passwords, each from another address, and returns how many were compared.
func (l *lockout) guess(n int, code string) (compared int) {
	for range n {
		l.next++
		got := l.signIn(fmt.Sprintf("203.0.%d.%d", l.next/200, l.next%200), lockoutUser, fmt.Sprint("guess-", l.next), code)
		if got.status == http.StatusUnauthorized {
			compared++
		}
	}
	return compared
}

// cookies returns the value of the header Cookie that a browser sends after a response.
func cookies(r *reply) string {
	var all []string
	for _, cookie := range (&http.Response{Header: r.header}).Cookies() {
		all = append(all, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(all, "; ")
}

// code requests a code for a new password and returns it.
func (l *lockout) code(client string) string {
	l.post(client, "password/code", `{"user":"`+lockoutUser+`"}`).ok(200, new(any))
	text, _, _ := strings.Cut(<-l.sent, " ")
	return text
}

func (l *lockout) reset(client, code string) *reply {
	return l.post(client, "password/reset", `{"user":"`+lockoutUser+`","code":"`+code+`","password":"jackfruit-river-9"}`)
}

// Strangers slow each other's guesses, but hold back nobody who proves to be the staff member by
// something that only this person has.
func TestSignIn_WrongPasswordsOfStrangers(t *testing.T) {
	t.Parallel()
	proofs := map[string]func(*lockout, *testing.T){
		"known device at a new address": func(l *lockout, t *testing.T) {
			home := cookies(l.signIn("198.51.100.1", lockoutUser, shoptest.Password, ""))
			l.guess(60, "")
			l.signIn("192.0.2.1", lockoutUser, shoptest.Password, "", "Cookie", home).ok(200, new(any))
			for range 5 { // it has few guesses of its own
				l.signIn("192.0.2.2", lockoutUser, "wrong", "", "Cookie", home).problem(401, fault.CodeInvalidCredentials)
			}
			l.signIn("192.0.2.3", lockoutUser, "wrong", "", "Cookie", home).problem(429, fault.CodeRateLimited)
		},
		"known address": func(l *lockout, _ *testing.T) {
			l.guess(60, "")
			l.signIn("198.51.100.1", lockoutUser, shoptest.Password, "").ok(200, new(any))
		},
		"session at a new address": func(l *lockout, _ *testing.T) {
			session := cookies(l.signIn("198.51.100.1", lockoutUser, shoptest.Password, ""))
			l.guess(60, "")
			l.post("192.0.2.1", "session/proof", `{"password":"`+shoptest.Password+`"}`, "Cookie", session).ok(200, new(any))
		},
		"authenticator app": func(l *lockout, t *testing.T) {
			owner := access.Caller{Session: strings.TrimPrefix(strings.Split(cookies(
				l.signIn("198.51.100.1", lockoutUser, shoptest.Password, "")), ";")[0], "__Secure-sf_admin=")}
			secret, recovery := l.shop.TOTP(t, owner)
			l.guess(60, "")
			l.shop.Clock.Advance(time.Minute)
			l.signIn("192.0.2.1", lockoutUser, shoptest.Password, "000000").problem(429, fault.CodeRateLimited)
			code := shoptest.TOTPCode(t, secret, l.shop.Clock.Now())
			l.signIn("192.0.2.1", lockoutUser, shoptest.Password, code).ok(200, new(any))
			l.signIn("192.0.2.2", lockoutUser, shoptest.Password, recovery[0]).ok(200, new(any))
			l.shop.Clock.Advance(time.Minute)
			code = shoptest.TOTPCode(t, secret, l.shop.Clock.Now())
			if n := l.guess(20, code); n != 1 {
				t.Errorf("got %d guesses of the password with one code of the app, want 1", n)
			}
		},
		"code by SMS": func(l *lockout, t *testing.T) {
			l.guess(60, "")
			code := l.code("192.0.2.1")
			for i := range 10 { // strangers cannot use up the code
				l.reset(fmt.Sprintf("203.0.113.%d", i), "000000")
			}
			l.reset("192.0.2.1", code).ok(200, new(any))
		},
		"code by SMS after strangers requested all": func(l *lockout, t *testing.T) {
			home := cookies(l.signIn("198.51.100.1", lockoutUser, shoptest.Password, ""))
			for i := range 3 {
				l.code(fmt.Sprintf("203.0.113.%d", i))
			}
			l.post("192.0.2.1", "password/code", `{"user":"`+lockoutUser+`"}`, "Cookie", home).ok(200, new(any))
			code, _, _ := strings.Cut(<-l.sent, " ")
			l.reset("192.0.2.1", code).ok(200, new(any))
		},
	}
	proofs["code by SMS on a new device after strangers requested all"] = func(l *lockout, t *testing.T) {
		for i := range 20 { // of two networks
			l.post(fmt.Sprintf("203.0.%d.%d", i%2, i), "password/code", `{"user":"`+lockoutUser+`"}`).ok(200, new(any))
		}
		for range 6 {
			<-l.sent
		}
		code := l.code("192.0.2.1")
		for i := range 10 {
			l.reset(fmt.Sprintf("203.0.113.%d", i), "000000")
		}
		l.reset("192.0.2.1", code).ok(200, new(any))
		if len(l.sent) > 0 {
			t.Error("got more than three codes for a network")
		}
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(newLockout(t), t)
		})
	}
	t.Run("guesses in all", func(t *testing.T) {
		t.Parallel()
		l := newLockout(t)
		if n := l.guess(200, ""); n != 50 {
			t.Errorf("got %d guesses in an hour, want 50", n)
		}
		l.signIn("192.0.2.1", lockoutUser, shoptest.Password, "").problem(429, fault.CodeRateLimited)
	})
	t.Run("attempts at a code in all", func(t *testing.T) {
		t.Parallel()
		l := newLockout(t)
		code := l.code("192.0.2.1")
		for i := range 3 {
			l.reset(fmt.Sprintf("203.0.113.%d", i), "000000").problem(401, fault.CodeOTPInvalid)
		}
		l.reset("203.0.113.99", code).problem(401, fault.CodeOTPInvalid) // used up for others
		l.reset("192.0.2.1", code).ok(200, new(any))
	})
}

// Failures at a person's e-mail address do not show that a phone is the same person's.
func TestSignIn_ContactsNotLinked(t *testing.T) {
	t.Parallel()
	l := newLockout(t)
	for range 5 {
		l.signIn("192.0.2.1", lockoutUser, "wrong", "").problem(401, fault.CodeInvalidCredentials)
	}
	l.signIn("192.0.2.1", lockoutUser, "wrong", "").problem(429, fault.CodeRateLimited)
	for _, phone := range []string{"01711000000", "+8801711-000000", "01711999999"} {
		l.signIn("192.0.2.1", phone, "wrong", "").problem(401, fault.CodeInvalidCredentials)
	}
	l.guess(60, "")
	for _, phone := range []string{"01711000000", "01711999999"} {
		l.signIn("192.0.2.9", phone, "wrong", "").problem(401, fault.CodeInvalidCredentials)
	}
}
