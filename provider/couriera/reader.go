package couriera

import (
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

const (
	defaultPrefix = "CourierA"
	// pathaoPrefix is Pathao's own header prefix. Its panel accepts a webhook address only if the
	// response contains pathaoSecret. The panel's webhook page and Pathao's WooCommerce plugin state
	// the same value for every merchant.
	pathaoPrefix = "PATHAO"
	pathaoSecret = "f3992ecc-59da-4cbe-a049-a13da2018d51"
)

// reader implements [plugin.CourierReader].
type reader struct{}

// prefixes returns the header prefixes that the courier may use: the configured one, otherwise the
// default and Pathao's own, since the secret alone decides whether a webhook is authentic.
func prefixes(settings plugin.Settings) []string {
	if p := settings[keyPrefix]; p != "" {
		return []string{p}
	}
	return []string{defaultPrefix, pathaoPrefix}
}

// prefixOf returns the prefix of the header that authenticates the request. ok is false if no
// header has the right secret. sent reports whether there is such a header at all.
func prefixOf(settings plugin.Settings, req plugin.WebhookRequest) (prefix string, sent, ok bool) {
	secret := settings[keySecret]
	all := prefixes(settings)
	prefix = all[0]
	for _, p := range all {
		value := req.Header(SignatureHeader(p))
		sent = sent || value != ""
		if provider.EqualSecrets(secret, value) && !ok {
			prefix, ok = p, true
		}
	}
	return prefix, sent, ok
}

// SignatureHeader returns the name of the request header with the webhook secret.
func SignatureHeader(prefix string) string { return "X-" + prefix + "-Signature" }

// IntegrationHeader returns the name of the response header with the integration secret.
func IntegrationHeader(prefix string) string {
	return "X-" + prefix + "-Merchant-Webhook-Integration-Secret"
}

// Authenticate compares the secret that the courier sends in plain text. The body is not signed.
func (reader) Authenticate(settings plugin.Settings, req plugin.WebhookRequest) plugin.WebhookAuth {
	_, sent, ok := prefixOf(settings, req)
	switch {
	case ok:
		return plugin.WebhookAuth{OK: true}
	case !sent:
		var names []string
		for _, p := range prefixes(settings) {
			names = append(names, SignatureHeader(p))
		}
		return plugin.WebhookAuth{Reason: "missing header " + strings.Join(names, " or ")}
	}
	for _, p := range prefixes(settings) {
		if provider.IsForgedSecret(settings[keySecret], req.Header(SignatureHeader(p))) {
			return plugin.WebhookAuth{Reason: "wrong secret", Probe: true}
		}
	}
	return plugin.WebhookAuth{Reason: "wrong secret"}
}

// AuthenticateHeader is the same as Authenticate, since only a header proves anything.
func (r reader) AuthenticateHeader(settings plugin.Settings, header func(name string) string) plugin.WebhookAuth {
	return r.Authenticate(settings, plugin.WebhookRequest{Header: header})
}

// Respond returns status 202 with the integration secret, which the courier's panel requires on
// every response: the request's own value, otherwise the setting, Pathao's constant or the webhook
// secret. The header has the prefix of the request.
func (reader) Respond(settings plugin.Settings, req plugin.WebhookRequest) plugin.WebhookResponse {
	prefix, _, _ := prefixOf(settings, req)
	name := IntegrationHeader(prefix)
	value := req.Header(name)
	if value == "" {
		value = settings[keyIntegration]
	}
	if value == "" && strings.EqualFold(prefix, pathaoPrefix) {
		value = pathaoSecret
	}
	if value == "" {
		value = settings[keySecret]
	}
	return plugin.WebhookResponse{
		Status: http.StatusAccepted, Header: map[string]string{name: value},
		ContentType: "application/json", Body: `{"status":202,"message":"Webhook received.","data":null}`,
	}
}

// Read parses the body of a webhook, which reports one event.
func (reader) Read(body []byte, currency money.Currency) plugin.CourierEvent {
	p, err := provider.ReadPayload(body)
	if err != nil {
		return plugin.CourierEvent{Kind: plugin.EventMalformed, Reason: "The body is not a JSON object."}
	}
	name := p["event"]
	if name == "" {
		name = p["order_status"] // older webhooks
	}
	e := plugin.CourierEvent{Event: name}
	if name == "" {
		e.Kind, e.Reason = plugin.EventMalformed, "The body has no event."
		return e
	}
	key := eventKey(name)
	meaning, ok := events[key]
	switch {
	case key == handshake:
		e.Kind, e.Reason = plugin.EventHandshake, "Handshake: the webhook address and secret are correct."
		return e
	case strings.HasPrefix(key, "store-"):
		e.Kind, e.Reason = plugin.EventOther, "Event of a pick-up store, without a shipment."
		return e
	case !ok && p.ID("consignment_id") == "" && p["merchant_order_id"] == "":
		e.Kind, e.Reason = plugin.EventOther, "Unknown event without a shipment."
		return e
	case !ok:
		meaning = event{message: "The courier reported an event of the shipment."}
		e.Reason = "Unknown event, recorded in the timeline only."
	}
	fillShipmentEvent(&e, p, meaning, currency)
	if e.ConsignmentID == "" && e.Ref == "" {
		e.Kind, e.Reason = plugin.EventMalformed, "The event has neither a consignment ID nor an order reference."
	}
	return e
}

// fillShipmentEvent copies the shipment's fields from the payload.
func fillShipmentEvent(e *plugin.CourierEvent, p provider.Payload, meaning event, currency money.Currency) {
	e.ConsignmentID, e.Ref = p.ID("consignment_id"), p["merchant_order_id"]
	e.ReturnID = p.ID("return_consignment_id")
	e.OfReturn = e.ReturnID != "" || p["return_type"] != "" || meaning.ofReturn
	e.At = p.Time(dhaka, "timestamp", "updated_at")
	e.Status, e.Message, e.Note, e.Problem = meaning.status, meaning.message, p["reason"], meaning.problem
	switch p.Slug("return_type", "-") {
	case "partial-delivery", "exchange": // the buyer bought the other part
		e.Message = "Part of the shipment is on its way back."
		if e.Status == status.ShipmentReturned {
			e.Message, e.Problem = "Part of the shipment is back at the shop.", plugin.PartBack
		}
		e.Status = ""
	}
	e.Collected, e.Fee = p.Amount("collected_amount", currency), p.Amount("delivery_fee", currency)
	e.Due = p.Amount("amount_to_collect", currency)
	if e.Collected == nil && p["collected_amount"] != "" {
		e.Problem = plugin.UnreadableAmount
	}
	e.PaidOut, e.Statement = meaning.paidOut, p["invoice_id"]
}
