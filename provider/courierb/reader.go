package courierb

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// reader implements [plugin.CourierReader].
type reader struct{}

// Authenticate verifies the Bearer token and, if present or required by the settings, the signature
// of the body. Steadfast's older panel documents the token only. X-Signature and Idempotency-Key
// come with its guide of 2026.
func (r reader) Authenticate(settings plugin.Settings, req plugin.WebhookRequest) plugin.WebhookAuth {
	auth := r.AuthenticateHeader(settings, req.Header)
	if !auth.OK {
		return auth
	}
	token, signature := settings[keyToken], req.Header("X-Signature")
	switch required := settings[keySignature] == "true"; {
	case signature == "" || isSigned(token, req.Body, signature):
	case required:
		return plugin.WebhookAuth{Reason: "wrong signature"}
	default:
		auth.Flag = "The token is correct, but the signature of the body is wrong."
	}
	return auth
}

// AuthenticateHeader verifies the Bearer token, and that there is a signature if the settings
// require it.
func (reader) AuthenticateHeader(settings plugin.Settings, header func(name string) string) plugin.WebhookAuth {
	token, sent := settings[keyToken], bearer(header("Authorization"))
	switch {
	case sent == "":
		return plugin.WebhookAuth{Reason: "missing Bearer token"}
	case !provider.EqualSecrets(token, sent):
		return plugin.WebhookAuth{Reason: "wrong token", Probe: provider.IsForgedSecret(token, sent)}
	case settings[keySignature] == "true" && header("X-Signature") == "":
		return plugin.WebhookAuth{Reason: "missing signature"}
	}
	return plugin.WebhookAuth{OK: true, Key: header("Idempotency-Key")}
}

// bearer returns the token of an Authorization header. It accepts "Bearer Bearer token", which the
// courier sends if the merchant enters the scheme in the panel's token field.
func bearer(header string) string {
	for range 2 {
		scheme, rest, found := strings.Cut(strings.TrimSpace(header), " ")
		if !found || !strings.EqualFold(scheme, "Bearer") {
			break
		}
		header = strings.TrimSpace(rest)
		if !strings.Contains(header, " ") {
			return header
		}
	}
	return ""
}

// Sign returns the X-Signature of a body: the HMAC-SHA256 with the token as key, in lower-case hex.
func Sign(token string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func isSigned(token string, body []byte, signature string) bool {
	return hmac.Equal([]byte(Sign(token, body)), []byte(strings.ToLower(signature)))
}

// Respond returns the success response from the courier's documentation.
func (reader) Respond(plugin.Settings, plugin.WebhookRequest) plugin.WebhookResponse {
	return plugin.WebhookResponse{
		Status: http.StatusOK, ContentType: "application/json",
		Body: `{"status":"success","message":"Webhook received successfully."}`,
	}
}

// Read parses the body of a webhook. An older format has no notification_type and is a delivery
// status.
func (reader) Read(body []byte, currency money.Currency) plugin.CourierEvent {
	p, err := provider.ReadPayload(body)
	if err != nil {
		return plugin.CourierEvent{Kind: plugin.EventMalformed, Reason: "The body is not a JSON object."}
	}
	kind := p.Slug("notification_type", "_")
	status := p.Slug("status", "_")
	e := plugin.CourierEvent{
		Event: eventName(kind, status), ConsignmentID: p.ID("consignment_id"), Ref: p["invoice"],
		At: p.Time(dhaka, "updated_at"), Note: p["tracking_message"],
	}
	isStatus := kind == "" || kind == deliveryStatus
	switch {
	case e.ConsignmentID == "" && e.Ref == "" && (isStatus || kind == trackingUpdate):
		e.Kind, e.Reason = plugin.EventMalformed, "The body has neither a consignment ID nor an invoice."
	case e.ConsignmentID == "" && e.Ref == "":
		e.Kind, e.Reason = plugin.EventOther, "Notification without a shipment."
	case kind == consignmentUpdate:
		e.Due = p.Amount("cod_amount", currency)
	case kind == trackingUpdate:
		e.Message, e.Detail = eventMessage, p["tracking_message"]
	case !isStatus || status == "":
		e.Message = eventMessage
	default:
		applyStatus(&e, p, status, currency)
	}
	return e
}

// applyStatus adds what a delivery status means.
func applyStatus(e *plugin.CourierEvent, p provider.Payload, status string, currency money.Currency) {
	meaning, ok := statuses[status]
	if !ok {
		meaning = statusMapping{message: eventMessage}
		e.Reason = "Unknown status, recorded in the timeline only."
	}
	e.Status, e.Message, e.Problem = meaning.status, meaning.message, meaning.problem
	if meaning.collects {
		if e.Collected = p.Amount("cod_amount", currency); e.Collected == nil && p["cod_amount"] != "" {
			e.Problem = plugin.UnreadableAmount
		}
	}
	e.Fee = p.Amount("delivery_charge", currency)
}

// eventName returns the event's name for staff members.
func eventName(kind, status string) string {
	switch {
	case status == "":
		return kind
	case kind == "" || kind == deliveryStatus:
		return status
	}
	return kind + ":" + status
}
