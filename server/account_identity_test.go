package server_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

const bPhone = "+8801811000002"

// sendCode has a code sent to a phone and returns it, with isNewCustomer.
func (s *accountSite) sendCode(token, phone string) (code string, isNew bool) {
	s.tb.Helper()
	sent := s.call("sendOtp", token, in{"phoneNumber": phone}).ok()
	isNew, _ = sent.data["isNewCustomer"].(bool)
	return s.sms.Code(s.tb, phone), isNew
}

// signIn signs in to a new or existing account with a code.
func (s *accountSite) signIn(phone, name string) outcome {
	s.tb.Helper()
	code, _ := s.sendCode("", phone)
	return s.call("verifyOtpToLogin", "", in{"phoneNumber": phone, "code": code, "name": name}).ok()
}

// order places an order with cash on delivery, by a guest if token is "".
func (s *accountSite) order(token, phone string) string {
	s.tb.Helper()
	if s.products == nil {
		_, s.products = stockShop(s.tb, s.shop)
	}
	body := "{" + cart(s.products[0], 1) + `,"customer":{"name":"Buyer","phoneNumber":"` + phone + `"},` +
		`"shippingAddress":{"line1":"House 12","city":"Dhaka"}}`
	var placed struct {
		ID string `json:"_id"`
	}
	s.send("POST", "/api/v1/orders", body, bearer(token)...).ok(201, &placed)
	return placed.ID
}

// orders returns the order history of a customer, oldest first.
func (s *accountSite) orders(token string) []string {
	s.tb.Helper()
	var page struct {
		Nodes []struct {
			ID string `json:"_id"`
		}
	}
	s.send("GET", "/api/v1/orders", "", bearer(token)...).ok(200, &page)
	var ids []string
	for _, node := range page.Nodes {
		ids = append([]string{node.ID}, ids...)
	}
	return ids
}

// Alice's account has Bob's phone by mistake. Bob's code creates an account of his own, with
// nothing of Alice's in it.
func TestVerifyOTP_MistypedPhone(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		alice := s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "phoneNumber": aPhone, "password": river})
		home := in{"line1": "House 12", "city": "Dhaka"}
		s.call("profile", alice.token(), in{"address": home}).ok()
		hers := s.order(alice.token(), aPhone)

		code, isNew := s.sendCode("", aPhone)
		if !isNew {
			t.Error("got isNewCustomer false, want true: an unverified phone identifies nobody")
		}
		s.call("verifyOtpToLogin", "", in{"phoneNumber": aPhone, "code": code}).refused(422, fault.CodeNameRequired, "name name_required")
		bob := s.call("verifyOtpToLogin", "", in{"phoneNumber": aPhone, "code": code, "name": "Bob"}).ok()
		user := bob.user()
		if user["_id"] == alice.user()["_id"] || user["name"] != "Bob" || user["email"] != nil || user["phoneVerified"] != true ||
			len(user["addresses"].([]any)) != 0 || bob.data["passwordResetRequired"] != false {
			t.Errorf("got Bob's account %v", bob.data)
		}
		if got := s.orders(bob.token()); len(got) != 0 {
			t.Errorf("got Bob's orders %v, want none", got)
		}
		s.call("login", "", in{"user": aPhone, "password": river}).refused(401, fault.CodeInvalidCredentials, "")

		// Alice retains everything but the phone.
		me := s.call("me", alice.token(), nil).ok()
		if me.data["phoneNumber"] != nil || len(me.data["addresses"].([]any)) != 1 {
			t.Errorf("got Alice's account %v", me.data)
		}
		if got := s.orders(alice.token()); len(got) != 1 || got[0] != hers {
			t.Errorf("got Alice's orders %v, want %s", got, hers)
		}
		s.call("login", "", in{"user": "alice@example.com", "password": river}).ok()
		if again := s.signIn(aPhone, ""); again.user()["_id"] != user["_id"] {
			t.Errorf("got account %v at Bob's next sign-in, want %v", again.user()["_id"], user["_id"])
		}
	})
}

// An account whose only contact is the unverified phone is left to the owner of the phone, empty.
func TestVerifyOTP_SquattedPhone(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		squatter := s.call("register", "", in{"name": "Mallory", "phoneNumber": aPhone, "password": river})
		s.call("profile", squatter.token(), in{"address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		owner := s.signIn(aPhone, "Bob")
		user := owner.user()
		if user["name"] != "Bob" || user["email"] != nil || len(user["addresses"].([]any)) != 0 || owner.data["passwordResetRequired"] != false {
			t.Errorf("got the owner's account %v", owner.data)
		}
		s.call("me", squatter.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("login", "", in{"user": aPhone, "password": river}).refused(401, fault.CodeInvalidCredentials, "")
	})
}

// An account with an order never becomes that of another person, even if the phone is its only
// contact.
func TestVerifyOTP_UnverifiedPhoneOfAccountWithOrder(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		maker := s.call("register", "", in{"name": "Alice", "phoneNumber": aPhone, "password": river})
		hers := s.order(maker.token(), aPhone)
		owner := s.signIn(aPhone, "Bob")
		if owner.user()["_id"] == maker.user()["_id"] || len(s.orders(owner.token())) != 0 {
			t.Errorf("got the owner's account %v, want a new one without orders", owner.data)
		}
		if me := s.call("me", maker.token(), nil).ok(); me.data["phoneNumber"] != nil || me.data["email"] != nil {
			t.Errorf("got %v, want an account without contact", me.data)
		}
		if got := s.orders(maker.token()); len(got) != 1 || got[0] != hers {
			t.Errorf("got orders %v, want %s", got, hers)
		}
		// It can get a contact again.
		s.call("profile", maker.token(), in{"email": "alice@example.com"}).ok()
		s.call("login", "", in{"user": "alice@example.com", "password": river}).ok()
	})
}

// A signed-in customer who proves a phone adds it to the account and stays signed in.
func TestVerifyOTP_SignedIn(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		alice := s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "password": river})
		guest := s.order("", aPhone)
		squatter := s.call("register", "", in{"name": "Mallory", "phoneNumber": aPhone, "password": waterfall})
		code, isNew := s.sendCode(alice.token(), aPhone)
		if isNew {
			t.Error("got isNewCustomer true for a signed-in caller, want false")
		}
		attached := s.call("verifyOtpToLogin", alice.token(), in{"phoneNumber": aPhone, "code": code}).ok()
		if user := attached.user(); user["_id"] != alice.user()["_id"] || user["phoneNumber"] != aPhone || user["phoneVerified"] != true {
			t.Errorf("got %v, want Alice's account with the phone", attached.data)
		}
		s.call("me", alice.token(), nil).ok()
		s.call("me", squatter.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		if got := s.orders(alice.token()); len(got) != 1 || got[0] != guest {
			t.Errorf("got orders %v, want the guest order %s", got, guest)
		}
		if again := s.signIn(aPhone, ""); again.user()["_id"] != alice.user()["_id"] {
			t.Errorf("got account %v, want Alice's", again.user()["_id"])
		}

		// A code sent to the phone of another account signs in to that one.
		bob := s.signIn(bPhone, "Bob")
		code, _ = s.sendCode(alice.token(), bPhone)
		if got := s.call("verifyOtpToLogin", alice.token(), in{"phoneNumber": bPhone, "code": code}); got.user()["_id"] != bob.user()["_id"] {
			t.Errorf("got account %v, want Bob's", got.user()["_id"])
		}
	})
}

// A phone added in the profile is verified by its owner's own code: with the token or the password.
func TestVerifyOTP_OwnPhone(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		alice := s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "password": river})
		s.call("profile", alice.token(), in{"phoneNumber": aPhone}).ok()
		code, _ := s.sendCode("", aPhone)
		input := in{"phoneNumber": aPhone, "code": code, "password": "not it"}
		s.call("verifyOtpToLogin", "", input).refused(401, fault.CodeInvalidCredentials, "") // the code stays valid
		input["password"] = river
		if got := s.call("verifyOtpToLogin", "", input); got.user()["_id"] != alice.user()["_id"] {
			t.Errorf("got account %v, want Alice's", got.user())
		}
		s.call("me", alice.token(), nil).ok()

		bob := s.call("register", "", in{"name": "Bob", "email": "bob@example.com", "password": river})
		s.call("profile", bob.token(), in{"phoneNumber": bPhone}).ok()
		code, _ = s.sendCode(bob.token(), bPhone)
		if got := s.call("verifyOtpToLogin", bob.token(), in{"phoneNumber": bPhone, "code": code}); got.user()["_id"] != bob.user()["_id"] {
			t.Errorf("got account %v, want Bob's", got.user())
		}
		s.call("me", bob.token(), nil).ok()
	})
}

// The owner of a phone cannot guess the password of the account that claims it: wrong ones count as
// in a sign-in, and the code does not.
func TestVerifyOTP_PasswordGuessing(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "phoneNumber": aPhone, "password": river}).ok()
		code, _ := s.sendCode("", aPhone)
		guess := in{"phoneNumber": aPhone, "code": code, "password": "a guess"}
		for range 5 {
			s.call("verifyOtpToLogin", "", guess).refused(401, fault.CodeInvalidCredentials, "")
		}
		guess["password"] = river
		s.call("verifyOtpToLogin", "", guess).refused(429, fault.CodeRateLimited, "")
		delete(guess, "password")
		guess["name"] = "Bob"
		s.call("verifyOtpToLogin", "", guess).ok()
	})
}

// Replacing or removing a contact requires more than a token, which may be stolen.
func TestUpdateProfile_Reauthentication(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "phoneNumber": aPhone, "password": river}).token()
		required := func(input in) {
			t.Helper()
			s.call("profile", token, input).refused(403, fault.CodeReauthenticationRequired, "")
		}
		required(in{"email": "mallory@example.com"})
		required(in{"email": ""})
		required(in{"phoneNumber": bPhone})
		required(in{"phoneNumber": ""})
		required(in{"phoneNumber": bPhone, "currentCode": "1234"}) // no phone is verified
		s.call("profile", token, in{"phoneNumber": bPhone, "currentPassword": "not it"}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("profile", token, in{"phoneNumber": bPhone, "currentCode": "12"}).refused(422, fault.CodeValidationFailed, "currentCode invalid_value")
		s.call("profile", token, in{"name": "Alice A.", "email": "ALICE@example.com", "phoneNumber": "01711-000001"}).ok() // nothing to prove
		changed := s.call("profile", token, in{"email": "a@example.com", "phoneNumber": bPhone, "currentPassword": river}).ok()
		if changed.data["email"] != "a@example.com" || changed.data["phoneNumber"] != bPhone || changed.data["phoneVerified"] != false {
			t.Errorf("got %v", changed.data)
		}
		if n := len(s.sms.Messages()); n != 0 {
			t.Errorf("got %d messages to a phone that nobody verified, want none", n)
		}
	})
}

// A code sent to the phone that was verified before is a proof too, once.
func TestUpdateProfile_CurrentCode(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.signIn(aPhone, "Alice").token()
		s.call("profile", token, in{"email": "alice@example.com"}).ok()
		change := in{"email": "a@example.com"}
		s.call("profile", token, change).refused(403, fault.CodeReauthenticationRequired, "")
		code, _ := s.sendCode(token, aPhone)
		wrong := map[bool]string{true: "0001", false: "0000"}[code == "0000"]
		change["currentCode"] = wrong
		for range account.MaxOTPAttempts {
			s.call("profile", token, change).refused(401, fault.CodeOTPInvalid, "")
		}
		change["currentCode"] = code
		s.call("profile", token, change).refused(401, fault.CodeOTPInvalid, "") // guessed at too often
		s.clock.Advance(account.OTPLifetime)
		change["currentCode"], _ = s.sendCode(token, aPhone)
		s.call("profile", token, change).ok()
		change["email"] = "b@example.com"
		s.call("profile", token, change).refused(401, fault.CodeOTPInvalid, "") // used

		messages := s.sms.Messages()
		last := messages[len(messages)-1]
		if want := "Test Shop: The e-mail address of your account was changed. If this was not you, contact the shop."; last.To != aPhone ||
			last.Text != want {
			t.Errorf("got notice %+v, want %q to %s", last, want, aPhone)
		}
	})
}

// A phone is replaced by codes sent to both: the new one proves itself, the old one the owner.
func TestVerifyOTP_ReplacedPhone(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		alice := s.signIn(aPhone, "Alice")
		code, _ := s.sendCode(alice.token(), bPhone)
		input := in{"phoneNumber": bPhone, "code": code}
		s.call("verifyOtpToLogin", alice.token(), input).refused(403, fault.CodeReauthenticationRequired, "")
		input["currentCode"] = code // of the wrong phone
		s.call("verifyOtpToLogin", alice.token(), input).refused(401, fault.CodeOTPInvalid, "")
		input["currentCode"], _ = s.sendCode(alice.token(), aPhone)
		changed := s.call("verifyOtpToLogin", alice.token(), input).ok()
		if user := changed.user(); user["_id"] != alice.user()["_id"] || user["phoneNumber"] != bPhone || user["phoneVerified"] != true {
			t.Errorf("got %v", changed.data)
		}
		messages := s.sms.Messages()
		last := messages[len(messages)-1]
		if want := "Test Shop: The phone number of your account was changed. If this was not you, contact the shop."; last.To != aPhone ||
			last.Text != want {
			t.Errorf("got notice %+v, want %q to %s", last, want, aPhone)
		}
		// The old phone is free, the new one re-authenticates.
		if code, isNew := s.sendCode("", aPhone); !isNew {
			t.Errorf("the replaced phone still has an account; code %s", code)
		}
		code, _ = s.sendCode(changed.token(), bPhone)
		s.call("changePassword", changed.token(), in{"currentCode": code, "newPassword": river}).ok()
	})
}

// A phone that was added with a stolen token proves no more than the token.
func TestVerifyOTP_AddedWithTokenAlone(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		stolen := s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "password": river}).token()
		code, _ := s.sendCode(stolen, bPhone)
		thief := s.call("verifyOtpToLogin", stolen, in{"phoneNumber": bPhone, "code": code}).token()
		code, _ = s.sendCode(thief, bPhone)
		s.call("changePassword", thief, in{"currentCode": code, "newPassword": waterfall}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("profile", thief, in{"email": "mallory@example.com", "currentCode": code}).refused(403, fault.CodeReauthenticationRequired, "")
		// With the password, the same phone is trusted.
		owner := s.call("login", "", in{"user": "alice@example.com", "password": river}).token()
		s.call("profile", owner, in{"phoneNumber": "", "currentPassword": river}).ok()
		s.clock.Advance(account.OTPLifetime)
		code, _ = s.sendCode(owner, bPhone)
		s.call("verifyOtpToLogin", owner, in{"phoneNumber": bPhone, "code": code, "password": river}).ok()
		code, _ = s.sendCode(owner, bPhone)
		s.call("changePassword", owner, in{"currentCode": code, "newPassword": waterfall}).ok()
	})
}

// A first password requires a code, and the owner is notified.
func TestChangePassword_FirstPassword(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.signIn(aPhone, "Alice").token()
		s.call("changePassword", token, in{"newPassword": river}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("changePassword", token, in{"newPassword": river, "currentPassword": river}).refused(403, fault.CodeReauthenticationRequired, "")
		code, _ := s.sendCode(token, aPhone)
		wrong := map[bool]string{true: "0001", false: "0000"}[code == "0000"]
		s.call("changePassword", token, in{"newPassword": river, "currentCode": wrong}).refused(401, fault.CodeOTPInvalid, "")
		for _, invisible := range []string{" ", "\u00a0", "\u200b", "\u2060"} {
			s.call("changePassword", token, in{"newPassword": strings.Repeat(invisible, 8), "currentCode": code}).
				refused(422, fault.CodePasswordRejected, "newPassword password_rejected") // the code stays valid
		}
		changed := s.call("changePassword", token, in{"newPassword": river, "currentCode": code}).token()
		s.call("me", token, nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("login", "", in{"user": aPhone, "password": river}).ok()
		messages := s.sms.Messages()
		last := messages[len(messages)-1]
		if want := "Test Shop: A new password was set for your account. If this was not you, contact the shop."; last.To != aPhone || last.Text != want {
			t.Errorf("got notice %+v, want %q to %s", last, want, aPhone)
		}
		s.call("changePassword", changed, in{"newPassword": waterfall, "currentPassword": river}).ok()
		if n := len(s.sms.Messages()); n != len(messages) {
			t.Error("a change with the current password sent a notice")
		}
	})
}

// A notice is best effort: a gateway that fails does not fail the change, and a phone gets five a
// day.
func TestUpdateProfile_NoticeBudget(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.signIn(aPhone, "Alice").token()
		code, _ := s.sendCode(token, aPhone)
		token = s.call("changePassword", token, in{"newPassword": river, "currentCode": code}).token() // the first notice
		before := len(s.sms.Messages())
		for i := range 6 {
			email := string(rune('a'+i)) + "@example.com"
			s.call("profile", token, in{"email": email, "currentPassword": river}).ok()
		}
		if n := len(s.sms.Messages()) - before; n != 4 {
			t.Errorf("got %d more notices, want 4", n)
		}
		s.clock.Advance(24 * time.Hour)
		s.sms.Answer(func(string, string) error { return sender.ErrSMSRefused })
		s.call("profile", token, in{"email": "z@example.com", "currentPassword": river}).ok()
		if n := len(s.sms.Messages()) - before; n != 5 {
			t.Errorf("got %d notices on the next day, want 5 in all", n)
		}
	})
}

func TestLogout_Everywhere(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		first := s.call("register", "", in{"name": "Alice", "phoneNumber": aPhone, "password": river}).token()
		second := s.call("login", "", in{"user": aPhone, "password": river}).token()
		other := s.call("register", "", in{"name": "Bob", "phoneNumber": bPhone, "password": river}).token()
		s.call("logout", first, in{"everywhere": false}).ok()
		s.call("me", first, nil).ok()
		everywhere := in{"everywhere": true}
		s.call("logout", "", everywhere).refused(401, fault.CodeUnauthenticated, "")
		s.call("logout", "nonsense", everywhere).refused(401, fault.CodeTokenInvalid, "")
		if out := s.call("logout", second, everywhere).ok(); out.data["success"] != true {
			t.Errorf("got %v", out.data)
		}
		s.call("me", first, nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("me", second, nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("logout", second, everywhere).refused(401, fault.CodeTokenInvalid, "")
		s.call("me", other, nil).ok()
		s.call("login", "", in{"user": aPhone, "password": river}).ok()
	})
}

// A customer who returns each week signs in again after 90 days. Signing out everywhere and a new
// password end each token of the chain.
func TestRenewToken(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	byBoth(t, func(t *testing.T, s *accountSite) {
		first := s.call("register", "", in{"name": "Alice", "phoneNumber": aPhone, "password": river}).token()
		token := first
		for range 14 { // 84 days
			s.clock.Advance(6 * day)
			renewed := s.call("renewToken", token, nil).ok()
			if user, _ := renewed.data["user"].(map[string]any); user["name"] != "Alice" || renewed.token() == token {
				t.Fatalf("got %v, want a new token of Alice", renewed.data)
			}
			s.call("me", token, nil).ok() // a response may be lost
			token = renewed.token()
		}
		s.call("me", first, nil).refused(401, fault.CodeTokenExpired, "")
		s.call("renewToken", first, nil).refused(401, fault.CodeTokenExpired, "")
		s.clock.Advance(6*day - time.Second)
		token = s.call("renewToken", token, nil).token()
		s.call("me", token, nil).ok()
		s.clock.Advance(time.Second)
		s.call("renewToken", token, nil).refused(401, fault.CodeTokenExpired, "")
		s.call("renewToken", "", nil).refused(401, fault.CodeUnauthenticated, "")

		for name, end := range map[string]func(token string){
			"everywhere": func(token string) { s.call("logout", token, in{"everywhere": true}).ok() },
			"a new password": func(token string) {
				s.call("changePassword", token, in{"currentPassword": river, "newPassword": river}).ok()
			},
		} {
			first := s.call("login", "", in{"user": aPhone, "password": river}).token()
			renewed := s.call("renewToken", first, nil).token()
			end(first)
			for _, token := range []string{first, renewed} {
				if out := s.call("renewToken", token, nil); out.code != fault.CodeTokenInvalid {
					t.Errorf("after %s: got %s, want %s", name, out.code, fault.CodeTokenInvalid)
				}
			}
		}
	})
}

// A profile cannot be used to look customers up.
func TestUpdateProfile_LookUps(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		settings := map[string]any{"limits": map[string]any{"wrongCodesPerClient": 3}}
		if err := s.shop.SetSettings(context.Background(), access.Operator(), shoptest.Raw(t, settings)); err != nil {
			t.Fatal(err)
		}
		s.call("register", "", in{"name": "Alice", "email": "alice@example.com", "phoneNumber": aPhone, "password": river}).ok()
		token := s.call("register", "", in{"name": "Mallory", "email": "m@example.com", "password": river}).token()
		for range 3 {
			s.call("profile", token, in{"phoneNumber": aPhone}).refused(409, fault.CodeCustomerExists, "")
		}
		s.call("profile", token, in{"phoneNumber": aPhone}).refused(429, fault.CodeRateLimited, "")
		s.call("profile", token, in{"phoneNumber": bPhone}).refused(429, fault.CodeRateLimited, "") // free, and not said
		s.call("profile", token, in{"name": "M"}).ok()
	})
}

// A guest order with a verified phone is in the account's history at once.
func TestPlaceOrder_GuestWithVerifiedPhone(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	s.call = s.rest
	token := s.signIn(aPhone, "Alice").token()
	unverified := s.call("register", "", in{"name": "Bob", "phoneNumber": bPhone, "password": river}).token()
	placed := s.order("", "01711-000001")
	s.order("", bPhone)
	if got := s.orders(token); len(got) != 1 || got[0] != placed {
		t.Errorf("got orders %v, want %s", got, placed)
	}
	if got := s.orders(unverified); len(got) != 0 {
		t.Errorf("got orders %v of an unverified phone, want none", got)
	}
}
