package shop

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
)

// findUncounted returns when the oldest event happened that the stored sums of days lack; nil if
// they have all, or if the shop has no orders.
func findUncounted(tx *db.Tx) (waiting *time.Time, err error) {
	seq, err := outbox.Cursor(tx, statsConsumer)
	if errors.Is(err, db.ErrNotFound) {
		exist, err := anyOrders(tx)
		if err != nil || !exist {
			return nil, err
		}
		return new(time.Time), nil
	}
	if err != nil {
		return nil, err
	}
	events, err := outbox.After(tx, seq, 1)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return &events[0].At, nil
}

// findChangedDays returns the beginnings of the days with orders that events after seq are about.
func findChangedDays(tx *db.Tx, seq int64, zone *time.Location) (map[int64]bool, error) {
	days := map[int64]bool{}
	err := tx.Each(`
		SELECT DISTINCT o.placed_at
		FROM outbox e
		JOIN orders o ON o.id = e.subject
		WHERE e.seq > ?`, []any{seq}, func(r db.Row) error {
		var placed time.Time
		err := r.Scan(&placed)
		days[db.Millis(startOfDay(placed.In(zone), 0))] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find days of changed orders: %w", err)
	}
	return days, nil
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

// findPlacedBefore returns when the last order before a time was placed; nil without one.
func findPlacedBefore(tx *db.Tx, before time.Time) (at *time.Time, err error) {
	if err := tx.QueryRow("SELECT MAX(placed_at) FROM orders WHERE placed_at < ?", db.Millis(before)).Scan(&at); err != nil {
		return nil, fmt.Errorf("find the order before a day: %w", err)
	}
	return at, nil
}

// deleteDay makes a day one without stored sums.
func deleteDay(tx *db.Tx, day int64) error {
	if err := tx.Do("DELETE FROM day_stats WHERE kind = 'all' AND day = ?", day); err != nil {
		return fmt.Errorf("delete sums of a day: %w", err)
	}
	return nil
}

// deleteDays deletes the stored sums of all days. They are counted again in the background.
func deleteDays(tx *db.Tx) error {
	if err := tx.Do("DELETE FROM day_stats"); err != nil {
		return fmt.Errorf("delete sums of days: %w", err)
	}
	return nil
}

// saveDaySales stores the sums of a day by a grouping, in place of those that were stored.
func saveDaySales(tx *db.Tx, by SalesGrouping, day time.Time, rows []salesRow) error {
	at := db.Millis(day)
	err := tx.Do("DELETE FROM day_stats WHERE kind = ? AND day = ?", by.kind(), at)
	for _, r := range rows {
		if err == nil {
			err = tx.Do(`
				INSERT INTO day_stats (kind, day, key, orders, units, sales, delivery, revenue, delivered, returned, cancelled)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				by.kind(), at, r.key, r.orders, r.units, r.sales, r.delivery, r.revenue, r.delivered, r.returned, r.cancelled)
		}
	}
	if err != nil {
		return fmt.Errorf("save sums of a day: %w", err)
	}
	return nil
}
