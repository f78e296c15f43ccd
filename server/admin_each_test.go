package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// refused checks that the request has no effect if the staff member loses its permission between
// the check of the caller and the transaction of the change, nor if its permission needs a proof
// and the last one is older than 15 minutes.
func (c auditedChange) refused(s *auditShop, o *admin.Operation, body string) {
	s.t.Helper()
	permission := o.Use.Permission
	if slices.Contains([]access.Permission{access.Anybody, access.Any, access.Own}, permission) {
		return // nobody can lose it
	}
	changes := func() int64 {
		return s.shop.Number(s.t, `SELECT (SELECT COUNT(*) FROM audit_log) + (SELECT COUNT(*) FROM outbox)`)
	}
	before := changes()
	if staff.NeedsProof(permission) {
		const age = `UPDATE staff_sessions SET proved_at = proved_at + ?`
		s.shop.Exec(s.t, age, -(16 * time.Minute).Milliseconds())
		s.as(o.Method, c.path, body, "Cookie", s.owner).problem(http.StatusUnauthorized, fault.CodeProofRequired)
		s.shop.Exec(s.t, age, (16 * time.Minute).Milliseconds())
	}
	got := s.whileDenied(permission, func() *reply { return s.as(o.Method, c.path, body, "Cookie", s.owner) })
	if refusal := got.problem(http.StatusForbidden, fault.CodeForbidden); refusal.Details["permission"] != string(permission) {
		s.t.Errorf("lost permission: got details %v, want %s", refusal.Details, permission)
	}
	if n := changes() - before; n != 0 {
		s.t.Errorf("lost permission: got %d entries in the audit log and the outbox, want none", n)
	}
	s.shop.Exec(s.t, `UPDATE staff SET denies = '[]'`)
}

// whileDenied sends a request that passes its first check, and whose change waits for a transaction
// that denies all staff members the permission.
func (s *auditShop) whileDenied(p access.Permission, send func() *reply) *reply {
	s.t.Helper()
	release := s.shop.Hold(s.t, `UPDATE staff SET denies = ?`, `["`+string(p)+`"]`)
	answered := make(chan *reply, 1)
	go func() { answered <- send() }()
	var early *reply
	for s.shop.Store.Stats().Queued == 0 && early == nil {
		select {
		case early = <-answered: // without a transaction that writes
		case <-time.After(time.Millisecond):
		}
	}
	release()
	if early != nil {
		s.t.Errorf("got %d: %s, want a change that waits for its transaction", early.status, early.body)
		return early
	}
	return <-answered
}

// repeated checks that the request, sent again with its idempotency key, returns the first response
// and has no effect, that another request with the key is refused, and that a response which was
// lost with its process is reported.
func (c auditedChange) repeated(s *auditShop, o *admin.Operation, body string, first *reply, header ...string) {
	s.t.Helper()
	changes := func() int64 {
		return s.shop.Number(s.t, `SELECT (SELECT COUNT(*) FROM audit_log) + (SELECT COUNT(*) FROM outbox)`)
	}
	before := changes()
	again := s.as(o.Method, c.path, body, header...)
	if again.status != first.status || again.header.Get("Idempotent-Replayed") != "true" || string(again.body) != string(first.body) {
		s.t.Errorf("repeated: got %d, replayed %q, %s, want %d %s", again.status, again.header.Get("Idempotent-Replayed"), again.body,
			first.status, first.body)
	}
	if got, want := again.header.Get("ETag"), first.header.Get("ETag"); got != want {
		s.t.Errorf("repeated: got ETag %s, want %s", got, want)
	}
	other := `{"another":"request"}`
	if o.CSV {
		other = body + "\n"
	}
	s.as(o.Method, c.path, other, header...).problem(http.StatusUnprocessableEntity, fault.CodeIdempotencyKeyReused)
	s.shop.Exec(s.t, `UPDATE staff_requests SET status = NULL, body = NULL WHERE operation = ?`, o.ID)
	s.as(o.Method, c.path, body, header...).problem(http.StatusConflict, fault.CodeStateConflict)
	if n := changes() - before; n != 0 {
		s.t.Errorf("repeated: got %d entries in the audit log and the outbox, want none", n)
	}
}

// withoutKey are the operations by POST that change something and accept no idempotency key, by the
// reason why a repetition does no harm.
var withoutKey = map[string]string{
	"setUp": "it works once", "signIn": "another session", "proveSession": "the same proof", "changeMyPassword": "needs the old password",
	"signInByPasskey": "a challenge is accepted once", "addPasskey": "a challenge is accepted once",
	"startTotp": "replaces a secret that is not in use", "confirmTotp": "a code is accepted once", "useLink": "a link works once",
	"requestPasswordCode": "limited", "resetPassword": "a code works once",
	"claimOrder": "renews the claim", "trackShipments": "stores a status once", "cancelJob": "it is cancelled already",
	"undoChange": "it is undone already", "addToCollection": "it is there already", "removeFromCollection": "it is gone already",
	"enableCoupon": "it is enabled already", "disableCoupon": "it is disabled already",
	"suspendShop": "it is suspended already", "resumeShop": "it is resumed already", "setMode": "it has the mode already",
	"replayProviderWebhook": "a webhook is applied once", "turnOffStaffMember": "the member is off already",
	"subscribeToPush": "a browser has one subscription", "startTelegramLink": "replaces the code", "finishTelegramLink": "it is linked already",
	"publishDesign": "nothing is left to publish", "publishReview": "it is published already", "rejectReview": "it is rejected already",
	"closeIncompleteOrder": "it is closed already", "reopenIncompleteOrder": "it is open already", "blockIncompleteOrder": "it is blocked already",
}

// Every operation by POST that changes something accepts an idempotency key, unless a repetition
// does no harm. [TestAdmin_EachChangeIsAudited] repeats those that accept one.
func TestAdmin_IdempotentOperations(t *testing.T) {
	t.Parallel()
	for _, o := range shopOperations() {
		if o.Method != http.MethodPost || !o.Changes() || o.Idempotent {
			if withoutKey[o.ID] != "" {
				t.Errorf("%s: got a reason for accepting no idempotency key, want none", o.ID)
			}
			continue
		}
		if withoutKey[o.ID] == "" {
			t.Errorf("%s: %s accepts no idempotency key, and no reason is known", o.ID, o.Path)
		}
	}
}

// permissionTable is the specification of what each role may do: granted (✓), granted with a recent
// proof of who uses the session (✱), or not (–). A slash separates two permissions.
const permissionTable = `
	orders.read                         ✓     ✓     ✓     ✓     ✓
	orders.write                        ✓     ✓     ✓     –     –
	orders.discount                     ✓     ✓     –     –     –
	orders.fulfill                      ✓     ✓     ✓     ✓     –
	payments.read/payments.write        ✓/✱   ✓/✱   –/–   –/–   ✓/–
	products.read/products.write        ✓/✓   ✓/✓   ✓/–   –/–   ✓/–
	stock.write                         ✓     ✓     ✓     –     –
	prices.read                         ✓     ✓     ✓     –     ✓
	costs.read                          ✓     ✓     –     –     ✓
	customers.read/customers.write      ✓/✓   ✓/✓   ✓/✓   –/–   ✓/–
	customers.delete                    ✱     ✱     –     –     –
	export                              ✱     ✱     –     –     –
	coupons.read/coupons.write          ✓/✓   ✓/✓   ✓/–   –/–   ✓/–
	site.read/site.write                ✓/✓   ✓/✓   ✓/–   –/–   ✓/–
	cash.read/cash.write                ✓/✓   ✓/✓   –/–   –/–   ✓/–
	analytics.read/analytics.write      ✓/✓   ✓/✓   –/–   –/–   ✓/–
	settings.read/settings.write        ✓/✓   ✓/✓   ✓/–   –/–   ✓/–
	providers.read/providers.write      ✓/✱   ✓/–   –/–   –/–   –/–
	staff.read/staff.write              ✓/✱   ✓/✱   –/–   –/–   –/–
	keys.write                          ✱     –     –     –     –
	audit.read                          ✓     ✓     –     –     –
	shop.close                          ✱     –     –     –     –`

// The roles have the permissions of the specification. Each operation whose permission needs a
// recent proof refuses a session whose last one is older than 15 minutes.
func TestAdmin_PermissionTable(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	grants, cookies := map[access.Permission][]string{}, map[staff.Role]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(permissionTable), "\n") {
		columns := strings.Fields(line)
		for i, p := range strings.Split(columns[0], "/") {
			for _, cell := range columns[1:] {
				grants[access.Permission(p)] = append(grants[access.Permission(p)], strings.Split(cell, "/")[i])
			}
		}
	}
	for i, role := range staff.Roles() {
		cookies[role] = s.session(t, role)
		for _, p := range access.Permissions() {
			if row := grants[p]; len(row) != 5 || role.Has(p) != (row[i] != "–") || staff.NeedsProof(p) != slices.Contains(row, "✱") {
				t.Errorf("%s of %s: got %t, with a proof: %t, want %q", p, role, role.Has(p), staff.NeedsProof(p), row)
			}
		}
	}
	if len(grants) != len(access.Permissions()) {
		t.Errorf("got %d permissions, want the %d of the specification", len(access.Permissions()), len(grants))
	}
	s.shop.Clock.Advance(16 * time.Minute)
	for _, o := range shopOperations() {
		if !staff.NeedsProof(o.Use.Permission) {
			continue
		}
		for role, cookie := range cookies {
			status, code := http.StatusForbidden, fault.CodeForbidden
			if role.Has(o.Use.Permission) {
				status, code = http.StatusUnauthorized, fault.CodeProofRequired
			}
			s.call(&o, "Cookie", cookie).problem(status, code)
		}
	}
}
