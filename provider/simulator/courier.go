package simulator

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

// Faults of the couriers.
const (
	BookFails Fault = "book_fails" // bookings fail without a response
	BookLost  Fault = "book_lost"  // shipments are booked, but the response is lost
	FindFails Fault = "find_fails" // status queries get no response
)

// dhaka is the time zone of the couriers' timestamps.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

const dhakaTime = "2006-01-02 15:04:05"

// DemoStore is the ID of the only store of the simulated courier_a.
const DemoStore = 1

// shipment is a booked shipment.
type shipment struct {
	ref, consignmentID, trackingCode string
	status                           string // the courier's own status, as in its look-up
	returnStatus                     string // courier_b: of the way back, from a look-up of its own
	updatedAt                        time.Time
}

// depot holds the shipments of one courier.
type depot struct {
	mu        sync.Mutex
	shipments []*shipment
	highest   int             // the highest consignment ID, not used again after its shipment is deleted
	tokens    map[string]bool // of courier_a
}

// book adds a shipment and returns a copy.
func (d *depot) book(ref, status string) shipment {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.highest = max(d.highest, 1_424_100) + 1
	s := &shipment{
		ref: ref, consignmentID: strconv.Itoa(d.highest), trackingCode: strings.ToUpper(newID("")), status: status, updatedAt: time.Now(),
	}
	d.shipments = append(d.shipments, s)
	return *s
}

// find returns a copy of the newest shipment that matches.
func (d *depot) find(matches func(s *shipment) bool) (shipment, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.shipments) - 1; i >= 0; i-- {
		if matches(d.shipments[i]) {
			return *d.shipments[i], true
		}
	}
	return shipment{}, false
}

func byRef(ref string) func(*shipment) bool { return func(s *shipment) bool { return s.ref == ref } }

func byConsignment(id string) func(*shipment) bool {
	return func(s *shipment) bool { return s.consignmentID == id }
}

// DeleteShipment deletes a shipment, as a merchant does in the courier's panel: look-ups then find
// nothing. It reports whether there was one.
func (s *Simulator) DeleteShipment(courier plugin.Provider, consignmentID string) bool {
	d := &s.depotA
	if courier == plugin.CourierB {
		d = &s.depotB
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before := len(d.shipments)
	d.shipments = slices.DeleteFunc(d.shipments, byConsignment(consignmentID))
	return len(d.shipments) < before
}

// MoveShipment sets the status of a shipment to the one in a webhook's event. Look-ups then return
// it. It sends no webhook. Events without a status change nothing. It reports whether there is such
// a shipment.
func (s *Simulator) MoveShipment(courier plugin.Provider, consignmentID, event string) bool {
	d, status, returnStatus := &s.depotA, statusCourierA(event), ""
	if courier == plugin.CourierB {
		d = &s.depotB
		status, returnStatus = statusCourierB(event)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.shipments, byConsignment(consignmentID))
	if i >= 0 && status != "" {
		d.shipments[i].status, d.shipments[i].returnStatus, d.shipments[i].updatedAt = status, returnStatus, time.Now()
	}
	return i >= 0
}

// Bookings returns the number of shipments booked with our reference ref at either courier.
func (s *Simulator) Bookings(ref string) (n int) {
	for _, d := range []*depot{&s.depotA, &s.depotB} {
		d.mu.Lock()
		for _, shipment := range d.shipments {
			if shipment.ref == ref {
				n++
			}
		}
		d.mu.Unlock()
	}
	return n
}

// readBody parses a request as tolerantly as the couriers do. An invalid body is an empty payload.
func readBody(r *http.Request) provider.Payload {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		return provider.Payload{}
	}
	p, err := provider.ReadPayload(body)
	if err != nil {
		return provider.Payload{}
	}
	return p
}
