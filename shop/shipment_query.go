package shop

import (
	"errors"
	"fmt"

	"storefront/db"
)

const shipmentColumns = `id, order_id, provider, consignment_id, tracking_code, status, moved_at, created_at, updated_at`

func scanShipment(r db.Row) (*shipmentRow, error) {
	p := new(shipmentRow)
	return p, r.Scan(&p.id, &p.orderID, &p.provider, &p.consignmentID, &p.trackingCode, &p.status, &p.movedAt, &p.createdAt, &p.updatedAt)
}

// loadShipments gives the orders their parcels, oldest first.
func loadShipments(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	rows, err := db.Query(tx, scanShipment, `
		SELECT `+shipmentColumns+`
		FROM shipments
		WHERE order_id IN `+list+`
		ORDER BY order_id, id`, args...)
	if err != nil {
		return fmt.Errorf("load shipments: %w", err)
	}
	for _, p := range rows {
		byID[p.orderID].shipments = append(byID[p.orderID].shipments, p)
	}
	return nil
}

// findConsignmentOrder gives the id of the order that a courier's parcel is of; "" where none is.
func findConsignmentOrder(tx *db.Tx, provider Provider, consignmentID string) (orderID string, err error) {
	err = tx.QueryRow(`
		SELECT order_id
		FROM shipments
		WHERE provider = ? AND consignment_id = ?`, provider, consignmentID).Scan(&orderID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", fmt.Errorf("find consignment: %w", err)
	}
	return orderID, nil
}

func insertShipment(tx *db.Tx, p *shipmentRow) error {
	_, err := tx.Exec(`
		INSERT INTO shipments (`+shipmentColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.id, p.orderID, p.provider, p.consignmentID, p.trackingCode, p.status, p.movedAt, p.createdAt, p.updatedAt)
	if err != nil {
		return fmt.Errorf("insert shipment: %w", err)
	}
	return nil
}

// updateShipment saves what may change of a parcel.
func updateShipment(tx *db.Tx, p *shipmentRow) error {
	_, err := tx.Exec(`
		UPDATE shipments
		SET consignment_id = ?, tracking_code = ?, status = ?, moved_at = ?, updated_at = ?
		WHERE id = ?`, p.consignmentID, p.trackingCode, p.status, p.movedAt, p.updatedAt, p.id)
	if err != nil {
		return fmt.Errorf("save shipment: %w", err)
	}
	return nil
}
