package e2e

import (
	"fmt"
	"testing"

	"storefront/provider/mail/mailtest"
)

// TestParity_Email does with e-mail addresses what TestParity_Accounts does with phones: a shop of
// a running server sends through a mail server.
func TestParity_Email(t *testing.T) {
	t.Parallel()
	data := newShop(t, "shop-a", 1)
	run(t, "tenant", "create", "shop-b", "--name", "No e-mails", "--data", data)
	mails := mailtest.New(t, &mailtest.Options{Plain: true})
	run(t, "mail", "configure", "shop-a", "host="+mails.Host, fmt.Sprint("port=", mails.Port), "security=none",
		"from=orders@shop.example", "--data", data)
	p := &emailParity{process: serve(t, "--data", data, "--private-providers", "--rate", "0"), mails: mails}
	s := p.introspect("shop-a")
	for operation, twins := range map[string]func(*testing.T) []parityCase{
		"sendEmailCode": p.sendCases, "verifyEmail": p.verifyCases, "requestPasswordReset": p.forgotCases, "resetPassword": p.resetCases,
	} {
		t.Run(operation, func(t *testing.T) {
			for _, step := range twins(t) {
				t.Run(step.name, func(t *testing.T) { p.compare(t, s, "shop-a", step) })
			}
		})
	}
	for _, send := range []func(string, fields) parityCase{sendEmailCode, requestPasswordReset} {
		without := send("the shop sends no e-mails", fields{"email": p.email()})
		t.Run(without.name, func(t *testing.T) { p.compare(t, s, "shop-b", without) })
	}
}

// emailParity is a shop whose accounts are used through both transports.
type emailParity struct {
	*process
	mails  *mailtest.Server
	emails int
}

// email returns an unused address.
func (p *emailParity) email() string {
	p.emails++
	return fmt.Sprintf("customer@n%d.example.com", p.emails) // an account may be named by the first part
}

// code sends a code to an address and returns both.
func (p *emailParity) code(t *testing.T) (email, code string) {
	t.Helper()
	email = p.email()
	p.auth("email/send", "shop-a", "", fields{"email": email}).want(t, 200, "")
	return email, p.mails.Code(t, email)
}

// resetCode registers an account, sends it a code to set a password and returns its address and the
// code.
func (p *emailParity) resetCode(t *testing.T) (email, code string) {
	t.Helper()
	email = p.email()
	p.auth("register", "shop-a", "", fields{"name": "Ayesha Khan", "email": email, "password": parityPassword}).want(t, 201, "")
	p.auth("password/forgot", "shop-a", "", fields{"email": email}).want(t, 200, "")
	return email, p.mails.Code(t, email)
}

func emailCase(name, field, typ, path string, body fields) parityCase {
	return parityCase{name: name, field: field, typ: typ, vars: body, rest: request{method: "POST", path: "/api/v1/auth/" + path, body: body}}
}

func sendEmailCode(name string, body fields) parityCase {
	return emailCase(name, "sendEmailCode", "EmailCodeInput", "email/send", body)
}

func requestPasswordReset(name string, body fields) parityCase {
	return emailCase(name, "requestPasswordReset", "EmailCodeInput", "password/forgot", body)
}

func verifyEmail(name string, body fields) parityCase {
	return emailCase(name, "verifyEmail", "VerifyEmailInput", "email/verify", body)
}

func resetPassword(name string, body fields) parityCase {
	return emailCase(name, "resetPassword", "ResetPasswordInput", "password/reset", body)
}

func (p *emailParity) sendCases(t *testing.T) []parityCase {
	waiting, _ := p.code(t)
	return []parityCase{
		bothAccept(sendEmailCode("success", fields{"email": p.email()}), fields{"email": p.email()}, ""),
		sendEmailCode("no address", fields{}),
		sendEmailCode("blank address", fields{"email": " "}),
		sendEmailCode("no such address", fields{"email": "ayesha"}),
		sendEmailCode("unknown field", fields{"email": waiting, "phoneNumber": "01711000000"}),
		sendEmailCode("too soon", fields{"email": waiting}),
	}
}

func (p *emailParity) forgotCases(t *testing.T) []parityCase {
	waiting, _ := p.resetCode(t)
	return []parityCase{
		bothAccept(requestPasswordReset("no account", fields{"email": p.email()}), fields{"email": p.email()}, ""),
		requestPasswordReset("no address", fields{}),
		requestPasswordReset("no such address", fields{"email": "ayesha"}),
		requestPasswordReset("too soon", fields{"email": waiting}),
	}
}

func (p *emailParity) verifyCases(t *testing.T) []parityCase {
	one, oneCode := p.code(t)
	other, otherCode := p.code(t)
	waiting, code := p.code(t)
	wrong := map[bool]string{true: "111111", false: "000000"}[code == "000000"]
	success := fields{"email": one, "code": oneCode, "name": "Rahim"}
	step := bothAccept(verifyEmail("success", success), fields{"email": other, "code": otherCode, "name": "Rahim"}, "")
	step.except = append(step.except, "email")
	return []parityCase{
		step,
		verifyEmail("used code", success),
		verifyEmail("no address", fields{"code": code}),
		verifyEmail("no code", fields{"email": waiting, "code": ""}),
		verifyEmail("four digits", fields{"email": waiting, "code": "1234"}),
		verifyEmail("no name", fields{"email": waiting, "code": code}),
		verifyEmail("wrong code", fields{"email": waiting, "code": wrong}),
		verifyEmail("never sent", fields{"email": p.email(), "code": code}),
	}
}

func (p *emailParity) resetCases(t *testing.T) []parityCase {
	one, oneCode := p.resetCode(t)
	other, otherCode := p.resetCode(t)
	waiting, code := p.resetCode(t)
	wrong := map[bool]string{true: "111111", false: "000000"}[code == "000000"]
	success := fields{"email": one, "code": oneCode, "newPassword": otherPassword}
	step := bothAccept(resetPassword("success", success), fields{"email": other, "code": otherCode, "newPassword": otherPassword}, "")
	step.except = append(step.except, "email")
	return []parityCase{
		step,
		resetPassword("used code", success),
		resetPassword("no password", fields{"email": waiting, "code": code, "newPassword": ""}),
		resetPassword("common password", fields{"email": waiting, "code": code, "newPassword": "12345678"}),
		resetPassword("wrong code", fields{"email": waiting, "code": wrong, "newPassword": otherPassword}),
		resetPassword("never sent", fields{"email": p.email(), "code": code, "newPassword": otherPassword}),
	}
}
