package server_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

// refusal is an error as REST and GraphQL return it.
type refusal struct {
	Status int
	Code   fault.Code
	Errors []fault.FieldError
}

// placeBy places a guest's order through REST or GraphQL, and returns its refusal, or nil if it was
// placed.
func (s *site) placeBy(t *testing.T, transport string, p *catalogue.Product, quantity int, phone string) *refusal {
	t.Helper()
	order := map[string]any{
		"items":           []any{map[string]any{"productId": p.ID, "quantity": quantity}},
		"customer":        map[string]any{"name": "Rahima", "phoneNumber": phone},
		"shippingAddress": map[string]any{"line1": "House 12", "city": "Dhaka"},
	}
	path, body := "/api/v1/orders", any(order)
	if transport == "GraphQL" {
		path = "/graphql"
		body = map[string]any{
			"query":     `mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { _id } }`,
			"variables": map[string]any{"input": order},
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := s.send("POST", path, string(text))
	if transport == "REST" {
		if r.status == 201 {
			return nil
		}
		refused := &refusal{}
		r.decode(refused)
		return refused
	}
	var response struct {
		Errors []struct{ Extensions refusal }
	}
	if r.decode(&response); len(response.Errors) == 0 {
		return nil
	}
	return &response.Errors[0].Extensions
}

// REST and GraphQL refuse what would hold too much stock with the same codes.
func TestOrderLimits_Codes(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"REST", "GraphQL"} {
		for name, tc := range map[string]struct {
			settings map[string]any
			allowed  []int // quantities, each of an order with another phone
			refused  int
			want     refusal
			field    string
		}{
			"units of a line":   {map[string]any{"unitsPerLine": 2}, []int{2}, 3, refusal{Status: 422, Code: fault.CodeQuantityLimit}, "items[0].quantity"},
			"units of an order": {map[string]any{"unitsPerOrder": 3}, []int{3}, 4, refusal{Status: 422, Code: fault.CodeQuantityLimit}, "items"},
			"open orders of a client": {map[string]any{"openOrdersPerClient": 2}, []int{1, 1}, 1,
				refusal{Status: 409, Code: fault.CodeTooManyOpenOrders}, ""},
			"total without a verified phone": {map[string]any{"codProofAbove": 27000}, []int{2}, 3,
				refusal{Status: 422, Code: fault.CodePhoneProofRequired}, "customer.phoneNumber"},
		} {
			t.Run(transport+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Settings: tc.settings}), nil)
				_, products := stockShop(t, s.shop)
				for i, quantity := range tc.allowed {
					if refused := s.placeBy(t, transport, products[0], quantity, fmt.Sprint("0171100000", i)); refused != nil {
						t.Fatalf("order %d: got %+v, want it placed", i+1, refused)
					}
				}
				got := s.placeBy(t, transport, products[0], tc.refused, "01811000009")
				if got == nil {
					t.Fatalf("got the order placed, want %s", tc.want.Code)
				}
				field := ""
				if len(got.Errors) > 0 {
					field = got.Errors[0].Field
				}
				got.Errors = nil
				if diff := cmp.Diff(tc.want, *got); diff != "" || field != tc.field {
					t.Errorf("got field %q, want %q; (-want +got):\n%s", field, tc.field, diff)
				}
			})
		}
		t.Run(transport+" open orders of a phone", func(t *testing.T) {
			t.Parallel()
			s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Settings: map[string]any{"openOrdersPerPhone": 1}}), nil)
			_, products := stockShop(t, s.shop)
			for _, phone := range []string{"01711-000001", "01711-000002"} {
				if refused := s.placeBy(t, transport, products[0], 1, phone); refused != nil {
					t.Fatalf("%s: got %+v, want it placed", phone, refused)
				}
			}
			got := s.placeBy(t, transport, products[0], 1, "+8801711000001")
			if got == nil || got.Status != 409 || got.Code != fault.CodeTooManyOpenOrders {
				t.Errorf("got %+v, want %s", got, fault.CodeTooManyOpenOrders)
			}
		})
	}
}
