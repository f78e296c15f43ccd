package simulator

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"storefront/provider"
)

// Faults of both couriers.
const (
	BookFails Fault = "book_fails" // no parcel is booked, and there is no answer
	BookLost  Fault = "book_lost"  // a parcel is booked, and the answer is lost
	FindFails Fault = "find_fails" // questions about a parcel get no answer
)

// dhaka is the time zone of the couriers' timestamps.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

const dhakaTime = "2006-01-02 15:04:05"

// DemoStore is the one store that the simulated courier_a knows.
const DemoStore = 1

// shipment is a parcel that a courier was given.
type shipment struct {
	ref, consignmentID, trackingCode string
	status                           string // in the courier's own words
	updatedAt                        time.Time
}

// depot keeps one courier's parcels.
type depot struct {
	mu        sync.Mutex
	shipments []*shipment
	tokens    map[string]bool // of courier_a
}

// book takes a parcel in.
func (d *depot) book(ref, status string) shipment {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.shipments) + 1
	p := &shipment{
		ref: ref, consignmentID: fmt.Sprintf("%d", 1_424_100+n), trackingCode: strings.ToUpper(newID("")), status: status, updatedAt: time.Now(),
	}
	d.shipments = append(d.shipments, p)
	return *p
}

// find gives the newest parcel that is.
func (d *depot) find(is func(p *shipment) bool) (shipment, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.shipments) - 1; i >= 0; i-- {
		if is(d.shipments[i]) {
			return *d.shipments[i], true
		}
	}
	return shipment{}, false
}

func byRef(ref string) func(*shipment) bool { return func(p *shipment) bool { return p.ref == ref } }

func byConsignment(id string) func(*shipment) bool {
	return func(p *shipment) bool { return p.consignmentID == id }
}

// Bookings gives how many parcels were booked under our own name for one.
func (s *Simulator) Bookings(ref string) (n int) {
	for _, d := range []*depot{&s.depotA, &s.depotB} {
		d.mu.Lock()
		for _, p := range d.shipments {
			if p.ref == ref {
				n++
			}
		}
		d.mu.Unlock()
	}
	return n
}

// readBody reads a request forgivingly, as the couriers do.
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
