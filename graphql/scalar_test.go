package graphql_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/shoptest"
)

func TestLong_Exact(t *testing.T) {
	t.Parallel()
	for _, in := range []any{int32(7), int64(9007199254740993), int64(math.MaxInt64), int64(math.MinInt64)} {
		var l graphql.Long
		if err := l.UnmarshalGraphQL(in); err != nil {
			t.Errorf("%v: %v", in, err)
			continue
		}
		if out, err := json.Marshal(l); err != nil || string(out) != fmt.Sprint(in) {
			t.Errorf("%v: got %s, %v", in, out, err)
		}
	}
	for _, in := range []any{1.0, 1.5, "1", true, nil, []any{int64(1)}} {
		var l graphql.Long
		if err := l.UnmarshalGraphQL(in); err == nil {
			t.Errorf("%T %v: got %d, want an error", in, in, l)
		}
	}
}

// Amounts are compared exactly, beyond the precision of float64.
func TestLong_ExactInRequests(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	c.addProduct(1) // from 125000
	for _, test := range []struct {
		query string
		vars  string
		found float64
	}{
		{`query($m: Long) { products(minPrice: $m) { meta { totalCount } } }`, `{"m": 125000}`, 1},
		{`query($m: Long) { products(minPrice: $m) { meta { totalCount } } }`, `{"m": 125001}`, 0},
		{`query($m: Long) { products(maxPrice: $m) { meta { totalCount } } }`, `{"m": 9223372036854775807}`, 1},
		{`query($m: Long) { products(minPrice: $m) { meta { totalCount } } }`, `{"m": null}`, 1},
		{`query($m: Long = 125001) { products(minPrice: $m) { meta { totalCount } } }`, `{}`, 0},
		{`{ products(minPrice: 125000, maxPrice: 9007199254740993) { meta { totalCount } } }`, `{}`, 1},
	} {
		got := c.post(`{"query": ` + c.json(test.query) + `, "variables": ` + test.vars + `}`)
		if got.at("products", "meta", "totalCount") != test.found {
			t.Errorf("%s %s: got %s, want %v products", test.query, test.vars, got.body, test.found)
		}
	}
	got := c.post(`{"query": "query($m: Long) { products(minPrice: $m) { meta { totalCount } } }", "variables": {"m": 9223372036854775808}}`)
	if got.status != 422 || got.codes() != "validation_failed" {
		t.Errorf("over 64 bits: got %d %s, want 422 validation_failed", got.status, got.body)
	}
}

// Identifiers of the merchant's choice are encoded as JSON strings.
func TestID_AnyText(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	id := "ঢাকা \x01\u2028\"<>\\"
	if err := c.shop.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{
		"deliveryCharges": []map[string]any{{"_id": id, "name": "Dhaka", "charge": 7000}},
	})); err != nil {
		t.Fatal(err)
	}
	if got := c.must(`{ storeFront { deliveryCharges { _id } } }`, nil); got.at("storeFront", "deliveryCharges", 0, "_id") != id {
		t.Errorf("got %s, want _id %q", got.body, id)
	}
}

func TestID_SentAsNumber(t *testing.T) {
	t.Parallel()
	c := newClient(t, graphql.Config{})
	for _, got := range []*response{
		c.run(`{ product(id: 65) { _id } }`, nil),
		c.run(`query($id: ID) { product(id: $id) { _id } }`, map[string]any{"id": 65}),
	} {
		if got.codes() != "not_found" {
			t.Errorf("got %s, want not_found", got.body)
		}
	}
	var id graphql.ID
	if err := id.UnmarshalGraphQL(int64(65)); err != nil || id != "65" {
		t.Errorf("got %q, %v, want 65", id, err)
	}
}
