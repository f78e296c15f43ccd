package tenants_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// agency is a server with a shop and operators.
type agency struct {
	*tenants.Tenants
	clock *shoptest.Clock
	own   *shop.Shop // the installation
	acme  *shop.Shop
}

func newAgency(t *testing.T) *agency {
	t.Helper()
	a := &agency{clock: shoptest.NewClock()}
	a.Tenants = open(t, "", func(cfg *tenants.Config) { cfg.Now = a.clock.Now })
	var err error
	if a.own, err = a.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.acme = create(t, a.Tenants, "acme")
	return a
}

// operator returns the caller of an operator with an authenticator app, who is signed in.
func (a *agency) operator(t *testing.T, role staff.OperatorRole, name string) access.Caller {
	t.Helper()
	in := staff.OperatorInput{Name: name, Email: strings.ToLower(name) + "@agency.example", Role: role}
	_, link, err := a.own.Staff.InviteOperator(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	session, err := a.own.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	caller := access.Caller{Session: session.Token, Client: "192.0.2.7"}
	_, err = a.ListShops(t.Context(), caller, tenants.ShopFilter{})
	wantCode(t, err, fault.CodeSecondFactorSetupRequired)
	setup, err := a.own.Staff.StartTOTP(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.own.Staff.ConfirmTOTP(t.Context(), caller, shoptest.TOTPCode(t, setup.Secret, a.clock.Now())); err != nil {
		t.Fatal(err)
	}
	return caller
}

// operatorActions are the operations of operators, by name, with the roles that may execute each.
func (a *agency) operatorActions(t *testing.T) map[string]struct {
	roles []staff.OperatorRole
	run   func(access.Caller) error
} {
	everybody := staff.OperatorRoles()
	support, owner := everybody[:2], everybody[:1]
	n := 0
	invited := func() string {
		n++
		in := staff.OperatorInput{Name: "New", Email: fmt.Sprintf("new%d@agency.example", n), Role: staff.OperatorViewer}
		m, _, err := a.own.Staff.InviteOperator(t.Context(), access.Operator(), in)
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	type action = struct {
		roles []staff.OperatorRole
		run   func(access.Caller) error
	}
	return map[string]action{
		"ListShops":  {everybody, func(c access.Caller) error { _, err := a.ListShops(t.Context(), c, tenants.ShopFilter{}); return err }},
		"FindShop":   {everybody, func(c access.Caller) error { _, err := a.FindShop(t.Context(), c, "acme"); return err }},
		"FindHealth": {everybody, func(c access.Caller) error { _, err := a.FindHealth(t.Context(), c); return err }},
		"CreateShop": {support, func(c access.Caller) error {
			n++
			_, err := a.CreateShop(t.Context(), c, tenants.NewShopInput{
				UID: fmt.Sprintf("new-%d", n), Name: "New", Currency: "BDT", Country: "BD", Language: staff.Bangla,
				Owner: tenants.NewOwner{Name: "Rina", User: "01711-000000"},
			})
			return err
		}},
		"SuspendShop": {support, func(c access.Caller) error {
			return a.SuspendShop(t.Context(), c, "acme", tenants.SuspendInput{Reason: "Unpaid"})
		}},
		"ChangeShops": {support, func(c access.Caller) error {
			_, err := a.ChangeShops(t.Context(), c, tenants.ShopsChange{Action: tenants.ResumeShops, Shops: []string{"acme"}, DryRun: true})
			return err
		}},
		"FindDefaults": {everybody, func(c access.Caller) error { _, err := a.FindDefaults(t.Context(), c); return err }},
		"SetDefaults":  {owner, func(c access.Caller) error { _, err := a.SetDefaultSMS(t.Context(), c, nil); return err }},
		"DeleteShop": {owner, func(c access.Caller) error {
			_, err := a.DeleteShopLater(t.Context(), c, "acme", tenants.DeletionInput{Reason: "Ended"})
			return err
		}},
		"CopyShop": {support, func(c access.Caller) error {
			n++
			_, err := a.CopyShop(t.Context(), c, "acme", tenants.CopyInput{UID: fmt.Sprintf("copy-%d", n)})
			return err
		}},
		"CreateSandbox": {support, func(c access.Caller) error {
			_, err := a.CreateSandbox(t.Context(), c, "acme")
			return err
		}},
		"ListRestorePoints": {everybody, func(c access.Caller) error {
			_, err := a.ListRestorePoints(t.Context(), c, "acme", nil)
			return err
		}},
		"RestoreShop": {owner, func(c access.Caller) error {
			_, err := a.RestoreShop(t.Context(), c, "acme", tenants.RestoreInput{})
			if fault.HasCode(err, fault.CodeValidationFailed) { // permitted
				return nil
			}
			return err
		}},
		"MoveShop": {support, func(c access.Caller) error {
			_, err := a.MoveShop(t.Context(), c, "acme", tenants.MoveInput{To: "elsewhere"})
			if fault.HasCode(err, fault.CodeValidationFailed) { // permitted
				return nil
			}
			return err
		}},
		"ResumeShop": {support, func(c access.Caller) error {
			if err := a.Suspend(t.Context(), access.Operator(), "acme", shop.Suspension{}); err != nil {
				return err
			}
			return a.ResumeShop(t.Context(), c, "acme")
		}},
		"InviteOwner": {support, func(c access.Caller) error {
			_, err := a.InviteOwner(t.Context(), c, "acme", tenants.NewOwner{Name: "Rina", User: "rina@example.com"})
			return err
		}},
		"EnterShop": {support, func(c access.Caller) error { _, err := a.EnterShop(t.Context(), c, "acme", "Ticket 481"); return err }},
		"ListShopUsage": {everybody, func(c access.Caller) error {
			_, err := a.ListShopUsage(t.Context(), c, tenants.UsageFilter{})
			return err
		}},
		"ExportUsage": {everybody, func(c access.Caller) error { return a.ExportUsage(t.Context(), c, "", io.Discard) }},
		"ListPlans":   {everybody, func(c access.Caller) error { _, err := a.ListPlans(t.Context(), c); return err }},
		"SavePlan": {owner, func(c access.Caller) error {
			_, err := a.SavePlan(t.Context(), c, plan.Plan{Name: "basic"})
			return err
		}},
		"AssignPlan": {owner, func(c access.Caller) error { return a.AssignPlan(t.Context(), c, "acme", nil) }},
		"RemovePlan": {owner, func(c access.Caller) error {
			n++
			p := plan.Plan{Name: fmt.Sprintf("plan %d", n)}
			if _, err := a.SavePlan(t.Context(), access.Operator(), p); err != nil {
				return err
			}
			return a.RemovePlan(t.Context(), c, p.Name)
		}},
		"ListOperators": {support, func(c access.Caller) error { _, err := a.own.Staff.ListOperators(t.Context(), c); return err }},
		"ListOperatorLog": {support, func(c access.Caller) error {
			_, err := a.own.Staff.ListOperatorLog(t.Context(), c, staff.AuditFilter{})
			return err
		}},
		"InviteOperator": {owner, func(c access.Caller) error {
			n++
			in := staff.OperatorInput{Name: "New", Email: fmt.Sprintf("new%d@agency.example", n), Role: staff.OperatorViewer}
			_, _, err := a.own.Staff.InviteOperator(t.Context(), c, in)
			return err
		}},
		"UpdateOperator": {owner, func(c access.Caller) error {
			_, err := a.own.Staff.UpdateOperator(t.Context(), c, invited(), staff.OperatorSupport)
			return err
		}},
		"ResetOperator": {owner, func(c access.Caller) error {
			_, _, err := a.own.Staff.ResetOperator(t.Context(), c, invited())
			return err
		}},
		"RemoveOperator": {owner, func(c access.Caller) error { return a.own.Staff.RemoveOperator(t.Context(), c, invited()) }},
	}
}

// Every operation of operators is permitted to exactly its roles. Neither an owner of a shop nor a
// stranger can execute one, and each that changes something needs a recent proof.
func TestOperator_Permissions(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	callers := map[staff.OperatorRole]access.Caller{}
	for _, role := range staff.OperatorRoles() {
		callers[role] = a.operator(t, role, string(role))
	}
	in := staff.InviteInput{Name: "Karim", Email: new("karim@example.com"), Role: staff.RoleOwner}
	_, link, err := a.acme.Staff.InviteMember(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	karim, err := a.acme.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
	if err != nil {
		t.Fatal(err)
	}
	actions := a.operatorActions(t)
	for name, action := range actions {
		for role, caller := range callers {
			want := fault.CodeForbidden
			if slices.Contains(action.roles, role) {
				want = ""
			}
			if got := shoptest.ErrorCode(action.run(caller)); got != want {
				t.Errorf("%s as %s: got %q, want %q", name, role, got, want)
			}
		}
		for who, caller := range map[string]access.Caller{"an owner of a shop": {Session: karim.Token}, "nobody": {}} {
			if got := shoptest.ErrorCode(action.run(caller)); got != fault.CodeUnauthenticated {
				t.Errorf("%s as %s: got %q, want unauthenticated", name, who, got)
			}
		}
	}
	_, err = a.acme.Staff.Authorize(t.Context(), access.Caller{Session: karim.Token}, access.ToEnterShop)
	wantCode(t, err, fault.CodeForbidden) // also in the shop's own data
	_, err = a.own.Staff.Authorize(t.Context(), callers[staff.OperatorOwner], access.ToListOrders)
	wantCode(t, err, fault.CodeForbidden)
	for _, use := range []access.UseCase{access.ToFindSession, access.ToListOrders, access.ToListMembers} {
		_, err = a.acme.Staff.Authorize(t.Context(), callers[staff.OperatorOwner], use)
		wantCode(t, err, fault.CodeUnauthenticated) // the session of an operator opens no shop
	}
	a.clock.Advance(16 * time.Minute)
	for name, action := range actions {
		want := fault.CodeProofRequired
		if len(action.roles) == 3 || strings.HasPrefix(name, "List") {
			want = ""
		}
		if got := shoptest.ErrorCode(action.run(callers[staff.OperatorOwner])); got != want {
			t.Errorf("%s without a recent proof: got %q, want %q", name, got, want)
		}
	}
	a.clock.Advance(12 * time.Hour)
	_, err = a.ListShops(t.Context(), callers[staff.OperatorOwner], tenants.ShopFilter{})
	wantCode(t, err, fault.CodeUnauthenticated)
}

// The last owner stays, whether another owner, support or the command line would end that.
func TestOperator_LastOwner(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	a.operator(t, staff.OperatorOwner, "Shaila")
	_, err := a.own.Staff.UpdateOperator(t.Context(), access.Operator(), "shaila@agency.example", staff.OperatorViewer)
	wantCode(t, err, fault.CodeStateConflict)
	wantCode(t, a.own.Staff.RemoveOperator(t.Context(), access.Operator(), "shaila@agency.example"), fault.CodeStateConflict)
	for n := 1; ; n++ {
		in := staff.OperatorInput{Name: "New", Email: fmt.Sprintf("new%d@agency.example", n), Role: staff.OperatorViewer}
		_, _, err := a.own.Staff.InviteOperator(t.Context(), access.Operator(), in)
		if err == nil && n < 50 {
			continue
		}
		wantCode(t, err, fault.CodeStateConflict)
		if n != 50 {
			t.Errorf("got %d operators, want 50", n)
		}
		return
	}
}

// An operator in a shop does what an API key can do, as the operator, until the hour is over, the
// operator leaves, or the operator's own session ends.
func TestEnterShop(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	enter := func(as access.Caller) access.Caller {
		t.Helper()
		entered, err := a.EnterShop(t.Context(), as, "acme", "Ticket 481")
		if err != nil {
			t.Fatal(err)
		}
		return access.Caller{Session: entered.Token, Client: "192.0.2.7"}
	}
	for _, reason := range []string{"", " x ", strings.Repeat("x", 201)} {
		_, err := a.EnterShop(t.Context(), shaila, "acme", reason)
		wantCode(t, err, fault.CodeValidationFailed)
	}
	_, err := a.EnterShop(t.Context(), shaila, "none", "Ticket 481")
	wantCode(t, err, fault.CodeTenantNotFound)
	_, err = a.EnterShop(t.Context(), access.Operator(), "acme", "Ticket 481")
	wantCode(t, err, fault.CodeForbidden) // the command line has no session

	visit := enter(shaila)
	session, err := a.acme.Staff.FindSession(t.Context(), visit)
	if err != nil || session.Visit == nil || session.Visit.Operator != "Shaila" || session.Visit.Reason != "Ticket 481" ||
		!session.ExpiresAt.Equal(a.clock.Now().Add(time.Hour)) {
		t.Errorf("got the session %+v, %v, want Shaila's for an hour", session, err)
	}
	if _, err := a.acme.Orders.SaveCoupon(t.Context(), visit, order.CouponSpec{Code: "TEN", Kind: order.CouponPercentage,
		BasisPoints: new(int64(1000)), Active: true}); err != nil {
		t.Fatal(err)
	}
	limit := page.MaxLimit
	log, err := a.acme.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{Request: page.Request{Limit: &limit}})
	if err != nil || len(log.Nodes) != 2 {
		t.Fatalf("got the log %+v, %v, want two entries", log, err)
	}
	for i, action := range []string{"coupon.save", "shop.enter"} {
		if e := log.Nodes[i]; e.Action != action || e.Actor.Kind != access.ActorOperator || e.Actor.Name != "Shaila" || e.Via != staff.ViaDashboard {
			t.Errorf("got %+v, want %s by the operator Shaila", e, action)
		}
	}
	if changes := fmt.Sprint(log.Nodes[1].Changes); !strings.Contains(changes, "Ticket 481") || !strings.Contains(changes, "60") {
		t.Errorf("got the changes %s, want the reason and the minutes", changes)
	}
	for _, use := range access.UseCases() {
		_, err := a.acme.Staff.Authorize(t.Context(), visit, use)
		want := fault.CodeForbidden
		if p := use.Permission; p == access.Any || p == access.PricesRead || slices.Contains(staff.Scopes(), p) ||
			use == access.ToFindSession || use == access.ToEndSession {
			want = ""
		}
		if got := shoptest.ErrorCode(err); got != want {
			t.Errorf("%s in a shop: got %q, want %q", use, got, want)
		}
	}
	if visits, err := a.acme.Staff.ListVisits(t.Context(), access.Operator()); err != nil || len(visits) != 1 {
		t.Errorf("got the visits %+v, %v, want Shaila's", visits, err)
	}
	gone := func(as access.Caller, how string) {
		t.Helper()
		_, err := a.acme.Staff.FindSession(t.Context(), as)
		if !fault.HasCode(err, fault.CodeUnauthenticated) {
			t.Errorf("%s: got %v, want no session in the shop", how, err)
		}
	}
	if err := a.acme.Staff.EndSession(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	gone(visit, "after leaving")
	for how, end := range map[string]func(name string, as access.Caller) error{
		"after signing out": func(_ string, as access.Caller) error { return a.own.Staff.EndSession(t.Context(), as) },
		"after a reset": func(name string, _ access.Caller) error {
			_, _, err := a.own.Staff.ResetOperator(t.Context(), access.Operator(), name)
			return err
		},
		"after another role": func(name string, _ access.Caller) error {
			_, err := a.own.Staff.UpdateOperator(t.Context(), access.Operator(), name, staff.OperatorViewer)
			return err
		},
		"after the removal": func(name string, _ access.Caller) error {
			return a.own.Staff.RemoveOperator(t.Context(), access.Operator(), name)
		},
	} {
		name := strings.ReplaceAll(how, " ", "")
		caller := a.operator(t, staff.OperatorSupport, name)
		visit := enter(caller)
		if _, err := a.acme.Staff.FindSession(t.Context(), visit); err != nil {
			t.Fatal(err)
		}
		if err := end(name+"@agency.example", caller); err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		gone(visit, how)
	}
	late := enter(shaila)
	a.clock.Advance(time.Hour)
	gone(late, "after an hour")
}

// A suspension names the operator in the shop's log, and is separate from the shop's own closing.
func TestSuspendShop(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	wantCode(t, a.ResumeShop(t.Context(), shaila, "acme"), fault.CodeStateConflict)
	wantCode(t, a.SuspendShop(t.Context(), shaila, "acme", tenants.SuspendInput{}), fault.CodeValidationFailed)
	states := func(filter tenants.ShopFilter) (got string) {
		t.Helper()
		list, err := a.ListShops(t.Context(), shaila, filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range list.Nodes {
			got += row.UID + " " + string(row.State) + ";"
		}
		return got
	}
	if got := states(tenants.ShopFilter{}); got != "acme open;" {
		t.Errorf("got %s", got)
	}
	a.clock.Advance(time.Second) // by which the index sees another write in a database
	if err := a.SuspendShop(t.Context(), shaila, "acme", tenants.SuspendInput{Reason: "Unpaid since May"}); err != nil {
		t.Fatal(err)
	}
	_, err := a.Shop(t.Context(), "acme")
	wantCode(t, err, fault.CodeTenantSuspended)
	if got := states(tenants.ShopFilter{State: []tenants.ShopState{tenants.ShopSuspended}, Search: " SHOP ac"}); got != "acme suspended;" {
		t.Errorf("got %s, want the shop as suspended", got)
	}
	if got := states(tenants.ShopFilter{Search: "nothing"}); got != "" {
		t.Errorf("got %s, want none", got)
	}
	found, err := a.FindShop(t.Context(), shaila, "acme")
	if err != nil || found.Suspension == nil || found.Suspension.Reason != "Unpaid since May" || found.Bytes == nil && found.Place == tenants.InFiles {
		t.Errorf("got %+v, %v, want the reason and the size", found, err)
	}
	log, err := a.acme.Staff.ListAudit(t.Context(), access.Operator(), staff.AuditFilter{})
	if err != nil || log.Nodes[0].Action != "shop.suspend" || log.Nodes[0].Actor.Name != "Shaila" || log.Nodes[0].Actor.Kind != access.ActorOperator {
		t.Errorf("got the log %+v, %v, want the operator's suspension", log, err)
	}
	own, err := a.own.Staff.ListOperatorLog(t.Context(), shaila, staff.AuditFilter{})
	if err != nil || own.Nodes[0].Action != "shop.suspend" || own.Nodes[0].Subject.ID != "acme" {
		t.Errorf("got the log %+v, %v, want the suspension of acme", own, err)
	}
	if err := a.ResumeShop(t.Context(), shaila, "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Shop(t.Context(), "acme"); err != nil {
		t.Errorf("got %v, want an open shop", err)
	}
}
