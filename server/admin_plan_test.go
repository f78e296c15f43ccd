package server_test

import (
	"net/http"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// A plan with fewer calls a second lowers the limit of each key and session of its shop.
func TestAdmin_PlanRate(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	s := newAdminSite(t, func(cfg *server.Config) { cfg.Rate, cfg.Burst, cfg.Now = 1000, 1000, clock.Now })
	p := &plan.Plan{Name: "basic"}
	p.Limits.Set(plan.CallsPerSecond, 2)
	if _, err := s.shop.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	key := s.key(t)
	const path = "/admin/v1/shops/test/counts/orders"
	calls := func(want int) {
		t.Helper()
		for i := range want {
			if got := s.get(path, "Authorization", key); got.status != http.StatusOK {
				t.Fatalf("call %d: got %d: %s", i+1, got.status, got.body)
			}
		}
		s.get(path, "Authorization", key).problem(http.StatusTooManyRequests, fault.CodeRateLimited)
	}
	calls(10)
	clock.Advance(time.Second)
	calls(2)
	if got := s.get(path, "Cookie", s.session(t, staff.RoleOwner)); got.status != http.StatusOK {
		t.Errorf("another caller: got %d", got.status)
	}
}

// An exceeded plan is a refusal with a code of its own.
func TestAdmin_PlanLimit(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	mug, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := staff.InviteInput{Name: "Karim", Email: new("karim@example.com"), Role: staff.RoleStaff}
	karim, _, err := s.shop.Staff.InviteMember(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.shop.Staff.TurnOffMember(t.Context(), access.Operator(), karim.ID); err != nil {
		t.Fatal(err)
	}
	owner := s.session(t, staff.RoleOwner)
	p := &plan.Plan{Name: "basic"}
	for _, limit := range []plan.Limit{plan.Products, plan.Domains, plan.ImageBytes} {
		p.Limits.Set(limit, 0)
	}
	p.Limits.Set(plan.Staff, 1)
	if _, err := s.shop.SetPlan(t.Context(), access.Operator(), p); err != nil {
		t.Fatal(err)
	}
	const csv = "text/csv"
	for _, r := range []struct{ method, path, kind, body string }{
		{"POST", "products", "application/json", `{"title":"Cup","variants":[{"price":100}]}`},
		{"POST", "products/" + mug.ID + "/duplicate", "application/json", `{}`},
		{"POST", "imports/products", csv, "Handle,Title,Variant Price\nc,C,1\n"},
		{"POST", "staff", "application/json", `{"name":"Rina","email":"rina@example.com","role":"staff"}`},
		{"POST", "staff/" + karim.ID + "/link", "application/json", `{}`},
		{"PATCH", "settings", "application/json", `{"domains":["shop.example.com"]}`},
	} {
		got := s.send(r.method, "/admin/v1/shops/test/"+r.path, r.body, "Cookie", owner, "Content-Type", r.kind, "X-Tenant", "",
			"Sec-Fetch-Site", "same-origin")
		got.wantCode(r.method+" "+r.path, fault.CodePlanLimit)
	}
	key := []string{"Authorization", s.key(t, "products.write")}
	wantProblem(t, s.upload("", shoptest.PNG(t, 500, 10, 1), key...), http.StatusConflict, fault.CodePlanLimit)
}

// A setting that the operator has locked for all shops is a refusal with a code of its own.
func TestAdmin_SettingLocked(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	owner := s.session(t, staff.RoleOwner)
	d := &shop.Defaults{
		SMS: true, Mail: true, Design: &design.Theme{Design: design.Haat}, Locked: shop.DefaultKeys(),
		Policies: []shop.DefaultPolicy{{Slug: "terms", Eng: shop.DefaultText{Title: "Terms"}}},
	}
	if err := s.shop.RenewDefaults(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ method, path, body string }{
		{"PUT", "sms", `{"preset":"bulksmsbd","params":{"apiKey":"k","sender":"8809600000000"}}`},
		{"PUT", "mail", `{"host":"smtp.example.com","from":"o@example.com","username":"o","password":"p"}`},
		{"PUT", "design", `{"design":"alo","tokens":{},"templates":{}}`},
		{"PATCH", "settings", `{"legalPolicies":[{"slug":"terms","title":"Ours","bodyHtml":""}]}`},
	} {
		got := s.send(r.method, "/admin/v1/shops/test/"+r.path, r.body, "Cookie", owner, "Content-Type", "application/json", "X-Tenant", "",
			"Sec-Fetch-Site", "same-origin")
		got.wantCode(r.method+" "+r.path, fault.CodeSettingLocked)
	}
	got := s.send("PATCH", "/admin/v1/shops/test/settings", `{"defaults":null}`, "Cookie", owner, "Content-Type", "application/json", "X-Tenant", "",
		"Sec-Fetch-Site", "same-origin")
	got.wantCode("the defaults themselves", fault.CodeForbidden)
}
