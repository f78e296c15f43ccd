package tenants_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/tenants"
)

// newSandboxAgency is a server with the shop acme, which has an owner, a buyer, a counted and an
// uncounted product, a webhook endpoint and a gateway of text messages.
func newSandboxAgency(t *testing.T) *agency {
	t.Helper()
	a := &agency{clock: shoptest.NewClock()}
	a.Tenants = open(t, "", func(cfg *tenants.Config) {
		cfg.Now, cfg.PrivateProviders, cfg.InventOrders = a.clock.Now, true, demo.InventOrders
	})
	var err error
	if a.own, err = a.CreateInstallation(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.acme = create(t, a.Tenants, "acme")
	if _, _, err := a.acme.Staff.InviteMember(t.Context(), access.Operator(),
		staff.InviteInput{Name: "Rina Akter", Email: new("rina@example.com"), Role: staff.RoleOwner}); err != nil {
		t.Fatal(err)
	}
	for i, tracked := range []bool{true, false} {
		product, err := a.acme.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Handle: fmt.Sprintf("mug-%d", i), Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: tracked}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if tracked {
			continue
		}
		in := shoptest.GuestOrder(product.ID, 1)
		in.Customer = &order.CustomerInput{Name: new("Zebunnesa Quader"), PhoneNumber: new("01819-876543")}
		if _, err := a.acme.Orders.PlaceOrder(t.Context(), access.Caller{}, in, ""); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// A sandbox has the shop's catalogue, invented buyers and a key of its own, and nothing of the
// shop's buyers. It is replaced by a new one, and another shop never.
func TestSandbox(t *testing.T) {
	t.Parallel()
	a, ctx := newSandboxAgency(t), t.Context()
	shaila := a.operator(t, staff.OperatorSupport, "Shaila")
	var before string
	for range 2 {
		a.clock.Advance(1e9)
		made, err := a.CreateSandbox(ctx, shaila, "acme")
		if err != nil || made.UID != "acme-sandbox" || made.Orders < 100 || made.Owner.Name != "Rina Akter" || made.Link == nil || made.Key == before {
			t.Fatalf("got %+v, %v", made, err)
		}
		before = made.Key
		s, err := a.FindIncludingSuspended(ctx, "acme-sandbox")
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.Orders.ListOrderRows(ctx, access.Caller{Bearer: made.Key}, order.ListFilter{Search: "Zebunnesa"})
		if err != nil || len(list.Nodes) != 0 {
			t.Errorf("got %d orders, %v, want none of a real buyer", len(list.Nodes), err)
		}
		_, err = a.acme.Orders.ListOrderRows(ctx, access.Caller{Bearer: made.Key}, order.ListFilter{})
		wantCode(t, err, fault.CodeUnauthenticated)
		if p, err := s.Catalogue.FindProductByHandle(ctx, "mug-0"); err != nil || p.Title != "Mug" {
			t.Errorf("got %+v, %v", p, err)
		}
		_, err = s.SetMode(ctx, access.Operator(), plugin.Live)
		wantCode(t, err, fault.CodeValidationFailed)
		err = s.SetSettings(ctx, access.Operator(), shoptest.Raw(t, map[string]any{"sandboxOf": "", "activeMode": "live"}))
		wantCode(t, err, fault.CodeForbidden)
	}
	_, err := a.CreateSandbox(ctx, shaila, "acme-sandbox")
	wantCode(t, err, fault.CodeStateConflict)
	create(t, a.Tenants, "maple-sandbox")
	create(t, a.Tenants, "maple")
	a.clock.Advance(1e9)
	_, err = a.CreateSandbox(ctx, shaila, "maple")
	wantCode(t, err, fault.CodeShopExists)
	create(t, a.Tenants, strings.Repeat("a", 38))
	_, err = a.CreateSandbox(ctx, shaila, strings.Repeat("a", 38))
	wantCode(t, err, fault.CodeValidationFailed)
}

// A sandbox sends no message: neither by the gateway of the installation nor by one of its own,
// which it cannot have.
func TestSandbox_NoMessages(t *testing.T) {
	t.Parallel()
	a, ctx := newSandboxAgency(t), t.Context()
	gateway, requests := defaultGateway(t)
	if _, err := a.SetDefaultSMS(ctx, access.Operator(), gateway); err != nil {
		t.Fatal(err)
	}
	a.push(t)
	if _, err := a.MakeSandbox(ctx, access.Operator(), "acme"); err != nil {
		t.Fatal(err)
	}
	a.push(t)
	s, err := a.FindIncludingSuspended(ctx, "acme-sandbox")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Accounts.SendOTP(ctx, access.Caller{}, account.SendOTPInput{PhoneNumber: "01711-000000"})
	wantCode(t, err, fault.CodeSMSUnavailable)
	own, _ := ownGateway(t)
	_, err = tenants.ConfigureSMS(ctx, s, access.Operator(), own)
	wantCode(t, err, fault.CodeSettingLocked)
	if got := inherited(t, s); len(got) != 0 || requests.Load() != 0 {
		t.Errorf("got %v inherited and %d messages, want none", got, requests.Load())
	}
}

// A sandbox that was made in part, without its orders, is made completely by repeating.
func TestSandbox_Repeated(t *testing.T) {
	t.Parallel()
	fails := true
	all := open(t, "", func(cfg *tenants.Config) {
		cfg.InventOrders = func(ctx context.Context, s *shop.Shop, caller access.Caller) (int, error) {
			if fails {
				return 0, context.Canceled
			}
			return demo.InventOrders(ctx, s, caller)
		}
	})
	s := create(t, all, "acme")
	_, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Handle: "mug", Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.MakeSandbox(t.Context(), access.Operator(), "acme"); err == nil {
		t.Fatal("got no error")
	}
	fails = false
	if made, err := all.MakeSandbox(t.Context(), access.Operator(), "acme"); err != nil || made.Orders < 100 || made.Key == "" {
		t.Errorf("got %+v, %v, want the whole made", made, err)
	}
}
