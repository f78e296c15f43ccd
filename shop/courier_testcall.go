package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// SampleShipment is the shipment of a test webhook, invented if the order has none yet.
type SampleShipment struct {
	ConsignmentID string
	Ref           string
	Cash          int64 // due from the buyer, in minor units
}

// CourierTestCall returns the input of a test webhook: the plugin's settings, secrets included, and
// the order's shipment. invoiceUID may be "" for a webhook that refers to no order. It is for the
// operator's own tools. Codes: unauthenticated, forbidden, not_found, state_conflict (the plugin is
// not configured).
func (s *Shop) CourierTestCall(
	ctx context.Context, caller access.Caller, provider Provider, invoiceUID string,
) (PluginSettings, SampleShipment, error) {
	who, err := s.requireStaff(ctx, caller, access.ToCourierTestCall)
	if err != nil {
		return nil, SampleShipment{}, err
	}
	_, pluginAccess, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return nil, SampleShipment{}, err
	}
	if !ok {
		return nil, SampleShipment{}, fault.Errorf(fault.CodeStateConflict,
			"%s is not configured, so its webhooks are rejected. Configure it first.", provider)
	}
	if invoiceUID == "" {
		return pluginAccess.Settings, SampleShipment{}, nil
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, SampleShipment{}, err
	}
	var sample SampleShipment
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		sample = SampleShipment{Ref: order.id, ConsignmentID: "9" + fmt.Sprint(order.number)}
		if order.method == PayCOD {
			sample.Cash = order.total
		}
		if shipment := order.shipmentFor(provider, ""); shipment != nil && shipment.consignmentID != nil {
			sample.ConsignmentID = *shipment.consignmentID
		}
		return nil
	})
	return pluginAccess.Settings, sample, err
}
