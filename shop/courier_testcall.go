package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
)

// SampleShipment is a parcel as a courier's call names it, made up where the order has none yet.
type SampleShipment struct {
	ConsignmentID string
	Ref           string
	Cash          int64 // due from the buyer, in minor units
}

// CourierTestCall gives what a trial call of a courier needs: the plugin's settings, secrets included,
// and the parcel that it is to be about. invoiceUID may be "" for a call that touches no order. It
// is for the operator's own tools. Codes: not_found, state_conflict (the plugin is not configured).
func (s *Shop) CourierTestCall(ctx context.Context, provider Provider, invoiceUID string) (PluginSettings, SampleShipment, error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return nil, SampleShipment{}, err
	}
	if !ok {
		return nil, SampleShipment{}, fault.Errorf(fault.CodeStateConflict, "%s is not configured: its calls are refused.", provider)
	}
	if invoiceUID == "" {
		return access.Settings, SampleShipment{}, nil
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, SampleShipment{}, err
	}
	var parcel SampleShipment
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err != nil {
			return err
		}
		parcel = SampleShipment{Ref: order.id, ConsignmentID: "9" + fmt.Sprint(order.number)}
		if order.method == PayCOD {
			parcel.Cash = order.total
		}
		if known := order.shipmentFor(provider, ""); known != nil && known.consignmentID != nil {
			parcel.ConsignmentID = *known.consignmentID
		}
		return nil
	})
	return access.Settings, parcel, err
}
