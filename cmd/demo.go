package cmd

import (
	"context"
	"encoding/json"
	"fmt"

	"storefront/provider/simulator"
	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/demo"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/staff"
	"storefront/tenants"
)

// demoUID is the UID of the shop that serve --dev creates.
const demoUID = "demo"

// startDemo prepares the demo shop of --dev, which hosts of no shop show. Without --dev it does
// nothing.
func (f serveFlags) startDemo(
	ctx context.Context, t *tenants.Tenants, in listeners, sim *simulator.Simulator, cfg *server.Config, info *serverInfo,
) (stop func(), err error) {
	if !f.dev {
		return func() {}, nil
	}
	if info.Demo, err = prepareDemo(ctx, t); err != nil {
		return nil, err
	}
	if err := configureDemo(ctx, t); err != nil {
		return nil, err
	}
	if err := restoreProviders(ctx, t, sim); err != nil {
		return nil, err
	}
	if err := prepareDemoOwner(ctx, t); err != nil {
		return nil, err
	}
	stop, err = serveMessagesPage(t.MessagesPage(), f.developmentAddress(in, 1), cfg.Logger, info)
	if err != nil {
		return nil, err
	}
	cfg.ExampleTenant = demoUID
	return stop, nil
}

// prepareDemo creates the demo shop if it is missing and returns a product of it that can be
// ordered.
func prepareDemo(ctx context.Context, t *tenants.Tenants) (*demoCart, error) {
	s, err := t.FindIncludingSuspended(ctx, demoUID)
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		s, err = createDemo(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	one := 1
	page, err := s.Catalogue.FindProducts(ctx, catalogue.ProductFilter{Request: page.Request{Limit: &one}})
	if err != nil {
		return nil, err
	}
	if page.Meta.TotalCount == 0 { // new, or an earlier start was interrupted
		if _, err := demo.Seed(ctx, s, access.Operator(), true); err != nil {
			return nil, fmt.Errorf("seed demo shop: %w", err)
		}
	}
	return findDemoCart(ctx, s)
}

// prepareDemoOwner creates the staff member that the demo link signs in as.
func prepareDemoOwner(ctx context.Context, t *tenants.Tenants) error {
	s, err := t.FindIncludingSuspended(ctx, demoUID)
	if err != nil {
		return err
	}
	owner := staff.InviteInput{Name: "Demo owner", Email: new("owner@demo.example")}
	if err := s.Staff.PrepareDemo(ctx, access.Operator(), owner); err != nil {
		return fmt.Errorf("create demo owner: %w", err)
	}
	return nil
}

func createDemo(ctx context.Context, t *tenants.Tenants) (*shop.Shop, error) {
	var settings map[string]json.RawMessage
	if err := json.Unmarshal(demo.Settings(), &settings); err != nil {
		return nil, fmt.Errorf("parse demo settings: %w", err)
	}
	// A developer signs in more often in a day than any customer.
	limits, err := json.Marshal(account.Limits{
		CodesPerPhoneAndClient: 1000, CodesPerPhone: 1000, CodesPerClient: 1000,
		WrongCodes: 10_000, WrongCodesPerClient: 1000, WrongPasswordsPerClient: 10_000,
	})
	if err != nil {
		return nil, fmt.Errorf("encode demo limits: %w", err)
	}
	settings["limits"] = limits
	for _, name := range []string{"openOrdersPerPhone", "openOrdersPerClient"} { // and orders as often
		settings[name] = json.RawMessage("1000")
	}
	return t.Create(ctx, demoUID, settings)
}

// demoCart identifies a variant of the demo shop that can be ordered. The IDs are "" if no variant
// is in stock.
type demoCart struct {
	UID       string `json:"uid"`
	ProductID string `json:"productId"`
	VariantID string `json:"variantId"`
}

// findDemoCart returns the first variant in stock. The shop may have been emptied after its
// creation.
func findDemoCart(ctx context.Context, s *shop.Shop) (*demoCart, error) {
	cart := &demoCart{UID: s.UID()}
	inStock := true
	page, err := s.Catalogue.FindProducts(ctx, catalogue.ProductFilter{InStock: &inStock})
	if err != nil {
		return nil, err
	}
	for _, p := range page.Nodes {
		for _, v := range p.Variants {
			if v.Available {
				cart.ProductID, cart.VariantID = p.ID, v.ID
				return cart, nil
			}
		}
	}
	return cart, nil
}

// commands returns shell commands that call the API at a base URL.
func (c *demoCart) commands(base string) []string {
	lines := []string{
		fmt.Sprintf("curl -H 'x-tenant: %s' '%s/api/v1/products?limit=3&search=panjabi'", c.UID, base),
		fmt.Sprintf("curl -H 'x-tenant: %s' -H 'Content-Type: application/json' %s/graphql -d '%s'", c.UID, base,
			`{"query":"{ products(limit: 3, onSale: true) { nodes { title price { formatted } } } }"}`),
	}
	if c.VariantID != "" {
		lines = append(lines, fmt.Sprintf("curl -H 'x-tenant: %s' -H 'Content-Type: application/json' %s/api/v1/orders -d '%s'", c.UID, base, c.order()))
	}
	return lines
}

func (c *demoCart) order() string {
	return `{"items":[{"productId":"` + c.ProductID + `","variantId":"` + c.VariantID + `","quantity":1}],` +
		`"customer":{"name":"Rahima Khatun","phoneNumber":"01711-000000"},` +
		`"shippingAddress":{"line1":"House 12, Road 5","area":"Dhaka","city":"Dhaka"}}`
}
