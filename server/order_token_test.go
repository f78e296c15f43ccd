package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// tokenAccess returns what a guest may do with an order token, through REST or GraphQL: "whole" or
// "masked" to read the order, and the codes of paying and cancelling it.
func (s *accountSite) tokenAccess(t *testing.T, transport, uid, token string) (access string) {
	t.Helper()
	path := "/api/v1/orders/" + uid
	read, pay, cancel := s.get(path, "X-Order-Token", token), (*reply)(nil), (*reply)(nil)
	if transport == "REST" {
		pay = s.send("POST", path+"/payments", `{"paymentMethod":"gateway_a"}`, "X-Order-Token", token)
		cancel = s.send("POST", path+"/cancel", "", "X-Order-Token", token)
	} else {
		run := func(document string) *reply {
			body, err := json.Marshal(map[string]string{"query": document})
			if err != nil {
				t.Fatal(err)
			}
			return s.send("POST", "/graphql", string(body))
		}
		read = run(fmt.Sprintf(`{ order(orderId: %q, orderToken: %q) { customer { name } } }`, uid, token))
		pay = run(fmt.Sprintf(`mutation { startPayment(input: {orderId: %q, orderToken: %q, paymentMethod: gateway_a}) { _id } }`, uid, token))
		cancel = run(fmt.Sprintf(`mutation { cancelOrder(orderId: %q, orderToken: %q) { _id } }`, uid, token))
	}
	access = "masked"
	if strings.Contains(string(read.body), "Rahim Uddin") {
		access = "whole"
	}
	for _, r := range []*reply{pay, cancel} {
		var failure struct {
			Code   fault.Code
			Errors []struct{ Extensions struct{ Code fault.Code } }
		}
		r.decode(&failure)
		if len(failure.Errors) > 0 && failure.Code == "" {
			failure.Code = failure.Errors[0].Extensions.Code
		}
		access += " " + string(failure.Code)
	}
	return access
}

// An order token ends after the shop's number of days and when staff replace it. It then proves as
// little as a wrong one.
func TestOrderToken_ExpiredOrReplaced(t *testing.T) {
	t.Parallel()
	const (
		valid   = "whole not_payable " // a cash order, which is then cancelled
		invalid = "masked not_found unauthenticated"
		day     = 24 * time.Hour
	)
	for _, transport := range []string{"REST", "GraphQL"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			for name, tc := range map[string]struct {
				days    any // the setting
				after   time.Duration
				replace bool
				want    string
				renewed string // with the next token, if it was replaced
			}{
				"new":                    {after: time.Minute, want: valid},
				"almost a year":          {after: 365*day - time.Minute, want: valid},
				"a year":                 {after: 365 * day, want: invalid},
				"the shop's days":        {days: 30, after: 30 * day, want: invalid},
				"before the shop's days": {days: 30, after: 29 * day, want: valid},
				"no expiry":              {days: 0, after: 3000 * day, want: valid},
				"replaced":               {replace: true, want: invalid, renewed: valid},
				"replaced when expired":  {after: 400 * day, replace: true, want: invalid, renewed: valid},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := newAccountSite(t)
					_, products := stockShop(t, s.shop)
					err := s.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"orderTokenDays": tc.days}))
					if err != nil {
						t.Fatal(err)
					}
					var placed order.Placed
					s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}").ok(201, &placed)
					s.clock.Advance(tc.after)
					if tc.replace {
						next, _, err := s.shop.Orders.ReplaceOrderToken(t.Context(), access.Operator(), placed.InvoiceUID)
						if err != nil {
							t.Fatal(err)
						}
						defer func() {
							if got := s.tokenAccess(t, transport, placed.InvoiceUID, next); got != tc.renewed {
								t.Errorf("next token: got %q, want %q", got, tc.renewed)
							}
						}()
					}
					if got := s.tokenAccess(t, transport, placed.InvoiceUID, placed.OrderToken); got != tc.want {
						t.Errorf("got %q, want %q", got, tc.want)
					}
				})
			}
		})
	}
}

// A repeated request returns the token that the first one returned, and with it no more than that
// token still proves.
func TestOrderToken_ReplayedAfterReplacement(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	_, products := stockShop(t, s.shop)
	place := func() (placed order.Placed, text string) {
		t.Helper()
		r := s.send("POST", "/api/v1/orders", "{"+cart(products[0], 1)+","+buyer+"}", "Idempotency-Key", "k-1")
		r.ok(201, &placed)
		return placed, string(r.body)
	}
	first, _ := place()
	next, bought, err := s.shop.Orders.ReplaceOrderToken(t.Context(), access.Operator(), first.InvoiceUID)
	if err != nil {
		t.Fatal(err)
	}
	again, text := place()
	if again.OrderToken != first.OrderToken || strings.Contains(text, next) || strings.Contains(text, "Rahim Uddin") {
		t.Errorf("got %s, want the first token and a masked order", text)
	}
	last := bought.Timeline[len(bought.Timeline)-1]
	if last.Type != "token_replaced" || last.Cause != order.ByStaff {
		t.Errorf("got the last timeline entry %+v, want token_replaced by staff", last)
	}
	third, _, err := s.shop.Orders.ReplaceOrderToken(t.Context(), access.Operator(), first.InvoiceUID)
	if err != nil || slices.Contains([]string{first.OrderToken, next}, third) {
		t.Errorf("third token: got %s, %v, want a new one", third, err)
	}
	guest := access.Caller{OrderToken: third}
	if _, _, err := s.shop.Orders.ReplaceOrderToken(t.Context(), guest, first.InvoiceUID); !fault.HasCode(err, fault.CodeUnauthenticated) {
		t.Errorf("a guest replaces the token: got %v, want %s", err, fault.CodeUnauthenticated)
	}
}

// An API key is refused from its expiry, by everything that accepts one.
func TestAPIKey_Expired(t *testing.T) {
	t.Parallel()
	s := newAccountSite(t)
	ends := s.clock.Now().Add(90 * 24 * time.Hour)
	key, record, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "agency", ExpiresAt: &ends})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.shop.Staff.ListAPIKeys(t.Context(), access.Operator())
	if err != nil || len(list) != 1 || !list[0].ExpiresAt.Equal(*record.ExpiresAt) {
		t.Fatalf("got keys %+v, %v, want one that expires at %s", list, err, record.ExpiresAt)
	}
	use := func() (graphQL, forwarding string) {
		t.Helper()
		var response struct {
			Errors []struct{ Extensions struct{ Code string } }
		}
		s.send("POST", "/graphql", `{"query":"{ plugins { provider } }"}`, "Authorization", "Bearer "+key).decode(&response)
		if len(response.Errors) > 0 {
			graphQL = response.Errors[0].Extensions.Code
		}
		var problem struct{ Code string }
		s.get("/api/v1/tenant", "X-Shopper-Address", "203.0.113.9", "X-Admin-Token", key).decode(&problem)
		return graphQL, problem.Code
	}
	s.clock.Advance(90*24*time.Hour - time.Second)
	if graphQL, forwarding := use(); graphQL+forwarding != "" {
		t.Errorf("before it expires: got %q and %q, want no error", graphQL, forwarding)
	}
	s.clock.Advance(time.Second)
	if graphQL, forwarding := use(); graphQL != "unauthenticated" || forwarding != "unauthenticated" {
		t.Errorf("from its expiry: got %q and %q, want unauthenticated", graphQL, forwarding)
	}
	now := s.clock.Now()
	if _, _, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(),
		staff.APIKeyInput{ExpiresAt: &now}); !fault.HasCode(err, fault.CodeValidationFailed) {
		t.Errorf("a key that has expired: got %v, want %s", err, fault.CodeValidationFailed)
	}
}
