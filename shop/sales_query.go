package shop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
)

// soldOrders are the orders of a period with what counts in a [salesRow], as 0 or 1.
const soldOrders = `(
			SELECT number, courier, city, payment_method, COALESCE(coupon_id, '') AS coupon, subtotal - discount AS sales, delivery_charge, total,
				CASE WHEN status NOT IN ('pending_payment', 'expired', 'cancelled') THEN 1 ELSE 0 END AS counted,
				CASE WHEN fulfillment_status IN ('delivered', 'partially_delivered') THEN 1 ELSE 0 END AS delivered,
				CASE WHEN fulfillment_status IN ('returning', 'returned') THEN 1 ELSE 0 END AS returned,
				CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END AS cancelled
			FROM orders
			WHERE placed_at >= ? AND placed_at < ? AND test = 0) o`

// salesColumns are the columns of a [salesRow] after its key, as [scanSales] reads them.
const salesColumns = "orders, units, delivered, returned, cancelled, sales, delivery, revenue"

// orderSales returns the query of the sums of orders by an expression of [soldOrders].
func orderSales(key, group string) string {
	return `
		SELECT ` + key + `,
			COALESCE(SUM(o.counted), 0),
			COALESCE(SUM(o.counted * (SELECT SUM(i.quantity) FROM order_items i WHERE i.order_number = o.number)), 0),
			COALESCE(SUM(o.counted * o.delivered), 0),
			COALESCE(SUM(o.counted * o.returned), 0),
			COALESCE(SUM(o.cancelled), 0),
			COALESCE(SUM(o.counted * o.sales), 0),
			COALESCE(SUM(o.counted * o.delivery_charge), 0),
			COALESCE(SUM(o.counted * o.total), 0)
		FROM ` + soldOrders + group
}

// groupedSales returns [orderSales] of each value of a column, without those that have no order
// that counts and none that is cancelled.
func groupedSales(column string) string {
	return orderSales("o."+column, `
		WHERE o.counted = 1 OR o.cancelled = 1
		GROUP BY o.`+column)
}

// salesQueries are the queries of a period by grouping.
var salesQueries = map[SalesGrouping]string{
	SalesByDay:     orderSales("''", ""), // of the whole period
	SalesByCourier: groupedSales("courier"),
	SalesByCity:    groupedSales("city"),
	SalesByMethod:  groupedSales("payment_method"),
	SalesByCoupon:  groupedSales("coupon"),
	SalesByProduct: `
		SELECT i.product_id,
			COUNT(DISTINCT CASE WHEN o.counted = 1 THEN o.number END),
			SUM(o.counted * i.quantity),
			COUNT(DISTINCT CASE WHEN o.counted * o.delivered = 1 THEN o.number END),
			COUNT(DISTINCT CASE WHEN o.counted * o.returned = 1 THEN o.number END),
			COUNT(DISTINCT CASE WHEN o.cancelled = 1 THEN o.number END),
			SUM(o.counted * (i.unit_price * i.quantity - i.discount)),
			0, 0
		FROM ` + soldOrders + `
		JOIN order_items i ON i.order_number = o.number
		WHERE o.counted = 1 OR o.cancelled = 1
		GROUP BY i.product_id`,
}

// kind returns what day_stats calls the rows of the grouping.
func (by SalesGrouping) kind() string {
	if by == SalesByDay {
		return "all"
	}
	return string(by)
}

func scanSales(r db.Row) (row salesRow, err error) {
	return row, r.Scan(&row.key, &row.orders, &row.units, &row.delivered, &row.returned, &row.cancelled, &row.sales, &row.delivery, &row.revenue)
}

// countSales returns the sums of a period by a grouping, from its orders.
func countSales(tx *db.Tx, by SalesGrouping, from, before time.Time) ([]salesRow, error) {
	rows, err := db.Query(tx, scanSales, salesQueries[by], db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("count sales by %s: %w", by, err)
	}
	return rows, nil
}

// findStoredSales returns the sums of a period by a grouping, from those that are stored of its
// days.
func findStoredSales(tx *db.Tx, by SalesGrouping, from, before time.Time) ([]salesRow, error) {
	rows, err := db.Query(tx, scanSales, `
		SELECT key, SUM(orders), SUM(units), SUM(delivered), SUM(returned), SUM(cancelled), SUM(sales), SUM(delivery), SUM(revenue)
		FROM day_stats
		WHERE kind = ? AND day >= ? AND day < ?
		GROUP BY key`, by.kind(), db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("find sales by %s: %w", by, err)
	}
	return rows, nil
}

// findStoredDaySales returns the stored sums of the days of a period, in their order.
func findStoredDaySales(tx *db.Tx, from, before time.Time) ([]salesRow, error) {
	rows, err := db.Query(tx, scanSales, `
		SELECT key, `+salesColumns+`
		FROM day_stats
		WHERE kind = 'all' AND day >= ? AND day < ?
		ORDER BY day`, db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("find sales of days: %w", err)
	}
	return rows, nil
}

// findSales returns the sums of the orders of days by a grouping other than days, by key: stored
// ones where they are exact, and otherwise those of the orders.
func findSales(ctx context.Context, tx *db.Tx, by SalesGrouping, days []time.Time, counted []bool) (map[string]*salesRow, error) {
	sums := map[string]*salesRow{}
	for from, to := range runs(counted) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		find := countSales
		if counted[from] {
			find = findStoredSales
		}
		rows, err := find(tx, by, days[from], days[to])
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if sum, ok := sums[row.key]; ok {
				sum.add(&row)
			} else {
				sums[row.key] = &row
			}
		}
	}
	return sums, nil
}

// findSalesByDay returns the sums of each day. The last of days is the end of the period.
func findSalesByDay(ctx context.Context, tx *db.Tx, days []time.Time, counted []bool) (rows []salesRow, err error) {
	for from, to := range runs(counted) {
		if counted[from] {
			stored, err := findStoredDaySales(tx, days[from], days[to])
			if err != nil {
				return nil, err
			}
			rows = append(rows, stored...)
			continue
		}
		for i := from; i < to; i++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sum, err := countSales(tx, SalesByDay, days[i], days[i+1])
			if err != nil {
				return nil, err
			}
			rows = append(rows, sum...)
		}
	}
	for i := range rows {
		rows[i].key = days[i].Format(time.DateOnly)
	}
	return rows, nil
}

// findNames returns what the rows of a grouping are called, by key: the titles of products and the
// codes of coupons. Of a deleted product it is the title that an order has.
func findNames(tx *db.Tx, by SalesGrouping, keys []string) (map[string]string, error) {
	names := make(map[string]string, len(keys))
	var queries []string
	switch by {
	case SalesByProduct:
		queries = []string{
			"SELECT id, title FROM products WHERE id IN %s",
			"SELECT product_id, MAX(title) FROM order_items WHERE product_id IN %s GROUP BY product_id",
		}
	case SalesByCoupon:
		queries = []string{"SELECT id, code FROM coupons WHERE id IN %s"}
	}
	for _, query := range queries {
		unnamed := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return names[key] != "" })
		for chunk := range db.Chunks(unnamed) {
			list, args := db.InList(chunk)
			err := tx.Each(fmt.Sprintf(query, list), args, func(r db.Row) error {
				var key, name string
				err := r.Scan(&key, &name)
				names[key] = name
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("find names of sales by %s: %w", by, err)
			}
		}
	}
	return names, nil
}
