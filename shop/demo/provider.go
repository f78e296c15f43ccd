package demo

import (
	"context"

	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// courier books every shipment, and its webhooks are reports. The stories use nothing else of it.
type courier struct {
	plugin.Courier
	plugin.CourierReader
	consignment string // ID of the next booking
}

func (c *courier) Book(
	context.Context, plugin.Access, plugin.ShipmentRequest,
) (plugin.BookedShipment, error) {
	return plugin.BookedShipment{ConsignmentID: c.consignment}, nil
}

// report is the body of a courier's webhook. Amounts are in minor units.
type report struct {
	Consignment string          `json:"consignment"`
	Status      status.Shipment `json:"status"`
	Collected   *int64          `json:"collected,omitempty"`
	Fee         *int64          `json:"fee,omitempty"`
}

func (*courier) Authenticate(plugin.Settings, plugin.WebhookRequest) plugin.WebhookAuth {
	return plugin.WebhookAuth{OK: true}
}

func (*courier) Read(body []byte, _ money.Currency) plugin.CourierEvent {
	r := decode[report](string(body))
	return plugin.CourierEvent{
		ConsignmentID: r.Consignment, Event: string(r.Status), Status: r.Status,
		Collected: r.Collected, Fee: r.Fee,
	}
}

func (*courier) Respond(plugin.Settings, plugin.WebhookRequest) plugin.WebhookResponse {
	return plugin.WebhookResponse{}
}

// gateway receives payments with given results. The stories use nothing else of it.
type gateway struct {
	plugin.Gateway
	next     plugin.GatewayStatus            // result of the next payment
	payments map[string]plugin.GatewayStatus // by our reference
	refs     map[string]string               // our references by invoice UID
}

func (g *gateway) Start(
	_ context.Context, _ plugin.Access, order plugin.PaymentStart,
) (plugin.StartedPayment, error) {
	result := g.next
	result.Ref, result.TransactionID = order.Ref, "SEED"+order.Ref
	result.Amount, result.Currency, result.Readable = order.Amount, order.Currency.Code, true
	g.payments[order.Ref], g.refs[order.Invoice] = result, order.Ref
	if result.State == plugin.GatewayOpen {
		return plugin.StartedPayment{}, nil // without an ID, gateway_b is never queried for it
	}
	return plugin.StartedPayment{ExternalID: "seed-" + order.Ref}, nil
}

func (g *gateway) QueryStatus(
	_ context.Context, _ plugin.Access, payment plugin.StatusQuery,
) (plugin.GatewayStatus, error) {
	return g.payments[payment.Ref], nil
}
