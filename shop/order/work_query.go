package order

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/page"
	"storefront/shop/sales"
	"storefront/shop/status"
)

// findAttention reports whether a booking of the order from before that time has no response, and
// whether a flag is not resolved.
func findAttention(tx *db.Tx, orderID string, before int64) (waiting, flagged bool, err error) {
	err = tx.QueryRow(`
		SELECT
			EXISTS (SELECT 1 FROM parcel_bookings WHERE order_id = ? AND shipment_id IS NULL AND asked_at <= ?),
			EXISTS (SELECT 1 FROM order_flags WHERE order_id = ? AND resolved_at IS NULL)`,
		orderID, before, orderID).Scan(&waiting, &flagged)
	if err != nil {
		return false, false, fmt.Errorf("find what staff must check: %w", err)
	}
	return waiting, flagged, nil
}

// openBooking is a booking with an unknown result.
type openBooking struct {
	orderID     string
	requestedAt time.Time
}

// findUnrecordedBookings returns the bookings without a response of orders that do not show it,
// oldest first.
func findUnrecordedBookings(tx *db.Tx) ([]openBooking, error) {
	list, err := db.Query(tx, func(r db.Row) (b openBooking, err error) {
		err = r.Scan(&b.orderID, &b.requestedAt)
		return b, err
	}, `
		SELECT b.order_id, b.asked_at
		FROM parcel_bookings b
		JOIN orders o ON o.id = b.order_id
		WHERE b.shipment_id IS NULL AND o.attention <> 'review' AND o.attention <> 'unanswered'
		ORDER BY b.asked_at, b.id`)
	if err != nil {
		return nil, fmt.Errorf("find bookings without a response: %w", err)
	}
	return list, nil
}

// OpenWork returns the condition of the column work in SQL.
func OpenWork() string {
	var either []string
	for _, w := range workViews {
		if w.open {
			either = append(either, w.condition("status"))
		}
	}
	return strings.Join(either, " OR ")
}

// CountOpenWork counts the open views in one pass over the orders that need work.
func CountOpenWork(tx *db.Tx) (map[WorkView]int, error) {
	var sums []string
	var views []WorkView
	for _, w := range workViews {
		if w.open {
			sums, views = append(sums, "COUNT(*) FILTER (WHERE "+w.condition("status")+")"), append(views, w.view)
		}
	}
	totals, scanned := make([]int, len(views)), make([]any, len(views))
	for i := range totals {
		scanned[i] = &totals[i]
	}
	err := tx.QueryRow(`
		SELECT ` + strings.Join(sums, ",\n			") + `
		FROM orders
		WHERE work = 1 AND test = 0`).Scan(scanned...)
	if err != nil {
		return nil, fmt.Errorf("count open work: %w", err)
	}
	counts := map[WorkView]int{}
	for i, view := range views {
		counts[view] = totals[i]
	}
	return counts, nil
}

// countWork counts the views: the open ones and, with the stored sums of days, the others. Without
// these it counts the others up to page.MaxCount.
func (s *Orders) countWork(tx *db.Tx) ([]WorkCount, error) {
	open, err := CountOpenWork(tx)
	if err != nil {
		return nil, err
	}
	zone, err := s.cfg.ZoneIn(tx)
	if err != nil {
		return nil, err
	}
	byStatus, exact, err := sales.CountByStatus(tx, zone)
	if err != nil {
		return nil, err
	}
	counts := make([]WorkCount, len(workViews))
	for i, w := range workViews {
		counts[i].View = w.view
		switch {
		case w.open:
			counts[i].Count = open[w.view]
		case exact:
			counts[i].Count = w.sum(byStatus)
		case w.view == ViewAll && slices.ContainsFunc(counts, func(c WorkCount) bool { return c.Bounded }):
			counts[i].Count, counts[i].Bounded = page.MaxCount, true // as one of its parts
		default:
			count, err := orderQuery{view: w.view, test: new(false)}.count(tx, page.MaxCount)
			if err != nil {
				return nil, err
			}
			counts[i].Count, counts[i].Bounded = count.Total, count.Bounded
		}
	}
	return counts, nil
}

// sum returns the number of orders in a view with rules for the status alone.
func (w *viewRules) sum(byStatus map[status.Order]int) (sum int) {
	for status, n := range byStatus {
		if slices.ContainsFunc(w.rules, func(r workRule) bool { return accepts(r.statuses, status) }) {
			sum += n
		}
	}
	return sum
}

// CountLate returns the number of orders placed before a time that have not left the shop.
func CountLate(tx *db.Tx, before time.Time) (count int, err error) {
	var either []string
	for _, name := range []WorkView{ViewToConfirm, ViewToPack, ViewToHandOver} {
		either = append(either, findView(name).condition("status"))
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM orders
		WHERE work = 1 AND test = 0 AND placed_at < ? AND (`+strings.Join(either, " OR ")+`)`, db.Millis(before)).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count late orders: %w", err)
	}
	return count, nil
}

// CountReturned returns the number of orders that came back since a time.
func CountReturned(tx *db.Tx, since time.Time) (int, error) {
	count, err := orderQuery{returned: since, test: new(false)}.count(tx, 0)
	return count.Total, err
}

// CountCallsDue returns the number of orders with a due call to the buyer.
func CountCallsDue(tx *db.Tx) (int, error) {
	count, err := orderQuery{calls: CallsDue, now: tx.Now(), test: new(false)}.count(tx, 0)
	return count.Total, err
}
