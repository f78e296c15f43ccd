package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/provider/simulator"
)

// startedPayment is what a client reads of an order's payment, or of an attempt.
type startedPayment struct {
	ID          string  `json:"_id"`
	RedirectURL *string `json:"redirectUrl"`
	ErrorCode   *string `json:"errorCode"`
}

// post sends a JSON body to the demo shop and returns the response's status.
func post(t *testing.T, r ready, path, orderToken, body string, into any) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-tenant", r.Demo.UID)
	req.Header.Set("X-Order-Token", orderToken)
	status, answer := send(t, req)
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("%s: got %d, %s, %v", path, status, answer, err)
	}
	return status, string(answer)
}

// An order whose payment the gateway does not start is placed all the same, by HTTP: it has the
// code, each failure has a log line and is in doctor, and the payment can be started again.
func TestPlaceOrder_PaymentNotStarted(t *testing.T) {
	t.Parallel()
	failures := 0
	c := newConsole(t)
	p, r := serveDemo(t, c.dir)
	c.env["STOREFRONT_API_PUBLIC_URL"] = r.URL
	c.must("tenant", "set", "demo", "openOrdersPerPhone=1000")
	fault := func(name string, on bool) {
		res, err := http.PostForm(r.Simulator+"/control/faults", url.Values{"fault": {name}, "on": {fmt.Sprint(on)}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	for _, tt := range []struct{ fault, method, code, words string }{
		{"id_repeated", "gateway_a", "gateway_refused", "returned the ID of payment"},
		{"id_repeated", "gateway_b", "gateway_refused", "returned the ID of payment"},
		{"start_refused", "gateway_a", "gateway_refused", "Store is De-active"},
		{"start_refused", "gateway_b", "gateway_refused", "Invalid App Key"},
		{"start_busy", "gateway_b", "gateway_unavailable", "System Error."},
	} {
		t.Run(tt.fault+" "+tt.method, func(t *testing.T) {
			placeOnline(t, r, tt.method) // whose ID is repeated
			var order struct {
				ID         string `json:"_id"`
				OrderToken string
				Payment    startedPayment
			}
			fault(tt.fault, true)
			status, text := post(t, r, "/api/v1/orders", "", `{"items":[{"productId":"`+r.Demo.ProductID+`","variantId":"`+r.Demo.VariantID+`","quantity":1}],
				"customer":{"name":"Rahima Khatun","phoneNumber":"01711-000000"},"paymentMethod":"`+tt.method+`",
				"shippingAddress":{"line1":"House 12, Road 5","city":"Dhaka"}}`, &order)
			fault(tt.fault, false)
			failures++
			if status != http.StatusCreated || order.Payment.RedirectURL != nil || order.Payment.ErrorCode == nil || *order.Payment.ErrorCode != tt.code {
				t.Fatalf("place order: got %d, %s; want 201 with %s and no redirect", status, text, tt.code)
			}
			if strings.Contains(text, tt.words) {
				t.Errorf("the buyer reads the gateway's words: %s", text)
			}
			if shown := c.must("order", "show", "demo", order.ID); !strings.Contains(shown, tt.words) {
				t.Errorf("order show: got\n%s\nwant %q", shown, tt.words)
			}
			dbtest.Eventually(t, "one log line with the gateway's words", func() bool {
				logged := 0
				for line := range strings.Lines(p.stderr.String()) {
					if strings.Contains(line, "payment not started") && strings.Contains(line, tt.words) && strings.Contains(line, tt.method) {
						logged++
					}
				}
				return logged == 1
			}, p.stderr.String)
			doctor := c.run("doctor", "demo")
			if want := fmt.Sprintf("Payments that could not be started in the last day: %d", failures); !strings.Contains(doctor.stdout, want) ||
				!strings.Contains(doctor.stdout, tt.words) {
				t.Errorf("doctor: got\n%s%s\nwant %q and %q", doctor.stdout, doctor.stderr, want, tt.words)
			}
			var again startedPayment
			status, text = post(t, r, "/api/v1/orders/"+order.ID+"/payments", order.OrderToken, `{"paymentMethod":"`+tt.method+`"}`, &again)
			if status != http.StatusCreated || again.RedirectURL == nil {
				t.Fatalf("start payment again: got %d, %s; want 201 with a redirect", status, text)
			}
			c.must("simulate", "demo", tt.method, "pay", "--order", order.ID, "--simulator", r.Simulator)
			if status, payment := paymentStatus(t, r, order.ID); status != "confirmed" || payment != "paid" {
				t.Errorf("after paying: got order %s, payment %s; want confirmed, paid", status, payment)
			}
		})
	}
}

// plugin validate calls the provider each time, and fails if it rejects the credentials.
func TestPluginValidate_CallsProvider(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	calls := map[string]int{}
	providers := simulator.New().Handler()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		calls[r.URL.Path]++
		mu.Unlock()
		providers.ServeHTTP(w, r)
	}))
	t.Cleanup(host.Close)
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme", "--currency", "BDT", "--country", "BD")
	var urls []string
	for _, of := range []string{"courier_a", "courier_b", "gateway_a", "gateway_b"} {
		urls = append(urls, of+":live="+host.URL+"/"+of)
	}
	c.env["STOREFRONT_PROVIDER_URL"], c.env["STOREFRONT_PRIVATE_PROVIDERS"] = strings.Join(urls, ","), "true"
	for _, tt := range []struct {
		provider, path string
		settings       []string
		wrong          string // a setting with which the simulated provider refuses
	}{
		{"courier_a", "/courier_a/aladdin/api/v1/stores",
			[]string{"webhook_secret=s", "client_id=c", "client_secret=s", "username=u", "password=p", "store_id=1"}, "password=wrong"},
		{"courier_b", "/courier_b/get_balance", []string{"webhook_token=s", "api_key=k", "secret_key=s"}, "secret_key=wrong"},
		{"gateway_a", "/gateway_a/validator/api/merchantTransIDvalidationAPI.php", []string{"store_id=acme", "store_password=p"}, "store_password=wrong"},
		{"gateway_b", "/gateway_b/v1.2.0-beta/tokenized/checkout/payment/status",
			[]string{"username=u", "password=p", "app_key=k", "app_secret=s"}, "password=wrong"},
	} {
		c.must(append([]string{"plugin", "configure", "acme", tt.provider}, tt.settings...)...)
		for n := range 2 { // with a saved token too
			c.must("plugin", "validate", "acme", tt.provider)
			mu.Lock()
			got := calls[tt.path]
			mu.Unlock()
			if got != n+1 {
				t.Errorf("%s: got %d calls of %s after %d validations; all calls: %v", tt.provider, got, tt.path, n+1, calls)
			}
		}
		c.must("plugin", "configure", "acme", tt.provider, tt.wrong)
		if r := c.run("plugin", "validate", "acme", tt.provider); r.code == cmd.ExitOK {
			t.Errorf("%s with %s: got\n%s\nwant a failure", tt.provider, tt.wrong, r.stdout)
		}
	}
	host.Close()
	if r := c.run("plugin", "validate", "acme", "gateway_a"); r.code == cmd.ExitOK {
		t.Errorf("gateway_a out of reach: got\n%s\nwant a failure", r.stdout)
	}
}
