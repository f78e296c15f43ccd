package cmd_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/shop"
	"storefront/shop/staff"
	"storefront/tenants"
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
	wantFinding(t, found, "acme/API keys", tenants.StateOK, "")

	c.json(&soon, "token", "create", "acme", "--name", "agency", "--expires", "6d")
	if want := time.Now().AddDate(0, 0, 6); soon.ExpiresAt == nil || soon.ExpiresAt.Sub(want).Abs() > time.Hour {
		t.Errorf("got expiry %v, want %v", soon.ExpiresAt, want)
	}
	found, _ = c.findings("acme")
	wantFinding(t, found, "acme/API keys", tenants.StateWarning, soon.ID+" (agency) on "+soon.ExpiresAt.UTC().Format(time.DateOnly))
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

func TestOrder_RevokeToken(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "6")
	uid := placeOrder(t, c.dir, "acme")
	var revoked map[string]string
	if c.json(&revoked, "order", "revoke-token", "acme", uid); len(revoked) != 1 || revoked["invoiceUid"] != uid {
		t.Errorf("got %v, want the invoice UID alone", revoked)
	}
	c.json(&revoked, "order", "revoke-token", "acme", uid, "--show")
	if len(revoked["orderToken"]) != 43 {
		t.Errorf("--show: got %v, want the new token", revoked)
	}
	if out := c.must("order", "revoke-token", "acme", uid, "--show"); strings.Contains(out, revoked["orderToken"]) ||
		!strings.Contains(out, "is revoked") {
		t.Errorf("got\n%s\nwant another token", out)
	}
	var order shop.StaffOrder
	if err := json.Unmarshal([]byte(c.must("order", "show", "acme", uid, "--json")), &order); err != nil {
		t.Fatal(err)
	}
	if last := order.Timeline[len(order.Timeline)-1]; len(order.Timeline) != 4 || last.Type != "token_replaced" || last.Cause != shop.ByStaff {
		t.Errorf("got the timeline %+v, want three replaced tokens", order.Timeline)
	}
	c.fails(cmd.ExitFailed, "order list acme", "order", "revoke-token", "acme", "0000000000000000")
}
