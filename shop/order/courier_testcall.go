package order

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// CourierTestCall returns the input of a test webhook: the plugin's settings, secrets included, and
// the order's shipment. invoiceUID may be "" for a webhook without an order. It is for the
// operator's own tools. Codes: unauthenticated, forbidden, not_found, state_conflict (the plugin is
// not configured).
func (s *Orders) CourierTestCall(
	ctx context.Context, caller access.Caller, provider plugin.Provider, invoiceUID string,
) (plugin.Settings, plugin.SampleShipment, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToCourierTestCall)
	if err != nil {
		return nil, plugin.SampleShipment{}, err
	}
	_, pluginAccess, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanReceiveWebhooks, "")
	if err != nil {
		return nil, plugin.SampleShipment{}, err
	}
	if !ok {
		return nil, plugin.SampleShipment{}, fault.Errorf(fault.CodeStateConflict,
			"%s is not configured, so its webhooks are rejected. Configure it first.", provider)
	}
	if invoiceUID == "" {
		return pluginAccess.Settings, plugin.SampleShipment{}, nil
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, plugin.SampleShipment{}, err
	}
	var sample plugin.SampleShipment
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		sample = plugin.SampleShipment{Ref: order.id, ConsignmentID: "9" + fmt.Sprint(order.number)}
		if order.method == status.PayCOD {
			sample.Cash = order.total
		}
		if shipment := order.shipmentFor(provider, ""); shipment != nil && shipment.consignmentID != nil {
			sample.ConsignmentID = *shipment.consignmentID
		}
		return nil
	})
	return pluginAccess.Settings, sample, err
}
