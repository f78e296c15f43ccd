package server

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/fault"
)

// identify finds the tenant and the caller of a request, before every operation.
func (s *Server) identify(x *exchange, r *http.Request) error {
	if !x.identified {
		x.identified, x.identity = true, s.findIdentity(x, r)
	}
	return x.identity
}

func (s *Server) findIdentity(x *exchange, r *http.Request) error {
	var err error
	if x.shop, err = s.findShop(&x.deadline, r); err != nil {
		return err
	}
	x.caller = callerOf(r, s.cfg.TrustedProxies)
	if err := allowTenantOrigins(x, r); err != nil {
		return err
	}
	client, err := forwardedClient(&x.deadline, x.shop, r)
	if err != nil {
		if limited := x.Charge(1); limited != nil { // somebody guesses API keys
			return limited
		}
		return err
	}
	if client != "" {
		x.forwarder, x.caller.Client = x.caller.Client, client
	}
	return nil
}

func (s *Server) findShop(ctx context.Context, r *http.Request) (*shop.Shop, error) {
	uids := r.Header["X-Tenant"]
	switch {
	case len(uids) == 0, len(uids) == 1 && uids[0] == "":
		return nil, &fault.Error{Code: fault.CodeTenantRequired, Message: "Send the shop's UID in the x-tenant header."}
	case len(uids) > 1:
		return nil, &fault.Error{Code: fault.CodeTenantNotFound, Message: "Send one x-tenant header."}
	}
	return s.cfg.Tenants.Shop(ctx, uids[0])
}

func (s *Server) registerTenant() {
	registerCatalogue(s, operation{
		id: "getTenant", path: "/api/v1/tenant", tag: tagStore,
		summary: "The shop's public settings",
		description: "Returns the data for a storefront: name, delivery charges, support contact, " +
			"legal policies, social links.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
	}) (*shop.StoreFront, error) {
		return in.x.shop.StoreFront(ctx, in.Lang)
	}))

	registerCatalogue(s, operation{
		id: "listDistricts", path: "/api/v1/districts", tag: tagStore,
		summary: "The districts of the shop's country",
		description: "Returns the districts that delivery charges recognize in shippingAddress.city, for a list in a checkout, with their " +
			"Bangla names and other spellings. Other cities are accepted too: the buyer then chooses a delivery charge.",
	}, readRecord(func(ctx context.Context, in *struct{ request }) (*shop.Districts, error) {
		return in.x.shop.ListDistricts(ctx)
	}))
}
