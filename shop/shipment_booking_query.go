package shop

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// findShipmentEvents gives what is known of a parcel's way, in no order.
func findShipmentEvents(tx *db.Tx, shipmentID string) ([]shipmentEvent, error) {
	events, err := db.Query(tx, func(r db.Row) (e shipmentEvent, err error) {
		err = r.Scan(&e.event, &e.status, &e.note, &e.at, &e.receivedAt)
		return e, err
	}, `
		SELECT event, status, note, at, received_at
		FROM parcel_events
		WHERE shipment_id = ?`, shipmentID)
	if err != nil {
		return nil, fmt.Errorf("find parcel events: %w", err)
	}
	return events, nil
}

// insertShipmentEvent keeps an event. fresh is false where it is known already.
func insertShipmentEvent(tx *db.Tx, id, shipmentID string, e shipmentEvent) (fresh bool, err error) {
	n, err := tx.Exec(`
		INSERT INTO parcel_events (id, shipment_id, event, status, note, at, received_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, at, event, note) DO NOTHING`,
		id, shipmentID, e.event, e.status, e.note, e.at, e.receivedAt)
	if err != nil {
		return false, fmt.Errorf("insert parcel event: %w", err)
	}
	return n == 1, nil
}

// queuePendingWebhook keeps a call until its consignment appears.
func queuePendingWebhook(tx *db.Tx, provider Provider, consignmentID, callID string) error {
	_, err := tx.Exec(`
		INSERT INTO waiting_calls (provider, consignment_id, call_id)
		VALUES (?, ?, ?)
		ON CONFLICT (provider, consignment_id, call_id) DO NOTHING`, provider, consignmentID, callID)
	if err != nil {
		return fmt.Errorf("keep waiting call: %w", err)
	}
	return nil
}

// popPendingWebhooks gives the calls that waited for a consignment, oldest first; they wait no longer.
func popPendingWebhooks(tx *db.Tx, provider Provider, consignmentID string) ([]incomingWebhook, error) {
	calls, err := db.Query(tx, func(r db.Row) (incomingWebhook, error) {
		call := incomingWebhook{provider: provider}
		return call, r.Scan(&call.id, &call.contentType, &call.body, &call.receivedAt)
	}, `
		SELECT c.id, c.content_type, c.body, c.received_at
		FROM waiting_calls w
		JOIN provider_calls c ON c.id = w.call_id
		WHERE w.provider = ? AND w.consignment_id = ?
		ORDER BY c.id`, provider, consignmentID)
	if err != nil {
		return nil, fmt.Errorf("find waiting calls: %w", err)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(`
		DELETE FROM waiting_calls
		WHERE provider = ? AND consignment_id = ?`, provider, consignmentID); err != nil {
		return nil, fmt.Errorf("delete waiting calls: %w", err)
	}
	return calls, nil
}

// bookingRow is a parcel that the program has handed, or is handing, to a courier.
type bookingRow struct {
	id          string
	orderID     string
	provider    Provider
	ref         string
	mode        Mode
	cash        int64 // to collect, in minor units
	shipmentID  *string
	requestedAt time.Time
}

const bookingColumns = `id, order_id, provider, ref, mode, cash, shipment_id, asked_at`

// findOpenBooking gives the order's booking with a courier, or with any where provider is "", whose
// outcome is not known. The error is db.ErrNotFound where there is none.
func findOpenBooking(tx *db.Tx, orderID string, provider Provider) (*bookingRow, error) {
	b := new(bookingRow)
	err := tx.QueryRow(`
		SELECT `+bookingColumns+`
		FROM parcel_bookings
		WHERE order_id = ? AND (provider = ? OR ? = '') AND shipment_id IS NULL`, orderID, provider, provider).
		Scan(&b.id, &b.orderID, &b.provider, &b.ref, &b.mode, &b.cash, &b.shipmentID, &b.requestedAt)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, fmt.Errorf("find booking: %w", err)
	}
	return b, err
}

// saveBooking writes down that a courier is asked now.
func saveBooking(tx *db.Tx, b *bookingRow) error {
	_, err := tx.Exec(`
		INSERT INTO parcel_bookings (`+bookingColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, cash = excluded.cash, asked_at = excluded.asked_at`,
		b.id, b.orderID, b.provider, b.ref, b.mode, b.cash, b.shipmentID, b.requestedAt)
	if err != nil {
		return fmt.Errorf("save booking: %w", err)
	}
	return nil
}

// completeBooking notes which parcel a booking became.
func completeBooking(tx *db.Tx, id, shipmentID string) error {
	_, err := tx.Exec(`
		UPDATE parcel_bookings
		SET shipment_id = ?
		WHERE id = ?`, shipmentID, id)
	if err != nil {
		return fmt.Errorf("settle booking: %w", err)
	}
	return nil
}

// deleteBooking forgets a booking that surely came to nothing.
func deleteBooking(tx *db.Tx, id string) error {
	if _, err := tx.Exec(`
		DELETE FROM parcel_bookings
		WHERE id = ? AND shipment_id IS NULL`, id); err != nil {
		return fmt.Errorf("delete booking: %w", err)
	}
	return nil
}

// countBookings tells how many parcels of an order a courier was asked to carry.
func countBookings(tx *db.Tx, orderID string, provider Provider) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM parcel_bookings
		WHERE order_id = ? AND provider = ?`, orderID, provider).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count bookings: %w", err)
	}
	return n, nil
}

// findOrderWeight gives the weight of what an order holds, in grams, as the catalogue has it now.
func findOrderWeight(tx *db.Tx, orderID string) (grams int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(SUM(i.quantity * v.weight_grams), 0)
		FROM orders o
		JOIN order_items i ON i.order_number = o.number
		JOIN variants v ON v.id = i.variant_id
		WHERE o.id = ?`, orderID).Scan(&grams)
	if err != nil {
		return 0, fmt.Errorf("weigh order: %w", err)
	}
	return grams, nil
}
