package e2e

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/provider/simulator"
)

// silentAdvertiser is an advertiser that stops to answer at a step of an event.
type silentAdvertiser struct {
	advertiser http.Handler

	mu      sync.Mutex
	at      string // "arrived" and "counted" are steps without an answer; "" answers
	reached chan struct{}
}

func (a *silentAdvertiser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	at, reached := a.at, a.reached
	a.mu.Unlock()
	wait := func() {
		close(reached)
		<-r.Context().Done()
	}
	if at == "arrived" {
		_, _ = io.Copy(io.Discard, r.Body) // then the end of the connection is noticed
		wait()
		return
	}
	response := httptest.NewRecorder()
	a.advertiser.ServeHTTP(response, r)
	if at == "counted" {
		wait()
		return
	}
	maps.Copy(w.Header(), response.Header())
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes())
	if at == "answered" {
		_ = http.NewResponseController(w).Flush()
		close(reached)
	}
}

// stop makes the advertiser stop at a step, and returns a channel that is closed there.
func (a *silentAdvertiser) stop(at string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at, a.reached = at, make(chan struct{})
	return a.reached
}

// The server is killed at each step of an event's delivery: after the order is stored, when the
// request arrives, when the advertiser has counted it, and when it has answered. After a restart
// each order is counted exactly once, and the log has it.
func TestConversion_KilledServer(t *testing.T) {
	t.Parallel()
	sim := simulator.New()
	advertiser := &silentAdvertiser{advertiser: sim.Handler()}
	host := httptest.NewServer(advertiser)
	t.Cleanup(host.Close)
	data := newShop(t, "acme", 20)
	key := adminKey(t, data, "acme", "settings.read,settings.write,analytics.read")
	args := []string{"--data", data, "--rate", "0", "--private-providers", "--provider-url", "meta=" + host.URL + "/meta"}
	p := serve(t, args...)
	p.must(request{
		method: "PATCH", path: "/admin/v1/shops/acme/settings", token: key,
		body: map[string]any{"advertising": map[string]any{"meta": map[string]any{"pixelId": "1234567890"}}},
	})
	p.must(request{method: "PUT", path: "/admin/v1/shops/acme/advertisers/meta/token", token: key, body: map[string]any{"token": "EAAsecret"}})
	id, _ := p.product("acme", "item-0")
	var placed []string
	for _, step := range []string{"stored", "arrived", "counted", "answered"} {
		reached := advertiser.stop(step)
		order := orderOf(id, 1)
		order["attribution"] = map[string]any{"consent": map[string]any{"wording": "app-1", "page": "https://shop.example/checkout"}}
		placed = append(placed, p.must(request{method: "POST", path: "/api/v1/orders", tenant: "acme", body: order}).text("invoiceUid"))
		if step != "stored" {
			<-reached
		}
		p.kill()
		advertiser.stop("")
		inShop(t, data, "acme", func(tx *db.Tx) error { // until the claim and the delay end
			_, err := tx.Exec(`UPDATE conversions SET claimed_until = claimed_until - ?, due_at = due_at - ?`,
				(10 * time.Minute).Milliseconds(), (10 * time.Minute).Milliseconds())
			return err
		})
		p = serve(t, args...)
		dbtest.Eventually(t, step+": the event is sent", func() bool {
			var list struct {
				Nodes []struct{ OrderID, Status string }
			}
			found := p.must(request{method: "GET", path: "/admin/v1/shops/acme/conversions", token: key})
			if err := json.Unmarshal([]byte(found.body), &list); err != nil {
				t.Fatal(err)
			}
			return len(list.Nodes) == len(placed) && list.Nodes[0].OrderID == placed[len(placed)-1] && list.Nodes[0].Status == "sent"
		})
	}
	counted := map[string]int{}
	for _, e := range sim.CountedEvents() {
		counted[e.ID]++
	}
	for _, invoice := range placed {
		if counted[invoice] != 1 {
			t.Errorf("order %s: got it counted %d times, want once", invoice, counted[invoice])
		}
	}
	if len(counted) != len(placed) || sim.EventRequests() <= len(placed) {
		t.Errorf("got %d events by %d requests, want %d with repetitions", len(counted), sim.EventRequests(), len(placed))
	}
}
