package couriera_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/provider/couriera"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

var taka = money.Currency{Code: "BDT", Digits: 2}

func reader() plugin.CourierReader { return couriera.New(couriera.Config{}).CourierWebhooks }

// All events that the courier's panel offers.
func TestRead_EveryEvent(t *testing.T) {
	t.Parallel()
	const delivered = 97000
	tests := map[string]struct {
		more   string
		status status.Shipment
		cash   bool
		paid   bool
		quiet  bool // not in the buyer's timeline
		kind   plugin.EventKind
	}{
		"order.created":                   {more: `,"delivery_fee":60`, status: status.ShipmentCreated},
		"order.updated":                   {more: `,"delivery_fee":60`, quiet: true},
		"order.pickup-requested":          {more: `,"delivery_fee":60`, status: status.ShipmentPickupRequested},
		"order.assigned-for-pickup":       {status: status.ShipmentPickupRequested},
		"order.picked":                    {status: status.ShipmentPicked},
		"order.pickup-failed":             {},
		"order.pickup-cancelled":          {status: status.ShipmentCancelled},
		"order.at-the-sorting-hub":        {status: status.ShipmentAtHub},
		"order.in-transit":                {status: status.ShipmentInTransit},
		"order.received-at-last-mile-hub": {status: status.ShipmentAtHub},
		"order.assigned-for-delivery":     {status: status.ShipmentOutForDelivery},
		"order.delivered":                 {more: `,"collected_amount":970`, status: status.ShipmentDelivered, cash: true},
		"order.partial-delivery":          {more: `,"collected_amount":970`, status: status.ShipmentPartiallyDelivered, cash: true},
		"order.returned":                  {status: status.ShipmentReturning},
		"order.delivery-failed":           {status: status.ShipmentDeliveryFailed},
		"order.on-hold":                   {status: status.ShipmentOnHold},
		"order.paid":                      {more: `,"invoice_id":"INV-9"`, paid: true, quiet: true},
		"order.paid-return":               {more: `,"collected_amount":970`, status: status.ShipmentReturning, cash: true},
		"order.exchanged":                 {more: `,"collected_amount":970`, status: status.ShipmentExchanged, cash: true},
		"order.return-id-created":         {more: `,"return_consignment_id":"RT1","return_type":"return"`, status: status.ShipmentReturning},
		"order.return-in-transit":         {more: `,"return_type":"paid-return"`, status: status.ShipmentReturning},
		"order.returned-to-merchant":      {more: `,"return_type":"return"`, status: status.ShipmentReturned},
		"store.created":                   {kind: plugin.EventOther},
		"store.updated":                   {kind: plugin.EventOther},
	}
	if len(tests) != 24 {
		t.Fatalf("got %d events, want 24", len(tests))
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			subject := `,"consignment_id":"DL121224VS8TTJ","merchant_order_id":"TS-123"`
			if want.kind == plugin.EventOther {
				subject = `,"store_name":"Shop","is_active":1`
			}
			body := `{"event":"` + name + `","store_id":130820,"updated_at":"2024-12-12 23:49:43",` +
				`"timestamp":"2024-12-12T17:49:43+00:00"` + subject + want.more + `}`
			got := reader().Read([]byte(body), taka)
			if got.Kind != want.kind || got.Event != name || got.Status != want.status || got.PaidOut != want.paid {
				t.Errorf("got %+v, want kind %v, status %q, paid out %v", got, want.kind, want.status, want.paid)
			}
			if want.kind == plugin.EventOther {
				return
			}
			if got.ConsignmentID != "DL121224VS8TTJ" || got.Ref != "TS-123" || !got.At.Equal(time.Date(2024, 12, 12, 17, 49, 43, 0, time.UTC)) {
				t.Errorf("got consignment ID %q, reference %q, time %v", got.ConsignmentID, got.Ref, got.At)
			}
			if want.cash != (got.Collected != nil) || want.cash && *got.Collected != delivered {
				t.Errorf("got collected amount %v, want set: %v", got.Collected, want.cash)
			}
			if strings.Contains(want.more, "delivery_fee") && (got.Fee == nil || *got.Fee != 6000) {
				t.Errorf("got fee %v, want 6000", got.Fee)
			}
			if quiet := got.Status == "" && got.Message == ""; quiet != want.quiet {
				t.Errorf("got status %q and message %q, want none: %v", got.Status, got.Message, want.quiet)
			}
		})
	}
}

func TestRead_UnusualBodies(t *testing.T) {
	t.Parallel()
	amount := func(n int64) *int64 { return &n }
	at := time.Date(2024, 12, 12, 17, 49, 43, 0, time.UTC)
	tests := map[string]struct {
		body string
		want plugin.CourierEvent
	}{
		"handshake":               {`{"event":"webhook_integration"}`, plugin.CourierEvent{Kind: plugin.EventHandshake, Event: "webhook_integration"}},
		"handshake in mixed case": {`{"Event":"Webhook_Integration"}`, plugin.CourierEvent{Kind: plugin.EventHandshake, Event: "Webhook_Integration"}},
		"mixed separators": {
			`{"event":"Order.At_The Sorting_HUB","consignment_id":"D1"}`,
			plugin.CourierEvent{Event: "Order.At_The Sorting_HUB", ConsignmentID: "D1", Status: status.ShipmentAtHub},
		},
		"older format": {
			`{"order_status":"Received_at_Last_Mile_HUB","consignment_id":"D1"}`,
			plugin.CourierEvent{Event: "Received_at_Last_Mile_HUB", ConsignmentID: "D1", Status: status.ShipmentAtHub},
		},
		"older status names": {
			`{"order_status":"Payment_Invoice","consignment_id":"D1","invoice_id":7}`,
			plugin.CourierEvent{Event: "Payment_Invoice", ConsignmentID: "D1", PaidOut: true, Statement: "7"},
		},
		"numbers as strings": {
			`{"event":"order.delivered","consignment_id":12.0,"collected_amount":"1,250.50","updated_at":"2024-12-12 23:49:43"}`,
			plugin.CourierEvent{Event: "order.delivered", ConsignmentID: "12", Status: status.ShipmentDelivered, Collected: amount(125050), At: at},
		},
		"no invoice": {
			`{"event":"order.picked","consignment_id":"D1","merchant_order_id":null}`,
			plugin.CourierEvent{Event: "order.picked", ConsignmentID: "D1", Status: status.ShipmentPicked},
		},
		"negative amount": {
			`{"event":"order.delivered","consignment_id":"D1","collected_amount":-5}`,
			plugin.CourierEvent{Event: "order.delivered", ConsignmentID: "D1", Status: status.ShipmentDelivered, Problem: plugin.UnreadableAmount},
		},
		"returned part": {
			`{"event":"order.returned-to-merchant","consignment_id":"D1","return_type":"partial_delivery"}`,
			plugin.CourierEvent{
				Event: "order.returned-to-merchant", ConsignmentID: "D1", OfReturn: true, Message: "-",
				Problem: plugin.PartBack,
			},
		},
		"return consignment": {
			`{"event":"order.return-id-created","consignment_id":"D1","return_consignment_id":"R1"}`,
			plugin.CourierEvent{Event: "order.return-id-created", ConsignmentID: "D1", ReturnID: "R1", OfReturn: true, Status: status.ShipmentReturning},
		},
		"lost": {
			`{"event":"order.lost","consignment_id":"D1"}`,
			plugin.CourierEvent{Event: "order.lost", ConsignmentID: "D1", Status: status.ShipmentOnHold, Problem: "The courier reports the shipment as lost."},
		},
		"byte order mark": {
			"\xEF\xBB\xBF" + `{"event":"order.picked","consignment_id":"D1"}`,
			plugin.CourierEvent{Event: "order.picked", ConsignmentID: "D1", Status: status.ShipmentPicked},
		},
		"unknown event": {
			`{"event":"order.teleported","consignment_id":"D1"}`, plugin.CourierEvent{Event: "order.teleported", ConsignmentID: "D1", Message: "-"},
		},
		"unknown event without shipment": {`{"event":"fleet.renamed"}`, plugin.CourierEvent{Kind: plugin.EventOther, Event: "fleet.renamed"}},
		"no event":                       {`{"consignment_id":"D1"}`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"event without shipment": {
			`{"event":"order.picked"}`, plugin.CourierEvent{Kind: plugin.EventMalformed, Event: "order.picked", Status: status.ShipmentPicked},
		},
		"list":       {`[1]`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"two values": {`{}{}`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"truncated":  {`{"event":"order.pi`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"empty":      {``, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"null":       {`null`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reader().Read([]byte(tt.body), taka)
			got.Reason = ""
			if tt.want.Message != "" && got.Message != "" {
				got.Message = tt.want.Message
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// newRequest returns a webhook request with the given header fields, as pairs of name and value.
func newRequest(header ...string) plugin.WebhookRequest {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return plugin.WebhookRequest{Header: h.Get}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	own := plugin.Settings{"webhook_secret": "right"}
	pathao := plugin.Settings{"webhook_secret": "right", "header_prefix": "PATHAO"}
	tests := map[string]struct {
		settings plugin.Settings
		req      plugin.WebhookRequest
		want     bool
	}{
		"correct":                    {own, newRequest("X-CourierA-Signature", "right"), true},
		"Pathao's prefix":            {pathao, newRequest("X-PATHAO-Signature", "right"), true},
		"other prefix":               {pathao, newRequest("X-CourierA-Signature", "right"), false},
		"vendor's prefix by default": {own, newRequest("X-PATHAO-Signature", "right"), true},
		"both, one of them correct":  {own, newRequest("X-CourierA-Signature", "wrong", "X-PATHAO-Signature", "right"), true},
		"vendor's prefix, wrong":     {own, newRequest("X-PATHAO-Signature", "wrong"), false},
		"wrong":                      {own, newRequest("X-CourierA-Signature", "wrong"), false},
		"prefix of the secret":       {own, newRequest("X-CourierA-Signature", "righ"), false},
		"missing":                    {own, newRequest(), false},
		"empty":                      {own, newRequest("X-CourierA-Signature", ""), false},
		"empty without a secret set": {plugin.Settings{}, newRequest("X-CourierA-Signature", ""), false},
	}
	for name, tt := range tests {
		if got := reader().Authenticate(tt.settings, tt.req); got.OK != tt.want || got.OK == (got.Reason != "") {
			t.Errorf("%s: got %+v, want OK %v", name, got, tt.want)
		}
	}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	const own, real = "X-CourierA-Merchant-Webhook-Integration-Secret", "X-PATHAO-Merchant-Webhook-Integration-Secret"
	tests := map[string]struct {
		settings    plugin.Settings
		req         plugin.WebhookRequest
		name, value string
	}{
		"echoed from the request": {plugin.Settings{"webhook_secret": "s", "integration_secret": "i"}, newRequest(own, "sent"), own, "sent"},
		"setting":                 {plugin.Settings{"webhook_secret": "s", "integration_secret": "i"}, newRequest(), own, "i"},
		"webhook secret":          {plugin.Settings{"webhook_secret": "s"}, newRequest(), own, "s"},
		"Pathao's constant": {
			plugin.Settings{"webhook_secret": "s", "header_prefix": "PATHAO"}, newRequest(), real, "f3992ecc-59da-4cbe-a049-a13da2018d51",
		},
		"the prefix that came": {
			plugin.Settings{"webhook_secret": "s"}, newRequest("X-PATHAO-Signature", "s"), real, "f3992ecc-59da-4cbe-a049-a13da2018d51",
		},
		"setting with Pathao's prefix": {
			plugin.Settings{"webhook_secret": "s", "header_prefix": "PATHAO", "integration_secret": "i"}, newRequest(), real, "i",
		},
	}
	for name, tt := range tests {
		got := reader().Respond(tt.settings, tt.req)
		if got.Status != http.StatusAccepted || got.Header[tt.name] != tt.value || len(got.Header) != 1 {
			t.Errorf("%s: got %+v, want header %s: %s", name, got, tt.name, tt.value)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"event":"order.delivered","consignment_id":"D1","collected_amount":"970","timestamp":"2024-12-12T17:49:43+00:00"}`)
	f.Add(`{"order_status":"Return","consignment_id":5,"updated_at":"2024-12-12 23:49:43"}`)
	f.Fuzz(func(t *testing.T, body string) {
		got := reader().Read([]byte(body), taka)
		if got.Kind == plugin.EventShipment && got.ConsignmentID == "" && got.Ref == "" {
			t.Errorf("%q: got a shipment event without consignment ID and reference", body)
		}
		if got.Collected != nil && *got.Collected < 0 {
			t.Errorf("%q: got collected amount %d, want at least 0", body, *got.Collected)
		}
	})
}
