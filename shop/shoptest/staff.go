package shoptest

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/staff"
)

// StaffClient is the address of sign-ins by [Accounts.Member].
const StaffClient = "192.0.2.1"

// Member invites a staff member with [Password] and returns the caller with a session.
func (a *Accounts) Member(tb testing.TB, role staff.Role, email string) access.Caller {
	tb.Helper()
	in := staff.InviteInput{Name: "A " + string(role), Email: &email, Role: role}
	_, link, err := a.Staff.InviteMember(context.Background(), access.Operator(), in)
	if err != nil {
		tb.Fatal(err)
	}
	session, err := a.Staff.UseLink(context.Background(), access.Caller{Client: StaffClient}, staff.UseLinkInput{Token: link.Token, Password: Password})
	if err != nil {
		tb.Fatal(err)
	}
	return access.Caller{Session: session.Token, Client: StaffClient}
}

// TOTP sets up an authenticator app for a staff member, and returns its secret and the recovery
// codes.
func (a *Accounts) TOTP(tb testing.TB, caller access.Caller) (secret string, recovery []string) {
	tb.Helper()
	setup, err := a.Staff.StartTOTP(context.Background(), caller)
	if err != nil {
		tb.Fatal(err)
	}
	recovery, err = a.Staff.ConfirmTOTP(context.Background(), caller, TOTPCode(tb, setup.Secret, a.Clock.Now()))
	if err != nil {
		tb.Fatal(err)
	}
	return setup.Secret, recovery
}

// TOTPCode returns the code that an authenticator app shows at a time.
func TOTPCode(tb testing.TB, secret string, at time.Time) string {
	tb.Helper()
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		tb.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(at.Unix()/30)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1_000_000)
}
