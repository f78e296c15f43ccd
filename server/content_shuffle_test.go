package server_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// After any sequence of operations, a cached response equals one that is built without a cache, and
// operations that change nothing public leave the cached responses valid.
func TestCache_EqualsUncached(t *testing.T) {
	t.Parallel()
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, clock)
	s := shoptest.New(t, &shoptest.Options{Store: store, Clock: clock})
	collection, products := stockShop(t, s)
	ctx, operator := context.Background(), access.Operator()
	cached := newSiteOf(t, s, nil)
	uncached := newSiteOf(t, s, func(cfg *server.Config) { cfg.CacheSize = -1 })
	token := cached.signUp("01711000001")
	mustDo := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	order := func(phone int) *reply {
		p := products[rand.N(len(products))]
		return cached.send("POST", "/api/v1/orders", fmt.Sprintf(`{"items":[{"productId":%q,"quantity":1}],"paymentMethod":"cod",
			"customer":{"name":"Rahima","phoneNumber":"01811%06d"},"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`, p.ID, phone))
	}
	n := 0
	operations := []struct {
		name    string
		private bool
		do      func()
	}{
		{"wrong password", true, func() {
			cached.send("POST", "/api/v1/auth/login", fmt.Sprintf(`{"user":"nobody%d@example.com","password":"wrong password"}`, n))
		}},
		{"registration", true, func() { cached.signUp(fmt.Sprintf("01911%06d", n)) }},
		{"profile", true, func() {
			cached.send("PATCH", "/api/v1/auth/profile", fmt.Sprintf(`{"name":"Name %d"}`, n), "Authorization", "Bearer "+token).ok(200, new(any))
		}},
		{"wrong coupon", true, func() {
			cached.send("POST", "/api/v1/orders/coupons/verify", fmt.Sprintf(`{"code":"NO%d","items":[{"productId":%q,"quantity":1}]}`, n, products[0].ID))
		}},
		{"API key", true, func() {
			_, _, err := s.Staff.CreateAPIKey(ctx, operator, staff.APIKeyInput{Label: fmt.Sprint("key ", n)})
			mustDo(err)
		}},
		{"order", false, func() { order(n) }},
		{"settings", false, func() {
			mustDo(s.SetSettings(ctx, operator, shoptest.Raw(t, map[string]any{"name": fmt.Sprint("Shop ", n)})))
		}},
		{"product", false, func() {
			_, err := s.Catalogue.CreateProduct(ctx, operator, catalogue.ProductInput{
				Handle: fmt.Sprint("extra-", n), Title: fmt.Sprint("Extra ", n),
				Variants: []catalogue.VariantInput{{Price: int64(100 + n), Tracked: n%2 == 0, Stock: new(3)}},
			})
			mustDo(err)
		}},
		{"other title", false, func() {
			_, err := s.Catalogue.UpdateProduct(ctx, operator, products[0].ID, catalogue.ProductChange{
				Title: new(fmt.Sprint("Tea pot ", n)),
			})
			mustDo(err)
		}},
		{"collection", false, func() {
			_, err := s.Catalogue.AddToCollection(ctx, operator, collection.Handle, products[2].Handle)
			mustDo(err)
		}},
		{"no longer in the collection", false, func() {
			_, err := s.Catalogue.RemoveFromCollection(ctx, operator, collection.Handle, products[2].Handle)
			mustDo(err)
		}},
		{"time", false, func() { clock.Advance(time.Minute) }},
	}
	pages := []string{
		"/api/v1/products", "/api/v1/products?sortBy=bestSelling", "/api/v1/products?inStock=true", "/api/v1/products?search=tea&limit=1",
		"/api/v1/products/" + products[0].ID, "/api/v1/collections", "/api/v1/tenant",
	}
	const document = `{"query":"{products{nodes{title stockStatus variants{availableQuantity}}} ` +
		`collections{nodes{title productCount}} storeFront{name}}"}`
	read := func(web *site) (all [][]byte) {
		for _, page := range pages {
			all = append(all, web.get(page).body)
		}
		return append(all, web.send("POST", "/graphql", document).body)
	}
	read(cached)
	for range 120 {
		n++
		op := operations[rand.N(len(operations))]
		before, err := s.ContentVersion(ctx)
		mustDo(err)
		op.do()
		after, err := s.ContentVersion(ctx)
		mustDo(err)
		if op.private && before != after {
			t.Errorf("%s changed the content version", op.name)
		}
		got, want := read(cached), read(uncached)
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("after %s, response %d: got %s, want %s", op.name, i, got[i], want[i])
			}
		}
	}
	if stats := cached.server.Prepared(); stats.Hits == 0 {
		t.Error("got no cached response")
	}
}
