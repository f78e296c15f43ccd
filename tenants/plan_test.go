package tenants_test

import (
	"maps"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/staff"
	"storefront/tenants"
)

func savePlan(t *testing.T, a *agency, caller access.Caller, name string, products int64) *tenants.ServerPlan {
	t.Helper()
	p := plan.Plan{Name: name}
	p.Limits.Set(plan.Products, products)
	saved, err := a.SavePlan(t.Context(), caller, p)
	if err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second) // it reads the index; PostgreSQL has the times of the clock
	return saved
}

// productLimit returns the plan and the limit of products that a shop has.
func productLimit(t *testing.T, a *agency, uid string) (name string, limit int64) {
	t.Helper()
	s, err := a.FindIncludingSuspended(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if set.Plan == nil {
		return "", 0
	}
	return set.Plan.Name, *set.Plan.Limits.Products
}

// A plan is assigned to many shops, and its later limits reach them, also those that a crash left
// with the earlier ones. It is not removed while shops have it.
func TestPlan_AssignAndPush(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	create(t, a.Tenants, "maple")
	create(t, a.Tenants, "other")
	shaila, tanvir := a.operator(t, staff.OperatorOwner, "Shaila"), a.operator(t, staff.OperatorSupport, "Tanvir")
	savePlan(t, a, shaila, "basic", 5)
	savePlan(t, a, shaila, "pro", 50)
	in := tenants.ShopsChange{Action: tenants.AssignPlans, Shops: []string{"acme", "maple"}, Plan: new("basic")}
	_, err := a.ChangeShops(t.Context(), tanvir, in)
	wantCode(t, err, fault.CodeForbidden)
	in.Plan = new("none")
	_, err = a.ChangeShops(t.Context(), shaila, in)
	wantCode(t, err, fault.CodeValidationFailed)
	in.Plan = new("basic")
	for _, want := range []bool{true, false} {
		a.clock.Advance(time.Second)
		done, err := a.ChangeShops(t.Context(), shaila, in)
		if err != nil || !done.Results[0].OK || done.Results[0].Changed != want || done.Results[1].Changed != want {
			t.Fatalf("got %+v, %v, want changed %t", done, err, want)
		}
	}
	if err := a.AssignPlan(t.Context(), shaila, "other", new("pro")); err != nil {
		t.Fatal(err)
	}
	if saved := savePlan(t, a, shaila, "basic", 7); saved.Shops != 2 {
		t.Errorf("got %d shops, want 2", saved.Shops)
	}
	if _, n := productLimit(t, a, "acme"); n != 5 {
		t.Errorf("before the push: got %d, want 5", n)
	}
	pushed := 0
	for _, want := range []int{2, 0} { // nothing is left
		pushed = 0
		a.clock.Advance(time.Second)
		if err := a.PushCopies(t.Context(), func(_, total int) { pushed = total }); err != nil || pushed != want {
			t.Errorf("push: got %d, %v, want %d", pushed, err, want)
		}
	}
	for uid, want := range map[string]int64{"acme": 7, "maple": 7, "other": 50} {
		if name, n := productLimit(t, a, uid); n != want {
			t.Errorf("%s: got %s with %d, want %d", uid, name, n, want)
		}
	}
	wantCode(t, a.RemovePlan(t.Context(), shaila, "basic"), fault.CodeInUse)
	in.Plan = nil
	if _, err := a.ChangeShops(t.Context(), shaila, in); err != nil {
		t.Fatal(err)
	}
	if name, _ := productLimit(t, a, "acme"); name != "" {
		t.Errorf("got the plan %s, want none", name)
	}
	a.clock.Advance(time.Second)
	if err := a.RemovePlan(t.Context(), shaila, "basic"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, a.RemovePlan(t.Context(), shaila, "basic"), fault.CodeNotFound)
	list, err := a.ListPlans(t.Context(), tanvir)
	if err != nil || len(list) != 1 || list[0].Name != "pro" || list[0].Shops != 1 {
		t.Errorf("got %+v, %v, want pro with one shop", list, err)
	}
}

// The list of shops shows and filters plans, and the shops that come close to a limit.
func TestPlan_InList(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	create(t, a.Tenants, "maple")
	shaila := a.operator(t, staff.OperatorOwner, "Shaila")
	p := plan.Plan{Name: "basic", OwnHost: new(false)}
	p.Limits.Set(plan.Staff, 1)
	if _, err := a.SavePlan(t.Context(), shaila, p); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	if err := a.AssignPlan(t.Context(), shaila, "acme", &p.Name); err != nil {
		t.Fatal(err)
	}
	if set, err := a.acme.Settings(t.Context()); err != nil || set.Plan == nil || set.Plan.OwnHost == nil || *set.Plan.OwnHost {
		t.Errorf("got the plan %+v, %v, want it without the dashboard at the shop's hosts", set.Plan, err)
	}
	a.clock.Advance(time.Second)
	count := func(filter tenants.ShopFilter) int {
		t.Helper()
		list, err := a.ListShops(t.Context(), shaila, filter)
		if err != nil {
			t.Fatal(err)
		}
		return list.Meta.TotalCount
	}
	if n, without := count(tenants.ShopFilter{Plan: []string{"basic"}}), count(tenants.ShopFilter{Plan: []string{"-"}}); n != 1 || without != 1 {
		t.Errorf("got %d with and %d without a plan, want 1 each", n, without)
	}
	if n := count(tenants.ShopFilter{Near: true}); n != 0 {
		t.Errorf("got %d close to a limit, want none", n)
	}
	in := staff.InviteInput{Name: "Rina", Email: new("rina@example.com"), Role: staff.RoleStaff}
	if _, _, err := a.acme.Staff.InviteMember(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	if _, err := a.acme.WarnOfPlan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.FindShop(t.Context(), shaila, "acme"); err != nil { // reads the list again
		t.Fatal(err)
	}
	list, err := a.ListShops(t.Context(), shaila, tenants.ShopFilter{Near: true})
	if err != nil || len(list.Nodes) != 1 || list.Nodes[0].UID != "acme" || list.Nodes[0].PlanPercent != 100 {
		t.Errorf("got %+v, %v, want acme at 100 per cent", list, err)
	}
	if near := a.PlanStats()["basic"].Near; !maps.Equal(near, map[int]int{100: 1}) {
		t.Errorf("got the shops %v near a limit by per cent, want one at 100", near)
	}
	a.clock.Advance(31 * 24 * time.Hour)
	if percent, err := a.acme.PlanPercent(t.Context()); err != nil || percent != 0 {
		t.Errorf("in the next month: got %d, %v, want 0", percent, err)
	}
}

// A new shop has its plan from the beginning, if the operator may assign it.
func TestPlan_NewShop(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	shaila, tanvir := a.operator(t, staff.OperatorOwner, "Shaila"), a.operator(t, staff.OperatorSupport, "Tanvir")
	savePlan(t, a, shaila, "basic", 5)
	in := tenants.NewShopInput{
		UID: "rina", Name: "Rina", Currency: "BDT", Country: "BD", Language: staff.Bangla,
		Owner: tenants.NewOwner{Name: "Rina", User: "01711-000000"}, Plan: new("basic"),
	}
	_, err := a.CreateShop(t.Context(), tanvir, in)
	wantCode(t, err, fault.CodeForbidden)
	if _, err := a.CreateShop(t.Context(), shaila, in); err != nil {
		t.Fatal(err)
	}
	if name, n := productLimit(t, a, "rina"); name != "basic" || n != 5 {
		t.Errorf("got %s with %d, want basic with 5", name, n)
	}
}
