package shop

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
)

// TrialParcel is a parcel as a courier's call names it, made up where the order has none yet.
type TrialParcel struct {
	ConsignmentID string
	Ref           string
	Cash          int64 // due from the buyer, in minor units
}

// TryCourier gives what a trial call of a courier needs: the plugin's settings, secrets included,
// and the parcel that it is to be about. invoiceUID may be "" for a call that touches no order. It
// is for the operator's own tools. Codes: not_found, state_conflict (the plugin is not configured).
func (s *Shop) TryCourier(ctx context.Context, provider Provider, invoiceUID string) (PluginSettings, TrialParcel, error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanHear, "")
	if err != nil {
		return nil, TrialParcel{}, err
	}
	if !ok {
		return nil, TrialParcel{}, errorf(CodeStateConflict, "%s is not configured: its calls are refused.", provider)
	}
	if invoiceUID == "" {
		return access.Settings, TrialParcel{}, nil
	}
	orderID, ok := readInvoiceUID(invoiceUID)
	if !ok {
		return nil, TrialParcel{}, errNoOrder()
	}
	var parcel TrialParcel
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		order, err := findOrderRow(tx, orderID)
		if errors.Is(err, db.ErrNotFound) {
			return errNoOrder()
		}
		if err != nil {
			return fmt.Errorf("find order: %w", err)
		}
		parcel = TrialParcel{Ref: order.id, ConsignmentID: "9" + fmt.Sprint(order.number)}
		if order.method == PayCOD {
			parcel.Cash = order.total
		}
		if known := order.parcelOf(provider, ""); known != nil && known.consignmentID != nil {
			parcel.ConsignmentID = *known.consignmentID
		}
		return nil
	})
	return access.Settings, parcel, err
}
