package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/shop"
)

// dhaka is where the couriers' clocks stand.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

const dhakaTime = "2006-01-02 15:04:05"

// WebhookRequest is a call that a courier makes.
type CourierCall struct {
	Header map[string]string
	Body   []byte
}

// CourierJourney gives the events of a parcel that reaches its buyer, in their order.
func CourierJourney(courier shop.Provider) []string {
	if courier == shop.CourierB {
		return []string{"in_review", "pending", "tracking_update", "delivered_approval_pending", "delivered"}
	}
	return []string{
		"order.created", "order.pickup-requested", "order.assigned-for-pickup", "order.picked", "order.at-the-sorting-hub", "order.in-transit",
		"order.received-at-last-mile-hub", "order.assigned-for-delivery", "order.delivered", "order.paid",
	}
}

// CourierTestResult is the event with which a courier's address can be tried: it touches no order.
func CourierTrial(courier shop.Provider) string {
	if courier == shop.CourierB {
		return "user_update"
	}
	return "webhook_integration"
}

// NewCourierCall makes the call with which a courier tells of a parcel, with the shop's own secret.
func NewCourierCall(courier shop.Provider, event string, parcel shop.SampleShipment, settings shop.PluginSettings, at time.Time) (CourierCall, error) {
	var fields map[string]any
	header := map[string]string{"Content-Type": "application/json"}
	switch courier {
	case shop.CourierA:
		prefix := settings["header_prefix"]
		if prefix == "" {
			prefix = "CourierA"
		}
		header[couriera.SignatureHeader(prefix)] = settings["webhook_secret"]
		fields = eventOfCourierA(event, parcel, at)
	case shop.CourierB:
		header["Authorization"] = "Bearer " + settings["webhook_token"]
		header["User-Agent"] = "Steadfast-Webhook/1.0"
		fields = eventOfCourierB(event, parcel, at)
	default:
		return CourierCall{}, fmt.Errorf("%s is no courier", courier)
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return CourierCall{}, fmt.Errorf("write the call: %w", err)
	}
	if courier == shop.CourierB {
		header["X-Signature"] = courierb.Sign(settings["webhook_token"], body)
	}
	return CourierCall{Header: header, Body: body}, nil
}

func eventOfCourierA(event string, parcel shop.SampleShipment, at time.Time) map[string]any {
	fields := map[string]any{"event": event}
	if event == CourierTrial(shop.CourierA) {
		return fields
	}
	fields["store_id"], fields["timestamp"], fields["updated_at"] = DemoStore, at.UTC().Format(time.RFC3339), at.In(dhaka).Format(dhakaTime)
	if strings.HasPrefix(event, "store.") {
		fields["store_name"], fields["is_active"] = "Demo", 1
		return fields
	}
	fields["consignment_id"], fields["merchant_order_id"] = parcel.ConsignmentID, parcel.Ref
	switch event {
	case "order.created", "order.updated", "order.pickup-requested":
		fields["delivery_fee"] = 60
	case "order.delivered", "order.partial-delivery", "order.paid-return", "order.exchanged":
		fields["collected_amount"] = parcel.Cash / 100
	case "order.paid":
		fields["invoice_id"] = "INV-" + at.UTC().Format("20060102")
	case "order.return-id-created", "order.return-in-transit", "order.returned-to-merchant":
		fields["return_consignment_id"], fields["return_type"] = "R"+parcel.ConsignmentID, "return"
	}
	return fields
}

func eventOfCourierB(event string, parcel shop.SampleShipment, at time.Time) map[string]any {
	if event == CourierTrial(shop.CourierB) {
		return map[string]any{"notification_type": event, "updated_at": at.In(dhaka).Format(dhakaTime)}
	}
	fields := map[string]any{
		"consignment_id": json.Number(parcel.ConsignmentID), "invoice": parcel.Ref, "tracking_message": "Simulated.", "updated_at": at.In(dhaka).Format(dhakaTime),
	}
	if strings.Trim(parcel.ConsignmentID, "0123456789") != "" || parcel.ConsignmentID == "" {
		fields["consignment_id"] = parcel.ConsignmentID
	}
	if slices.Contains([]string{"tracking_update", "consignment_update", "return_list_accepted"}, event) {
		fields["notification_type"] = event
		return fields
	}
	fields["notification_type"], fields["status"], fields["cod_amount"], fields["delivery_charge"] = "delivery_status", event, parcel.Cash/100, 60
	return fields
}
