package order_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/inbox"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var shuffles = flag.Int("shuffles", 12, "seeded shuffles of each shipment journey; 1000 for the full test")

// journey is the history of a shipment as its courier reports it, oldest event first.
type journey struct {
	name, end string
	courier   plugin.Provider
	bodies    []string
}

func step(second int, event string, more ...string) string {
	tail := ""
	for i := 0; i < len(more); i += 2 {
		tail += fmt.Sprintf(`,%q:%s`, more[i], more[i+1])
	}
	return fmt.Sprintf(`{"event":%q,"consignment_id":"DL1","timestamp":"2026-03-01T05:00:%02d+00:00"%s}`, event, second, tail)
}

func shipmentStatus(second int, name string) string {
	const body = `{"notification_type":"delivery_status","consignment_id":77,"status":%q,"cod_amount":970,"updated_at":"2026-03-01 11:00:%02d"}`
	return fmt.Sprintf(body, name, second)
}

func tracking(second int, text string) string {
	const body = `{"notification_type":"tracking_update","consignment_id":77,"tracking_message":%q,"updated_at":"2026-03-01 11:00:%02d"}`
	return fmt.Sprintf(body, text, second)
}

var journeys = []journey{
	{"delivered", "[delivered] delivered completed paid", plugin.CourierA, []string{
		step(
			1,
			"order.created",
			"delivery_fee",
			"60",
		), step(2, "order.pickup-requested"), step(3, "order.assigned-for-pickup"), step(4, "order.picked"),
		step(5, "order.at-the-sorting-hub"), step(6, "order.in-transit"), step(7, "order.received-at-last-mile-hub"),
		step(8, "order.assigned-for-delivery"), step(9, "order.delivery-failed"), step(10, "order.on-hold"), step(11, "order.assigned-for-delivery"),
		step(12, "order.delivered", "collected_amount", `"970"`), step(13, "order.paid", "invoice_id", `"INV-1"`),
	}},
	{"all in one second", "[delivered] delivered completed paid", plugin.CourierA, []string{
		step(
			1,
			"order.created",
		), step(1, "order.picked"), step(1, "order.in-transit"), step(1, "order.assigned-for-delivery"), step(1, "order.delivered"),
	}},
	{"returned", "[returned] returned returned unpaid", plugin.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(3, "order.in-transit"), step(4, "order.delivery-failed"), step(5, "order.returned"),
		step(6, "order.return-id-created", "return_type", `"return"`), step(7, "order.return-in-transit"), step(8, "order.in-transit"),
		step(9, "order.returned-to-merchant"),
	}},
	{"pickup cancelled", "[cancelled] unfulfilled processing unpaid", plugin.CourierA, []string{
		step(1, "order.created"), step(2, "order.pickup-requested"), step(3, "order.pickup-failed"), step(4, "order.pickup-cancelled"),
	}},
	{"partial delivery", "[partially_delivered] partially_delivered processing unpaid", plugin.CourierA, []string{
		step(1, "order.picked"), step(2, "order.partial-delivery", "collected_amount", "500"),
		step(
			3,
			"order.return-id-created",
			"return_type",
			`"partial-delivery"`,
		), step(4, "order.returned-to-merchant", "return_type", `"partial-delivery"`),
	}},
	{"return barcode", "[returned] returned returned unpaid", plugin.CourierA, []string{
		step(1, "order.picked"), step(2, "order.returned"),
		step(3, "order.return-id-created", "return_consignment_id", `"RDL1"`, "return_type", `"return"`),
		strings.Replace(step(4, "order.return-in-transit"), "DL1", "RDL1", 1), strings.Replace(step(5, "order.in-transit"), "DL1", "RDL1", 1),
		strings.Replace(step(6, "order.returned-to-merchant"), "DL1", "RDL1", 1),
	}},
	{"delivered after the return began", "[delivered] delivered completed paid", plugin.CourierA, []string{
		step(1, "order.created", "delivery_fee", "60"), step(2, "order.picked"), step(3, "order.returned"),
		step(4, "order.return-id-created", "return_type", `"return"`), step(5, "order.delivered", "collected_amount", "900.0000001"),
	}},
	{"contradicted", "[delivered] delivered completed paid", plugin.CourierA, []string{
		step(1, "order.picked"), step(2, "order.updated", "amount_to_collect", "500"), step(3, "order.delivered", "collected_amount", "500"),
		step(4, "order.pickup-cancelled"), step(5, "order.paid", "invoice_id", `"INV-1"`, "delivery_fee", "60"),
	}},
	// Only the courier's timestamps show that the shipment continued after it was on hold.
	{"on hold", "[in_transit] in_progress processing unpaid", plugin.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(3, "order.on-hold"), step(4, "order.in-transit"),
	}},
	{"two in one second", "[out_for_delivery] in_progress processing unpaid", plugin.CourierA, []string{
		step(1, "order.created"), step(2, "order.picked"), step(2, "order.in-transit"), step(2, "order.assigned-for-delivery"),
	}},
	{"courier_b", "[delivered] delivered completed paid", plugin.CourierB, []string{
		shipmentStatus(
			1,
			"in_review",
		), shipmentStatus(2, "pending"), tracking(3, "Arrived at hub"), shipmentStatus(4, "hold"), shipmentStatus(5, "delivered_approval_pending"),
		tracking(6, "Rider 01711223344 has it"), shipmentStatus(7, "delivered"),
	}},
	{"courier_b, returned", "[returning] returning processing unpaid", plugin.CourierB, []string{
		shipmentStatus(
			1,
			"in_review",
		), shipmentStatus(2, "pending"), shipmentStatus(3, "cancelled_approval_pending"), shipmentStatus(4, "cancelled"), tracking(5, "On its way back"),
	}},
}

// Late, shuffled and repeated events lead to the same state as events in order, with the same cash
// and the same flags, at a courier that has a share of the cash.
func TestShipments_EventsOutOfOrder(t *testing.T) {
	t.Parallel()
	for _, j := range journeys {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			s.configure(t, j.courier, map[string]any{"cod_basis_points": 100})
			inOrder := ""
			for seed := range *shuffles {
				invoice, consignment := s.place(t), fmt.Sprint(1000+seed)
				s.recordShipment(t, invoice, j.courier, consignment)
				for _, body := range j.shuffled(uint64(seed)) {
					s.sendWebhook(t, j.courier, strings.NewReplacer(`DL1"`, consignment+`"`, ":77,", ":"+consignment+",").Replace(body))
				}
				if got := state(s.findOrder(t, invoice)); got != j.end {
					t.Fatalf("seed %d: got %s, want %s", seed, got, j.end)
				}
				accounts := s.newestCash(t, invoice) + " " + s.flags(t, invoice)
				if seed == 0 {
					inOrder = accounts
				}
				if accounts != inOrder {
					t.Fatalf("seed %d: got cash and flags %s, in order %s", seed, accounts, inOrder)
				}
				if s.checkBooks(t); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				const inHistory = `SELECT COUNT(*) FROM parcel_events e JOIN shipments p ON p.id = e.shipment_id WHERE p.order_id = ?`
				const inTimeline = `SELECT COUNT(*) FROM order_events WHERE order_number = (SELECT number FROM orders WHERE id = ?) AND cause = ?`
				history, timeline := s.number(t, inHistory, invoice), s.number(t, inTimeline, invoice, j.courier)
				if history != int64(len(j.bodies)) || timeline < history {
					t.Fatalf("seed %d: got %d events in the history and %d in the timeline, want %d", seed, history, timeline, len(j.bodies))
				}
			}
			if lost := s.number(t, `SELECT COUNT(*) FROM provider_webhooks WHERE verdict <> 'applied'`); lost != 0 {
				t.Errorf("got %d webhooks that were not applied", lost)
			}
		})
	}
}

// newestCash returns the amounts of the newest line of the ledger, which is one of this order.
func (s *courierShop) newestCash(tb testing.TB, invoice string) string {
	tb.Helper()
	lines, err := s.Cash.ListLedger(tb.Context(), access.Operator(), cash.LedgerFilter{Request: page.Request{Limit: new(1)}})
	if err != nil || len(lines.Nodes) != 1 || lines.Nodes[0].OrderID != invoice {
		tb.Fatalf("got ledger %+v, %v; want a line of %s first", lines, err, invoice)
	}
	l := lines.Nodes[0]
	amount := func(m *money.Money) string {
		if m == nil {
			return "-"
		}
		return m.Formatted
	}
	return fmt.Sprintf("due %s, collected %s, fee %s, share %s, paid out %s",
		l.Due.Formatted, amount(l.Collected), amount(l.Fee), l.CashShare.Formatted, amount(l.PaidOut))
}

// shuffled returns the journey's webhooks in an order that the seed determines, some of them twice.
// The seed 0 is the courier's own order. A repeated body has an extra space, so that its bytes
// differ.
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
	s.sendWebhook(t, plugin.CourierA, step(2, "order.picked"))
	s.sendWebhook(t, plugin.CourierA, step(1, "order.pickup-requested"))
	if webhook := s.lastWebhook(t); webhook.Verdict != inbox.VerdictUnmatched || webhook.Reason == "" {
		t.Fatalf("got verdict %s (%s), want unmatched", webhook.Verdict, webhook.Reason)
	}
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	if got, want := state(s.findOrder(t, invoice)), "[picked] in_progress processing unpaid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if webhook := s.lastWebhook(t); webhook.Verdict != inbox.VerdictApplied || deref(webhook.OrderID) != invoice {
		t.Errorf("got verdict %s and order %s, want applied and %s", webhook.Verdict, deref(webhook.OrderID), invoice)
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// A shipment that was booked in the courier's own panel has the invoice UID as its reference.
func TestShipments_MatchedByInvoiceUID(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.sendWebhook(t, plugin.CourierA, step(2, "order.picked")) // names no order yet
	s.sendWebhook(t, plugin.CourierA, step(3, "order.in-transit", "merchant_order_id", `"`+strings.ToLower(invoice)+`"`))
	order := s.findOrder(t, invoice)
	if got, want := state(order), "[in_transit] in_progress processing unpaid"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if got := deref(order.Shipments[0].ConsignmentID); got != "DL1" {
		t.Errorf("got consignment ID %q, want DL1", got)
	}
	s.sendWebhook(t, plugin.CourierA, fmt.Sprintf(`{"event":"order.created","consignment_id":"DL2","merchant_order_id":"%s-2"}`, invoice))
	if got, want := state(s.findOrder(t, invoice)), "[created in_transit] in_progress processing unpaid"; got != want {
		t.Errorf("with a second shipment: got %s, want %s", got, want)
	}
}

// An older event does not undo what staff members entered.
func TestShipments_OlderEventAfterStaffEntry(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	s.clock.Advance(72 * time.Hour)
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, nil); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, plugin.CourierA, step(5, "order.in-transit"))
	if got, want := state(s.findOrder(t, invoice)), "[delivered] delivered completed paid"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestShipments_RestockOnReturnReceived(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	stock := func() int64 { return s.number(t, `SELECT stock FROM variants`) }
	before := stock()
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	for i, name := range []string{"pending", "cancelled_approval_pending", "cancelled", "cancelled_return_processing"} {
		s.sendWebhook(t, plugin.CourierB, shipmentStatus(i+1, name))
		if got := stock(); got != before-2 {
			t.Fatalf("stock after %s: got %d, want %d", name, got, before-2)
		}
	}
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(9, "cancelled_return_received"))
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(9, "cancelled_return_received")+" ")
	if got := stock(); got != before {
		t.Errorf("stock after the return: got %d, want %d", got, before)
	}
}

// The courier's text of a tracking update is for the buyer and staff; who knows the invoice UID
// alone reads that there is an event.
func TestShipments_TrackingText(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, shoptest.GuestOrder(s.mug.ID, 2), "")
	if err != nil {
		t.Fatal(err)
	}
	s.recordShipment(t, placed.ID, plugin.CourierB, "77")
	s.sendWebhook(t, plugin.CourierB, tracking(1, "Rider Karim 01711998877 has it"))
	for name, caller := range map[string]access.Caller{"order token": {OrderToken: placed.OrderToken}, "invoice UID alone": {}} {
		bought, err := s.Orders.FindOrder(t.Context(), caller, placed.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := "The courier reported an event of the shipment."
		if caller.OrderToken != "" {
			want = "Rider Karim 01711998877 has it"
		}
		i := slices.IndexFunc(bought.Timeline, func(e order.TimelineEntry) bool { return e.Type == "shipment_update" })
		if i < 0 || bought.Timeline[i].Message != want {
			t.Errorf("%s: got timeline %+v, want %q", name, bought.Timeline, want)
		}
		if text, err := json.Marshal(bought); err != nil || caller.OrderToken == "" && strings.Contains(string(text), "Karim") {
			t.Errorf("%s: got the rider's name, %v", name, err)
		}
	}
}

// A courier's timestamps have a resolution of one second: events of the same second stay in the
// order in which they were received.
func TestShipments_EventsWithinOneSecond(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	events := []string{
		"order.picked", "order.in-transit", "order.at-the-sorting-hub", "order.on-hold", "order.assigned-for-delivery", "order.delivery-failed",
	}
	var got []string
	for _, event := range events {
		s.sendWebhook(t, plugin.CourierA, step(1, event))
	}
	for _, e := range s.findOrder(t, invoice).Timeline {
		if e.Cause == order.Cause(plugin.CourierA) && strings.HasPrefix(string(e.Type), "shipment_") {
			got = append(got, string(e.Type))
		}
	}
	want := []string{
		"shipment_picked", "shipment_in_transit", "shipment_at_hub", "shipment_on_hold", "shipment_out_for_delivery", "shipment_delivery_failed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("timeline: got %q, want %q", got, want)
	}
}

// An implausible timestamp is replaced by the time of receipt. Otherwise the shipment would stay in
// its status until then.
func TestShipments_ImplausibleTimestamps(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	for _, tt := range []struct {
		event string
		at    time.Time
		want  status.Shipment
	}{
		{"order.on-hold", s.clock.Now().AddDate(70, 0, 0), status.ShipmentOnHold},
		{"order.in-transit", s.clock.Now().Add(time.Minute), status.ShipmentInTransit},
		{"order.assigned-for-delivery", time.Unix(0, 0), status.ShipmentOutForDelivery},
	} {
		s.sendWebhook(
			t,
			plugin.CourierA,
			fmt.Sprintf(`{"event":%q,"consignment_id":"DL1","timestamp":%q}`, tt.event, tt.at.UTC().Format(time.RFC3339)),
		)
		if got := s.findOrder(t, invoice).Shipments[0].Status; got != tt.want {
			t.Errorf("after %s at %s: got %s, want %s", tt.event, tt.at.UTC(), got, tt.want)
		}
		s.clock.Advance(time.Hour)
	}
}
