package server_test

import (
	"testing"

	"storefront/shop/account"
	"storefront/shop/fault"
)

// signUp creates an account and returns its token.
func (s *site) signUp(phone string) string {
	s.tb.Helper()
	var auth account.AuthPayload
	s.send("POST", "/api/v1/auth/register", `{"name":"Ayesha","phoneNumber":"`+phone+`","password":"a long and quiet river"}`).ok(201, &auth)
	return auth.AccessToken
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	token := s.signUp("01711-000001")

	s.send("POST", "/api/v1/auth/register", `{"name":"B","phoneNumber":"+8801711000001","password":"another long river"}`).problem(409,
		fault.CodeCustomerExists)
	s.send("POST", "/api/v1/auth/register", `{"name":"B","email":"b@example.com","password":"short"}`).problem(422, fault.CodePasswordRejected)
	s.send("POST", "/api/v1/auth/register", `{"name":"B","password":"another long river"}`).problem(422, fault.CodeValidationFailed)

	var auth account.AuthPayload
	s.send("POST", "/api/v1/auth/login", `{"user":"01711000001","password":"a long and quiet river"}`).ok(200, &auth)
	for _, body := range []string{
		`{"user":"01711000001","password":"a long and loud river"}`, `{"user":"nobody@example.com","password":"a long and quiet river"}`,
	} {
		got := s.send("POST", "/api/v1/auth/login", body)
		got.problem(401, fault.CodeInvalidCredentials)
		if got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("got WWW-Authenticate %q", got.header.Get("WWW-Authenticate"))
		}
	}

	var me account.Customer
	got := s.get("/api/v1/auth/me", "Authorization", "Bearer "+token)
	got.ok(200, &me)
	if me.ID != auth.User.ID || me.PhoneNumber == nil || *me.PhoneNumber != "+8801711000001" {
		t.Errorf("got me %+v", me)
	}
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag") != "" {
		t.Errorf("cacheable account: Cache-Control %q, ETag %q", got.header.Get("Cache-Control"), got.header.Get("ETag"))
	}
	s.get("/api/v1/auth/me").problem(401, fault.CodeUnauthenticated)
	s.get("/api/v1/auth/me", "Authorization", "Bearer nonsense").problem(401, fault.CodeTokenInvalid)
	s.get("/api/v1/auth/me", "Authorization", "Basic dTpw").problem(401, fault.CodeTokenInvalid)
}
