package shop_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

func setPlan(t *testing.T, a *shoptest.Accounts, soft []plan.Limit, limits map[plan.Limit]int64) {
	t.Helper()
	p := &plan.Plan{Name: "basic", Revision: 1, Soft: soft}
	for limit, n := range limits {
		p.Limits.Set(limit, n)
	}
	if _, err := a.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
}

// Two products at the last place of the plan: exactly one is created. An import that would exceed
// the plan creates none, and a soft limit refuses nothing.
func TestPlan_Products(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	create := func(title string) error {
		_, err := a.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Title: title, Variants: []catalogue.VariantInput{{Price: 100}},
		})
		return err
	}
	setPlan(t, a, nil, map[plan.Limit]int64{plan.Products: 3})
	for _, title := range []string{"A", "B"} {
		if err := create(title); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = create("C") })
	}
	wg.Wait()
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
			continue
		}
		shoptest.WantCode(t, err, fault.CodePlanLimit)
		if d := shop.AsError(err).Details; d["limit"] != plan.Products || d["used"] != int64(3) || d["max"] != int64(3) || d["plan"] != "basic" {
			t.Errorf("got the details %v", d)
		}
	}
	if n := a.Number(t, `SELECT COUNT(*) FROM products`); created != 1 || n != 3 {
		t.Errorf("got %d created and %d products, want 1 and 3", created, n)
	}
	setPlan(t, a, []plan.Limit{plan.Products}, map[plan.Limit]int64{plan.Products: 1})
	if err := create("D"); err != nil {
		t.Errorf("soft: got %v", err)
	}
	setPlan(t, a, nil, map[plan.Limit]int64{plan.Products: 1})
	shoptest.WantCode(t, create("E"), fault.CodePlanLimit)
	if _, err := a.SetPlan(t.Context(), access.Operator(), nil); err != nil {
		t.Fatal(err)
	}
	if err := create("E"); err != nil {
		t.Errorf("without a plan: got %v", err)
	}
}

// Open invitations count, and so does a member who is invited again. Who is turned off does not.
func TestPlan_Staff(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	invite := func(name string) error {
		_, _, err := a.Staff.InviteMember(t.Context(), access.Operator(), staff.InviteInput{
			Name: name, Email: new(name + "@example.com"), Role: staff.RoleStaff,
		})
		return err
	}
	setPlan(t, a, nil, map[plan.Limit]int64{plan.Staff: 2})
	for _, name := range []string{"rina", "karim"} {
		if err := invite(name); err != nil {
			t.Fatal(err)
		}
	}
	shoptest.WantCode(t, invite("mina"), fault.CodePlanLimit)
	if _, err := a.Staff.TurnOffMember(t.Context(), access.Operator(), "karim@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := invite("mina"); err != nil {
		t.Fatal(err)
	}
	_, _, err := a.Staff.CreateLink(t.Context(), access.Operator(), "karim@example.com")
	shoptest.WantCode(t, err, fault.CodePlanLimit)
	if _, _, err := a.Staff.CreateLink(t.Context(), access.Operator(), "rina@example.com"); err != nil {
		t.Errorf("another link of an invited member: got %v", err)
	}
}

// Staff change domains within the plan, and never the plan.
func TestPlan_DomainsAndOwner(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	owner := a.StaffCaller(t, staff.RoleOwner)
	set := func(caller access.Caller, name string, value any) error {
		return a.SetSettings(t.Context(), caller, shoptest.Raw(t, map[string]any{name: value}))
	}
	setPlan(t, a, nil, map[plan.Limit]int64{plan.Domains: 1})
	if err := set(owner, "domains", []string{"a.example.com"}); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, set(owner, "domains", []string{"a.example.com", "b.example.com"}), fault.CodePlanLimit)
	if err := set(owner, "domains", []string{"c.example.com"}); err != nil {
		t.Errorf("another domain: got %v", err)
	}
	shoptest.WantCode(t, set(owner, "plan", nil), fault.CodeForbidden)
	shoptest.WantCode(t, set(owner, "plan", map[string]any{"name": "x", "limits": map[string]any{}}), fault.CodeForbidden)
	_, err := a.SetPlan(t.Context(), owner, nil)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	for _, limits := range []map[string]any{{"products": -1}, {"staff": 0}, {"soft": 1}} {
		if err := set(access.Operator(), "plan", map[string]any{"name": "x", "limits": limits}); err == nil {
			t.Errorf("got no error for %v", limits)
		}
	}
	shoptest.WantCode(t, set(access.Operator(), "plan", map[string]any{"name": "x", "soft": []string{"orders"}}), fault.CodeValidationFailed)
}

// At the plan's orders buyers order on. The shop is warned once at 80 and once at 100 per cent a
// month.
func TestPlan_OrdersAreNeverLost(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	p := &plan.Plan{Name: "basic", Revision: 1}
	p.Limits.Set(plan.Orders, 5)
	if _, err := s.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	warnings := func() int64 {
		return shoptest.Number(t, s.Store, s.UID(), `SELECT COUNT(*) FROM outbox WHERE type = 'plan.warning'`)
	}
	var got []int64
	for i := range 7 {
		in := shoptest.GuestOrder(s.Card.ID, 1)
		in.Customer.PhoneNumber = new(fmt.Sprintf("0171100000%d", i))
		if _, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, ""); err != nil {
			t.Fatalf("order %d: %v", i+1, err)
		}
		for range 2 {
			if _, err := s.WarnOfPlan(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, warnings())
	}
	for i, want := range []int64{0, 0, 0, 1, 2, 2, 2} {
		if got[i] != want {
			t.Fatalf("got the warnings %v after each order, want one after the fourth and one after the fifth", got)
		}
	}
	found, err := s.FindPlan(t.Context(), access.Operator())
	if err != nil || len(found.Uses) != 1 || found.Uses[0].Used != 7 || found.Uses[0].Max != 5 || !found.Uses[0].Soft {
		t.Errorf("got %+v, %v, want 7 of 5 orders", found, err)
	}
	percent, err := s.PlanPercent(t.Context())
	if err != nil || percent != 100 {
		t.Errorf("got %d, %v, want 100", percent, err)
	}
}

// An import that would exceed the plan creates nothing.
func TestPlan_Import(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	setPlan(t, a, nil, map[plan.Limit]int64{plan.Products: 2})
	const file = "Handle,Title,Variant Price\na,A,1\nb,B,1\nc,C,1\n"
	_, err := a.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file), catalogue.ImportOptions{})
	shoptest.WantCode(t, err, fault.CodePlanLimit)
	if n := a.Number(t, `SELECT COUNT(*) FROM products`); n != 0 {
		t.Errorf("got %d products, want none", n)
	}
	_, err = a.Catalogue.ImportProducts(t.Context(), access.Operator(), strings.NewReader(file[:len(file)-len("c,C,1\n")]), catalogue.ImportOptions{})
	if err != nil {
		t.Errorf("within the plan: got %v", err)
	}
}
