package sales

import (
	"errors"
	"fmt"
	"math"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

// The most that [CountByStatus] reads beside the stored sums of days.
const (
	maxUnstoredOrders  = page.MaxCount
	maxUnstoredPeriods = 500   // such as the days of a week on which nobody orders
	maxUnstoredEvents  = 5_000 // that the background has not processed
)

// period is a time from one instant up to another, which it excludes.
type span struct{ from, before int64 }

// CountByStatus returns the number of orders of each status, without those placed in sandbox mode:
// the sums of the stored days, and all other orders one by one. exact is false if these are too
// many to be counted for a request, as before background work has counted the days.
func CountByStatus(
	tx *db.Tx, zone *time.Location,
) (byStatus map[status.Order]int, exact bool, err error) {
	byStatus = map[status.Order]int{}
	unstored, exact, err := sumStoredStatuses(tx, zone, byStatus)
	if err != nil {
		return nil, false, err
	}
	if !exact {
		return nil, false, nil
	}
	left := maxUnstoredOrders
	for _, p := range unstored {
		err := tx.Each(`
			SELECT status, COUNT(*)
			FROM (SELECT status FROM orders WHERE placed_at >= ? AND placed_at < ? AND test = 0 LIMIT ?) found
			GROUP BY status`, []any{p.from, p.before, left + 1}, func(r db.Row) error {
			var status status.Order
			var n int
			err := r.Scan(&status, &n)
			byStatus[status] += n
			left -= n
			return err
		})
		if err != nil {
			return nil, false, fmt.Errorf("count orders by status: %w", err)
		}
		if left < 0 {
			return nil, false, nil
		}
	}
	return byStatus, true, nil
}

// sumStoredStatuses adds the sums of the stored days that are exact, and returns the periods
// between them. exact is false if the stored sums are of no use.
func sumStoredStatuses(
	tx *db.Tx, zone *time.Location, byStatus map[status.Order]int,
) (unstored []span, exact bool, err error) {
	seq, err := outbox.Cursor(tx, statsConsumer)
	if errors.Is(err, db.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	last, err := outbox.Last(tx)
	if err != nil {
		return nil, false, err
	}
	if last-seq > maxUnstoredEvents {
		return nil, false, nil
	}
	moved, err := findMovedDays(tx, seq, zone)
	if err != nil {
		return nil, false, err
	}
	sums, end, foreign := salesRows{}, int64(math.MinInt64), false
	add := func(until int64) {
		if until > end {
			unstored = append(unstored, span{end, until})
		}
	}
	err = tx.Each(`
		SELECT s.day, s.sums
		FROM day_stats a
		JOIN day_stats s ON s.day = a.day
		WHERE a.kind = 'all' AND s.kind = ?
		ORDER BY s.day`, []any{byOrderStatus.kind()}, func(r db.Row) error {
		var at int64
		var packed []byte
		if err := r.Scan(&at, &packed); err != nil {
			return err
		}
		if moved[at] {
			return nil
		}
		day := time.UnixMilli(at).In(zone)
		foreign = foreign || !timezone.StartOfDay(day, 0).Equal(day) // of another time zone
		add(at)
		end = db.Millis(timezone.StartOfDay(day, 1))
		return sums.addPacked(packed)
	})
	if err != nil {
		return nil, false, fmt.Errorf("sum orders by status: %w", err)
	}
	add(math.MaxInt64)
	for st, row := range sums {
		byStatus[status.Order(st)] += int(row.sums[sumOrders])
	}
	return unstored, !foreign && len(unstored) <= maxUnstoredPeriods, nil
}
