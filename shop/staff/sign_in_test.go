package staff_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

const ownersEmail = "rina@example.com"

// signInFrom signs in as the owner.
func signInFrom(t *testing.T, a *shoptest.Accounts, client, password, code string) (*staff.SignedIn, error) {
	t.Helper()
	in := staff.SignInInput{User: ownersEmail, Password: password}
	if code != "" {
		in.Code = &code
	}
	return a.Staff.SignIn(t.Context(), access.Caller{Client: client, Agent: "Firefox"}, in)
}

func TestSignIn_Sessions(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	session, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, "")
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'staff.signed_in' AND subject = ?`, session.Member.ID); n != 2 {
		t.Errorf("got %d events of the two sign-ins, want 2", n)
	}
	second := access.Caller{Session: session.Token}
	for _, caller := range []access.Caller{owner, second} {
		got, err := a.Staff.FindSession(t.Context(), caller)
		if err != nil || *got.Member.Email != ownersEmail || len(got.Permissions) != len(access.Permissions()) {
			t.Errorf("got %+v, %v, want the owner's session", got, err)
		}
	}
	list, err := a.Staff.ListSessions(t.Context(), owner)
	if err != nil || len(list) != 2 || list[0].Agent != "Firefox" || list[0].Client != "192.0.2.2" || list[0].Current || !list[1].Current {
		t.Fatalf("got sessions %+v, %v", list, err)
	}
	ended := func(caller access.Caller) {
		t.Helper()
		_, err := a.Staff.FindSession(t.Context(), caller)
		shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	}
	if err := a.Staff.EndOwnSession(t.Context(), owner, list[0].ID); err != nil {
		t.Fatal(err)
	}
	ended(second)
	shoptest.WantCode(t, a.Staff.EndOwnSession(t.Context(), owner, list[0].ID), fault.CodeNotFound)
	// An ended session does not come back when the clock is set back.
	a.Clock.Advance(-time.Hour)
	ended(second)
	a.Clock.Advance(time.Hour)
	if err := a.Staff.EndOwnSessions(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	ended(owner)
}

// A session ends 30 days after its last use and 90 after its beginning; its use is written at most
// every ten minutes.
func TestSession_Lifetime(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	expires := func() int64 { return a.Number(t, `SELECT expires_at FROM staff_sessions`) }
	first := expires()
	if want := a.Number(t, `SELECT created_at FROM staff_sessions`) + (30 * 24 * time.Hour).Milliseconds(); first != want {
		t.Errorf("got the expiry %d of a new session, want %d", first, want)
	}
	a.Clock.Advance(9 * time.Minute)
	if _, err := a.Staff.FindSession(t.Context(), owner); err != nil || expires() != first {
		t.Errorf("after nine minutes: got %v and expiry %d, want %d", err, expires(), first)
	}
	a.Clock.Advance(time.Minute)
	if _, err := a.Staff.FindSession(t.Context(), owner); err != nil || expires() != first+(10*time.Minute).Milliseconds() {
		t.Errorf("after ten minutes: got %v and expiry %d, want it extended", err, expires())
	}
	for range 4 {
		a.Clock.Advance(20 * 24 * time.Hour)
		if _, err := a.Staff.FindSession(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	}
	a.Clock.Advance(10 * 24 * time.Hour)
	_, err := a.Staff.FindSession(t.Context(), owner)
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
}

// An unknown user, a wrong password, and staff members who are invited or off return the same error
// after the same work: one hash and two counts.
func TestSignIn_SameWork(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Member(t, staff.RoleOwner, ownersEmail)
	a.Member(t, staff.RoleStaff, "off@example.com")
	if _, err := a.Staff.TurnOffMember(t.Context(), access.Operator(), "off@example.com"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "New", Email: new("new@example.com"), Role: staff.RoleStaff}); err != nil {
		t.Fatal(err)
	}
	var messages []string
	for i, in := range []staff.SignInInput{
		{User: ownersEmail, Password: "wrong"}, {User: "unknown@example.com", Password: shoptest.Password},
		{User: "off@example.com", Password: shoptest.Password}, {User: "new@example.com", Password: shoptest.Password},
		{User: "not a user", Password: shoptest.Password},
	} {
		hashes, counts := a.Hasher.Hashes(), a.Number(t, `SELECT coalesce(sum(count), 0) FROM failures`)
		_, err := a.Staff.SignIn(t.Context(), access.Caller{Client: fmt.Sprintf("198.51.100.%d", i)}, in)
		messages = append(messages, shoptest.WantCode(t, err, fault.CodeInvalidCredentials).Message)
		if n := a.Hasher.Hashes() - hashes; n != 1 {
			t.Errorf("%s: got %d hashes, want 1", in.User, n)
		}
		if n := a.Number(t, `SELECT coalesce(sum(count), 0) FROM failures`) - counts; n < 3 {
			t.Errorf("%s: got %d counts, want 3 or, with the bound of the audit log, 4", in.User, n)
		}
	}
	if len(slices.Compact(messages)) != 1 {
		t.Errorf("got messages %q, want one", messages)
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'session.fail' AND actor_id = ''`); n != 3 {
		t.Errorf("got %d recorded failures, want those of the three staff members", n)
	}
}

func TestSignIn_Throttles(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	wait := func(client string) int {
		t.Helper()
		hashes := a.Hasher.Hashes()
		_, err := signInFrom(t, a, client, "wrong", "")
		e, _ := errors.AsType[*fault.Error](err)
		if e.Code == fault.CodeRateLimited && a.Hasher.Hashes() != hashes {
			t.Error("got a hash for a refused attempt")
		}
		return e.RetryAfter
	}
	for range 5 {
		if got := wait("198.51.100.1"); got != 0 {
			t.Fatalf("got a delay of %d s, want none yet", got)
		}
	}
	for _, want := range []int{15, 30, 60} {
		if got := wait("198.51.100.1"); got != want {
			t.Errorf("got a delay of %d s, want %d", got, want)
		}
		a.Clock.Advance(time.Duration(want) * time.Second)
		wait("198.51.100.1")
	}
	// One address, many users: the address is delayed.
	for i := range 30 {
		_, err := a.Staff.SignIn(t.Context(), access.Caller{Client: "203.0.113.1"},
			staff.SignInInput{User: fmt.Sprintf("user%d@example.com", i), Password: "wrong"})
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	}
	if got := wait("203.0.113.1"); got != 15 {
		t.Errorf("got a delay of %d s for the address, want 15", got)
	}
	// Many addresses, one user: those that never signed in must wait. A restart resets nothing.
	a = a.Reopened()
	limited := false
	for i := range 60 {
		limited = wait(fmt.Sprintf("198.51.101.%d", i)) > 0 || limited
	}
	if !limited {
		t.Error("got no limit for guesses from many addresses")
	}
	if _, err := signInFrom(t, a, "198.51.102.1", shoptest.Password, ""); !fault.HasCode(err, fault.CodeRateLimited) {
		t.Errorf("from a new address: got %v, want rate_limited", err)
	}
	if err := a.Staff.EndSession(t.Context(), owner); err != nil { // the address stays known
		t.Fatal(err)
	}
	if _, err := signInFrom(t, a, shoptest.StaffClient, shoptest.Password, ""); err != nil {
		t.Errorf("from the owner's address: got %v", err)
	}
	if n := a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'session.fail'`); n != 10 {
		t.Errorf("got %d recorded failures, want at most ten an hour", n)
	}
}

// Customers' sign-ins that fill every place of the hasher do not stop staff members.
func TestSignIn_CustomersFlood(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Member(t, staff.RoleOwner, ownersEmail)
	for i := range 2000 {
		for _, shop := range []string{"test", fmt.Sprint("another", i)} {
			_, err := a.Hasher.Enqueue(password.Use{Shop: shop, Client: fmt.Sprintf("203.0.113.%d", i)})
			if err != nil && !fault.HasCode(err, fault.CodeRateLimited) {
				t.Fatal(err)
			}
		}
	}
	if _, err := a.Hasher.Enqueue(password.Use{Shop: "last", Client: "203.0.114.1"}); !fault.HasCode(err, fault.CodeRateLimited) {
		t.Fatalf("got %v, want no place for customers", err)
	}
	if _, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, ""); err != nil {
		t.Errorf("sign in during the flood: got %v", err)
	}
}

func TestSignIn_SecondFactor(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.Member(t, staff.RoleOwner, ownersEmail)
	secret, recovery := a.TOTP(t, owner)
	if n := a.Number(t, `SELECT count(*) FROM secrets WHERE name LIKE 'totp.%'`); n != 1 || len(recovery) != 10 {
		t.Fatalf("got %d sealed secrets and %d recovery codes, want 1 and 10", n, len(recovery))
	}
	signIn := func(code string) error {
		_, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, code)
		return err
	}
	e := shoptest.WantCode(t, signIn(""), fault.CodeSecondFactorRequired)
	if got := fmt.Sprint(e.Details["methods"]); got != "[totp recovery]" {
		t.Errorf("got methods %s", got)
	}
	code := func() string { return shoptest.TOTPCode(t, secret, a.Clock.Now()) }
	shoptest.WantCode(t, signIn(code()), fault.CodeInvalidCredentials) // it confirmed the app
	a.Clock.Advance(30 * time.Second)
	if err := signIn(code()); err != nil {
		t.Errorf("with a code: got %v", err)
	}
	shoptest.WantCode(t, signIn(code()), fault.CodeInvalidCredentials)
	a.Clock.Advance(30 * time.Second)
	if err := signIn(" " + code()[:3] + " " + code()[3:]); err != nil {
		t.Errorf("with spaces in the code: got %v", err)
	}
	typed := strings.ToLower(strings.ReplaceAll(recovery[0], "-", " "))
	if err := signIn(typed); err != nil {
		t.Errorf("with a recovery code: got %v", err)
	}
	shoptest.WantCode(t, signIn(recovery[0]), fault.CodeInvalidCredentials)
	session, err := a.Staff.FindSession(t.Context(), owner)
	if err != nil || session.Member.RecoveryCodes != 9 || session.Member.SecondFactor != staff.SecondFactorTOTP {
		t.Errorf("got %+v, %v, want 9 recovery codes", session, err)
	}
	// An attempt without a code in between does not reset the count of wrong codes.
	limited := false
	for range 6 {
		err := signIn("000000")
		limited = limited || fault.HasCode(err, fault.CodeRateLimited)
		if err := signIn(""); !fault.HasCode(err, fault.CodeRateLimited) {
			shoptest.WantCode(t, err, fault.CodeSecondFactorRequired)
		}
	}
	if !limited {
		t.Error("got unlimited attempts at a code")
	}
	if err := a.Staff.RemoveTOTP(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT (SELECT count(*) FROM secrets WHERE name LIKE 'totp.%') + (SELECT count(*) FROM staff_recovery)`); n != 0 {
		t.Errorf("got %d rows of a removed app, want none", n)
	}
}

// A right password without a code is no failure, and does not count as one that the audit log
// records: a wrong code after any number of them is recorded.
func TestSignIn_FailureRecorded(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.TOTP(t, a.Member(t, staff.RoleOwner, ownersEmail))
	for range 12 {
		_, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, "")
		shoptest.WantCode(t, err, fault.CodeSecondFactorRequired)
	}
	failures := func() int64 { return a.Number(t, `SELECT count(*) FROM audit_log WHERE action = 'session.fail'`) }
	if n := failures(); n != 0 {
		t.Errorf("got %d recorded failures of right passwords, want none", n)
	}
	_, err := signInFrom(t, a, "192.0.2.2", shoptest.Password, "000000")
	shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	if n := failures(); n != 1 {
		t.Errorf("got %d recorded failures of a wrong code, want 1", n)
	}
}

// Two sign-ins with one code at once, or one recovery code: one succeeds.
func TestSignIn_CodeTwiceAtOnce(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	secret, recovery := a.TOTP(t, a.Member(t, staff.RoleOwner, ownersEmail))
	a.Clock.Advance(30 * time.Second)
	for _, code := range []string{shoptest.TOTPCode(t, secret, a.Clock.Now()), recovery[0]} {
		var running sync.WaitGroup
		var errs [4]error
		for i := range errs {
			running.Go(func() { _, errs[i] = signInFrom(t, a, fmt.Sprintf("192.0.2.%d", i), shoptest.Password, code) })
		}
		running.Wait()
		succeeded := 0
		for _, err := range errs {
			if err == nil {
				succeeded++
			} else {
				shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
			}
		}
		if succeeded != 1 {
			t.Errorf("got %d sessions of one code, want 1", succeeded)
		}
	}
}
