package courierb_test

import (
	"net/http"
	"strings"
	"testing"

	"storefront/provider/courierb"
	"storefront/shop/plugin"
)

func FuzzRead(f *testing.F) {
	f.Add(`{"notification_type":"delivery_status","consignment_id":"1424107","invoice":"I1","cod_amount":"1060.00","status":"Delivered"}`)
	f.Add(`{"consignment_id":1424107,"status":"partial_delivered","cod_amount":1e400,"delivery_charge":-1,"updated_at":"2025-02-30 25:00:00"}`)
	f.Add(`{"notification_type":"tracking_update","invoice":"I1","tracking_message":"\u0000"}`)
	f.Add(`{"notification_type":"consignment_update","cod_amount":"১০০"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		got := reader().Read([]byte(body), taka)
		if got.Kind == plugin.EventShipment && got.ConsignmentID == "" && got.Ref == "" {
			t.Errorf("%q: got a shipment event without consignment ID and reference", body)
		}
		for name, amount := range map[string]*int64{"collected": got.Collected, "fee": got.Fee, "due": got.Due} {
			if amount != nil && *amount < 0 {
				t.Errorf("%q: got the amount %s %d, want at least 0", body, name, *amount)
			}
		}
	})
}

// Only the configured token authenticates a webhook, whatever the headers and the body are.
func FuzzAuthenticate(f *testing.F) {
	const token = "the-configured-token"
	body := `{"status":"delivered"}`
	f.Add("Bearer "+token, "", body, false)
	f.Add("bearer  Bearer "+token+" ", courierb.Sign(token, []byte(body)), body, true)
	f.Add("Basic "+token, "", body, false)
	f.Add("", courierb.Sign("", nil), "", true)
	f.Fuzz(func(t *testing.T, authorization, signature, body string, require bool) {
		settings := plugin.Settings{"webhook_token": token}
		if require {
			settings["require_signature"] = "true"
		}
		header := http.Header{"Authorization": {authorization}, "X-Signature": {signature}}
		got := reader().Authenticate(settings, plugin.WebhookRequest{Header: header.Get, Body: []byte(body)})
		words := strings.Fields(authorization)
		if got.OK && (len(words) < 2 || words[len(words)-1] != token) {
			t.Errorf("authorization %q: got an authentic webhook", authorization)
		}
		if got.OK && require && strings.ToLower(signature) != courierb.Sign(token, []byte(body)) {
			t.Errorf("signature %q of %q: got an authentic webhook", signature, body)
		}
		if !got.OK && got.Reason == "" {
			t.Errorf("authorization %q: got no reason of the refusal", authorization)
		}
	})
}
