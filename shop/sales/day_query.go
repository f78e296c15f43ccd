package sales

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/timezone"
)

// findUncounted returns the time of the oldest event that the stored sums of days lack; nil if they
// lack none, or if the shop has no orders.
func findUncounted(tx *db.Tx) (waiting *time.Time, err error) {
	seq, err := outbox.Cursor(tx, statsConsumer)
	if errors.Is(err, db.ErrNotFound) {
		return findUnbegun(tx)
	}
	if err != nil {
		return nil, err
	}
	events, err := outbox.After(tx, seq, 1)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, nil
	}
	return &events[0].At, nil
}

// findUnbegun returns the beginning of time if the shop has an order; nil otherwise.
func findUnbegun(tx *db.Tx) (*time.Time, error) {
	var has bool
	if err := tx.QueryRow("SELECT EXISTS (SELECT 1 FROM orders)").Scan(&has); err != nil {
		return nil, fmt.Errorf("find any order: %w", err)
	}
	if !has {
		return nil, nil
	}
	return new(time.Time), nil
}

// changedOrdersQueries find the times of orders with sums that later events changed: the events'
// orders, later orders of the same buyers (earlier ones determine whether a buyer is new), and
// orders with a product of changed costs.
var changedOrdersQueries = []string{
	`SELECT DISTINCT o.placed_at
	FROM outbox e
	JOIN orders o ON o.id = e.subject
	WHERE e.seq > ?`,
	`SELECT DISTINCT p.placed_at
	FROM outbox e
	JOIN orders o ON o.id = e.subject
	JOIN orders p ON p.customer_phone = o.customer_phone AND p.placed_at > o.placed_at
	WHERE e.seq > ? AND o.customer_phone <> ''`,
	`SELECT DISTINCT o.placed_at
	FROM outbox e
	JOIN product_orders i ON i.product_id = e.subject
	JOIN orders o ON o.number = i.order_number
	WHERE e.seq > ? AND lower(e.data) LIKE '%"costs":true%'`,
	// Orders that are not posted are not yet among the orders of their products.
	`SELECT DISTINCT o.placed_at
	FROM orders o
	JOIN order_items i ON i.order_number = o.number
	JOIN outbox e ON e.subject = i.product_id
	WHERE e.seq > ? AND lower(e.data) LIKE '%"costs":true%'
		AND o.number > COALESCE((SELECT value FROM counters WHERE name = 'posted_order'), 0)`,
}

// findChangedDays returns the beginnings of the days with sums that events after seq changed.
func findChangedDays(tx *db.Tx, seq int64, zone *time.Location) (map[int64]bool, error) {
	return findDaysOf(tx, changedOrdersQueries, seq, zone)
}

// findMovedDays returns the beginnings of the days with orders of events after seq.
func findMovedDays(tx *db.Tx, seq int64, zone *time.Location) (map[int64]bool, error) {
	return findDaysOf(tx, changedOrdersQueries[:1], seq, zone)
}

func findDaysOf(tx *db.Tx, queries []string, seq int64, zone *time.Location) (map[int64]bool, error) {
	days := map[int64]bool{}
	for _, query := range queries {
		err := tx.Each(query, []any{seq}, func(r db.Row) error {
			var placed time.Time
			err := r.Scan(&placed)
			days[db.Millis(timezone.StartOfDay(placed.In(zone), 0))] = true
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find days of changed orders: %w", err)
		}
	}
	return days, nil
}

// InvalidateBuyer makes the days of the orders with a phone number ones without stored sums: others
// of these orders can be a new buyer's now.
func InvalidateBuyer(tx *db.Tx, phone string) error {
	return invalidateDays(tx, "o.customer_phone = ?", phone)
}

// InvalidateOrder makes the day of an order one without stored sums, for a change of it of which
// there is no event.
func InvalidateOrder(tx *db.Tx, id string) error { return invalidateDays(tx, "o.id = ?", id) }

// invalidateDays makes the days of the orders that a condition selects ones without stored sums.
// The alias of orders is o.
func invalidateDays(tx *db.Tx, condition string, args ...any) error {
	err := tx.Do(`
		DELETE FROM day_stats
		WHERE kind = 'all' AND day IN (
			SELECT (SELECT MAX(d.day) FROM day_stats d WHERE d.kind = 'all' AND d.day <= o.placed_at)
			FROM orders o
			WHERE `+condition+`)`, args...)
	if err != nil {
		return fmt.Errorf("delete sums of days of orders: %w", err)
	}
	return nil
}

// InvalidateShipments makes the days of the orders of shipments ones without stored sums, which
// have the fees.
func InvalidateShipments(tx *db.Tx, shipmentIDs []string) error {
	for chunk := range db.Chunks(shipmentIDs) {
		list, args := db.InList(chunk)
		if err := invalidateDays(tx, "o.id IN (SELECT p.order_id FROM shipments p WHERE p.id IN "+list+")", args...); err != nil {
			return err
		}
	}
	return nil
}

// findStoredDays returns the beginnings of the days of a period that have stored sums.
func findStoredDays(tx *db.Tx, from, before time.Time) (map[int64]bool, error) {
	days := map[int64]bool{}
	err := tx.Each(`
		SELECT day
		FROM day_stats
		WHERE kind = 'all' AND day >= ? AND day < ?`, []any{db.Millis(from), db.Millis(before)}, func(r db.Row) error {
		var day int64
		err := r.Scan(&day)
		days[day] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find counted days: %w", err)
	}
	return days, nil
}

// findPlacedBefore returns the time of the last order before a time; nil if there is none.
func findPlacedBefore(tx *db.Tx, before time.Time) (at *time.Time, err error) {
	if err := tx.QueryRow("SELECT MAX(placed_at) FROM orders WHERE placed_at < ?", db.Millis(before)).Scan(&at); err != nil {
		return nil, fmt.Errorf("find the order before a day: %w", err)
	}
	return at, nil
}

// findPlacedFrom returns the time of the first order of a period, or its end if there is none.
func findPlacedFrom(tx *db.Tx, from, before time.Time) (at int64, err error) {
	err = tx.QueryRow("SELECT COALESCE(MIN(placed_at), ?) FROM orders WHERE placed_at >= ? AND placed_at < ?",
		db.Millis(before), db.Millis(from), db.Millis(before)).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("find the order from a day on: %w", err)
	}
	return at, nil
}

// deleteDay deletes the stored sums of a day.
func deleteDay(tx *db.Tx, day int64) error {
	if err := tx.Do("DELETE FROM day_stats WHERE kind = 'all' AND day = ?", day); err != nil {
		return fmt.Errorf("delete sums of a day: %w", err)
	}
	return nil
}

// DeleteDays deletes the stored sums of all days. They are counted again in the background.
func DeleteDays(tx *db.Tx) error {
	if err := tx.Do("DELETE FROM day_stats"); err != nil {
		return fmt.Errorf("delete sums of days: %w", err)
	}
	return nil
}

// saveSums stores sums of a kind, replacing earlier ones.
func saveSums(tx *db.Tx, kind string, day int64, packed []byte) error {
	err := tx.Do(`
		INSERT INTO day_stats (kind, day, sums)
		VALUES (?, ?, ?)
		ON CONFLICT (kind, day) DO UPDATE SET sums = excluded.sums`, kind, day, append([]byte{}, packed...))
	if err != nil {
		return fmt.Errorf("save sums of a day: %w", err)
	}
	return nil
}
