package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

const (
	aEmail = "ayesha@example.com"
	bEmail = "bob@example.com"
)

// emailCode has a code sent to an e-mail address and returns it.
func (s *accountSite) emailCode(token, email string) string {
	s.tb.Helper()
	s.call("sendEmailCode", token, in{"email": email}).ok()
	return s.mail.Code(s.tb, email)
}

// resetCode has a code sent to set a new password and returns it.
func (s *accountSite) resetCode(email string) string {
	s.tb.Helper()
	s.call("requestPasswordReset", "", in{"email": email}).ok()
	return s.mail.Code(s.tb, email)
}

// emailOrder places an order of a guest with an e-mail address.
func (s *accountSite) emailOrder(token, phone, email string) string {
	s.tb.Helper()
	if s.products == nil {
		_, s.products = stockShop(s.tb, s.shop)
	}
	body := "{" + cart(s.products[0], 1) + `,"customer":{"name":"Buyer","phoneNumber":"` + phone + `","email":"` + email + `"},` +
		`"shippingAddress":{"line1":"House 12","city":"Dhaka"}}`
	var placed struct {
		ID string `json:"_id"`
	}
	s.send("POST", "/api/v1/orders", body, bearer(token)...).ok(201, &placed)
	return placed.ID
}

// set changes settings of the shop.
func (s *accountSite) set(settings map[string]any) {
	s.tb.Helper()
	if err := s.shop.SetSettings(s.tb.Context(), access.Operator(), shoptest.Raw(s.tb, settings)); err != nil {
		s.tb.Fatal(err)
	}
}

// otherDigits returns a code that is not this one.
func otherDigits(code string) string {
	return code[:len(code)-1] + string('0'+(code[len(code)-1]-'0'+1)%10)
}

// A new customer signs in with a code sent by e-mail, and again without a name.
func TestVerifyEmail_SignIn(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.call("sendEmailCode", "", in{"email": "Ayesha@Example.com "}).ok()
		code := s.mail.Code(t, aEmail)
		s.call("verifyEmail", "", in{"email": aEmail, "code": code}).refused(422, fault.CodeNameRequired, "name name_required")
		first := s.call("verifyEmail", "", in{"email": aEmail, "code": code, "name": "Ayesha"})
		user := first.user()
		if user["email"] != aEmail || user["emailVerified"] != true || user["phoneVerified"] != false || user["name"] != "Ayesha" {
			t.Errorf("got %v", user)
		}
		s.call("verifyEmail", "", in{"email": aEmail, "code": code}).refused(401, fault.CodeOTPInvalid, "")
		again := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail)}) // at once: the last code was used
		if again.user()["_id"] != user["_id"] {
			t.Errorf("got account %v, want %v", again.user()["_id"], user["_id"])
		}
	})
}

// A customer who has an e-mail address only sets a new password with a code, and is the same
// customer.
func TestResetPassword_VerifiedEmail(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		old := s.call("register", "", in{"name": "Ayesha", "email": aEmail, "password": river})
		order := s.order(old.token(), aPhone)
		s.call("verifyEmail", old.token(), in{"email": aEmail, "code": s.emailCode(old.token(), aEmail)}).ok()
		s.call("me", old.token(), nil).ok() // verifying the own address ends no session

		code := s.resetCode(aEmail)
		s.call("resetPassword", "", in{"email": aEmail, "code": otherDigits(code), "newPassword": waterfall}).refused(401, fault.CodeOTPInvalid, "")
		s.call("verifyEmail", "", in{"email": aEmail, "code": code}).refused(401, fault.CodeOTPInvalid, "") // for another purpose
		s.call("resetPassword", "", in{"email": aEmail, "code": code, "newPassword": "12345678"}).
			refused(422, fault.CodePasswordRejected, "newPassword password_rejected")
		reset := s.call("resetPassword", "", in{"email": aEmail, "code": code, "newPassword": waterfall})
		if user := reset.user(); user["_id"] != old.user()["_id"] || user["emailVerified"] != true || reset.data["passwordResetRequired"] != false {
			t.Errorf("got %v, want account %v", reset.data, old.user()["_id"])
		}
		s.call("me", old.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("login", "", in{"user": aEmail, "password": river}).refused(401, fault.CodeInvalidCredentials, "")
		in2 := s.call("login", "", in{"user": aEmail, "password": waterfall})
		if got := s.orders(in2.token()); len(got) != 1 || got[0] != order {
			t.Errorf("got orders %v, want %s", got, order)
		}
		s.call("resetPassword", "", in{"email": aEmail, "code": code, "newPassword": river}).refused(401, fault.CodeOTPInvalid, "")
		if m := s.mail.Next(t, aEmail); !strings.Contains(m.Text, "A new password was set") {
			t.Errorf("got e-mail %q, want a notice", m.Text)
		}
	})
}

// An account that never verified its e-mail address was perhaps created by somebody else: its owner
// gets the orders with the address, and none of what the creator wrote or can sign in with.
func TestResetPassword_UnverifiedEmail(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		creator := s.call("register", "", in{"name": "Call 01711-000000", "email": aEmail, "password": river})
		s.call("profile", creator.token(), in{"address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		order := s.emailOrder(creator.token(), aPhone, aEmail)
		owner := s.call("resetPassword", "", in{"email": aEmail, "code": s.resetCode(aEmail), "newPassword": waterfall})
		if user := owner.user(); user["name"] != "ayesha" || len(user["addresses"].([]any)) != 0 || user["emailVerified"] != true {
			t.Errorf("got %v", user)
		}
		if got := s.orders(owner.token()); len(got) != 1 || got[0] != order {
			t.Errorf("got orders %v, want %s", got, order)
		}
		s.call("me", creator.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("login", "", in{"user": aEmail, "password": river}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("login", "", in{"user": aEmail, "password": waterfall}).ok()
	})
}

// A phone that somebody verified outweighs an e-mail address that they only typed: Bob, whose
// address it is, gets an account of his own.
func TestVerifyEmail_MistypedEmail(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		alice := s.signIn(aPhone, "Alice")
		s.call("profile", alice.token(), in{"email": bEmail, "address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		hers := s.order(alice.token(), aPhone)

		s.call("requestPasswordReset", "", in{"email": bEmail}).ok() // sends nothing: see below
		s.clock.Advance(time.Hour)
		bob := s.call("verifyEmail", "", in{"email": bEmail, "code": s.emailCode("", bEmail), "name": "Bob"})
		if user := bob.user(); user["_id"] == alice.user()["_id"] || user["phoneNumber"] != nil || len(user["addresses"].([]any)) != 0 {
			t.Errorf("got Bob's account %v", user)
		}
		if got := s.orders(bob.token()); len(got) != 0 {
			t.Errorf("got Bob's orders %v, want none", got)
		}
		me := s.call("me", alice.token(), nil).ok()
		if me.data["email"] != nil || len(me.data["addresses"].([]any)) != 1 {
			t.Errorf("got Alice's account %v", me.data)
		}
		if got := s.orders(alice.token()); len(got) != 1 || got[0] != hers {
			t.Errorf("got Alice's orders %v, want %s", got, hers)
		}
		if got := s.mail.Unread(); len(got) != 0 {
			t.Errorf("got e-mail %q, want none to set a password of an account with a verified phone", got[0].Text)
		}
	})
}

// The creator of an unverified account verifies it with its password or its token, and retains it.
func TestVerifyEmail_Creator(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		first := s.call("register", "", in{"name": "Ayesha", "email": aEmail, "password": river})
		s.call("profile", first.token(), in{"address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		code := s.emailCode("", aEmail)
		s.call("verifyEmail", "", in{"email": aEmail, "code": code, "password": "not this one"}).refused(401, fault.CodeInvalidCredentials, "")
		same := s.call("verifyEmail", "", in{"email": aEmail, "code": code, "password": river})
		if user := same.user(); user["_id"] != first.user()["_id"] || len(user["addresses"].([]any)) != 1 || user["emailVerified"] != true {
			t.Errorf("got %v", user)
		}
		s.call("me", first.token(), nil).ok()

		second := s.signIn(aPhone, "Karim")
		added := s.call("verifyEmail", second.token(), in{"email": bEmail, "code": s.emailCode(second.token(), bEmail)})
		if user := added.user(); user["_id"] != second.user()["_id"] || user["email"] != bEmail || user["emailVerified"] != true {
			t.Errorf("got %v", user)
		}
		// Another address replaces it with a proof only.
		code = s.emailCode(second.token(), "other@example.com")
		s.call("verifyEmail", second.token(), in{"email": "other@example.com", "code": code}).refused(403, fault.CodeReauthenticationRequired, "")
		s.clock.Advance(time.Hour)
		code = s.emailCode(second.token(), "other@example.com")
		smsCode, _ := s.sendCode(second.token(), aPhone)
		s.call("verifyEmail", second.token(), in{"email": "other@example.com", "code": code, "currentCode": smsCode}).ok()
		if m := s.mail.Next(t, bEmail); !strings.Contains(m.Text, "e-mail address of your account was changed") {
			t.Errorf("got e-mail %q to the old address, want a notice", m.Text)
		}
	})
}

// A code sent to the verified e-mail address re-authenticates a customer without a password or a
// phone.
func TestReauthentication_EmailCode(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"}).token()
		s.call("changePassword", token, in{"newPassword": river}).refused(403, fault.CodeReauthenticationRequired, "")
		code := s.emailCode(token, aEmail)
		s.call("changePassword", token, in{"newPassword": river, "currentCode": otherDigits(code)}).refused(401, fault.CodeOTPInvalid, "")
		s.call("changePassword", token, in{"newPassword": river, "currentCode": code}).ok()
		s.call("login", "", in{"user": aEmail, "password": river}).ok()
	})
}

// Orders of guests with the e-mail address are in the history of its owner: earlier ones once the
// address is verified, later ones at once.
func TestVerifyEmail_GuestOrders(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		before := s.emailOrder("", aPhone, "AYESHA@example.com")
		s.emailOrder("", aPhone, bEmail)
		registered := s.call("register", "", in{"name": "Ayesha", "email": aEmail, "password": river})
		if got := s.orders(registered.token()); len(got) != 0 {
			t.Errorf("got orders %v before the address is verified, want none", got)
		}
		token := s.call("verifyEmail", registered.token(), in{"email": aEmail, "code": s.emailCode("", aEmail)}).token()
		after := s.emailOrder("", "+8801911000009", aEmail)
		if got := s.orders(token); len(got) != 2 || got[0] != before || got[1] != after {
			t.Errorf("got orders %v, want %s and %s", got, before, after)
		}
		// A verified phone comes first: the order names both.
		byPhone := s.signIn(bPhone, "Bob").token()
		s.emailOrder("", bPhone, aEmail)
		if got := s.orders(byPhone); len(got) != 1 {
			t.Errorf("got orders %v of the phone's owner, want one", got)
		}
		if got := s.orders(token); len(got) != 2 {
			t.Errorf("got orders %v of the address's owner, want two", got)
		}
	})
}

// No response reveals whether an e-mail address has an account.
func TestEmailCodes_NoEnumeration(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"}).ok()
		s.call("register", "", in{"name": "Bob", "email": bEmail, "password": river}).ok()
		s.clock.Advance(time.Hour)
		for _, op := range []string{"requestPasswordReset", "sendEmailCode"} {
			var texts []string
			for _, email := range []string{aEmail, bEmail, "nobody@example.com"} {
				s.call(op, "", in{"email": email}).ok()
				text := strings.ReplaceAll(s.calls[len(s.calls)-1], email, "ADDRESS")
				s.call(op, "", in{"email": email}).refused(429, fault.CodeRateLimited, "")
				texts = append(texts, text+strings.ReplaceAll(s.calls[len(s.calls)-1], email, "ADDRESS"))
			}
			for _, text := range texts[1:] {
				if withoutRequestID(text) != withoutRequestID(texts[0]) {
					t.Errorf("%s: got %s\nfor one address and %s\nfor another", op, texts[0], text)
				}
			}
			for _, email := range []string{aEmail, bEmail} {
				s.mail.Next(t, email)
			}
			if op == "sendEmailCode" {
				s.mail.Next(t, "nobody@example.com")
			}
			if got := s.mail.Unread(); len(got) != 0 {
				t.Errorf("%s: got an e-mail to %s, want none", op, got[0].To)
			}
			s.clock.Advance(time.Hour)
		}
		for _, email := range []string{aEmail, bEmail, "nobody@example.com"} {
			s.call("resetPassword", "", in{"email": email, "code": "000000", "newPassword": waterfall}).refused(401, fault.CodeOTPInvalid, "")
			s.call("verifyEmail", "", in{"email": email, "code": "000000"}).refused(401, fault.CodeOTPInvalid, "")
		}
	})
}

// withoutRequestID returns a problem without what differs between two equal ones.
func withoutRequestID(text string) string {
	i := strings.Index(text, `"requestId"`)
	if i < 0 {
		return text
	}
	end := strings.IndexAny(text[i:], ",}")
	return withoutRequestID(text[:i] + text[i+end:])
}

// The limits of codes hold for e-mail addresses as for phones, with counts of their own.
func TestEmailCodes_Limits(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		code := s.emailCode("", aEmail)
		s.call("sendEmailCode", "", in{"email": aEmail}).refused(429, fault.CodeRateLimited, "")
		s.call("requestPasswordReset", "", in{"email": aEmail}).refused(429, fault.CodeRateLimited, "")
		s.call("sendOtp", "", in{"phoneNumber": aPhone}).ok() // phones have counts of their own
		for range 3 {
			s.call("verifyEmail", "", in{"email": aEmail, "code": otherDigits(code), "name": "A"}).refused(401, fault.CodeOTPInvalid, "")
		}
		s.call("verifyEmail", "", in{"email": aEmail, "code": code, "name": "A"}).refused(401, fault.CodeOTPInvalid, "") // three attempts
		s.clock.Advance(time.Minute)
		code = s.emailCode("", aEmail)
		s.clock.Advance(15 * time.Minute)
		s.call("verifyEmail", "", in{"email": aEmail, "code": code, "name": "A"}).refused(401, fault.CodeOTPInvalid, "") // expired
		for range 3 {
			s.emailCode("", aEmail)
			s.clock.Advance(time.Minute)
		}
		s.call("sendEmailCode", "", in{"email": aEmail}).refused(429, fault.CodeRateLimited, "") // five a day for one client
	})
}

// The budget of e-mails is no oracle: its last quarter is for customers, and other addresses then
// cost work, except where the customer has signed in before.
func TestEmailCodes_Budget(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"}).ok()
		s.set(map[string]any{"limits": map[string]any{"emailsPerDay": 8, "codesPerClient": 100}})
		for i := range 6 {
			s.emailCode("", fmt.Sprintf("nobody%d@example.com", i))
		}
		s.call("sendEmailCode", "", in{"email": "nobody@example.com"}).refused(403, fault.CodeWorkRequired, "")
		s.emailCode("", aEmail)
		if got := s.mail.Unread(); len(got) != 0 {
			t.Errorf("got an e-mail to %s beyond the budget", got[0].To)
		}
	})
}

// A mail server that refuses costs the address nothing; a shop without one responds to everybody
// alike.
func TestSendEmailCode_Unavailable(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.mail.Answer(func(string) error { return sender.ErrMailRefused })
		s.call("sendEmailCode", "", in{"email": aEmail}).refused(503, fault.CodeEmailUnavailable, "")
		s.mail.Answer(nil)
		s.emailCode("", aEmail)
	})
	without := &accountSite{site: newSite(t, nil)}
	for _, op := range []string{"sendEmailCode", "requestPasswordReset"} {
		without.rest(op, "", in{"email": aEmail}).refused(503, fault.CodeEmailUnavailable, "")
	}
}

func TestEmailCodes_Validation(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		for _, email := range []string{"a", "a@b", "a@example.com, b@example.com", "a@example.com\r\nBcc: b@example.com", "<a@example.com>"} {
			s.call("sendEmailCode", "", in{"email": email}).refused(422, fault.CodeValidationFailed, "email invalid_value")
		}
		s.call("sendEmailCode", "", in{"email": " "}).refused(422, fault.CodeValidationFailed, "email required")
		s.call("verifyEmail", "", in{"email": aEmail, "code": "1234"}).refused(422, fault.CodeValidationFailed, "code invalid_value")
		s.call("verifyEmail", "", in{"email": aEmail, "code": ""}).refused(422, fault.CodeValidationFailed, "code required")
		s.call("resetPassword", "", in{"email": aEmail, "code": "123456", "newPassword": "        "}).
			refused(422, fault.CodePasswordRejected, "newPassword password_rejected")
	})
}

// The texts are in the shop's language.
func TestSendEmailCode_Bangla(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.set(map[string]any{"locale": "bn-BD", "name": "ঢাকা বাজার"})
		s.call("sendEmailCode", "", in{"email": aEmail}).ok()
		m := s.mail.Next(t, aEmail)
		if m.Subject != "ঢাকা বাজার-এ সাইন ইন করার কোড" || !strings.Contains(m.Text, "কোডটি ১৫ মিনিট কাজ করবে।") {
			t.Errorf("got %q: %q", m.Subject, m.Text)
		}
	})
}
