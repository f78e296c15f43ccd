package server_test

import (
	"strings"
	"testing"
	"time"

	"storefront/shop/fault"
)

// A customer with an account by e-mail and one by phone joins them, proving both.
func TestJoinAccounts(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		byMail := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"})
		s.call("profile", byMail.token(), in{"address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		first := s.emailOrder(byMail.token(), "+8801911000001", aEmail)
		byPhone := s.signIn(aPhone, "Ayesha R.")
		s.call("profile", byPhone.token(), in{"address": in{"line1": "House 7", "city": "Sylhet"}}).ok()
		second := s.order(byPhone.token(), aPhone)

		code, _ := s.sendCode("", aPhone)
		proof := s.emailCode(byMail.token(), aEmail)
		s.call("joinAccounts", "", in{"phoneNumber": aPhone, "code": code, "currentCode": proof}).refused(401, fault.CodeUnauthenticated, "")
		s.call("joinAccounts", byMail.token(), in{"phoneNumber": aPhone, "code": code}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("joinAccounts", byMail.token(), in{"phoneNumber": aPhone, "code": otherDigits(code), "currentCode": proof}).
			refused(401, fault.CodeOTPInvalid, "")
		s.call("joinAccounts", byMail.token(), in{"phoneNumber": aPhone, "code": code, "currentCode": otherDigits(proof)}).
			refused(401, fault.CodeOTPInvalid, "")
		joined := s.call("joinAccounts", byMail.token(), in{"phoneNumber": aPhone, "code": code, "currentCode": proof}).ok()
		if d := joined.data; d["_id"] != byMail.user()["_id"] || d["name"] != "Ayesha" || d["phoneNumber"] != aPhone || d["phoneVerified"] != true ||
			d["email"] != aEmail || d["emailVerified"] != true || len(d["addresses"].([]any)) != 2 {
			t.Errorf("got %v", d)
		}
		if got := s.orders(byMail.token()); len(got) != 2 || got[0] != first || got[1] != second {
			t.Errorf("got orders %v, want %s and %s", got, first, second)
		}
		s.call("me", byPhone.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.clock.Advance(time.Hour)
		if again := s.signIn(aPhone, ""); again.user()["_id"] != byMail.user()["_id"] {
			t.Errorf("got account %v by phone, want the joined one", again.user()["_id"])
		}
		if m := s.mail.Next(t, aEmail); !strings.Contains(m.Text, "Your two accounts were joined.") {
			t.Errorf("got e-mail %q, want a notice", m.Text)
		}
		s.clock.Advance(time.Hour)
		code, _ = s.sendCode("", bPhone)
		s.call("joinAccounts", byMail.token(), in{"phoneNumber": bPhone, "code": code, "currentCode": s.emailCode("", aEmail)}).
			refused(404, fault.CodeNotFound, "")
		bob := s.signIn("+8801911000009", "Bob")
		s.clock.Advance(time.Hour)
		code, _ = s.sendCode("", "+8801911000009")
		s.call("joinAccounts", byMail.token(), in{"phoneNumber": "+8801911000009", "code": code, "currentCode": s.emailCode("", aEmail)}).
			refused(409, fault.CodeStateConflict, "") // both have a verified phone
		s.call("me", bob.token(), nil).ok()
	})
}

// A stolen token neither adds the thief's account to the customer's nor takes the customer's.
func TestJoinAccounts_StolenToken(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		victim := s.call("register", "", in{"name": "Ayesha", "email": aEmail, "password": river})
		s.signIn(bPhone, "Mallory")
		code, _ := s.sendCode("", bPhone)
		s.call("joinAccounts", victim.token(), in{"phoneNumber": bPhone, "code": code}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("joinAccounts", victim.token(), in{"phoneNumber": bPhone, "code": code, "currentPassword": waterfall}).
			refused(401, fault.CodeInvalidCredentials, "")
		if me := s.call("me", victim.token(), nil).ok(); me.data["phoneNumber"] != nil {
			t.Errorf("got %v", me.data)
		}
		// An unverified address of the victim is not an account that a code could be for.
		s.clock.Advance(time.Hour)
		thief := s.signIn(bPhone, "")
		s.call("joinAccounts", thief.token(), in{"email": aEmail, "code": s.emailCode("", aEmail), "currentCode": "0000"}).
			refused(401, fault.CodeOTPInvalid, "")
		s.call("me", victim.token(), nil).ok()
	})
}

// A customer deletes the account with a proof. The orders stay, without personal data.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		customer := s.call("register", "", in{"name": "Ayesha", "email": aEmail, "password": river})
		order := s.emailOrder(customer.token(), aPhone, aEmail)
		s.call("deleteAccount", customer.token(), in{}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("deleteAccount", customer.token(), in{"currentPassword": waterfall}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("deleteAccount", "", in{"currentPassword": river}).refused(401, fault.CodeUnauthenticated, "")
		s.call("deleteAccount", customer.token(), in{"currentPassword": river}).refused(409, fault.CodeStateConflict, "") // an open order
		s.send("POST", "/api/v1/orders/"+order+"/cancel", "{}", bearer(customer.token())...).ok(200, new(map[string]any))

		export := s.call("accountExport", customer.token(), nil).ok()
		orders := export.data["orders"].([]any)
		exported := orders[0].(map[string]any)
		if len(orders) != 1 || exported["_id"] != order || exported["customer"].(map[string]any)["phoneNumber"] != aPhone ||
			export.data["customer"].(map[string]any)["email"] != aEmail {
			t.Errorf("got export %v", export.data)
		}

		deleted := s.call("deleteAccount", customer.token(), in{"currentPassword": river}).ok()
		if deleted.data["success"] != true || deleted.data["orders"] != 1.0 {
			t.Errorf("got %v", deleted.data)
		}
		s.call("me", customer.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("accountExport", customer.token(), nil).refused(401, fault.CodeTokenInvalid, "")
		s.call("login", "", in{"user": aEmail, "password": river}).refused(401, fault.CodeInvalidCredentials, "")
		for _, column := range []string{"customer_name", "customer_phone", "COALESCE(customer_email, '')", "line1", "note"} {
			if n := s.number(`SELECT count(*) FROM orders WHERE ` + column + ` <> ''`); n != 0 {
				t.Errorf("%s: %d orders have personal data, want none", column, n)
			}
		}
		if n := s.number(`SELECT count(*) FROM orders`); n != 1 {
			t.Errorf("got %d orders, want one for the books", n)
		}
		// The address is free for somebody else, who gets nothing of it.
		next := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Other"})
		if got := s.orders(next.token()); len(got) != 0 {
			t.Errorf("got orders %v, want none", got)
		}
	})
}
