package order

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

const shipmentColumns = `id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at,
			return_id, checks, check_at`

// columns returns pointers to the row's fields. returnID receives the nullable return_id.
func (p *shipmentRow) columns(returnID **string) []any {
	return []any{
		&p.id, &p.orderID, &p.provider, &p.consignmentID, &p.trackingCode, &p.status, &p.movedAt, &p.createdAt, &p.updatedAt,
		returnID, &p.checks, &p.checkAt,
	}
}

func scanShipment(r db.Row) (*shipmentRow, error) {
	shipment := new(shipmentRow)
	var returnID *string
	err := r.Scan(shipment.columns(&returnID)...)
	shipment.returnID = db.TextOf(returnID)
	return shipment, err
}

// loadShipments adds their shipments to the orders, oldest first. list is the SQL list of the order
// IDs in args.
func loadShipments(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	rows, err := db.Query(tx, scanShipment, `
		SELECT `+shipmentColumns+`
		FROM shipments
		WHERE order_id IN `+list+`
		ORDER BY order_id, id`, args...)
	if err != nil {
		return fmt.Errorf("load shipments: %w", err)
	}
	for _, shipment := range rows {
		byID[shipment.orderID].shipments = append(byID[shipment.orderID].shipments, shipment)
	}
	return nil
}

// findConsignmentOrder returns the ID of the order with this consignment, or with a shipment whose
// way back has this consignment ID; "" if there is none.
func findConsignmentOrder(tx *db.Tx, provider plugin.Provider, consignmentID string) (orderID string, err error) {
	err = tx.QueryRow(`
		SELECT order_id
		FROM (
			SELECT order_id, 0 AS way_back FROM shipments WHERE provider = ? AND consignment_id = ?
			UNION ALL
			SELECT order_id, 1 FROM shipments WHERE provider = ? AND return_id = ?) found
		ORDER BY way_back
		LIMIT 1`, provider, consignmentID, provider, consignmentID).Scan(&orderID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", fmt.Errorf("find consignment: %w", err)
	}
	return orderID, nil
}

func insertShipment(tx *db.Tx, shipment *shipmentRow) error {
	returnID := db.NullText(shipment.returnID)
	_, err := tx.Exec(`
		INSERT INTO shipments (`+shipmentColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, shipment.columns(&returnID)...)
	if err != nil {
		return fmt.Errorf("insert shipment: %w", err)
	}
	return nil
}

// updateShipment saves the fields of a shipment that can change.
func updateShipment(tx *db.Tx, shipment *shipmentRow) error {
	_, err := tx.Exec(`
		UPDATE shipments
		SET consignment_id = ?, tracking_code = ?, status = ?, moved_at = ?, updated_at = ?, return_id = ?, checks = ?, check_at = ?
		WHERE id = ?`, shipment.consignmentID, shipment.trackingCode, shipment.status, shipment.movedAt, shipment.updatedAt,
		db.NullText(shipment.returnID), shipment.checks, shipment.checkAt, shipment.id)
	if err != nil {
		return fmt.Errorf("update shipment: %w", err)
	}
	return nil
}

// findShipmentEvents returns a shipment's events in no particular order.
func findShipmentEvents(tx *db.Tx, shipmentID string) ([]shipmentEvent, error) {
	events, err := db.Query(tx, func(r db.Row) (e shipmentEvent, err error) {
		err = r.Scan(&e.event, &e.status, &e.note, &e.at, &e.receivedAt)
		return e, err
	}, `
		SELECT event, status, note, at, received_at
		FROM parcel_events
		WHERE shipment_id = ?`, shipmentID)
	if err != nil {
		return nil, fmt.Errorf("find shipment events: %w", err)
	}
	return events, nil
}

// findShipmentNote returns the courier's newest text about a shipment; "" if there is none.
func findShipmentNote(tx *db.Tx, shipmentID string) (note string, err error) {
	err = tx.QueryRow(`
		SELECT note
		FROM parcel_events
		WHERE shipment_id = ? AND note <> ''
		ORDER BY at DESC, id DESC
		LIMIT 1`, shipmentID).Scan(&note)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", fmt.Errorf("find shipment note: %w", err)
	}
	return note, nil
}

// insertShipmentEvent stores an event. fresh is false if the same event was stored before.
func insertShipmentEvent(tx *db.Tx, id, shipmentID string, e shipmentEvent) (fresh bool, err error) {
	n, err := tx.Exec(`
		INSERT INTO parcel_events (id, shipment_id, event, status, note, at, received_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, at, event, note) DO NOTHING`,
		id, shipmentID, e.event, e.status, e.note, e.at, e.receivedAt)
	if err != nil {
		return false, fmt.Errorf("insert shipment event: %w", err)
	}
	return n == 1, nil
}

// queuePendingWebhook queues a webhook until a shipment has its consignment ID.
func queuePendingWebhook(tx *db.Tx, provider plugin.Provider, consignmentID, webhookID string) error {
	_, err := tx.Exec(`
		INSERT INTO waiting_webhooks (provider, consignment_id, webhook_id)
		VALUES (?, ?, ?)
		ON CONFLICT (provider, consignment_id, webhook_id) DO NOTHING`, provider, consignmentID, webhookID)
	if err != nil {
		return fmt.Errorf("queue webhook: %w", err)
	}
	return nil
}

// popPendingWebhooks removes the webhooks that were queued for a consignment ID and returns them,
// oldest first.
func popPendingWebhooks(tx *db.Tx, provider plugin.Provider, consignmentID string) ([]inbox.Incoming, error) {
	webhooks, err := db.Query(tx, func(r db.Row) (inbox.Incoming, error) {
		webhook := inbox.Incoming{Provider: provider}
		return webhook, r.Scan(&webhook.ID, &webhook.ContentType, &webhook.Body, &webhook.ReceivedAt)
	}, `
		SELECT c.id, c.content_type, c.body, c.received_at
		FROM waiting_webhooks w
		JOIN provider_webhooks c ON c.id = w.webhook_id
		WHERE w.provider = ? AND w.consignment_id = ?
		ORDER BY c.id`, provider, consignmentID)
	if err != nil {
		return nil, fmt.Errorf("find queued webhooks: %w", err)
	}
	if len(webhooks) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(`
		DELETE FROM waiting_webhooks
		WHERE provider = ? AND consignment_id = ?`, provider, consignmentID); err != nil {
		return nil, fmt.Errorf("delete queued webhooks: %w", err)
	}
	return webhooks, nil
}

// strayOrdersQuery finds closed orders with a shipment under way. It starts with the open
// shipments, by the index shipments_open, because closed orders are many.
var strayOrdersQuery = `
		SELECT id
		FROM orders
		WHERE id IN (
				SELECT order_id
				FROM shipments
				WHERE status NOT IN ('delivered', 'returned', 'cancelled', 'exchanged') AND status NOT IN ('partially_delivered', 'returning'))
			AND ` + unindexed("status", "''") + ` IN ('cancelled', 'expired')
		ORDER BY id
		LIMIT 10`

// FindUnfinishedShipments returns the first orders with a booking that the courier has not
// answered, and the first closed orders with a shipment under way.
func FindUnfinishedShipments(tx *db.Tx) (unanswered, stray []string, err error) {
	unanswered, err = db.Query(tx, db.ScanText, `
		SELECT order_id
		FROM parcel_bookings
		WHERE shipment_id IS NULL AND asked_at <= ?
		ORDER BY id
		LIMIT 10`, db.Millis(tx.Now().Add(-bookingPause)))
	if err == nil {
		stray, err = db.Query(tx, db.ScanText, strayOrdersQuery)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find unfinished shipments: %w", err)
	}
	return unanswered, stray, nil
}
