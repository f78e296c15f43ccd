package tenants_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop"
)

var shuffles = flag.Int("shuffles", 100, "seeded shuffles of each parcel journey; 1000 for the full proof")

// journey is a parcel's way as its courier tells it, oldest event first.
type journey struct {
	name, end string
	courier   shop.Provider
	bodies    []string
}

func step(second int, event string, more ...string) string {
	tail := ""
	for i := 0; i < len(more); i += 2 {
		tail += fmt.Sprintf(`,%q:%s`, more[i], more[i+1])
	}
	return fmt.Sprintf(`{"event":%q,"consignment_id":"DL1","timestamp":"2026-03-01T05:00:%02d+00:00"%s}`, event, second, tail)
}

func status(second int, word string) string {
	return fmt.Sprintf(`{"notification_type":"delivery_status","consignment_id":77,"status":%q,"cod_amount":970,"updated_at":"2026-03-01 11:00:%02d"}`, word, second)
}

func tracking(second int, text string) string {
	return fmt.Sprintf(`{"notification_type":"tracking_update","consignment_id":77,"tracking_message":%q,"updated_at":"2026-03-01 11:00:%02d"}`, text, second)
}

var journeys = []journey{
	{"delivered", "[delivered] delivered completed paid", shop.CourierA, []string{
		step(1, "order.created", "delivery_fee", "60"), step(2, "order.pickup-requested"), step(3, "order.assigned-for-pickup"), step(4, "order.picked"),
		step(5, "order.at-the-sorting-hub"), step(6, "order.in-transit"), step(7, "order.received-at-last-mile-hub"),
		step(8, "order.assigned-for-delivery"), step(9, "order.delivery-failed"), step(10, "order.on-hold"), step(11, "order.assigned-for-delivery"),
		step(12, "order.delivered", "collected_amount", `"970"`), step(13, "order.paid", "invoice_id", `"INV-1"`),
	}},
	{"all in one second", "[delivered] delivered completed paid", shop.CourierA, []string{
		step(1, "order.created"), step(1, "order.picked"), step(1, "order.in-transit"), step(1, "order.assigned-for-delivery"), step(1, "order.delivered"),
	}},
	{"returned", "[returned] returned returned unpaid", shop.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(3, "order.in-transit"), step(4, "order.delivery-failed"), step(5, "order.returned"),
		step(6, "order.return-id-created", "return_type", `"return"`), step(7, "order.return-in-transit"), step(8, "order.in-transit"), step(9, "order.returned-to-merchant"),
	}},
	{"called off", "[cancelled] unfulfilled processing unpaid", shop.CourierA, []string{
		step(1, "order.created"), step(2, "order.pickup-requested"), step(3, "order.pickup-failed"), step(4, "order.pickup-cancelled"),
	}},
	{"a part", "[partially_delivered] partially_delivered processing unpaid", shop.CourierA, []string{
		step(1, "order.picked"), step(2, "order.partial-delivery", "collected_amount", "500"), step(3, "order.return-id-created", "return_type", `"partial-delivery"`),
		step(4, "order.returned-to-merchant", "return_type", `"partial-delivery"`),
	}},
	// Nothing but the courier's clock tells that it went on after it was held.
	{"held", "[in_transit] in_progress processing unpaid", shop.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(3, "order.on-hold"), step(4, "order.in-transit"),
	}},
	{"in one second", "[out_for_delivery] in_progress processing unpaid", shop.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(2, "order.in-transit"), step(2, "order.assigned-for-delivery"),
	}},
	{"courier_b", "[delivered] delivered completed paid", shop.CourierB, []string{
		status(1, "in_review"), status(2, "pending"), tracking(3, "Arrived at hub"), status(4, "hold"), status(5, "delivered_approval_pending"),
		tracking(6, "Rider 01711223344 has it"), status(7, "delivered"),
	}},
	{"courier_b, back", "[returning] returning processing unpaid", shop.CourierB, []string{
		status(1, "in_review"), status(2, "pending"), status(3, "cancelled_approval_pending"), status(4, "cancelled"), tracking(5, "On its way back"),
	}},
}

// Late, shuffled and repeated events end where the ordered ones do.
func TestShipments_EventsOutOfOrder(t *testing.T) {
	t.Parallel()
	for _, j := range journeys {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			for seed := range *shuffles {
				invoice, consignment := s.place(t), fmt.Sprint(1000+seed)
				s.recordShipment(t, invoice, j.courier, consignment)
				for _, body := range j.shuffled(uint64(seed)) {
					s.sendWebhook(t, j.courier, strings.NewReplacer(`"DL1"`, `"`+consignment+`"`, ":77,", ":"+consignment+",").Replace(body))
				}
				if got := state(s.findOrder(t, invoice)); got != j.end {
					t.Fatalf("seed %d ends as %s, want %s", seed, got, j.end)
				}
				kept := s.number(t, `SELECT COUNT(*) FROM parcel_events e JOIN shipments p ON p.id = e.shipment_id WHERE p.order_id = ?`, invoice)
				told := s.number(t, `SELECT COUNT(*) FROM order_events WHERE order_number = (SELECT number FROM orders WHERE id = ?) AND cause = ?`, invoice, j.courier)
				if kept != int64(len(j.bodies)) || told < kept {
					t.Fatalf("seed %d: %d events are kept and %d told, want %d", seed, kept, told, len(j.bodies))
				}
			}
			if lost := s.number(t, `SELECT COUNT(*) FROM provider_calls WHERE verdict <> 'applied'`); lost != 0 {
				t.Errorf("%d calls were not applied", lost)
			}
		})
	}
}

// shuffled gives the journey's calls in an order of the seed's, some of them twice; 0 is the
// courier's own order. A copy differs in a space, so that only its content tells that it is one.
func (j journey) shuffled(seed uint64) []string {
	bodies := slices.Clone(j.bodies)
	if seed == 0 {
		return bodies
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for _, body := range j.bodies {
		if random.IntN(3) == 0 {
			bodies = append(bodies, body+" ")
		}
	}
	random.Shuffle(len(bodies), func(a, b int) { bodies[a], bodies[b] = bodies[b], bodies[a] })
	return bodies
}

func TestShipments_UnknownConsignment(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.sendWebhook(t, shop.CourierA, step(2, "order.picked"))
	s.sendWebhook(t, shop.CourierA, step(1, "order.pickup-requested"))
	if call := s.lastWebhook(t); call.Verdict != shop.VerdictUnmatched || call.Reason == "" {
		t.Fatalf("the call is %s (%s), want unmatched", call.Verdict, call.Reason)
	}
	s.recordShipment(t, invoice, shop.CourierA, "DL1")
	if got, want := state(s.findOrder(t, invoice)), "[picked] in_progress processing unpaid"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
	if call := s.lastWebhook(t); call.Verdict != shop.VerdictApplied || deref(call.OrderID) != invoice {
		t.Errorf("the call is %s of order %s", call.Verdict, deref(call.OrderID))
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// A parcel that was booked in the courier's own panel, with the invoice UID as its number.
func TestShipments_MatchedByInvoiceUID(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.sendWebhook(t, shop.CourierA, step(2, "order.picked")) // names no order yet
	s.sendWebhook(t, shop.CourierA, step(3, "order.in-transit", "merchant_order_id", `"`+strings.ToLower(invoice)+`"`))
	order := s.findOrder(t, invoice)
	if got, want := state(order), "[in_transit] in_progress processing unpaid"; got != want {
		t.Fatalf("the order is %s, want %s", got, want)
	}
	if got := deref(order.Shipments[0].ConsignmentID); got != "DL1" {
		t.Errorf("the consignment is %q", got)
	}
	s.sendWebhook(t, shop.CourierA, fmt.Sprintf(`{"event":"order.created","consignment_id":"DL2","merchant_order_id":"%s-2"}`, invoice))
	if got, want := state(s.findOrder(t, invoice)), "[created in_transit] in_progress processing unpaid"; got != want {
		t.Errorf("with a second parcel the order is %s, want %s", got, want)
	}
}

// What staff entered by hand is not undone by news that is older.
func TestShipments_OlderEventAfterStaffEntry(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, shop.CourierA, "DL1")
	s.clock.Advance(72 * time.Hour)
	if _, err := s.MarkDelivered(t.Context(), invoice); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, shop.CourierA, step(5, "order.in-transit"))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestShipments_RestockOnReturnReceived(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	before := stock()
	invoice := s.place(t)
	s.recordShipment(t, invoice, shop.CourierB, "77")
	for i, word := range []string{"pending", "cancelled_approval_pending", "cancelled", "cancelled_return_processing"} {
		s.sendWebhook(t, shop.CourierB, status(i+1, word))
		if got := stock(); got != before-2 {
			t.Fatalf("after %s there are %d, want %d", word, got, before-2)
		}
	}
	s.sendWebhook(t, shop.CourierB, status(9, "cancelled_return_received"))
	s.sendWebhook(t, shop.CourierB, status(9, "cancelled_return_received")+" ")
	if got := stock(); got != before {
		t.Errorf("once it is back there are %d, want %d", got, before)
	}
}

func TestShipments_NoCourierNotesInTimeline(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, shop.CourierB, "77")
	s.sendWebhook(t, shop.CourierB, tracking(1, "Rider Karim 01711998877"))
	text, err := json.Marshal(s.findOrder(t, invoice))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "Karim") || strings.Contains(string(text), "01711998877") {
		t.Error("the order shows the rider's name or number")
	}
}

// A courier's clock knows only seconds: what it tells of one second stays in the order in which it
// came.
func TestShipments_EventsWithinOneSecond(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, shop.CourierA, "DL1")
	events := []string{"order.picked", "order.in-transit", "order.at-the-sorting-hub", "order.on-hold", "order.assigned-for-delivery", "order.delivery-failed"}
	var want, told []string
	for _, event := range events {
		s.sendWebhook(t, shop.CourierA, step(1, event))
	}
	for _, e := range s.findOrder(t, invoice).Timeline {
		if e.Cause == shop.Cause(shop.CourierA) && strings.HasPrefix(e.Type, "shipment_") {
			told = append(told, e.Type)
		}
	}
	want = []string{"shipment_picked", "shipment_in_transit", "shipment_at_hub", "shipment_on_hold", "shipment_out_for_delivery", "shipment_delivery_failed"}
	if !slices.Equal(told, want) {
		t.Errorf("the timeline is %q, want %q", told, want)
	}
}

// A courier's time that can not be true counts as the time at which it was told: a parcel would
// otherwise stay in its state until then.
func TestShipments_ImplausibleTimestamps(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, shop.CourierA, "DL1")
	for _, tt := range []struct {
		event string
		at    time.Time
		want  shop.ShipmentStatus
	}{
		{"order.on-hold", s.clock.Now().AddDate(70, 0, 0), shop.ShipmentOnHold},
		{"order.in-transit", s.clock.Now().Add(time.Minute), shop.ShipmentInTransit},
		{"order.assigned-for-delivery", time.Unix(0, 0), shop.ShipmentOutForDelivery},
	} {
		s.sendWebhook(t, shop.CourierA, fmt.Sprintf(`{"event":%q,"consignment_id":"DL1","timestamp":%q}`, tt.event, tt.at.UTC().Format(time.RFC3339)))
		if got := s.findOrder(t, invoice).Shipments[0].Status; got != tt.want {
			t.Errorf("after %s at %s the parcel is %s, want %s", tt.event, tt.at.UTC(), got, tt.want)
		}
		s.clock.Advance(time.Hour)
	}
}
