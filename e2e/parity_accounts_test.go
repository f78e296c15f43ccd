package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// fields are a body of REST and, in GraphQL, the argument input.
type fields = map[string]any

const (
	parityPassword = "correct horse battery"
	otherPassword  = "a long and quiet river"
)

// accountParity is a shop whose accounts are used through both transports.
type accountParity struct {
	*process
	gateway *gateway
	phones  int
}

// TestParity_Accounts does with accounts what TestParity_Storefront does with
// the rest: each operation, its success and each of its refusals.
func TestParity_Accounts(t *testing.T) {
	t.Parallel()
	data := newShop(t, "shop-a", 1)
	run(t, "tenant", "create", "shop-b", "--name", "No messages", "--data", data)
	p := &accountParity{gateway: newGateway(t)}
	p.gateway.configure(t, data, "shop-a")
	p.process = serve(t, "--data", data, "--private-providers", "--rate", "0")
	s := p.introspect("shop-a")
	for operation, twins := range map[string]func(*testing.T) []parityCase{
		"sendOtp": p.sendCases, "verifyOtp": p.verifyCases, "profile": p.profileCases, "changePassword": p.passwordCases, "logout": p.logoutCases,
	} {
		t.Run(operation, func(t *testing.T) {
			for _, step := range twins(t) {
				t.Run(step.name, func(t *testing.T) { p.compare(t, s, "shop-a", step) })
			}
		})
	}
	without := sendOTP("the shop sends no messages", fields{"phoneNumber": p.phone()})
	t.Run(without.name, func(t *testing.T) { p.compare(t, s, "shop-b", without) })
	p.gateway.fail()
	refused := sendOTP("the gateway refuses", fields{"phoneNumber": p.phone()})
	t.Run(refused.name, func(t *testing.T) { p.compare(t, s, "shop-a", refused) })
}

// phone returns an unused number.
func (p *accountParity) phone() string {
	p.phones++
	return fmt.Sprintf("+88017110000%02d", p.phones)
}

// register creates an account and returns its phone number and token.
func (p *accountParity) register(t *testing.T, uid string) (phone, token string) {
	t.Helper()
	phone = p.phone()
	body := fields{"name": "Ayesha Khan", "phoneNumber": phone, "password": parityPassword}
	return phone, p.auth("register", uid, "", body).want(t, 201, "").text("accessToken")
}

// code sends a code to a phone and returns both.
func (p *accountParity) code(t *testing.T) (phone, code string) {
	t.Helper()
	phone = p.phone()
	p.auth("otp/send", "shop-a", "", fields{"phoneNumber": phone}).want(t, 200, "")
	return phone, p.gateway.code(t, phone)
}

// bothAccept returns a step that succeeds through both transports. The first success would make the
// second fail, so each has its own account, and the differing fields are left out.
func bothAccept(step parityCase, graphql fields, token string) parityCase {
	step.vars, step.token = graphql, token
	step.except = []string{"accessToken", "_id", "phoneNumber", "createdAt", "message"}
	return step
}

func sendOTP(name string, body fields) parityCase {
	return parityCase{name: name, field: "sendOtp", typ: "SendOtpInput", vars: body,
		rest: request{method: "POST", path: "/api/v1/auth/otp/send", body: body}}
}

func (p *accountParity) sendCases(t *testing.T) []parityCase {
	waiting, _ := p.code(t)
	return []parityCase{
		bothAccept(sendOTP("success", fields{"phoneNumber": p.phone()}), fields{"phoneNumber": p.phone()}, ""),
		sendOTP("no phone", fields{}),
		sendOTP("blank phone", fields{"phoneNumber": " "}),
		sendOTP("no such phone", fields{"phoneNumber": "12"}),
		sendOTP("a number", fields{"phoneNumber": 1711000000}),
		sendOTP("unknown field", fields{"phoneNumber": waiting, "phone": waiting}),
		sendOTP("too soon", fields{"phoneNumber": waiting}),
	}
}

func verifyOTP(name string, body fields) parityCase {
	return parityCase{name: name, field: "verifyOtpToLogin", typ: "VerifyOtpInput", vars: body,
		rest: request{method: "POST", path: "/api/v1/auth/otp/verify", body: body}}
}

func (p *accountParity) verifyCases(t *testing.T) []parityCase {
	one, oneCode := p.code(t)
	other, otherCode := p.code(t)
	waiting, code := p.code(t)
	wrong := map[bool]string{true: "1111", false: "0000"}[code == "0000"]
	success := fields{"phoneNumber": one, "code": oneCode, "name": "Rahim"}
	return []parityCase{
		bothAccept(verifyOTP("success", success), fields{"phoneNumber": other, "otp": otherCode, "name": "Rahim"}, ""),
		verifyOTP("used code", success),
		verifyOTP("no phone", fields{"code": code}),
		verifyOTP("no code", fields{"phoneNumber": waiting}),
		verifyOTP("two codes", fields{"phoneNumber": waiting, "code": code, "otp": wrong}),
		verifyOTP("no digits", fields{"phoneNumber": waiting, "code": "12a4"}),
		verifyOTP("no name", fields{"phoneNumber": waiting, "code": code}),
		verifyOTP("wrong code", fields{"phoneNumber": waiting, "code": wrong}),
		verifyOTP("never sent", fields{"phoneNumber": p.phone(), "code": code}),
	}
}

func changeProfile(name, token string, body fields) parityCase {
	return parityCase{name: name, field: "mutation profile", typ: "ProfileInput", vars: body,
		rest: request{method: "PATCH", path: "/api/v1/auth/profile", token: token, body: body}}
}

func (p *accountParity) profileCases(t *testing.T) []parityCase {
	taken, one := p.register(t, "shop-a")
	_, token := p.register(t, "shop-a")
	_, foreign := p.register(t, "shop-b")
	home := fields{"line1": "House 1", "city": "Dhaka"}
	success := fields{"name": "Rahima", "address": home}
	step := func(name string, body fields) parityCase { return changeProfile(name, token, body) }
	return []parityCase{
		bothAccept(changeProfile("success", one, success), success, token),
		changeProfile("as nobody", "", success),
		changeProfile("bad token", "nonsense", success),
		changeProfile("token of another shop", foreign, success),
		step("blank name", fields{"name": " "}),
		step("long name", fields{"name": strings.Repeat("x", 300)}),
		step("no such e-mail", fields{"email": "nobody"}),
		step("no such phone", fields{"phoneNumber": "12"}),
		step("taken phone", fields{"phoneNumber": taken, "currentPassword": parityPassword}),
		step("replaced phone without proof", fields{"phoneNumber": taken}),
		step("replaced phone with a wrong password", fields{"phoneNumber": taken, "currentPassword": otherPassword}),
		step("half a code", fields{"phoneNumber": taken, "currentCode": "12"}),
		step("nothing to sign in with", fields{"phoneNumber": ""}),
		step("address and addresses", fields{"address": home, "addresses": []fields{home}}),
		step("too many addresses", fields{"addresses": []fields{home, home, home, home, home, home, home, home, home, home, home}}),
		step("half an address", fields{"address": fields{"line1": "House 1"}}),
		step("empty address", fields{"address": fields{"line1": "", "city": ""}}),
		step("unknown field", fields{"nickname": "A"}),
	}
}

func changePassword(name, token string, body fields) parityCase {
	return parityCase{name: name, field: "changePassword", typ: "ChangePasswordInput", vars: body,
		rest: request{method: "POST", path: "/api/v1/auth/change-password", token: token, body: body}}
}

func (p *accountParity) passwordCases(t *testing.T) []parityCase {
	_, one := p.register(t, "shop-a")
	_, other := p.register(t, "shop-a")
	_, token := p.register(t, "shop-a")
	success := fields{"currentPassword": parityPassword, "newPassword": otherPassword}
	step := func(name string, body fields) parityCase { return changePassword(name, token, body) }
	return []parityCase{
		bothAccept(changePassword("success", one, success), success, other),
		{name: "old token", field: "me", token: other, rest: request{method: "GET", path: "/api/v1/auth/me", token: one}},
		changePassword("as nobody", "", success),
		changePassword("bad token", "nonsense", success),
		step("no new one", fields{"currentPassword": parityPassword}),
		step("no old one", fields{"newPassword": otherPassword}),
		step("short", fields{"currentPassword": parityPassword, "newPassword": "short"}),
		step("long", fields{"currentPassword": parityPassword, "newPassword": strings.Repeat("x", 257)}),
		step("common", fields{"currentPassword": parityPassword, "newPassword": "password123"}),
		step("wrong old one", fields{"currentPassword": "something else", "newPassword": otherPassword}),
	}
}

func (p *accountParity) logoutCases(t *testing.T) []parityCase {
	_, token := p.register(t, "shop-a")
	step := func(name, token string) parityCase {
		return parityCase{name: name, field: "logout", rest: request{method: http.MethodPost, path: "/api/v1/auth/logout", token: token}}
	}
	_, one := p.register(t, "shop-a")
	_, other := p.register(t, "shop-a")
	everywhere := func(name, token string) parityCase {
		twin := step(name, token)
		twin.typ, twin.vars = "LogoutInput", fields{"everywhere": true}
		twin.rest.body = twin.vars
		return twin
	}
	return []parityCase{
		step("success", token), step("as nobody", ""), step("bad token", "nonsense"),
		bothAccept(everywhere("everywhere", one), fields{"everywhere": true}, other),
		everywhere("everywhere as nobody", ""), everywhere("everywhere with a bad token", "nonsense"),
		bothAccept(parityCase{name: "renew", field: "renewToken",
			rest: request{method: "POST", path: "/api/v1/auth/renew", token: token}}, nil, token),
		{name: "renew a revoked token", field: "renewToken", token: other, rest: request{method: "POST", path: "/api/v1/auth/renew", token: one}},
		{name: "revoked token", field: "me", token: other, rest: request{method: "GET", path: "/api/v1/auth/me", token: one}},
	}
}
