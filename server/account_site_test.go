package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
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
	origin   string                   // of the page that sends requests; "" means none
	id       string                   // in the path of a request, or GraphQL's argument
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
		`{ r: accountExport { customer { ` + customerFields + ` } orders { _id customer { phoneNumber } } passkeys { ` + passkeyFields + ` } } }`},
	"me": {"GET", "/api/v1/auth/me", false, `{ r: me { ` + customerFields + ` } }`},
	"profile": {"PATCH", "/api/v1/auth/profile", false,
		`mutation($input: ProfileInput!) { r: profile(input: $input) { ` + customerFields + ` } }`},
	"changePassword": {"POST", "/api/v1/auth/change-password", false,
		`mutation($input: ChangePasswordInput!) { r: changePassword(input: $input) { ` + authFields + ` } }`},
	"renewToken":         {"POST", "/api/v1/auth/renew", false, `mutation { r: renewToken { ` + authFields + ` } }`},
	"beginPasskeySignIn": {"POST", "/api/v1/auth/passkey/options", false, `mutation { r: beginPasskeySignIn { ` + requestFields + ` } }`},
	"signInByPasskey": {"POST", "/api/v1/auth/passkey", false,
		`mutation($input: PasskeyProofInput!) { r: signInByPasskey(input: $input) { ` + authFields + ` } }`},
	"beginPasskeyProof": {"POST", "/api/v1/auth/passkey/proof/options", false, `mutation { r: beginPasskeyProof { ` + requestFields + ` } }`},
	"beginPasskey": {"POST", "/api/v1/auth/passkey/add/options", false, `mutation($input: ProofInput!) { r: beginPasskey(input: $input) {
		rp { id name } user { id name displayName } challenge pubKeyCredParams { type alg } timeout excludeCredentials { type id transports }
		authenticatorSelection { residentKey requireResidentKey userVerification } attestation } }`},
	"addPasskey": {"POST", "/api/v1/auth/passkeys", true,
		`mutation($input: AddPasskeyInput!) { r: addPasskey(input: $input) { ` + passkeyFields + ` } }`},
	"passkeys": {"GET", "/api/v1/auth/passkeys", false, `{ r: passkeys { nodes { ` + passkeyFields + ` } } }`},
	"renamePasskey": {"PATCH", "/api/v1/auth/passkeys/{id}", false,
		`mutation($id: ID!, $name: String!) { r: renamePasskey(id: $id, name: $name) { ` + passkeyFields + ` } }`},
	"removePasskey": {"POST", "/api/v1/auth/passkeys/{id}/remove", false,
		`mutation($id: ID!, $input: ProofInput!) { r: removePasskey(id: $id, input: $input) { success } }`},
	"logout": {"POST", "/api/v1/auth/logout", false, `mutation($input: LogoutInput) { r: logout(input: $input) { success } }`},
}

func (s *accountSite) headers(token string) []string {
	if s.origin == "" {
		return bearer(token)
	}
	return append(bearer(token), "Origin", s.origin)
}

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
	got := s.send(o.method, strings.ReplaceAll(o.path, "{id}", s.id), body, s.headers(token)...)
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
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"input": input, "id": s.id, "name": input["name"]}})
	if err != nil {
		s.tb.Fatal(err)
	}
	return s.send("POST", "/graphql", string(body), s.headers(token)...)
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

const (
	customerFields = `_id name email emailVerified phoneNumber phoneVerified createdAt addresses { line1 line2 area city postcode country }`
	authFields     = `accessToken passwordResetRequired user { ` + customerFields + ` }`
	requestFields  = `challenge rpId timeout allowCredentials { type id transports } userVerification`
	passkeyFields  = `_id name host synced createdAt lastUsedAt`
	river          = "a long and quiet river"
	waterfall      = "a short and loud waterfall"
	aPhone         = "+8801711000001"
)
