package server_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// Of one client's requests that read the shop's file, two are served at once and a hundred wait;
// the next one is refused. Another client's is not.
func TestReads_OneClientsTurns(t *testing.T) {
	t.Parallel()
	store := shoptest.NewStore(t, nil)
	s := newSiteOf(t, shoptest.New(t, &shoptest.Options{Store: store}), func(cfg *server.Config) {
		cfg.Rate, cfg.Burst = 10_000, 10_000
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	customer := "Bearer " + s.signUp("01711-000001")
	key, _, err := s.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "storefront"})
	if err != nil {
		t.Fatal(err)
	}
	readers := 0 // unknown
	const cartOfNone = `"items":[{"productId":"none","quantity":1}]`
	for i, test := range []struct{ name, method, path, body string }{
		{"list", "GET", "/api/v1/products?minPrice={n}", ""},
		{"search", "GET", "/api/v1/products?search=tea{n}", ""},
		{"facets", "GET", "/api/v1/products/facets?minPrice={n}", ""},
		{"suggestions", "GET", "/api/v1/suggestions?q=tea{n}", ""},
		{"related", "GET", "/api/v1/products/none-{n}/related", ""},
		{"collection by handle", "GET", "/api/v1/collections/handle/none-{n}", ""},
		{"collections", "GET", "/api/v1/collections?page={n}", ""},
		{"product", "GET", "/api/v1/products/none-{n}", ""},
		{"product by handle", "GET", "/api/v1/products/handle/none-{n}", ""},
		{"collection", "GET", "/api/v1/collections/none-{n}", ""},
		{"order", "GET", "/api/v1/orders/7ZK3QW8N5T2M4R6V", ""},
		{"orders", "GET", "/api/v1/orders", ""},
		{"account", "GET", "/api/v1/auth/me", ""},
		{"quote", "POST", "/api/v1/orders/quote", "{" + cartOfNone + "," + buyer + "}"},
		{"coupon", "POST", "/api/v1/orders/coupons/verify", `{"code":"A{n}",` + cartOfNone + "}"},
		{"GraphQL list", "POST", "/graphql", `{products(minPrice:{n}){meta{totalCount}}}`},
		{"GraphQL facets", "POST", "/graphql", `{productFacets(minPrice:{n}){tags{value}}}`},
		{"GraphQL product", "POST", "/graphql", `{product(handle:"none-{n}"){title}}`},
		{"GraphQL collection", "POST", "/graphql", `{collection(id:"none-{n}"){title}}`},
		{"GraphQL order", "POST", "/graphql", `{order(orderId:"7ZK3QW8N5T2M4R6V"){status}}`},
		{"GraphQL orders", "POST", "/graphql", `{myOrders{meta{totalCount}}}`},
		{"GraphQL account", "POST", "/graphql", `{me{name}}`},
		{"GraphQL quote", "POST", "/graphql", `{quoteOrder(input:{items:[{productId:"none",quantity:1}]}){total{amount}}}`},
		{"GraphQL coupon", "POST", "/graphql", `{verifyCoupon(input:{code:"A{n}",items:[{productId:"none",quantity:1}]}){valid}}`},
		{"GraphQL plugins", "POST", "/graphql", `{plugins{provider}}`},
		{"GraphQL document of many", "POST", "/graphql", `{a:product(handle:"a{n}"){title} ` +
			`b:product(handle:"b{n}"){title} c:product(handle:"c{n}"){title}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			authorization := customer
			if strings.Contains(test.body, "plugins") {
				authorization = "Bearer " + key
			}
			first, second := fmt.Sprintf("198.51.100.%d", i+1), fmt.Sprintf("203.0.113.%d", i+1)
			const served, waiting = 2, 100
			type ended struct {
				client string
				status int
			}
			all := make(chan ended, served+waiting+2)
			send := func(n int, client string) {
				in := strings.NewReplacer("{n}", fmt.Sprint(1000*i+n+1)).Replace // which is not cached
				body := in(test.body)
				if test.path == "/graphql" {
					body = fmt.Sprintf(`{"query":%q}`, body)
				}
				got := s.send(test.method, in(test.path), body, append(from(client), "Authorization", authorization)...)
				all <- ended{client, got.status}
			}
			s.get("/api/v1/products").ok(200, new(any)) // reads the content version
			var release func()
			release, readers = shoptest.HoldAllReaders(t, store, "test", readers)
			for n := range served + waiting + 1 {
				go send(n, first)
			}
			if got := <-all; got.status != http.StatusTooManyRequests {
				t.Errorf("got status %d beyond the queue, want 429", got.status)
			}
			go send(served+waiting+1, second)
			release()
			for range served + waiting + 1 {
				if got := <-all; got.status == http.StatusTooManyRequests {
					t.Errorf("got another refusal, of client %s", got.client)
				}
			}
		})
	}
}
