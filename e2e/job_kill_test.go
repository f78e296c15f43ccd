package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/provider/simulator"
)

// silentCourier is a courier that stops to answer: it still books, but its responses do not arrive.
type silentCourier struct {
	courier http.Handler
	after   int // answered bookings

	mu     sync.Mutex
	booked int
	silent bool
}

func (c *silentCourier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response := httptest.NewRecorder()
	c.courier.ServeHTTP(response, r)
	c.mu.Lock()
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/create_order") {
		c.booked++
	}
	isLost := c.silent && c.booked > c.after
	c.mu.Unlock()
	if isLost {
		<-r.Context().Done()
		return
	}
	maps.Copy(w.Header(), response.Header())
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes())
}

// bookings returns the number of shipments that the server has booked.
func (c *silentCourier) bookings() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.booked
}

// A server is killed while it books many shipments, some of which the courier has without the
// server knowing. After a restart the job ends by itself: each order has one shipment.
func TestJob_KilledServer(t *testing.T) {
	t.Parallel()
	const orders, answered, underWay = 12, 5, 4
	sim := simulator.New()
	courier := &silentCourier{courier: sim.Handler(), after: answered, silent: true}
	host := httptest.NewServer(courier)
	t.Cleanup(host.Close)
	data := newShop(t, "acme", orders)
	run(t, "plugin", "configure", "acme", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s", "--data", data)
	key := adminKey(t, data, "acme", "orders.read,orders.fulfill")
	args := []string{"--data", data, "--rate", "0", "--private-providers", "--provider-url", "courier_b:live=" + host.URL + "/courier_b"}
	p := serve(t, args...)
	id, _ := p.product("acme", "item-0")
	invoices := make([]string, orders)
	for i := range invoices {
		invoices[i] = p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: orderOf(id, 1)}).text("invoiceUid")
	}
	run(t, append([]string{"order", "confirm", "acme", "--data", data}, invoices...)...)
	created := p.must(request{
		method: "POST", path: "/admin/v1/shops/acme/bulk/orders", token: key, header: map[string]string{"Idempotency-Key": "evening-1"},
		body: map[string]any{"action": "book", "ids": invoices, "options": map[string]any{"provider": "courier_b"}},
	})
	if created.status != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202 while the courier does not answer", created.status, created.body)
	}
	dbtest.Eventually(t, "bookings have no answer", func() bool { return courier.bookings() == answered+underWay })
	p.kill()

	courier.mu.Lock()
	courier.silent = false
	courier.mu.Unlock()
	age(t, data, 2*time.Minute) // the pause after a booking without a response, and the claim of the process
	p = serve(t, args...)
	var ended struct {
		Status      string
		Done, Total int
	}
	dbtest.Eventually(t, "the job has ended", func() bool {
		found := p.must(request{method: "GET", path: "/admin/v1/shops/acme/jobs/" + created.text("_id"), token: key})
		if err := json.Unmarshal([]byte(found.body), &ended); err != nil {
			t.Fatal(err)
		}
		return ended.Status == "done"
	})
	if ended.Done != orders || ended.Total != orders {
		t.Errorf("got %+v, want all %d orders booked", ended, orders)
	}
	for _, invoice := range invoices {
		if n := sim.Bookings(invoice); n != 1 {
			t.Errorf("order %s: got %d shipments at the courier, want 1", invoice, n)
		}
	}
	if n := courier.bookings(); n != orders {
		t.Errorf("got %d bookings sent, want %d: what may be booked is looked up", n, orders)
	}
}
