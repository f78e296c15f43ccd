package cmd_test

import (
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/shop/staff"
	"storefront/tenants/doctor"
)

func TestToken_Expires(t *testing.T) {
	t.Parallel()
	c := newDoctor(t, "acme")
	var never, later, soon staff.APIKey
	c.json(&never, "token", "create", "acme", "--name", "dashboard")
	c.json(&later, "token", "create", "acme", "--expires", "2999-01-01")
	if never.ExpiresAt != nil || later.ExpiresAt == nil || !later.ExpiresAt.Equal(time.Date(2998, 12, 31, 18, 0, 0, 0, time.UTC)) {
		t.Errorf("got expiry %v and %v, want none and midnight of 2999-01-01 in Dhaka", never.ExpiresAt, later.ExpiresAt)
	}
	found, _ := c.findings("acme")
	wantFinding(t, found, "acme/API keys", doctor.StateOK, "")

	c.json(&soon, "token", "create", "acme", "--name", "agency", "--expires", "6d")
	if want := time.Now().AddDate(0, 0, 6); soon.ExpiresAt == nil || soon.ExpiresAt.Sub(want).Abs() > time.Hour {
		t.Errorf("got expiry %v, want %v", soon.ExpiresAt, want)
	}
	found, _ = c.findings("acme")
	wantFinding(t, found, "acme/API keys", doctor.StateWarning, soon.ID+" (agency) on "+soon.ExpiresAt.UTC().Format(time.DateOnly))
	list := c.must("token", "list", "acme")
	for _, want := range []string{"EXPIRES", "never", soon.ExpiresAt.In(time.FixedZone("", 6*60*60)).Format("2006-01-02 15:04 -07:00"), "2999-01-01"} {
		if !strings.Contains(list, want) {
			t.Errorf("token list: got\n%s\nwant %q", list, want)
		}
	}
	for _, wrong := range []string{"0d", "-1d", "9999d", "xd", "soon"} {
		c.fails(cmd.ExitUsage, "--expires must be", "token", "create", "acme", "--expires="+wrong)
	}
	c.fails(cmd.ExitFailed, "must expire in the future", "token", "create", "acme", "--expires", "2001-01-01")
}
