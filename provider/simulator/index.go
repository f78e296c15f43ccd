package simulator

import (
	_ "embed"
	"html/template"
	"net/http"
	"slices"

	"storefront/shop/plugin"
)

//go:embed index.html
var indexHTML string

// index is the page at the simulator's address: its payments, shipments and events.
var index = template.Must(template.New("index").Parse(indexHTML))

type indexData struct {
	Payments  []indexPayment  // newest first
	Shipments []indexShipment // newest first
	Events    []CountedEvent  // newest first
}

type indexPayment struct{ Gateway, ID, Amount, Currency, Invoice, Status string }

type indexShipment struct{ Courier, Consignment, Reference, Status string }

// indexed is the number of payments and of each courier's shipments on the page.
const indexed = 50

func (s *Simulator) showIndex(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	shipments := append(s.depotA.index(plugin.CourierA), s.depotB.index(plugin.CourierB)...)
	_ = index.Execute(w, indexData{s.indexPayments(), shipments, s.indexEvents()}) // the client may be gone
}

func (s *Simulator) indexPayments() (list []indexPayment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.order) {
		if len(list) == indexed {
			break
		}
		list = append(list, indexPayment{p.gateway, p.id, p.amount, p.currency, p.invoice, p.status})
	}
	return list
}

// indexEvents returns the newest events of the advertisers.
func (s *Simulator) indexEvents() []CountedEvent {
	all := s.CountedEvents()
	slices.Reverse(all)
	return all[:min(len(all), indexed)]
}

// index returns the newest shipments of a courier.
func (d *depot) index(courier plugin.Provider) (list []indexShipment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range slices.Backward(d.shipments) {
		if len(list) == indexed {
			break
		}
		list = append(list, indexShipment{string(courier), p.consignmentID, p.ref, p.status})
	}
	return list
}
