package tenants

import (
	"net/http"

	"storefront/provider/simulator"
	"storefront/shop"
)

// Simulator stands in for the providers, for development on one machine.
type Simulator struct{ handler http.Handler }

// NewSimulator makes a Simulator with nothing in it.
func NewSimulator() *Simulator { return &Simulator{simulator.New().Handler()} }

// Handler serves the providers' addresses and pages. It refuses whatever does not come from this
// machine.
func (s *Simulator) Handler() http.Handler { return s.handler }

// Addresses gives where the providers are when the handler answers at base.
func (s *Simulator) Addresses(base string) map[shop.Provider]string {
	return map[shop.Provider]string{
		shop.CourierA: base + "/courier_a", shop.CourierB: base + "/courier_b",
		shop.GatewayA: base + "/gateway_a", shop.GatewayB: base + "/gateway_b",
	}
}
