// Package practice has couriers and gateways for practice. A shop in sandbox mode uses them in
// place of providers until it has accounts at them. They send nothing and move no money.
//
// Its shipments and payments stay with it after the account is complete: the provider does not know
// them.
//
// It stores nothing: the IDs that it returns contain what it reports later. It must not know a
// provider's protocol.
package practice

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"storefront/shop/plugin"
	"storefront/shop/status"
)

// prefix begins all IDs of practice, on labels too.
const prefix = "PRACTICE"

// New returns the practice of a provider. A nil now means time.Now.
func New(provider plugin.Provider, now func() time.Time) *plugin.Plugin {
	if now == nil {
		now = time.Now
	}
	switch provider {
	case plugin.GatewayA, plugin.GatewayB:
		return &plugin.Plugin{Provider: provider, Gateway: gateway{}}
	}
	return &plugin.Plugin{Provider: provider, Courier: courier{now}}
}

// Join adds its practice to a provider. The practice continues the shipments and payments that it
// has begun.
func Join(p *plugin.Plugin, now func() time.Time) {
	p.Practice = New(p.Provider, now)
	if p.Courier != nil {
		p.Courier = keptCourier{p.Courier, p.Practice.Courier}
	}
	if p.Gateway != nil {
		p.Gateway = keptGateway{p.Gateway, p.Practice.Gateway}
	}
}

// isOwn reports whether an ID is of practice.
func isOwn(access plugin.Access, id string) bool {
	return access.Mode == plugin.Sandbox && strings.HasPrefix(id, prefix+"-")
}

// keptCourier is a courier that finds the shipments of its practice there.
type keptCourier struct {
	plugin.Courier
	practice plugin.Courier
}

// Find implements [plugin.Courier].
func (c keptCourier) Find(
	ctx context.Context, access plugin.Access, shipment plugin.ShipmentRef,
) (plugin.BookedShipment, error) {
	if isOwn(access, shipment.ConsignmentID) {
		return c.practice.Find(ctx, access, shipment)
	}
	return c.Courier.Find(ctx, access, shipment)
}

// keptGateway is a gateway that leaves the payments of its practice to it.
type keptGateway struct {
	plugin.Gateway
	practice plugin.Gateway
}

// of returns the gateway that has a payment.
func (g keptGateway) of(access plugin.Access, externalID string) plugin.Gateway {
	if isOwn(access, externalID) {
		return g.practice
	}
	return g.Gateway
}

// QueryStatus implements [plugin.Gateway].
func (g keptGateway) QueryStatus(
	ctx context.Context, access plugin.Access, payment plugin.StatusQuery,
) (plugin.GatewayStatus, error) {
	return g.of(access, payment.ExternalID).QueryStatus(ctx, access, payment)
}

// Capture implements [plugin.Gateway].
func (g keptGateway) Capture(
	ctx context.Context, access plugin.Access, payment plugin.StatusQuery,
) (plugin.GatewayStatus, error) {
	return g.of(access, payment.ExternalID).Capture(ctx, access, payment)
}

// Refund implements [plugin.Gateway].
func (g keptGateway) Refund(
	ctx context.Context, access plugin.Access, refund plugin.RefundRequest,
) (plugin.RefundResult, error) {
	return g.of(access, refund.ExternalID).Refund(ctx, access, refund)
}

// id returns an ID of parts, of letters and digits.
func id(parts ...string) string { return prefix + "-" + strings.Join(parts, "-") }

// parts returns the parts of an ID; nil if it is not one of n parts.
func parts(id string, n int) []string {
	found := strings.Split(id, "-")
	if len(found) != n+1 || found[0] != prefix {
		return nil
	}
	return found[1:]
}

// courier carries each shipment to its buyer within a minute.
type courier struct{ now func() time.Time }

// step is the time between two events of a shipment.
const step = 20 * time.Second

// journey are the statuses of a shipment, one step after another.
var journey = []status.Shipment{status.ShipmentCreated, status.ShipmentPicked, status.ShipmentOutForDelivery, status.ShipmentDelivered}

// Book implements [plugin.Courier].
func (c courier) Book(_ context.Context, _ plugin.Access, shipment plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	at := c.now()
	return plugin.BookedShipment{
		ConsignmentID: id(strings.ToUpper(strconv.FormatInt(at.UnixNano(), 36)), strconv.FormatInt(shipment.Cash, 10)),
		Status:        status.ShipmentCreated, Event: "practice", At: at,
	}, nil
}

// Find implements [plugin.Courier].
func (c courier) Find(_ context.Context, _ plugin.Access, shipment plugin.ShipmentRef) (plugin.BookedShipment, error) {
	found := parts(shipment.ConsignmentID, 2)
	if found == nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", plugin.ErrCourierNotFound)
	}
	nanos, err := strconv.ParseInt(strings.ToLower(found[0]), 36, 64)
	if err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", plugin.ErrCourierNotFound)
	}
	cash, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", plugin.ErrCourierNotFound)
	}
	booked := time.Unix(0, nanos)
	n := min(max(int(c.now().Sub(booked)/step), 0), len(journey)-1)
	result := plugin.BookedShipment{
		ConsignmentID: shipment.ConsignmentID, Status: journey[n], Event: "practice", At: booked.Add(time.Duration(n) * step),
	}
	if result.Status == status.ShipmentDelivered {
		result.Collected = &cash
	}
	return result, nil
}

// Price implements [plugin.Courier]: it has no prices.
func (courier) Price(context.Context, plugin.Access, plugin.ShipmentRequest, plugin.CourierPlace) (plugin.CourierPrice, error) {
	return plugin.CourierPrice{}, fmt.Errorf("price shipment: %w", plugin.ErrCourierUnsupported)
}

// Refusals implements [plugin.Courier].
func (courier) Refusals(plugin.ShipmentRequest) []plugin.ShipmentProblem { return nil }

// gateway is paid by a buyer who opens its page, which leads straight back.
type gateway struct{}

// Start implements [plugin.Gateway].
func (gateway) Start(_ context.Context, _ plugin.Access, order plugin.PaymentStart) (plugin.StartedPayment, error) {
	external := id(order.Ref, strconv.FormatInt(order.Amount, 10))
	return plugin.StartedPayment{
		ExternalID:  external,
		RedirectURL: order.ReturnURL + "?paymentID=" + external + "&status=success&tran_id=" + order.Ref,
	}, nil
}

// QueryStatus implements [plugin.Gateway].
func (gateway) QueryStatus(_ context.Context, _ plugin.Access, payment plugin.StatusQuery) (plugin.GatewayStatus, error) {
	found := parts(payment.ExternalID, 2)
	if found == nil {
		return plugin.GatewayStatus{}, fmt.Errorf("%w: not a practice payment", plugin.ErrGatewayRefused)
	}
	amount, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return plugin.GatewayStatus{}, fmt.Errorf("%w: not a practice payment", plugin.ErrGatewayRefused)
	}
	return plugin.GatewayStatus{
		State: plugin.GatewayPaid, Ref: payment.Ref, Amount: amount, Currency: payment.Currency.Code, Readable: true,
		TransactionID: id(found[0]),
	}, nil
}

// Capture implements [plugin.Gateway].
func (g gateway) Capture(ctx context.Context, access plugin.Access, payment plugin.StatusQuery) (plugin.GatewayStatus, error) {
	return g.QueryStatus(ctx, access, payment)
}

// Refund implements [plugin.Gateway].
func (gateway) Refund(_ context.Context, _ plugin.Access, refund plugin.RefundRequest) (plugin.RefundResult, error) {
	return plugin.RefundResult{State: plugin.RefundDone, RefundID: id(refund.Ref)}, nil
}
