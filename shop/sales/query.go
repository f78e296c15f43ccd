package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// kind returns the name of the grouping's rows in day_stats.
func (by Grouping) kind() string {
	if by == ByDay {
		return "all"
	}
	return string(by)
}

// periodSums are the sums of a period.
type periodSums struct {
	days     []*salesRow     // by day
	rows     salesRows       // by the grouping; nil by day
	products productSums     // by number, for products that rows lacks
	numbers  *productNumbers // of products

	fold func(key string) string // form of a key in rows; nil means the key itself
}

// findSales returns the sums of the orders of days: the stored ones where they are exact, and
// otherwise sums of the orders. The last of days is the end of the period.
func findSales(ctx context.Context, tx *db.Tx, by Grouping, days []time.Time) (sums periodSums, err error) {
	counted, err := findCountedDays(tx, days)
	if err != nil {
		return sums, err
	}
	end := len(days) - 1
	byDay, err := findPackedSales(tx, ByDay, days)
	if err != nil {
		return sums, err
	}
	var groups map[int64][]byte
	if by != ByDay {
		if groups, err = sums.begin(tx, by, days); err != nil {
			return sums, err
		}
	}
	next := int64(0) // the first order from here on that may not be counted yet
	for i, day := range days[:end] {
		if err := ctx.Err(); err != nil {
			return sums, err
		}
		at := db.Millis(day)
		if !counted[i] && next < at {
			if next, err = findPlacedFrom(tx, day, days[end]); err != nil {
				return sums, err
			}
		}
		ofDay := salesRows{}
		switch {
		case counted[i]:
			err = sums.addStored(by, ofDay, byDay[at], groups[at])
		case next < db.Millis(days[i+1]):
			ofDay, err = sums.addCounted(tx, by, day, days[i+1])
		}
		if err != nil {
			return sums, fmt.Errorf("find sales by %s: %w", by, err)
		}
		row := ofDay.row("")
		row.key = day.Format(time.DateOnly)
		sums.days = append(sums.days, row)
	}
	sums.products.moveTo(sums.rows, sums.numbers)
	return sums, nil
}

// findPackedSales returns the stored sums of days by the time of each day.
func findPackedSales(tx *db.Tx, by Grouping, days []time.Time) (map[int64][]byte, error) {
	stored, err := findStoredSales(tx, by, days[0], days[len(days)-1])
	if err != nil {
		return nil, err
	}
	packed := make(map[int64][]byte, len(stored))
	for _, day := range stored {
		packed[day.day] = day.packed
	}
	return packed, nil
}

// begin prepares the sums of a grouping other than by day, and returns its stored sums of days.
func (s *periodSums) begin(tx *db.Tx, by Grouping, days []time.Time) (groups map[int64][]byte, err error) {
	if groups, err = findPackedSales(tx, by, days); err != nil {
		return nil, err
	}
	s.rows = salesRows{}
	if by == ByProduct && len(groups) > 0 {
		if s.numbers, err = findProductNumbers(tx); err != nil {
			return nil, err
		}
		s.products = make(productSums, len(s.numbers.ids))
	}
	return groups, nil
}

// addStored adds the stored sums of a day, and the sums of all its orders to ofDay.
func (s *periodSums) addStored(by Grouping, ofDay salesRows, day, group []byte) error {
	if err := ofDay.addPacked(day); err != nil {
		return err
	}
	switch by {
	case ByDay:
		return nil
	case ByProduct:
		return s.products.addPacked(group)
	}
	return s.rows.addPacked(group)
}

// addCounted adds the sums of the orders of a day, and returns their total.
func (s *periodSums) addCounted(tx *db.Tx, by Grouping, from, before time.Time) (ofDay salesRows, err error) {
	counted, err := countSales(tx, from, before)
	if err != nil {
		return nil, err
	}
	if by != ByDay {
		for key, row := range counted[by] {
			s.rows.row(key).add(row)
		}
	}
	return counted[ByDay], nil
}

// FindDaySums returns the orders and sales of days: the stored sums where they are exact, and
// otherwise sums of the orders, without the other figures of a report. The last of days is the end
// of the period.
func FindDaySums(tx *db.Tx, days []time.Time) ([]Sum, error) {
	counted, err := findCountedDays(tx, days)
	if err != nil {
		return nil, err
	}
	end := len(days) - 1
	stored, err := findStoredSales(tx, ByDay, days[0], days[end])
	if err != nil {
		return nil, err
	}
	packed := make(map[int64][]byte, len(stored))
	for _, day := range stored {
		packed[day.day] = day.packed
	}
	sums := make([]Sum, end)
	for i, day := range days[:end] {
		if !counted[i] {
			if sums[i], err = SumSold(tx, day, days[i+1]); err != nil {
				return nil, err
			}
			continue
		}
		one := salesRows{}
		if err := one.addPacked(packed[db.Millis(day)]); err != nil {
			return nil, fmt.Errorf("find sales of a day: %w", err)
		}
		row := one.row("")
		sums[i] = Sum{int(row.sums[sumOrders]), row.sums[sumSales]}
	}
	return sums, nil
}

// storedSales are the stored sums of a day by a grouping.
type storedSales struct {
	day    int64
	packed []byte
}

// findStoredSales returns the stored sums of the days of a period by a grouping.
func findStoredSales(tx *db.Tx, by Grouping, from, before time.Time) ([]storedSales, error) {
	rows, err := db.Query(tx, func(r db.Row) (s storedSales, err error) { return s, r.Scan(&s.day, &s.packed) }, `
		SELECT day, sums
		FROM day_stats
		WHERE kind = ? AND day >= ? AND day < ?`, by.kind(), db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("find sales by %s: %w", by, err)
	}
	return rows, nil
}

// findNames returns the names of the rows of a grouping, by key: titles of products and discounts,
// and codes of coupons. A deleted product has the title in its newest order.
func findNames(tx *db.Tx, by Grouping, keys []string) (map[string]string, error) {
	names := make(map[string]string, len(keys))
	var query string
	switch by {
	case ByProduct:
		query = "SELECT id, title FROM products WHERE id IN "
	case ByCoupon, ByDiscount:
		query = "SELECT id, COALESCE(code, title) FROM coupons WHERE id IN "
	default:
		return names, nil
	}
	for chunk := range db.Chunks(keys) {
		list, args := db.InList(chunk)
		err := tx.Each(query+list, args, func(r db.Row) error {
			var key, name string
			err := r.Scan(&key, &name)
			names[key] = name
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find names of sales by %s: %w", by, err)
		}
	}
	if by != ByProduct {
		return names, nil
	}
	for _, key := range keys {
		if names[key] != "" {
			continue
		}
		var title string
		err := tx.QueryRow(`
			SELECT title
			FROM order_items
			WHERE order_number = (SELECT MAX(order_number) FROM product_orders WHERE product_id = ?) AND product_id = ?
			LIMIT 1`, key, key).Scan(&title)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, fmt.Errorf("find title of a deleted product: %w", err)
		}
		names[key] = title
	}
	return names, nil
}
