package couriera

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop"
)

const (
	defaultPrefix = "CourierA"
	// pathaoPrefix is the header prefix of the company whose protocol this is. Its panel accepts an
	// address only if it answers with pathaoSecret, the same for every merchant.
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

// SignatureHeader and IntegrationHeader name the headers of a call and of its answer.
func SignatureHeader(prefix string) string { return "X-" + prefix + "-Signature" }

// IntegrationHeader names the header that every answer carries.
func IntegrationHeader(prefix string) string {
	return "X-" + prefix + "-Merchant-Webhook-Integration-Secret"
}

// Authenticate compares hashes, so that the time it takes says nothing of the secret.
func (reader) Authenticate(settings shop.PluginSettings, call shop.WebhookRequest) shop.WebhookAuth {
	secret, sent := settings[keySecret], call.Header(SignatureHeader(prefix(settings)))
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(sent))
	switch same := subtle.ConstantTimeCompare(want[:], got[:]) == 1; {
	case sent == "":
		return shop.WebhookAuth{Reason: "there is no " + SignatureHeader(prefix(settings)) + " header"}
	case !same || secret == "":
		return shop.WebhookAuth{Reason: "the secret differs"}
	}
	return shop.WebhookAuth{OK: true}
}

// Respond is 202 with the header that the courier's panel looks for.
func (reader) Respond(settings shop.PluginSettings, call shop.WebhookRequest) shop.WebhookResponse {
	name := IntegrationHeader(prefix(settings))
	value := call.Header(name)
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

// Read reads one event.
func (reader) Read(body []byte, money shop.Currency) shop.CourierEvent {
	p, err := provider.ReadPayload(body)
	if err != nil {
		return shop.CourierEvent{Kind: shop.EventMalformed, Reason: "The body is no JSON object."}
	}
	name := p["event"]
	if name == "" {
		name = p["order_status"] // how older calls name it
	}
	notice := shop.CourierEvent{Event: name}
	if name == "" {
		notice.Kind, notice.Reason = shop.EventMalformed, "The body names no event."
		return notice
	}
	word := eventKey(name)
	known, ok := events[word]
	switch {
	case word == handshake:
		notice.Kind, notice.Reason = shop.EventHandshake, "A handshake: the address and the secret are right."
		return notice
	case strings.HasPrefix(word, "store-"):
		notice.Kind, notice.Reason = shop.EventOther, "News of a pick-up store: no parcel changes."
		return notice
	case !ok && p.ID("consignment_id") == "" && p["merchant_order_id"] == "":
		notice.Kind, notice.Reason = shop.EventOther, "An event that is not known here, and that names no parcel."
		return notice
	case !ok:
		known = event{message: "The courier reported news of the parcel."}
		notice.Reason = "An event that is not known here: kept in the timeline."
	}
	fillShipmentEvent(&notice, p, known, money)
	if notice.ConsignmentID == "" && notice.Ref == "" {
		notice.Kind, notice.Reason = shop.EventMalformed, "The event names no parcel."
	}
	return notice
}

// fillShipmentEvent takes what the event tells of its parcel.
func fillShipmentEvent(notice *shop.CourierEvent, p provider.Payload, known event, money shop.Currency) {
	notice.ConsignmentID, notice.Ref = p.ID("consignment_id"), p["merchant_order_id"]
	notice.At = p.Time(dhaka, "timestamp", "updated_at")
	notice.Status, notice.Message, notice.Note = known.status, known.message, p["reason"]
	switch p.Slug("return_type", "-") {
	case "partial-delivery", "exchange": // what was kept of the parcel is sold
		notice.Status, notice.Message = "", "A part of the parcel is on its way back."
	}
	notice.Collected, notice.Fee = p.Amount("collected_amount", money), p.Amount("delivery_fee", money)
	notice.PaidOut, notice.Statement = known.paidOut, p["invoice_id"]
}
