package courierb

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop"
)

// reader implements shop.CourierReader.
type reader struct{}

// Authenticate compares hashes, so that the time it takes says nothing of the token.
func (reader) Authenticate(settings shop.PluginSettings, call shop.WebhookRequest) shop.WebhookAuth {
	token, sent := settings[keyToken], bearer(call.Header("Authorization"))
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(sent))
	switch same := subtle.ConstantTimeCompare(want[:], got[:]) == 1; {
	case sent == "":
		return shop.WebhookAuth{Reason: "there is no Bearer token"}
	case !same || token == "":
		return shop.WebhookAuth{Reason: "the token differs"}
	}
	proof := shop.WebhookAuth{OK: true, Key: call.Header("Idempotency-Key")}
	signature := call.Header("X-Signature")
	switch required := settings[keySignature] == "true"; {
	case signature == "" && required:
		return shop.WebhookAuth{Reason: "the body is not signed"}
	case signature == "" || isSigned(token, call.Body, signature):
	case required:
		return shop.WebhookAuth{Reason: "the body's signature is wrong"}
	default:
		proof.Flag = "The token is right and the body's signature is wrong."
	}
	return proof
}

// bearer gives the token of an Authorization header. Some merchants paste the word into the panel's
// field as well, and it then comes twice.
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

// Sign gives the signature of a body.
func Sign(token string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func isSigned(token string, body []byte, signature string) bool {
	return hmac.Equal([]byte(Sign(token, body)), []byte(strings.ToLower(signature)))
}

// Respond is the one that the courier's documents show.
func (reader) Respond(shop.PluginSettings, shop.WebhookRequest) shop.WebhookResponse {
	return shop.WebhookResponse{
		Status: http.StatusOK, ContentType: "application/json",
		Body: `{"status":"success","message":"Webhook received successfully."}`,
	}
}

// Read reads a delivery update or a tracking update.
func (reader) Read(body []byte, money shop.Currency) shop.CourierEvent {
	p, err := provider.ReadPayload(body)
	if err != nil {
		return shop.CourierEvent{Kind: shop.EventMalformed, Reason: "The body is no JSON object."}
	}
	kind := p.Slug("notification_type", "_")
	status := p.Slug("status", "_")
	notice := shop.CourierEvent{
		Event: eventName(kind, status), ConsignmentID: p.ID("consignment_id"), Ref: p["invoice"],
		At: p.Time(dhaka, "updated_at"), Note: p["tracking_message"],
	}
	if notice.ConsignmentID == "" && notice.Ref == "" {
		notice.Kind, notice.Reason = shop.EventMalformed, "The call names no parcel."
		if kind != "" && kind != deliveryStatus && kind != trackingUpdate {
			notice.Kind, notice.Reason = shop.EventOther, "A notification that names no parcel."
		}
		return notice
	}
	if kind == trackingUpdate || kind != deliveryStatus && kind != "" || status == "" {
		notice.Message = "The courier reported news of the parcel."
		return notice
	}
	known, ok := statuses[status]
	if !ok {
		known = statusMapping{message: "The courier reported news of the parcel."}
		notice.Reason = "A status that is not known here: kept in the timeline."
	}
	notice.Status, notice.Message = known.status, known.message
	if known.collects {
		notice.Collected = p.Amount("cod_amount", money)
	}
	notice.Fee = p.Amount("delivery_charge", money)
	return notice
}

// eventName names the event for the shop's staff.
func eventName(kind, status string) string {
	switch {
	case status == "":
		return kind
	case kind == "" || kind == deliveryStatus:
		return status
	}
	return kind + ":" + status
}
