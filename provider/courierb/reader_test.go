package courierb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/provider/courierb"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

var taka = money.Currency{Code: "BDT", Digits: 2}

func reader() plugin.CourierReader { return courierb.New(courierb.Config{}).CourierWebhooks }

func TestRead_EveryStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status   status.Shipment
		collects bool
	}{
		"in_review":                          {status: status.ShipmentCreated},
		"pending":                            {status: status.ShipmentInTransit},
		"hold":                               {status: status.ShipmentOnHold},
		"delivered":                          {status: status.ShipmentDelivered, collects: true},
		"Delivered":                          {status: status.ShipmentDelivered, collects: true},
		"Partial Delivered":                  {status: status.ShipmentPartiallyDelivered, collects: true},
		"partial_delivered":                  {status: status.ShipmentPartiallyDelivered, collects: true},
		"cancelled":                          {status: status.ShipmentReturning},
		"delivered_approval_pending":         {},
		"partial_delivered_approval_pending": {},
		"cancelled_approval_pending":         {},
		"unknown_approval_pending":           {},
		"exceptional":                        {},
		"unknown":                            {},
		"cancelled_return_processing":        {status: status.ShipmentReturning},
		"cancelled_return_received":          {status: status.ShipmentReturned},
		"partial_delivery_return_received":   {},
		"partial_delivered_return_received":  {},
		"lost":                               {status: status.ShipmentOnHold},
		"teleported":                         {},
	}
	for status, want := range tests {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			for format, kind := range map[string]string{"new": `"notification_type":"delivery_status",`, "old": ""} {
				body := `{` + kind + `"consignment_id":"1424107","invoice":"INV1","cod_amount":"1060.00","delivery_charge":110,` +
					`"status":"` + status + `","updated_at":"2024-12-12 23:49:43"}`
				got := reader().Read([]byte(body), taka)
				if got.Kind != plugin.EventShipment || got.Status != want.status || got.ConsignmentID != "1424107" || got.Ref != "INV1" {
					t.Errorf("%s: got %+v, want status %q", format, got, want.status)
				}
				if want.collects != (got.Collected != nil) || want.collects && *got.Collected != 106000 {
					t.Errorf("%s: got collected amount %v, want set: %v", format, got.Collected, want.collects)
				}
				if got.Fee == nil || *got.Fee != 11000 {
					t.Errorf("%s: got fee %v, want 11000", format, got.Fee)
				}
				if !got.At.Equal(time.Date(2024, 12, 12, 17, 49, 43, 0, time.UTC)) {
					t.Errorf("%s: got time %v", format, got.At)
				}
				if got.Status == "" && got.Message == "" {
					t.Errorf("%s: got neither a status nor a message for the buyer", format)
				}
			}
		})
	}
}

func TestRead_UnusualBodies(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 12, 12, 17, 49, 43, 0, time.UTC)
	const message = "The courier reported an event of the shipment."
	tests := map[string]struct {
		body string
		want plugin.CourierEvent
	}{
		"tracking update": {
			`{"notification_type":"tracking_update","consignment_id":1,"invoice":"I","tracking_message":"At the hub.",` +
				`"updated_at":"2024-12-12 23:49:43"}`,
			plugin.CourierEvent{Event: "tracking_update", ConsignmentID: "1", Ref: "I", Note: "At the hub.", Detail: "At the hub.", Message: message, At: at},
		},
		"changed amount": {
			`{"notification_type":"consignment_update","consignment_id":1,"cod_amount":"450.0000001"}`,
			plugin.CourierEvent{Event: "consignment_update", ConsignmentID: "1", Due: new(int64(450_00))},
		},
		"no status": {`{"consignment_id":1}`, plugin.CourierEvent{ConsignmentID: "1", Message: message}},
		"undocumented type": {
			`{"notification_type":"return_list_accepted","consignment_id":1,"status":"delivered"}`,
			plugin.CourierEvent{Event: "return_list_accepted:delivered", ConsignmentID: "1", Message: message},
		},
		"other type without shipment": {`{"notification_type":"user_update"}`, plugin.CourierEvent{Kind: plugin.EventOther, Event: "user_update"}},
		"status without shipment":     {`{"status":"delivered"}`, plugin.CourierEvent{Kind: plugin.EventMalformed, Event: "delivered"}},
		"names in mixed case": {
			`{"Consignment_ID":1,"Status":"HOLD"}`, plugin.CourierEvent{Event: "hold", ConsignmentID: "1", Status: status.ShipmentOnHold},
		},
		"empty":    {``, plugin.CourierEvent{Kind: plugin.EventMalformed}},
		"not JSON": {`delivered`, plugin.CourierEvent{Kind: plugin.EventMalformed}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reader().Read([]byte(tt.body), taka)
			got.Reason = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	const body = `{"consignment_id":1}`
	signed := courierb.Sign("right", []byte(body))
	lax := plugin.Settings{"webhook_token": "right"}
	strict := plugin.Settings{"webhook_token": "right", "require_signature": "true"}
	tests := map[string]struct {
		settings    plugin.Settings
		header      map[string]string
		ok, flagged bool
	}{
		"correct token":             {lax, map[string]string{"Authorization": "Bearer right"}, true, false},
		"scheme in lower case":      {lax, map[string]string{"Authorization": "bearer right"}, true, false},
		"scheme twice":              {lax, map[string]string{"Authorization": "Bearer Bearer right"}, true, false},
		"signed":                    {lax, map[string]string{"Authorization": "Bearer right", "X-Signature": signed}, true, false},
		"wrong signature":           {lax, map[string]string{"Authorization": "Bearer right", "X-Signature": "00"}, true, true},
		"strict, signed":            {strict, map[string]string{"Authorization": "Bearer right", "X-Signature": signed}, true, false},
		"strict, unsigned":          {strict, map[string]string{"Authorization": "Bearer right"}, false, false},
		"strict, wrong signature":   {strict, map[string]string{"Authorization": "Bearer right", "X-Signature": "00"}, false, false},
		"signed, wrong token":       {lax, map[string]string{"Authorization": "Bearer wrong", "X-Signature": signed}, false, false},
		"no scheme":                 {lax, map[string]string{"Authorization": "right"}, false, false},
		"other scheme":              {lax, map[string]string{"Authorization": "Basic right"}, false, false},
		"missing":                   {lax, nil, false, false},
		"empty without a token set": {plugin.Settings{}, map[string]string{"Authorization": "Bearer "}, false, false},
	}
	for name, tt := range tests {
		header := http.Header{"Idempotency-Key": {"event-1"}}
		for name, value := range tt.header {
			header.Set(name, value)
		}
		got := reader().Authenticate(tt.settings, plugin.WebhookRequest{Header: header.Get, Body: []byte(body)})
		if got.OK != tt.ok || (got.Flag != "") != tt.flagged || got.OK == (got.Reason != "") {
			t.Errorf("%s: got %+v, want OK %v, flagged %v", name, got, tt.ok, tt.flagged)
		}
		if got.OK && got.Key != "event-1" {
			t.Errorf("%s: got key %q, want event-1", name, got.Key)
		}
	}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	got := reader().Respond(nil, plugin.WebhookRequest{})
	want := plugin.WebhookResponse{Status: 200, ContentType: "application/json", Body: `{"status":"success","message":"Webhook received successfully."}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
