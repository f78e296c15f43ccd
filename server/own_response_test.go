package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"storefront/server"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
)

// privateSite is a site behind a proxy, whose requests may hold about 1 MiB, with a customer whose
// orders are a response of at least 100 KB. cart returns the body of an order with that many lines,
// of 1 KB each.
func privateSite(t *testing.T) (s *site, token string, cart func(lines int) string) {
	t.Helper()
	s = newSite(t, func(cfg *server.Config) {
		cfg.Memory, cfg.MaxBody, cfg.CacheSize = 1048<<10, 32<<10, 1<<20
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("192.0.2.1/32")}
	})
	var lines []string
	for i := range 52 {
		p, err := s.shop.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
			Title: fmt.Sprint("Lamp ", i, strings.Repeat(" উজ্জ্বল", 30)), Variants: []catalogue.VariantInput{{Price: 100}},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf(`{"productId":%q,"quantity":1}`, p.ID))
	}
	cart = func(n int) string { return `{"items":[` + strings.Join(lines[:n], ",") + `],` + buyer + `}` }
	token = s.signUp("01711-000001")
	for range 3 {
		s.send("POST", "/api/v1/orders", cart(52), "Authorization", "Bearer "+token).ok(201, new(order.Placed))
	}
	return s, token, cart
}

// Clients that do not read responses of their own get 503 beyond the budget, and the responses do
// not fill the memory. This test is not parallel: it measures the heap.
func TestMemory_OwnResponsesUnread(t *testing.T) {
	s, token, cart := privateSite(t)
	const graphQL = `{"query":"{myOrders(limit:-1){nodes{invoiceUid items{title variantTitle unitPrice{formatted} total{formatted}}}}}"}`
	for _, test := range []struct{ name, method, path, body string }{
		{"orders", "GET", "/api/v1/orders?limit=-1", ""},
		{"price of a cart", "POST", "/api/v1/orders/quote", cart(52)},
		{"GraphQL", "POST", "/graphql", graphQL},
		{"lists that nobody else reads", "GET", "/api/v1/products?maxPrice={i}", ""},
		{"GraphQL lists that nobody else reads", "POST", "/graphql", `{"query":"{products(maxPrice:{i}){nodes{title again:title}}}"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			const readers = 400
			release, ended := make(chan struct{}), make(chan struct{}, readers)
			var refused, reading int
			before := heap()
			for i := range readers { // each at its own address
				in := strings.NewReplacer("{i}", fmt.Sprint(1000+i)).Replace
				request := httptest.NewRequestWithContext(t.Context(), test.method, in(test.path), strings.NewReader(in(test.body)))
				for name, value := range map[string]string{
					"x-tenant": "test", "Content-Type": "application/json", "Authorization": "Bearer " + token,
					"X-Forwarded-For": fmt.Sprintf("198.51.%d.%d", i/200, i%200),
				} {
					request.Header.Set(name, value)
				}
				r := &slowReader{httptest.NewRecorder(), make(chan struct{}, 100), release}
				go func() {
					s.server.Handler().ServeHTTP(r, request)
					ended <- struct{}{}
				}()
				<-r.writing
				if r.Code == http.StatusOK {
					reading++
					continue
				}
				refused++
				if r.Code != 503 || r.Header().Get("Retry-After") != "2" || r.Header().Get("Cache-Control") != "no-store" {
					t.Fatalf("got %d %v, want 503 with Retry-After", r.Code, r.Header())
				}
			}
			used := s.server.Memory()
			if reading < 4 || refused < readers/2 || used.Used > used.Limit {
				t.Errorf("got %d responses and %d refusals, %d bytes held of %d", reading, refused, used.Used, used.Limit)
			}
			if grown := heap() - before; grown > 8<<20 { // each request also has a recorder and a goroutine
				t.Errorf("the heap grew by %d bytes for %d readers", grown, readers)
			}
			close(release)
			for range readers {
				<-ended
			}
			if used := s.server.Memory().Used; used != 0 {
				t.Errorf("got %d bytes held after all requests", used)
			}
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An order that has been placed is reported even if there is no memory left for it.
func TestMemory_OrderPlacedWithoutRoom(t *testing.T) {
	t.Parallel()
	s, _, cart := privateSite(t)
	release := make(chan struct{})
	defer close(release)
	const lines = 20
	for i := 0; ; i++ { // until there is no room for the price of a cart, which is as long as an order
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/orders/quote", strings.NewReader(cart(lines)))
		request.Header.Set("x-tenant", "test")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Forwarded-For", fmt.Sprint("198.51.100.", i))
		if r := s.startReading(request, release); r.Code != http.StatusOK {
			if r.Code != http.StatusServiceUnavailable || r.Header().Get("Retry-After") == "" {
				t.Fatalf("got %d with %v, want 503 with Retry-After", r.Code, r.Header())
			}
			break
		}
	}
	const from = "198.51.200.1"
	const request, response = 12 << 10, 18 << 10 // of an order of so many lines
	if m := s.server.Memory(); m.Limit-m.Used < request || m.Limit-m.Used > response {
		t.Fatalf("got room for %d bytes, want enough for a request and not for its response: change the budget", m.Limit-m.Used)
	}
	s.send("POST", "/api/v1/orders", cart(lines), "X-Forwarded-For", from).ok(201, new(order.Placed))
	input := strings.TrimSuffix(cart(lines), "}")
	for _, name := range []string{"items", "productId", "quantity", "customer", "name", "phoneNumber", "shippingAddress", "line1", "city"} {
		input = strings.ReplaceAll(input, `"`+name+`":`, name+":")
	}
	body := fmt.Sprintf(`{"query":%q}`, "mutation{placeOrder(input:"+input+"}){invoiceUid items{title again:title}}}")
	got := s.send("POST", "/graphql", body, "X-Forwarded-For", from)
	if got.status != 200 || len(got.body) < 16<<10 || !strings.Contains(string(got.body), `"invoiceUid":"`) {
		t.Errorf("GraphQL: got %d %.300s", got.status, got.body)
	}
}
