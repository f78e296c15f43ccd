package simulator

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

// Fault is a failure that can be switched on and off. Its value is its name in the control API.
type Fault string

// Faults of the gateways.
const (
	StartFails     Fault = "start_fails"     // payments are created, but the response is lost
	StartRefused   Fault = "start_refused"   // payments are refused with a reason
	StartBusy      Fault = "start_busy"      // payments are answered with a system error
	IDRepeated     Fault = "id_repeated"     // a new payment gets the ID of the last one
	WebhookLost    Fault = "notice_lost"     // webhooks are not sent
	WebhookLate    Fault = "notice_late"     // webhooks are sent a minute late
	WebhookTwice   Fault = "notice_twice"    // each webhook is sent twice
	WebhookForged  Fault = "notice_forged"   // webhooks are signed with a wrong password
	ValidationDown Fault = "validation_down" // status queries are answered with 503
	ExecuteLost    Fault = "execute_lost"    // money is captured, but the response is lost
	ExecuteLate    Fault = "execute_late"    // money is captured, but the response comes after the client's timeout
	PaysTwice      Fault = "pays_twice"      // paying again on the page of a paid payment captures again
	WrongAmount    Fault = "wrong_amount"    // a wrong amount is captured
	WrongCurrency  Fault = "wrong_currency"  // the amount is captured in a wrong currency
	Risky          Fault = "risky"           // payments are flagged as risky
	RefundLost     Fault = "refund_lost"     // refunds are made, but the response is lost
	RefundOnce     Fault = "refund_once"     // gateway_a refuses a refund with a reference that it has
	RefundRefused  Fault = "refund_refused"  // refunds are refused with a reason
)

var faults = []Fault{
	StartFails, StartRefused, StartBusy, IDRepeated, WebhookLost, WebhookLate, WebhookTwice, WebhookForged, ValidationDown,
	ExecuteLost, ExecuteLate, PaysTwice, WrongAmount,
	WrongCurrency, Risky, RefundLost, RefundOnce, RefundRefused, BookFails, BookLost, FindFails,
	EventsDown, EventsLimited, EventsRefused, EventsLost,
}

// Simulator simulates the couriers, gateways and advertisers. It is safe for concurrent use.
// Use [New] to create one.
type Simulator struct {
	// Now is the time of the advertisers; nil means time.Now. It is set before the first request.
	Now func() time.Time

	client *provider.Client
	mux    *http.ServeMux

	mu       sync.Mutex
	on       map[Fault]bool
	payments map[string]*payment // by the shop's reference and by the gateway's ID
	tokens   map[string]bool     // of gateway_b
	order    []*payment          // oldest first
	calls    map[string]int      // number of requests by path
	last     map[string]*payment // the newest payment, by gateway

	depotA, depotB depot // shipments of courier_a and courier_b

	advertisers advertisers
}

// New returns a Simulator without payments and shipments.
func New() *Simulator {
	s := &Simulator{
		client: provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: 10 * time.Second}),
		mux:    http.NewServeMux(),
		on:     map[Fault]bool{}, payments: map[string]*payment{}, tokens: map[string]bool{}, calls: map[string]int{}, last: map[string]*payment{},
		advertisers: advertisers{lastSeen: map[string]time.Time{}},
	}
	s.routeGatewayA()
	s.routeGatewayB()
	s.routeCourierA()
	s.routeCourierB()
	s.routeAdvertisers()
	s.routeControl()
	return s
}

// Handler returns the handler of the providers' APIs and payment pages, with the base paths
// /gateway_a, /gateway_b, /courier_a, /courier_b, /meta and /tiktok, and of the control API below
// /control. It
// rejects requests that do not come from this machine.
func (s *Simulator) Handler() http.Handler {
	return provider.LocalOnly(http.NewCrossOriginProtection().Handler(s.mux))
}

// Addresses returns the base address of each provider, for a [Simulator.Handler] that is served at
// base.
func Addresses(base string) map[plugin.Provider]string {
	return map[plugin.Provider]string{
		plugin.CourierA: base + "/courier_a", plugin.CourierB: base + "/courier_b",
		plugin.GatewayA: base + "/gateway_a", plugin.GatewayB: base + "/gateway_b",
	}
}

// Switch turns a fault on or off.
func (s *Simulator) Switch(fault Fault, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[fault] = on
}

// isOn reports whether a fault is on.
func (s *Simulator) isOn(fault Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[fault]
}

// Calls returns the number of requests that a path has received, such as
// /gateway_b/v1.2.0-beta/tokenized/checkout/execute.
func (s *Simulator) Calls(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

// handle registers a handler and counts its requests.
func (s *Simulator) handle(pattern string, h http.HandlerFunc) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls[r.URL.Path]++
		s.mu.Unlock()
		h(w, r)
	})
}

// lateDelay is longer than the timeout of any client.
const lateDelay = time.Minute

// stall waits for lateDelay or until the client disconnects.
func stall(r *http.Request) {
	select {
	case <-time.After(lateDelay):
	case <-r.Context().Done():
	}
}

// hangUp closes the connection without a response.
func hangUp() { panic(http.ErrAbortHandler) }

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}

// newID returns a unique ID with a prefix.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text())[:16] }

// routeControl registers the control API: it switches faults, moves and deletes shipments and
// performs buyers' actions. The page at / lists payments and shipments.
func (s *Simulator) routeControl() {
	s.mux.HandleFunc("GET /{$}", s.showIndex)
	s.mux.HandleFunc("POST /control/faults", func(w http.ResponseWriter, r *http.Request) {
		fault := Fault(r.FormValue("fault"))
		if !slices.Contains(faults, fault) {
			http.Error(w, fmt.Sprintf("unknown fault; must be one of: %v", faults), http.StatusBadRequest)
			return
		}
		s.Switch(fault, r.FormValue("on") == "true")
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /control/shipments", func(w http.ResponseWriter, r *http.Request) {
		courier := plugin.Provider(r.FormValue("courier"))
		found := s.MoveShipment(courier, r.FormValue("move"), r.FormValue("event"))
		if consignmentID := r.FormValue("delete"); consignmentID != "" {
			found = s.DeleteShipment(courier, consignmentID)
		}
		if !found {
			http.Error(w, "the courier has no such shipment", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /control/payments", func(w http.ResponseWriter, r *http.Request) {
		ret, err := s.Finish(r.Context(), r.FormValue("payment"), Result(r.FormValue("result")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, http.StatusOK, ret)
	})
}
