package order

import (
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// ShipmentHistoryEntry is one event in the history of an order's shipments, for staff.
type ShipmentHistoryEntry struct {
	Provider      plugin.Provider `json:"provider"`
	ConsignmentID *string         `json:"consignmentId"`
	// the courier's name of the event; "staff" means a status set manually
	Event  string           `json:"event"`
	Status *status.Shipment `json:"status"` // null if the event does not change the status
	// the courier's text, such as the reason of a return
	Note       *string   `json:"note"`
	At         time.Time `json:"at"` // by the courier's clock
	ReceivedAt time.Time `json:"receivedAt"`
}

// findShipmentHistory returns the events of all shipments of an order, oldest first by the
// couriers' clocks.
func findShipmentHistory(tx *db.Tx, orderID string) ([]ShipmentHistoryEntry, error) {
	history, err := db.Query(tx, func(r db.Row) (n ShipmentHistoryEntry, err error) {
		var status status.Shipment
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
		return nil, fmt.Errorf("find shipment history: %w", err)
	}
	return db.OrEmpty(history), nil
}
