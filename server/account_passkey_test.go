package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
)

// headless is the page of a storefront that the shop has listed.
const headless = "https://buy.example"

// newPasskeySite lists an origin of the shop, and sends requests from a page there.
func newPasskeySite(t *testing.T, s *accountSite) {
	t.Helper()
	s.set(map[string]any{"origins": []string{headless, "http://localhost:3000"}})
	s.origin = headless
}

// into decodes a response.
func (o outcome) into(v any) {
	o.t.Helper()
	text, err := json.Marshal(o.ok().data)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// addPasskey adds a passkey of an account with the password river.
func (s *accountSite) addPasskey(t *testing.T, token string) (*shoptest.Authenticator, outcome) {
	t.Helper()
	device := shoptest.NewAuthenticator(t, s.origin)
	var options passkey.CreationOptions
	s.call("beginPasskey", token, in{"currentPassword": river}).into(&options)
	return device, s.call("addPasskey", token, in{"name": "Phone", "credential": device.Create(t, &options)})
}

// proof returns a proof by a device, with options of an operation.
func (s *accountSite) proof(t *testing.T, operation, token string, device *shoptest.Authenticator) passkey.Assertion {
	t.Helper()
	var options passkey.RequestOptions
	s.call(operation, token, nil).into(&options)
	return device.Sign(t, &options)
}

// A passkey signs in and proves the account through both transports, and the buyer is notified.
func TestAccountPasskey(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		newPasskeySite(t, s)
		registered := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"})
		set := s.call("changePassword", registered.token(), in{"currentCode": s.emailCode("", aEmail), "newPassword": river})
		s.mail.Next(t, aEmail) // the notice of the password
		token := set.token()
		device, added := s.addPasskey(t, token)
		if m := s.mail.Next(t, aEmail); !strings.Contains(m.Text, "A passkey was added") {
			t.Errorf("got e-mail %q, want a notice", m.Text)
		}
		if got := added.ok().data; got["host"] != "buy.example" || got["name"] != "Phone" {
			t.Errorf("got %v, want the passkey of the page", got)
		}
		s.id = added.data["_id"].(string)

		signedIn := s.call("signInByPasskey", "", in{"credential": s.proof(t, "beginPasskeySignIn", "", device)})
		if signedIn.user()["_id"] != registered.user()["_id"] {
			t.Errorf("got %v, want the account", signedIn.user())
		}
		token = signedIn.token()
		if got := s.call("renamePasskey", token, in{"name": "Old phone"}).ok().data["name"]; got != "Old phone" {
			t.Errorf("got the name %v", got)
		}
		list := s.call("passkeys", token, nil).ok().data["nodes"].([]any)
		if first := list[0].(map[string]any); len(list) != 1 || first["name"] != "Old phone" || first["lastUsedAt"] == nil {
			t.Errorf("got %v, want the passkey with its use", list)
		}
		exported := fmt.Sprint(s.call("accountExport", token, nil).ok().data["passkeys"])
		if !strings.Contains(exported, "Old phone") || strings.Contains(exported, device.ID()) {
			t.Errorf("got %s in the export, want the passkey without its key", exported)
		}
		proof := s.proof(t, "beginPasskeyProof", token, device)
		s.call("profile", token, in{"email": "", "phoneNumber": aPhone, "currentPasskey": proof}).ok()
		s.mail.Next(t, aEmail) // the notice of the address
		s.call("profile", token, in{"phoneNumber": "01811000000", "currentPasskey": proof}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("removePasskey", token, in{"currentPasskey": s.proof(t, "beginPasskeyProof", token, device)}).ok()
		s.call("signInByPasskey", "", in{"credential": s.proof(t, "beginPasskeySignIn", "", device)}).
			refused(401, fault.CodeInvalidCredentials, "")
	})
}

// Each documented error of the passkeys' operations.
func TestAccountPasskey_Refused(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		newPasskeySite(t, s)
		token := s.call("register", "", in{"name": "Ayesha", "phoneNumber": aPhone, "password": river}).token()
		device, added := s.addPasskey(t, token)
		s.id = added.ok().data["_id"].(string)
		used := s.proof(t, "beginPasskeySignIn", "", device)
		s.call("signInByPasskey", "", in{"credential": used}).ok()
		s.call("signInByPasskey", "", in{"credential": used}).refused(401, fault.CodeInvalidCredentials, "")

		var options passkey.CreationOptions
		s.call("beginPasskey", token, in{}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("beginPasskey", token, in{"currentPassword": waterfall}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("beginPasskey", token, in{"currentPasskey": used}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("beginPasskey", "", in{"currentPassword": river}).refused(401, fault.CodeUnauthenticated, "")
		s.call("beginPasskey", token, in{"currentPassword": river}).into(&options)
		credential := shoptest.NewAuthenticator(t, s.origin).Create(t, &options)
		s.call("addPasskey", token, in{"name": " ", "credential": credential}).refused(422, fault.CodeValidationFailed, "name required")
		s.call("addPasskey", token, in{"name": "Phone", "credential": credential}).ok()
		s.call("addPasskey", token, in{"name": "Phone", "credential": credential}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("beginPasskey", token, in{"currentPassword": river}).into(&options)
		s.call("addPasskey", token, in{"name": "Phone", "credential": device.Create(t, &options)}).refused(409, fault.CodeStateConflict, "")

		s.call("removePasskey", token, in{}).refused(403, fault.CodeReauthenticationRequired, "")
		s.call("removePasskey", token, in{"currentPasskey": used}).refused(401, fault.CodeInvalidCredentials, "")
		s.call("passkeys", "", nil).refused(401, fault.CodeUnauthenticated, "")
		s.id = "01KAJ3V5W7X9Y1Z3A5B7C9D1E3"
		s.call("renamePasskey", token, in{"name": "Mine"}).refused(404, fault.CodeNotFound, "")
		s.call("removePasskey", token, in{"currentPassword": river}).refused(404, fault.CodeNotFound, "")

		byPhone := s.signIn("+8801811000002", "Karim").token()
		code, _ := s.sendCode("", "+8801811000002")
		s.call("beginPasskey", byPhone, in{"currentCode": otherDigits(code)}).refused(401, fault.CodeOTPInvalid, "")
		s.call("removePasskey", byPhone, in{"currentCode": "000"}).refused(422, fault.CodeValidationFailed, "currentCode invalid_value")
		s.call("beginPasskeyProof", byPhone, nil).refused(409, fault.CodeStateConflict, "")

		for _, other := range []string{"", "https://evil.example", "https://www.buy.example", "http://buy.example", "https://buy.example:8443"} {
			s.origin = other
			s.call("beginPasskeySignIn", "", nil).refused(409, fault.CodeStateConflict, "")
			s.call("beginPasskey", token, in{"currentPassword": river}).refused(409, fault.CodeStateConflict, "")
			s.call("beginPasskeyProof", token, nil).refused(409, fault.CodeStateConflict, "")
			s.call("addPasskey", token, in{"name": "Phone", "credential": credential}).refused(409, fault.CodeStateConflict, "")
			s.call("signInByPasskey", "", in{"credential": used}).refused(401, fault.CodeInvalidCredentials, "")
		}
		s.set(map[string]any{"storefrontUrl": "https://store.example/thanks"})
		for _, own := range []string{"http://localhost:3000", "https://store.example"} {
			s.origin = own
			s.call("beginPasskeySignIn", "", nil).ok()
		}
	})
}

// The owner of a mailbox who sets a new password ends the passkeys of somebody who had the account.
func TestAccountPasskey_ForgottenPassword(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		newPasskeySite(t, s)
		token := s.call("verifyEmail", "", in{"email": aEmail, "code": s.emailCode("", aEmail), "name": "Ayesha"}).token()
		token = s.call("changePassword", token, in{"currentCode": s.emailCode("", aEmail), "newPassword": river}).token()
		s.mail.Next(t, aEmail)
		device, added := s.addPasskey(t, token)
		added.ok()
		s.mail.Next(t, aEmail)
		s.call("resetPassword", "", in{"email": aEmail, "code": s.resetCode(aEmail), "newPassword": waterfall}).ok()
		s.call("signInByPasskey", "", in{"credential": s.proof(t, "beginPasskeySignIn", "", device)}).
			refused(401, fault.CodeInvalidCredentials, "")
	})
}
