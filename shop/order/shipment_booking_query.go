package order

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/plugin"
)

// bookingRow is a stored booking.
type bookingRow struct {
	id          string
	orderID     string
	provider    plugin.Provider
	ref         string
	mode        plugin.Mode
	cash        int64   // to collect, in minor units
	shipmentID  *string // nil means that the result is unknown
	requestedAt time.Time
}

const bookingColumns = `id, order_id, provider, ref, mode, cash, shipment_id, asked_at`

// findOpenBooking returns the order's booking with an unknown result, with this courier or, if
// provider is "", with any. The error is db.ErrNotFound if there is none.
func findOpenBooking(tx *db.Tx, orderID string, provider plugin.Provider) (*bookingRow, error) {
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

// saveBooking creates a booking, or updates its mode, cash and time of request.
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

// withdrawRequest restores the time of a booking's previous request, unless there has been a later
// one.
func withdrawRequest(tx *db.Tx, b *bookingRow, before time.Time) error {
	_, err := tx.Exec(`
		UPDATE parcel_bookings
		SET asked_at = ?
		WHERE id = ? AND asked_at = ?`, before, b.id, b.requestedAt)
	if err != nil {
		return fmt.Errorf("withdraw request of booking: %w", err)
	}
	return nil
}

// completeBooking sets the shipment of a booking.
func completeBooking(tx *db.Tx, id, shipmentID string) error {
	_, err := tx.Exec(`
		UPDATE parcel_bookings
		SET shipment_id = ?
		WHERE id = ?`, shipmentID, id)
	if err != nil {
		return fmt.Errorf("complete booking: %w", err)
	}
	return nil
}

// deleteBooking deletes a booking that has no shipment.
func deleteBooking(tx *db.Tx, id string) error {
	if _, err := tx.Exec(`
		DELETE FROM parcel_bookings
		WHERE id = ? AND shipment_id IS NULL`, id); err != nil {
		return fmt.Errorf("delete booking: %w", err)
	}
	return nil
}

// countBookings returns the number of an order's bookings with a courier.
func countBookings(tx *db.Tx, orderID string, provider plugin.Provider) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM parcel_bookings
		WHERE order_id = ? AND provider = ?`, orderID, provider).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count bookings: %w", err)
	}
	return n, nil
}

// findOrderWeight returns the weight of an order in grams, from the variants' current weights.
func findOrderWeight(tx *db.Tx, orderID string) (grams int64, err error) {
	weights := map[string]int64{}
	err = findOrderWeights(tx, []string{orderID}, weights)
	return weights[orderID], err
}

// findOrderWeights adds the weights of the orders with these invoice UIDs, in grams. 0 means that
// no variant has one.
func findOrderWeights(tx *db.Tx, ids []string, weights map[string]int64) error {
	list, args := db.InList(ids)
	err := tx.Each(`
		SELECT o.id, SUM(i.quantity * v.weight_grams)
		FROM orders o
		JOIN order_items i ON i.order_number = o.number
		JOIN variants v ON v.id = i.variant_id
		WHERE o.id IN `+list+`
		GROUP BY o.id`, args, func(r db.Row) error {
		var id string
		var grams int64
		err := r.Scan(&id, &grams)
		weights[id] = grams
		return err
	})
	if err != nil {
		return fmt.Errorf("find order weights: %w", err)
	}
	return nil
}
