package staff_test

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

func TestChangeOwnPassword(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	other, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, "")
	if err != nil {
		t.Fatal(err)
	}
	const next = "jackfruit-river-9"
	_, err = a.Staff.ChangeOwnPassword(t.Context(), owner, staff.ChangeOwnPasswordInput{CurrentPassword: "wrong", NewPassword: next})
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	session, err := a.Staff.ChangeOwnPassword(t.Context(), owner, staff.ChangeOwnPasswordInput{CurrentPassword: shoptest.Password, NewPassword: next})
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{owner.Session, other.Token} {
		_, err := a.Staff.FindSession(t.Context(), access.Caller{Session: token})
		shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	}
	if _, err := a.Staff.FindSession(t.Context(), access.Caller{Session: session.Token}); err != nil {
		t.Errorf("new session: got %v", err)
	}
	_, err = signInFrom(t, a, "192.0.2.2", shoptest.Password, "")
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
}

var textCode = regexp.MustCompile(`\b[0-9]{6}\b`)

// textCodes makes the shop's text messages arrive at a channel.
func textCodes(a *shoptest.Accounts) <-chan string {
	sent := make(chan string, 10)
	a.SMS.Answer(func(_, text string) error {
		sent <- textCode.FindString(text)
		return nil
	})
	return sent
}

func TestResetOwnPassword(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	if _, err := a.Staff.UpdateMember(t.Context(), access.Operator(), ownersEmail, staff.MemberChange{PhoneNumber: new("01711-000000")}); err != nil {
		t.Fatal(err)
	}
	sent := textCodes(a)
	client := access.Caller{Client: "192.0.2.9"}
	request := func(user string) {
		t.Helper()
		if err := a.Staff.RequestPasswordCode(t.Context(), client, user); err != nil {
			t.Fatal(err)
		}
	}
	reset := func(code, password string, second *string) (*staff.SignedIn, error) {
		return a.Staff.ResetOwnPassword(t.Context(), client, staff.ResetOwnPasswordInput{
			User: ownersEmail, Code: code, Password: password, SecondFactorCode: second,
		})
	}
	const next = "jackfruit-river-9"
	request("nobody@example.com") // no error and no message
	request(ownersEmail)
	code := <-sent
	wrong := strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
	_, err := reset(wrong, next, nil)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	_, err = reset(code, "password", nil)
	shoptest.WantCode(t, err, fault.CodePasswordRejected)

	secret, _ := a.TOTP(t, owner)
	_, err = reset(code, next, nil)
	shoptest.WantCode(t, err, fault.CodeSecondFactorRequired)
	a.Clock.Advance(10*time.Minute - time.Second)
	second := shoptest.TOTPCode(t, secret, a.Clock.Now())
	session, err := reset(code, next, &second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Staff.FindSession(t.Context(), access.Caller{Session: session.Token}); err != nil {
		t.Errorf("new session: got %v", err)
	}
	_, err = a.Staff.FindSession(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	_, err = reset(code, next, &second)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)

	// Three an hour; the newest is valid, for ten minutes and three attempts.
	request("01711000000")
	old := <-sent
	request(ownersEmail)
	code = <-sent
	request(ownersEmail)
	if n := a.Number(t, `SELECT count(*) FROM staff_codes`); n != 3 {
		t.Errorf("got %d codes in an hour, want 3", n)
	}
	if old != code {
		_, err = reset(old, next, nil)
		shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	}
	a.Clock.Advance(10 * time.Minute)
	_, err = reset(code, next, nil)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	a.Clock.Advance(time.Hour)
	client.Client = "192.0.2.10" // the other one made many wrong attempts
	request(ownersEmail)
	code = <-sent
	wrong = strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code)
	for range 3 {
		_, err = reset(wrong, next, nil)
		shoptest.WantCode(t, err, fault.CodeOTPInvalid)
	}
	_, err = reset(code, next, nil)
	shoptest.WantCode(t, err, fault.CodeOTPInvalid)
}

// Requests for a code do not fill the audit log, even if none can be sent.
func TestRequestPasswordCode_Unsendable(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Member(t, staff.RoleOwner, ownersEmail)
	if _, err := a.Staff.UpdateMember(t.Context(), access.Operator(), ownersEmail, staff.MemberChange{PhoneNumber: new("01711-000000")}); err != nil {
		t.Fatal(err)
	}
	a.SMS.Answer(func(string, string) error { return fault.Errorf(fault.CodeSMSUnavailable, "No.") })
	for i := range 40 {
		for a.Number(t, `SELECT count(*) FROM staff_codes`) > 0 && t.Context().Err() == nil { // being sent
			runtime.Gosched()
		}
		if err := a.Staff.RequestPasswordCode(t.Context(), access.Caller{Client: fmt.Sprintf("198.51.100.%d", i)}, ownersEmail); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'password.send_code'`); n != 10 {
		t.Errorf("got %d audit entries, want at most ten an hour", n)
	}
}
