package shop

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
)

// ShipmentHistory is something that is known of an order's parcel, as the shop's staff sees it.
type ShipmentHistory struct {
	Provider      Provider        `json:"provider"`
	ConsignmentID *string         `json:"consignmentId"`
	Event         string          `json:"event"`  // the courier's word; "staff" for a move by hand
	Status        *ShipmentStatus `json:"status"` // what it makes of the parcel; null: nothing
	Note          *string         `json:"note"`   // the courier's words, such as why a parcel comes back
	At            time.Time       `json:"at"`     // by the courier's clock
	ReceivedAt    time.Time       `json:"receivedAt"`
}

// FindShipmentHistory gives all that is known of the way of an order's parcels, by the couriers' time, for
// the shop's staff. Codes: not_found.
func (s *Shop) FindShipmentHistory(ctx context.Context, caller access.Caller, invoiceUID string) (news []ShipmentHistory, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	orderID, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		if _, err := requireOrder(tx, orderID); err != nil {
			return err
		}
		news, err = findShipmentHistory(tx, orderID)
		return err
	})
	return news, err
}

func findShipmentHistory(tx *db.Tx, orderID string) ([]ShipmentHistory, error) {
	news, err := db.Query(tx, func(r db.Row) (n ShipmentHistory, err error) {
		var status ShipmentStatus
		var note string
		err = r.Scan(&n.Provider, &n.ConsignmentID, &n.Event, &status, &note, &n.At, &n.ReceivedAt)
		if n.Note = db.NullText(note); status != "" {
			n.Status = &status
		}
		return n, err
	}, `
		SELECT p.provider, p.consignment_id, e.event, e.status, e.note, e.at, e.received_at
		FROM shipments p
		JOIN parcel_events e ON e.shipment_id = p.id
		WHERE p.order_id = ?
		ORDER BY e.at, e.id`, orderID)
	if err != nil {
		return nil, fmt.Errorf("find parcel news: %w", err)
	}
	return db.OrEmpty(news), nil
}
