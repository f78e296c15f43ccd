// Package testwebhook builds webhooks as the couriers send them, for tests of a shop's webhook
// addresses: by doctor, by the command simulate, and by the simulator's own tests.
//
// It sends nothing, and of this module imports only the couriers' adapters and package shop.
package testwebhook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/shop/plugin"
)

// dhaka is the time zone of the couriers' timestamps.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

const dhakaTime = "2006-01-02 15:04:05"

// storeID is the pick-up store that events of courier_a name; the shop does not read it.
const storeID = 1

// Webhook is the header fields and the body of one webhook.
type Webhook struct {
	Header map[string]string
	Body   []byte
}

// DeliveryEvents returns the events of a shipment that is delivered, in order. For courier_a, the
// last one is the payout of its cash.
func DeliveryEvents(courier plugin.Provider) []string {
	if courier == plugin.CourierB {
		return []string{"in_review", "pending", "tracking_update", "delivered_approval_pending", "delivered"}
	}
	return []string{
		"order.created", "order.pickup-requested", "order.assigned-for-pickup", "order.picked", "order.at-the-sorting-hub", "order.in-transit",
		"order.received-at-last-mile-hub", "order.assigned-for-delivery", "order.delivered", "order.paid",
	}
}

// ConnectionEvent returns the event that tests a courier's webhook address. It contains no shipment
// and changes no order.
func ConnectionEvent(courier plugin.Provider) string {
	if courier == plugin.CourierB {
		return "user_update"
	}
	return "webhook_integration"
}

// New returns the webhook that reports event of shipment at the time at. It is authenticated with
// the secret or token in settings, the courier's plugin settings of a shop.
func New(courier plugin.Provider, event string, shipment plugin.SampleShipment, settings plugin.Settings, at time.Time) (*Webhook, error) {
	var fields map[string]any
	header := map[string]string{"Content-Type": "application/json"}
	switch courier {
	case plugin.CourierA:
		prefix := settings["header_prefix"]
		if prefix == "" {
			prefix = "CourierA"
		}
		header[couriera.SignatureHeader(prefix)] = settings["webhook_secret"]
		fields = courierAFields(event, shipment, at)
	case plugin.CourierB:
		header["Authorization"] = "Bearer " + settings["webhook_token"]
		header["User-Agent"] = "Steadfast-Webhook/1.0"
		fields = courierBFields(event, shipment, at)
	default:
		return nil, fmt.Errorf("unknown courier %q", courier)
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode test webhook: %w", err)
	}
	if courier == plugin.CourierB {
		header["X-Signature"] = courierb.Sign(settings["webhook_token"], body)
	}
	return &Webhook{Header: header, Body: body}, nil
}

func courierAFields(event string, shipment plugin.SampleShipment, at time.Time) map[string]any {
	fields := map[string]any{"event": event}
	if event == ConnectionEvent(plugin.CourierA) {
		return fields
	}
	fields["store_id"], fields["timestamp"], fields["updated_at"] = storeID, at.UTC().Format(time.RFC3339), at.In(dhaka).Format(dhakaTime)
	if strings.HasPrefix(event, "store.") {
		fields["store_name"], fields["is_active"] = "Demo", 1
		return fields
	}
	fields["consignment_id"], fields["merchant_order_id"] = shipment.ConsignmentID, shipment.Ref
	switch event {
	case "order.created", "order.updated", "order.pickup-requested":
		fields["delivery_fee"] = 60
	case "order.delivered", "order.partial-delivery", "order.paid-return", "order.exchanged":
		fields["collected_amount"] = float64(shipment.Cash) / 100
	case "order.paid":
		fields["invoice_id"] = "INV-" + at.UTC().Format("20060102")
	case "order.return-id-created", "order.return-in-transit", "order.returned-to-merchant":
		fields["return_consignment_id"], fields["return_type"] = "R"+shipment.ConsignmentID, "return"
	}
	return fields
}

func courierBFields(event string, shipment plugin.SampleShipment, at time.Time) map[string]any {
	if event == ConnectionEvent(plugin.CourierB) {
		return map[string]any{"notification_type": event, "updated_at": at.In(dhaka).Format(dhakaTime)}
	}
	fields := map[string]any{
		"consignment_id": json.Number(shipment.ConsignmentID), "invoice": shipment.Ref, "tracking_message": "Simulated.",
		"updated_at": at.In(dhaka).Format(dhakaTime),
	}
	if strings.Trim(shipment.ConsignmentID, "0123456789") != "" || shipment.ConsignmentID == "" {
		fields["consignment_id"] = shipment.ConsignmentID
	}
	if slices.Contains([]string{"tracking_update", "consignment_update", "return_list_accepted"}, event) {
		fields["notification_type"] = event
		return fields
	}
	fields["notification_type"], fields["status"] = "delivery_status", event
	fields["cod_amount"], fields["delivery_charge"] = float64(shipment.Cash)/100, 60
	return fields
}
