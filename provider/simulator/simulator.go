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
	"storefront/shop"
)

// Fault is something that goes wrong while its switch is on.
type Fault string

// The faults.
const (
	StartFails     Fault = "start_fails"     // a payment is begun, and the answer is lost
	WebhookLost    Fault = "notice_lost"     // no notice is sent
	WebhookLate    Fault = "notice_late"     // notices are sent long after the buyer is back
	WebhookTwice   Fault = "notice_twice"    // each notice is sent twice
	WebhookForged  Fault = "notice_forged"   // notices are signed with another password
	ValidationDown Fault = "validation_down" // questions about a payment are answered by 503
	ExecuteLost    Fault = "execute_lost"    // the money moves, and the answer is lost
	ExecuteLate    Fault = "execute_late"    // the money moves, and the answer comes when nobody waits for it any more
	PaysTwice      Fault = "pays_twice"      // who pays again on a page where it is paid, pays again
	WrongAmount    Fault = "wrong_amount"    // another amount is taken
	WrongCurrency  Fault = "wrong_currency"  // another currency is taken
	Risky          Fault = "risky"           // payments are marked as risky
	RefundLost     Fault = "refund_lost"     // the money goes back, and the answer is lost
)

var faults = []Fault{
	StartFails, WebhookLost, WebhookLate, WebhookTwice, WebhookForged, ValidationDown, ExecuteLost, ExecuteLate, PaysTwice, WrongAmount,
	WrongCurrency, Risky, RefundLost, BookFails, BookLost, FindFails,
}

// Simulator stands in for the providers. It is safe for concurrent use. Make one with [New].
type Simulator struct {
	client *provider.Client
	mux    *http.ServeMux

	mu       sync.Mutex
	on       map[Fault]bool
	payments map[string]*payment // by each of their names
	tokens   map[string]bool     // of gateway_b
	calls    map[string]int      // how often each address was called

	depotA, depotB depot // the couriers' parcels
}

// New makes a Simulator with nothing in it.
func New() *Simulator {
	s := &Simulator{
		client: provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: 10 * time.Second}),
		mux:    http.NewServeMux(),
		on:     map[Fault]bool{}, payments: map[string]*payment{}, tokens: map[string]bool{}, calls: map[string]int{},
	}
	s.routeGatewayA()
	s.routeGatewayB()
	s.routeCourierA()
	s.routeCourierB()
	s.routeControl()
	return s
}

// Handler serves the providers' addresses below /gateway_a and /gateway_b, their pages, and the
// controls below /control. It refuses whatever does not come from this machine.
func (s *Simulator) Handler() http.Handler {
	return provider.LocalOnly(http.NewCrossOriginProtection().Handler(s.mux))
}

// Addresses returns the base address of each provider, for a [Simulator.Handler] that is served at base.
func Addresses(base string) map[shop.Provider]string {
	return map[shop.Provider]string{
		shop.CourierA: base + "/courier_a", shop.CourierB: base + "/courier_b",
		shop.GatewayA: base + "/gateway_a", shop.GatewayB: base + "/gateway_b",
	}
}

// Switch turns a fault on or off.
func (s *Simulator) Switch(fault Fault, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[fault] = on
}

func (s *Simulator) isOn(fault Fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[fault]
}

// Calls gives how often an address, such as /gateway_b/v1.2.0-beta/tokenized/checkout/execute, was
// called.
func (s *Simulator) Calls(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

// handle adds an address and counts its calls.
func (s *Simulator) handle(pattern string, h http.HandlerFunc) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls[r.URL.Path]++
		s.mu.Unlock()
		h(w, r)
	})
}

// lateDelay is longer than a caller waits.
const lateDelay = time.Minute

// stall waits until it is late, or nobody waits any more.
func stall(r *http.Request) {
	select {
	case <-time.After(lateDelay):
	case <-r.Context().Done():
	}
}

// hangUp ends the connection without an answer.
func hangUp() { panic(http.ErrAbortHandler) }

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // who has gone does not read it
}

// newID makes a name that nobody has yet.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text())[:16] }

// routeControl adds the switches, and a person's part for programs.
func (s *Simulator) routeControl() {
	s.mux.HandleFunc("POST /control/faults", func(w http.ResponseWriter, r *http.Request) {
		fault := Fault(r.FormValue("fault"))
		if !slices.Contains(faults, fault) {
			http.Error(w, fmt.Sprintf("there is no such fault; there are: %v", faults), http.StatusBadRequest)
			return
		}
		s.Switch(fault, r.FormValue("on") == "true")
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /control/payments", func(w http.ResponseWriter, r *http.Request) {
		back, err := s.Finish(r.Context(), r.FormValue("payment"), Result(r.FormValue("result")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, http.StatusOK, back)
	})
}
