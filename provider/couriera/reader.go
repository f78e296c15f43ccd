package couriera

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop"
	"storefront/shop/money"
)

const (
	defaultPrefix = "CourierA"
	// pathaoPrefix is Pathao's own header prefix. Its panel accepts a webhook address only if the
	// response carries pathaoSecret. The panel's webhook page and Pathao's WooCommerce plugin state
	// the same value for every merchant.
	pathaoPrefix = "PATHAO"
	pathaoSecret = "f3992ecc-59da-4cbe-a049-a13da2018d51"
)

// reader implements shop.CourierReader.
type reader struct{}

func prefix(settings shop.PluginSettings) string {
	if p := settings[keyPrefix]; p != "" {
		return p
	}
	return defaultPrefix
}

// SignatureHeader returns the name of the request header with the webhook secret.
func SignatureHeader(prefix string) string { return "X-" + prefix + "-Signature" }

// IntegrationHeader returns the name of the response header with the integration secret.
func IntegrationHeader(prefix string) string {
	return "X-" + prefix + "-Merchant-Webhook-Integration-Secret"
}

// Authenticate compares the secret that the courier sends in plain text. The body is not signed. It
// compares hashes in constant time.
func (reader) Authenticate(settings shop.PluginSettings, req shop.WebhookRequest) shop.WebhookAuth {
	secret, sent := settings[keySecret], req.Header(SignatureHeader(prefix(settings)))
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(sent))
	switch equal := subtle.ConstantTimeCompare(want[:], got[:]) == 1; {
	case sent == "":
		return shop.WebhookAuth{Reason: "missing header " + SignatureHeader(prefix(settings))}
	case !equal || secret == "":
		return shop.WebhookAuth{Reason: "wrong secret"}
	}
	return shop.WebhookAuth{OK: true}
}

// Respond returns status 202 with the integration secret, which the courier's panel requires on
// every response: the request's own value or else the setting, Pathao's constant or the webhook
// secret.
func (reader) Respond(settings shop.PluginSettings, req shop.WebhookRequest) shop.WebhookResponse {
	name := IntegrationHeader(prefix(settings))
	value := req.Header(name)
	if value == "" {
		value = settings[keyIntegration]
	}
	if value == "" && strings.EqualFold(prefix(settings), pathaoPrefix) {
		value = pathaoSecret
	}
	if value == "" {
		value = settings[keySecret]
	}
	return shop.WebhookResponse{
		Status: http.StatusAccepted, Header: map[string]string{name: value},
		ContentType: "application/json", Body: `{"status":202,"message":"Webhook received.","data":null}`,
	}
}

// Read parses the body of a webhook, which reports one event.
func (reader) Read(body []byte, currency money.Currency) shop.CourierEvent {
	p, err := provider.ReadPayload(body)
	if err != nil {
		return shop.CourierEvent{Kind: shop.EventMalformed, Reason: "The body is not a JSON object."}
	}
	name := p["event"]
	if name == "" {
		name = p["order_status"] // older webhooks
	}
	e := shop.CourierEvent{Event: name}
	if name == "" {
		e.Kind, e.Reason = shop.EventMalformed, "The body has no event."
		return e
	}
	key := eventKey(name)
	meaning, ok := events[key]
	switch {
	case key == handshake:
		e.Kind, e.Reason = shop.EventHandshake, "Handshake: the webhook address and secret are correct."
		return e
	case strings.HasPrefix(key, "store-"):
		e.Kind, e.Reason = shop.EventOther, "Event of a pick-up store, without a shipment."
		return e
	case !ok && p.ID("consignment_id") == "" && p["merchant_order_id"] == "":
		e.Kind, e.Reason = shop.EventOther, "Unknown event without a shipment."
		return e
	case !ok:
		meaning = event{message: "The courier reported an event of the shipment."}
		e.Reason = "Unknown event, recorded in the timeline only."
	}
	fillShipmentEvent(&e, p, meaning, currency)
	if e.ConsignmentID == "" && e.Ref == "" {
		e.Kind, e.Reason = shop.EventMalformed, "The event has neither a consignment ID nor an order reference."
	}
	return e
}

// fillShipmentEvent copies the shipment's fields from the payload.
func fillShipmentEvent(e *shop.CourierEvent, p provider.Payload, meaning event, currency money.Currency) {
	e.ConsignmentID, e.Ref = p.ID("consignment_id"), p["merchant_order_id"]
	e.At = p.Time(dhaka, "timestamp", "updated_at")
	e.Status, e.Message, e.Note = meaning.status, meaning.message, p["reason"]
	switch p.Slug("return_type", "-") {
	case "partial-delivery", "exchange": // the buyer bought the other part
		e.Status, e.Message = "", "Part of the shipment is on its way back."
	}
	e.Collected, e.Fee = p.Amount("collected_amount", currency), p.Amount("delivery_fee", currency)
	e.PaidOut, e.Statement = meaning.paidOut, p["invoice_id"]
}
