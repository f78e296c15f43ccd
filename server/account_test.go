package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/staff"
)

// A client written from the specification alone works, with either transport.
func TestOpenAPI_ClientFromDocument(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		registered := s.call("register", "", in{"name": "Ayesha", "phoneNumber": "01711-000001", "password": river})
		id := registered.user()["_id"]
		token := s.call("login", "", in{"user": "01711-000001", "password": river}).token()
		if me := s.call("me", token, nil).ok(); me.data["_id"] != id || me.data["phoneVerified"] != false {
			t.Errorf("me: %v", me.data)
		}
		if sent := s.call("sendOtp", token, in{"phoneNumber": "01711-000001"}).ok(); sent.data["success"] != true || sent.data["isNewCustomer"] != false {
			t.Errorf("sent: %v", sent.data)
		}
		signedIn := s.call("verifyOtpToLogin", token, in{"phoneNumber": "01711-000001", "code": s.sms.Code(t, aPhone)})
		if user := signedIn.user(); user["_id"] != id || user["phoneVerified"] != true || signedIn.data["passwordResetRequired"] != false {
			t.Errorf("signed in: %v", signedIn.data)
		}
		if out := s.call("logout", signedIn.token(), nil).ok(); out.data["success"] != true {
			t.Errorf("logout: %v", out.data)
		}
		s.call("sendOtp", "", in{"phoneNumber": aPhone}).ok() // again without a pause
		token = s.call("verifyOtpToLogin", "", in{"phoneNumber": aPhone, "otp": s.sms.Code(t, aPhone)}).token()
		token = s.call("changePassword", token, in{"currentPassword": river, "newPassword": waterfall}).token()
		s.call("me", token, nil).ok()
		s.call("login", "", in{"user": aPhone, "password": waterfall}).ok()
		s.call("login", "", in{"user": aPhone, "password": river}).refused(401, fault.CodeInvalidCredentials, "")
		changed := s.call("profile", token, in{"name": "Ayesha Rahman", "email": "A@example.com", "address": in{"line1": "House 12", "city": "Dhaka"}}).ok()
		if changed.data["email"] != "a@example.com" || len(changed.data["addresses"].([]any)) != 1 {
			t.Errorf("profile: %v", changed.data)
		}
	})
}

func TestAccounts_Errors(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		s.call("register", "", in{"name": "Ayesha", "phoneNumber": aPhone, "email": "a@example.com", "password": river}).ok()
		s.call("sendOtp", "", in{"phoneNumber": "01811000002"}).ok()
		code := s.sms.Code(t, "+8801811000002")
		wrong := "0000"
		if code == wrong {
			wrong = "0001"
		}
		token := s.call("register", "", in{"name": "Karim", "phoneNumber": "01811000003", "password": river}).token()
		for _, c := range []struct {
			name, op, token string
			input           in
			status          int
			code            fault.Code
			fields          string
		}{
			{"phone in use", "register", "", in{"name": "B", "phoneNumber": aPhone, "password": river}, 409, fault.CodeCustomerExists, ""},
			{"weak", "register", "", in{"name": "B", "email": "b@example.com", "password": "password1"}, 422, fault.CodePasswordRejected,
				"password password_rejected"},
			{"no contact", "register", "", in{"name": "B", "password": river}, 422, fault.CodeValidationFailed, "email required"},
			{"wrong password", "login", "", in{"user": aPhone, "password": "no"}, 401, fault.CodeInvalidCredentials, ""},
			{"unknown", "login", "", in{"user": "x@example.com", "password": "no"}, 401, fault.CodeInvalidCredentials, ""},
			{"no phone", "sendOtp", "", in{"phoneNumber": ""}, 422, fault.CodeValidationFailed, "phoneNumber required"},
			{"bad phone", "sendOtp", "", in{"phoneNumber": "12"}, 422, fault.CodeValidationFailed, "phoneNumber invalid_value"},
			{"phone under its other name", "sendOtp", "", in{"phoneNumber": aPhone, "phone": aPhone}, 422, fault.CodeUnknownField, "phone unknown_field"},
			{"too soon", "sendOtp", "", in{"phoneNumber": "01811000002"}, 429, fault.CodeRateLimited, ""},
			{"no code", "verifyOtpToLogin", "", in{"phoneNumber": "01811000002"}, 422, fault.CodeValidationFailed, "code required"},
			{"five digits", "verifyOtpToLogin", "", in{"phoneNumber": "01811000002", "code": "12345"}, 422, fault.CodeValidationFailed, "code invalid_value"},
			{"wrong code", "verifyOtpToLogin", "", in{"phoneNumber": "01811000002", "code": wrong}, 401, fault.CodeOTPInvalid, ""},
			{"no name", "verifyOtpToLogin", "", in{"phoneNumber": "01811000002", "code": code}, 422, fault.CodeNameRequired, "name name_required"},
			{"me as a guest", "me", "", nil, 401, fault.CodeUnauthenticated, ""},
			{"me with a bad token", "me", "nonsense", nil, 401, fault.CodeTokenInvalid, ""},
			{"profile as a guest", "profile", "", in{"name": "X"}, 401, fault.CodeUnauthenticated, ""},
			{"profile with a phone in use", "profile", token, in{"phoneNumber": aPhone, "currentPassword": river}, 409, fault.CodeCustomerExists, ""},
			{"profile with an email in use", "profile", token, in{"email": "a@example.com"}, 409, fault.CodeCustomerExists, ""},
			{"profile with a bad email", "profile", token, in{"email": "karim"}, 422, fault.CodeValidationFailed, "email invalid_value"},
			{"profile without a city", "profile", token, in{"address": in{"line1": "House 7", "city": ""}}, 422, fault.CodeValidationFailed,
				"address.city required"},
			{"password as a guest", "changePassword", "", in{"newPassword": waterfall}, 401, fault.CodeUnauthenticated, ""},
			{"current password missing", "changePassword", token, in{"newPassword": waterfall}, 422, fault.CodeValidationFailed, "currentPassword required"},
			{"current password wrong", "changePassword", token, in{"currentPassword": "no", "newPassword": waterfall}, 401, fault.CodeInvalidCredentials, ""},
			{"new password weak", "changePassword", token, in{"currentPassword": river, "newPassword": "short"}, 422, fault.CodePasswordRejected,
				"newPassword password_rejected"},
		} {
			out := s.call(c.op, c.token, c.input)
			if out.data != nil || out.status != c.status || out.code != c.code || out.fields != c.fields {
				t.Errorf("%s: got %d %s [%s] %v, want %d %s [%s]", c.name, out.status, out.code, out.fields, out.data, c.status, c.code, c.fields)
			}
		}
		s.sms.Answer(func(string, string) error { return sender.ErrSMSRefused })
		s.call("sendOtp", "", in{"phoneNumber": "01911000009"}).refused(503, fault.CodeSMSUnavailable, "")
		s.call("verifyOtpToLogin", "nonsense", in{"phoneNumber": "01811000002", "code": code, "name": "New", "email": nil}).
			refused(422, fault.CodeUnknownField, "email unknown_field")
		s.call("verifyOtpToLogin", "nonsense", in{"phoneNumber": "01811000002", "code": code, "name": "New"}).ok() // an invalid Bearer is ignored here
		s.call("logout", "nonsense", nil).ok()

		s.clock.Advance(account.TokenLifetime)
		s.call("profile", token, in{"name": "X"}).refused(401, fault.CodeTokenExpired, "")
		s.call("changePassword", token, in{"newPassword": waterfall}).refused(401, fault.CodeTokenExpired, "")
	})
}

// Null means the same as an omitted field.
func TestUpdateProfile_Null(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		token := s.call("register", "", in{"name": "Ayesha", "phoneNumber": aPhone, "email": nil, "password": river}).token()
		got := s.call("profile", token, in{"name": nil, "email": nil, "phoneNumber": nil, "address": nil, "addresses": nil}).ok()
		if got.data["name"] != "Ayesha" || got.data["phoneNumber"] != aPhone {
			t.Errorf("profile: %v", got.data)
		}
	})
}

// Aliases, lists of operations and concurrent requests must not allow more attempts at a code.
func TestGraphQL_GuessingLimits(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	s.call = s.graphQL
	s.call("sendOtp", "", in{"phoneNumber": aPhone}).ok()
	code := s.sms.Code(t, aPhone)
	var document strings.Builder
	document.WriteString("mutation {")
	for i, n := 0, 0; n < 40; i++ {
		if guess := fmt.Sprintf("%04d", i); guess != code {
			fmt.Fprintf(&document, " g%d: verifyOtpToLogin(input: {phoneNumber: %q, code: %q, name: \"X\"}) { accessToken }", n, aPhone, guess)
			n++
		}
	}
	document.WriteString(" }")
	got := s.post(document.String(), "", nil)
	if n := strings.Count(string(got.body), string(fault.CodeOTPInvalid)); n != 1 {
		t.Errorf("one document compared %d codes, want 1: %.300s", n, got.body)
	}
	if s.send("POST", "/graphql", `[{"query":"{ apiVersion }"},{"query":"{ apiVersion }"}]`).status != http.StatusBadRequest {
		t.Error("a list of operations is accepted")
	}
	for _, pair := range []string{
		`mutation { a: sendOtp(input: {phoneNumber: "01911000001"}) { success } b: sendOtp(input: {phoneNumber: "01911000002"}) { success } }`,
		`mutation { a: login(input: {user: "a@example.com", password: "x"}) { accessToken } b: changePassword(input: {newPassword: "x"}) { accessToken } }`,
	} {
		if got := s.post(pair, "", nil); !strings.Contains(string(got.body), string(fault.CodeTooManyOperations)) {
			t.Errorf("got %s, want one operation refused", got.body)
		}
	}

	// One attempt is used up. Of forty concurrent requests, by both transports, two more are
	// compared.
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			guess := fmt.Sprintf("%04d", 5000+i)
			if guess == code {
				return
			}
			body := `{"phoneNumber":"` + aPhone + `","code":"` + guess + `","name":"X"}`
			s.send("POST", "/api/v1/auth/otp/verify", body)
		})
	}
	wg.Wait()
	s.call("verifyOtpToLogin", "", in{"phoneNumber": aPhone, "code": code, "name": "X"}).refused(429, fault.CodeRateLimited, "")
	s.clock.Advance(2 * time.Minute)
	if got := s.send("POST", "/api/v1/auth/otp/verify", `{"phoneNumber":"`+aPhone+`","code":"`+code+`","name":"X"}`); got.status == 200 {
		t.Error("code still valid after forty guesses")
	}
}

// The effect of an invalid Bearer depends on whether an operation needs one.
func TestBearer_Malformed(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	for _, c := range []struct {
		method, path, body string
		status             int // with an invalid Bearer
	}{
		{"GET", "/api/v1/products", "", 200},
		{"GET", "/api/v1/tenant", "", 200},
		{"POST", "/api/v1/auth/logout", "", 200},
		{"POST", "/api/v1/auth/login", `{"user":"a@example.com","password":"x"}`, 401},
		{"POST", "/api/v1/auth/otp/send", `{"phoneNumber":"01911000001"}`, 200},
		{"GET", "/api/v1/auth/me", "", 401},
		{"PATCH", "/api/v1/auth/profile", `{}`, 401},
		{"POST", "/api/v1/auth/change-password", `{"newPassword":"` + river + `"}`, 401},
		{"GET", "/api/v1/orders", "", 401},
		{"GET", "/api/v1/orders/0000000000000000", "", 404},
		{"POST", "/api/v1/orders/quote", `{"items":[{"productId":"x","quantity":1}]}`, 401},
		{"POST", "/api/v1/orders/coupons/verify", `{"code":"X","items":[{"productId":"x","quantity":1}]}`, 401},
	} {
		for _, authorization := range []string{"Bearer nonsense", "Basic dTpw", "Bearer"} {
			got := s.send(c.method, c.path, c.body, "Authorization", authorization)
			if c.path == "/api/v1/auth/otp/send" {
				s.clock.Advance(time.Minute)
			}
			if got.status != c.status {
				t.Errorf("%s %s with %q: %d %s", c.method, c.path, authorization, got.status, got.body)
			}
			code := fault.CodeTokenInvalid
			if strings.HasSuffix(c.path, "login") {
				code = fault.CodeInvalidCredentials
			}
			if c.status == 401 {
				got.problem(401, code)
			}
		}
	}
}

// Neither the log nor an error response repeats a code, a password or a token.
func TestAccounts_NoSecretsInLogOrResponses(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		const wrongPassword, weakPassword = "wrong-password-4711", "weakpw7"
		token := s.call("register", "", in{"name": "Ayesha", "phoneNumber": aPhone, "password": river}).token()
		s.call("login", "", in{"user": aPhone, "password": wrongPassword})
		s.call("changePassword", token, in{"currentPassword": wrongPassword, "newPassword": waterfall})
		s.call("changePassword", token, in{"currentPassword": river, "newPassword": weakPassword})
		s.call("changePassword", token, in{"currentPassword": 4711, "newPassword": river})
		s.call("sendOtp", "", in{"phoneNumber": "01811000002"}).ok()
		code := s.sms.Code(t, "+8801811000002")
		s.call("verifyOtpToLogin", "", in{"phoneNumber": "01811000002", "code": code, "password": wrongPassword})
		s.sms.Answer(func(_, text string) error { return fmt.Errorf("%w: the gateway is out", sender.ErrSMSRefused) })
		s.call("sendOtp", "", in{"phoneNumber": "01911000002"})
		refused := s.sms.Code(t, "+8801911000002")
		s.sms.Answer(nil)

		log := s.log.String()
		if !strings.Contains(log, "the gateway is out") {
			t.Errorf("the log lacks the reason why no message was sent:\n%s", log)
		}
		for what, secret := range map[string]string{
			"password": river, "new password": waterfall, "wrong password": wrongPassword, "weak password": weakPassword, "token": token,
			"phone": "1711000001", "code's message": code + " is your", "refused code's message": refused + " is your",
		} {
			if strings.Contains(log, secret) {
				t.Errorf("the log contains the %s", what)
			}
			for _, body := range s.calls[1:] { // the first one returned the token
				if what != "phone" && strings.Contains(body, secret) {
					t.Errorf("a response repeats the %s: %s", what, body)
				}
			}
		}
	})
}

// A server-rendered storefront passes on its buyers' addresses if it proves whose server it is.
func TestForwardedClient(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	admin, _, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "storefront"})
	if err != nil {
		t.Fatal(err)
	}
	login := func(header ...string) *reply {
		return s.send("POST", "/api/v1/auth/login", `{"user":"a@example.com","password":"x"}`, header...)
	}
	for i := range 12 { // six for each buyer: the sixth must wait
		client := fmt.Sprintf("2001:db8:%d::%d", i%2, i)
		got := login("X-Shopper-Address", client, "X-API-Key", admin)
		if i < 10 {
			got.problem(401, fault.CodeInvalidCredentials)
		} else {
			got.problem(429, fault.CodeRateLimited)
		}
	}
	login().problem(401, fault.CodeInvalidCredentials) // the server's own address has no failures
	login("X-Shopper-Address", "192.0.2.1").problem(401, fault.CodeUnauthenticated)
	login("X-Shopper-Address", "192.0.2.1", "X-Admin-Token", "sfa_nonsense").problem(401, fault.CodeUnauthenticated)
	login("X-Shopper-Address", "here", "X-Admin-Token", admin).problem(400, fault.CodeMalformed)
}

// A browser may update a profile from another origin.
func TestPreflight_Profile(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	got := s.send("OPTIONS", "/api/v1/auth/profile", "", "Origin", "https://shop.example", "Access-Control-Request-Method", "PATCH",
		"Access-Control-Request-Headers", "authorization,x-tenant,content-type")
	if got.status != 204 || !strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "PATCH") || got.header.Get("Allow") != "OPTIONS, PATCH" {
		t.Errorf("%d %v", got.status, got.header)
	}
}

// A password that is the shop's name is refused when it is set, through REST and GraphQL.
func TestRegister_ShopName(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	for transport, call := range map[string]func(op, token string, input map[string]any) outcome{"REST": s.rest, "GraphQL": s.graphQL} {
		email := "rahim-" + strings.ToLower(transport) + "@example.com"
		got := call("register", "", map[string]any{"name": "Rahim", "email": email, "password": "TestShop2026"})
		if got.code != fault.CodePasswordRejected {
			t.Errorf("%s: got %+v, want %s", transport, got, fault.CodePasswordRejected)
		}
	}
}
