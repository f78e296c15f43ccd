package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// accountSite is a site whose shop sends text messages and e-mails, used through REST or GraphQL.
type accountSite struct {
	*site
	sms      *shoptest.SMS
	mail     *shoptest.Mail
	clock    *shoptest.Clock
	log      *safeBuffer
	calls    []string             // every response's body, in order
	products []*catalogue.Product // what order sells; nil: not created yet
	call     func(op, token string, input map[string]any) outcome
	number   func(query string) int64 // reads one number from the shop's file
}

// outcome is the result of an operation, in the same form for both transports.
type outcome struct {
	t      *testing.T
	data   map[string]any // nil for an error
	status int            // REST's status
	code   fault.Code
	fields string // field and code of each error
}

type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// byBoth runs a test through REST and through GraphQL, each on its own site.
func byBoth(t *testing.T, test func(t *testing.T, s *accountSite)) {
	t.Helper()
	for _, transport := range []string{"REST", "GraphQL"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := newAccountSite(t)
			s.call = s.rest
			if transport == "GraphQL" {
				s.call = s.graphQL
			}
			test(t, s)
		})
	}
}

func newAccountSite(t *testing.T) *accountSite {
	t.Helper()
	s := &accountSite{sms: &shoptest.SMS{}, mail: shoptest.NewMail(), clock: shoptest.NewClock(), log: &safeBuffer{}}
	store := shoptest.NewStore(t, s.clock)
	s.number = func(query string) int64 { return shoptest.Number(t, store, "test", query) }
	sh := shoptest.New(t, &shoptest.Options{SMS: s.sms, Mail: s.mail, Clock: s.clock, Store: store})
	logger := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.site = newSite(t, func(cfg *server.Config) {
		cfg.Tenants = &tenantsOf{shops: map[string]*shop.Shop{"test": sh}}
		cfg.Logger = logger
	})
	s.shop = sh
	return s
}

// accountOperations are the operations as each transport names them.
var accountOperations = map[string]struct {
	method, path string
	created      bool
	document     string
}{
	"register": {"POST", "/api/v1/auth/register", true, `mutation($input: StorefrontRegisterInput!) { r: register(input: $input) { ` +
		authFields + ` } }`},
	"login": {"POST", "/api/v1/auth/login", false, `mutation($input: StorefrontLoginInput!) { r: login(input: $input) { ` +
		authFields + ` } }`},
	"sendOtp": {"POST", "/api/v1/auth/otp/send", false,
		`mutation($input: SendOtpInput!) { r: sendOtp(input: $input) { success message isNewCustomer } }`},
	"verifyOtpToLogin": {"POST", "/api/v1/auth/otp/verify", false,
		`mutation($input: VerifyOtpInput!) { r: verifyOtpToLogin(input: $input) { ` + authFields + ` } }`},
	"sendEmailCode": {"POST", "/api/v1/auth/email/send", false,
		`mutation($input: EmailCodeInput!) { r: sendEmailCode(input: $input) { success message } }`},
	"verifyEmail": {"POST", "/api/v1/auth/email/verify", false,
		`mutation($input: VerifyEmailInput!) { r: verifyEmail(input: $input) { ` + authFields + ` } }`},
	"requestPasswordReset": {"POST", "/api/v1/auth/password/forgot", false,
		`mutation($input: EmailCodeInput!) { r: requestPasswordReset(input: $input) { success message } }`},
	"resetPassword": {"POST", "/api/v1/auth/password/reset", false,
		`mutation($input: ResetPasswordInput!) { r: resetPassword(input: $input) { ` + authFields + ` } }`},
	"joinAccounts": {"POST", "/api/v1/auth/join", false,
		`mutation($input: JoinInput!) { r: joinAccounts(input: $input) { ` + customerFields + ` } }`},
	"deleteAccount": {"POST", "/api/v1/auth/delete", false,
		`mutation($input: ProofInput!) { r: deleteAccount(input: $input) { success orders } }`},
	"accountExport": {"GET", "/api/v1/auth/export", false,
		`{ r: accountExport { customer { ` + customerFields + ` } orders { _id customer { phoneNumber } } } }`},
	"me": {"GET", "/api/v1/auth/me", false, `{ r: me { ` + customerFields + ` } }`},
	"profile": {"PATCH", "/api/v1/auth/profile", false,
		`mutation($input: ProfileInput!) { r: profile(input: $input) { ` + customerFields + ` } }`},
	"changePassword": {"POST", "/api/v1/auth/change-password", false,
		`mutation($input: ChangePasswordInput!) { r: changePassword(input: $input) { ` + authFields + ` } }`},
	"logout": {"POST", "/api/v1/auth/logout", false, `mutation($input: LogoutInput) { r: logout(input: $input) { success } }`},
}

const (
	customerFields = `_id name email emailVerified phoneNumber phoneVerified createdAt addresses { line1 line2 area city postcode country }`
	authFields     = `accessToken passwordResetRequired user { ` + customerFields + ` }`
	river          = "a long and quiet river"
	waterfall      = "a short and loud waterfall"
	aPhone         = "+8801711000001"
)

func bearer(token string) []string {
	if token == "" {
		return nil
	}
	return []string{"Authorization", "Bearer " + token}
}

func (s *accountSite) rest(op, token string, input map[string]any) outcome {
	s.tb.Helper()
	o := accountOperations[op]
	body := ""
	if input != nil {
		text, err := json.Marshal(input)
		if err != nil {
			s.tb.Fatal(err)
		}
		body = string(text)
	}
	got := s.send(o.method, o.path, body, bearer(token)...)
	s.calls = append(s.calls, string(got.body))
	out := outcome{t: s.tb.(*testing.T), status: got.status}
	if got.status >= 400 {
		var p problem
		got.decode(&p)
		out.code, out.fields = fault.Code(p.Code), p.fields()
		if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "" {
			s.tb.Error("429 without Retry-After")
		}
		return out
	}
	if want := map[bool]int{false: 200, true: 201}[o.created]; got.status != want {
		s.tb.Fatalf("%s: %d, want %d", op, got.status, want)
	}
	got.decode(&out.data)
	return out
}

func (s *accountSite) graphQL(op, token string, input map[string]any) outcome {
	s.tb.Helper()
	got := s.post(accountOperations[op].document, token, input)
	s.calls = append(s.calls, string(got.body))
	var response struct {
		Data   struct{ R map[string]any }
		Errors []struct {
			Extensions struct {
				Code   fault.Code
				Status int
				Errors []struct{ Field, Code, Message string }
			}
		}
	}
	got.decode(&response)
	out := outcome{t: s.tb.(*testing.T), data: response.Data.R}
	if len(response.Errors) > 0 {
		e := response.Errors[0].Extensions
		out.data, out.status, out.code, out.fields = nil, e.Status, e.Code, problem{Errors: e.Errors}.fields()
	}
	return out
}

func (s *accountSite) post(document, token string, input map[string]any) *reply {
	s.tb.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"input": input}})
	if err != nil {
		s.tb.Fatal(err)
	}
	return s.send("POST", "/graphql", string(body), bearer(token)...)
}

func (o outcome) ok() outcome {
	o.t.Helper()
	if o.data == nil {
		o.t.Fatalf("got %d %s [%s], want success", o.status, o.code, o.fields)
	}
	return o
}

func (o outcome) refused(status int, code fault.Code, fields string) {
	o.t.Helper()
	if o.data != nil || o.status != status || o.code != code || o.fields != fields {
		o.t.Errorf("got %d %s [%s] %v, want %d %s [%s]", o.status, o.code, o.fields, o.data, status, code, fields)
	}
}

func (o outcome) token() string {
	o.t.Helper()
	token, _ := o.ok().data["accessToken"].(string)
	return token
}

func (o outcome) user() map[string]any {
	user, _ := o.ok().data["user"].(map[string]any)
	return user
}

type in = map[string]any

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
