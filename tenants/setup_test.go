package tenants_test

import (
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

func setupInput(token string) tenants.SetupInput {
	return tenants.SetupInput{
		Token: token, Shop: tenants.SetupShop{Name: "Rina's Sarees", Currency: "BDT", Country: "BD", Language: staff.Bangla},
		Owner: staff.FirstOwner{Name: "Rina Akter", User: "01711-000000", Password: shoptest.Password},
	}
}

// Of two people who use the set-up link at once, one creates the shop; then the link is void.
func TestSetUp(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	all := open(t, "", func(cfg *tenants.Config) { cfg.Now = clock.Now })
	token, err := all.NewSetupToken(t.Context())
	if err != nil || len(token) != 43 {
		t.Fatalf("got token %q, %v", token, err)
	}
	if needed, err := all.SetupNeeded(t.Context()); err != nil || !needed {
		t.Errorf("got needed %v, %v, want true", needed, err)
	}
	_, _, err = all.SetUp(t.Context(), access.Caller{}, setupInput("x"))
	wantCode(t, err, fault.CodeLinkInvalid)
	weak := setupInput(token)
	weak.Owner.Password = "password"
	_, _, err = all.SetUp(t.Context(), access.Caller{}, weak)
	wantCode(t, err, fault.CodePasswordRejected)

	var running sync.WaitGroup
	var sessions [2]*staff.SignedIn
	var errs [2]error
	for i := range sessions {
		running.Go(func() { _, sessions[i], errs[i] = all.SetUp(t.Context(), access.Caller{}, setupInput(token)) })
	}
	running.Wait()
	first := 0
	if errs[0] != nil {
		first = 1
	}
	if errs[first] != nil {
		t.Fatal(errs[first])
	}
	wantCode(t, errs[1-first], fault.CodeShopExists)
	s := find(t, all, "rina-s-sarees")
	session, err := s.Staff.FindSession(t.Context(), access.Caller{Session: sessions[first].Token})
	if err != nil || session.Member.Role != staff.RoleOwner ||
		*session.Member.PhoneNumber != "+8801711000000" || session.Member.Language != staff.Bangla {
		t.Errorf("got %+v, %v, want the owner's session", session, err)
	}
	if settings, err := s.Settings(t.Context()); err != nil || settings.Locale != "bn-BD" || settings.Name != "Rina's Sarees" {
		t.Errorf("got settings %+v, %v", settings, err)
	}
	if needed, err := all.SetupNeeded(t.Context()); err != nil || needed {
		t.Errorf("got needed %v, %v, want false", needed, err)
	}
	if token, err := all.NewSetupToken(t.Context()); err != nil || token != "" {
		t.Errorf("with a shop: got token %q, %v, want none", token, err)
	}
	// The link stays void when the shop is deleted.
	if err := all.Delete(t.Context(), "rina-s-sarees"); err != nil {
		t.Fatal(err)
	}
	_, _, err = all.SetUp(t.Context(), access.Caller{}, setupInput(token))
	wantCode(t, err, fault.CodeShopExists)
}

func TestSetUp_Expired(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	all := open(t, "", func(cfg *tenants.Config) { cfg.Now = clock.Now })
	token, err := all.NewSetupToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(24*time.Hour - time.Second)
	if needed, err := all.SetupNeeded(t.Context()); err != nil || !needed {
		t.Errorf("a second before it expires: got needed %v, %v, want true", needed, err)
	}
	clock.Advance(time.Second)
	_, _, err = all.SetUp(t.Context(), access.Caller{}, setupInput(token))
	wantCode(t, err, fault.CodeLinkInvalid)
}

// The demo link signs in any number of times, to the demo shop alone.
func TestDemoLink(t *testing.T) {
	t.Parallel()
	token := staff.NewToken()
	all := open(t, "", func(cfg *tenants.Config) { cfg.DemoShop, cfg.DemoLink = "demo", token })
	demo, other := create(t, all, "demo"), create(t, all, "other")
	for range 2 {
		if err := demo.Staff.PrepareDemo(t.Context(), access.Operator(), staff.InviteInput{Name: "Demo", Email: new("owner@demo.example")}); err != nil {
			t.Fatal(err)
		}
		session, err := demo.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := demo.Staff.ListMembers(t.Context(), access.Caller{Session: session.Token}); err != nil {
			t.Error(err)
		}
	}
	_, err := other.Staff.InspectLink(t.Context(), access.Caller{}, token)
	wantCode(t, err, fault.CodeLinkInvalid)
}
