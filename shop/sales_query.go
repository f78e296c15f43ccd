package shop

import (
	"context"
	"fmt"
	"math"
	"time"

	"storefront/db"
	"storefront/shop/page"
)

// soldOrders are the orders of a period with what counts in a [salesRow], as 0 or 1.
const soldOrders = `(
			SELECT number, courier, subtotal - discount AS sales, delivery_charge, total,
				CASE WHEN status NOT IN ('pending_payment', 'expired', 'cancelled') THEN 1 ELSE 0 END AS counted,
				CASE WHEN fulfillment_status IN ('delivered', 'partially_delivered') THEN 1 ELSE 0 END AS delivered,
				CASE WHEN fulfillment_status IN ('returning', 'returned') THEN 1 ELSE 0 END AS returned,
				CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END AS cancelled
			FROM orders
			WHERE placed_at >= ? AND placed_at < ? AND test = 0) o`

// Each returns the columns of [scanSales].
const (
	salesQuery = `
		SELECT %s,
			COALESCE(SUM(o.counted), 0),
			COALESCE(SUM(o.counted * (SELECT SUM(i.quantity) FROM order_items i WHERE i.order_number = o.number)), 0),
			COALESCE(SUM(o.counted * o.delivered), 0),
			COALESCE(SUM(o.counted * o.returned), 0),
			COALESCE(SUM(o.cancelled), 0),
			COALESCE(SUM(o.counted * o.sales), 0) AS sales,
			COALESCE(SUM(o.counted * o.delivery_charge), 0),
			COALESCE(SUM(o.counted * o.total), 0)
		FROM ` + soldOrders + `
		%s`
	productSalesQuery = `
		SELECT i.product_id, COALESCE((SELECT p.title FROM products p WHERE p.id = i.product_id), MAX(i.title)),
			COUNT(DISTINCT CASE WHEN o.counted = 1 THEN o.number END),
			SUM(o.counted * i.quantity),
			COUNT(DISTINCT CASE WHEN o.counted * o.delivered = 1 THEN o.number END),
			COUNT(DISTINCT CASE WHEN o.counted * o.returned = 1 THEN o.number END),
			COUNT(DISTINCT CASE WHEN o.cancelled = 1 THEN o.number END),
			SUM(o.counted * (i.unit_price * i.quantity - i.discount)) AS sales,
			0, 0
		FROM ` + soldOrders + `
		JOIN order_items i ON i.order_number = o.number
		WHERE o.counted = 1 OR o.cancelled = 1
		GROUP BY i.product_id
		ORDER BY sales DESC, i.product_id
		LIMIT ?`
)

func dailySalesQuery() string { return fmt.Sprintf(salesQuery, "''", "") }

func courierSalesQuery() string {
	return fmt.Sprintf(salesQuery, "o.courier", `GROUP BY o.courier
		ORDER BY sales DESC, o.courier`)
}

func scanSales(r db.Row, more ...any) (row salesRow, err error) {
	err = r.Scan(append(more, &row.orders, &row.units, &row.delivered, &row.returned, &row.cancelled,
		&row.sales, &row.delivery, &row.revenue)...)
	return row, err
}

// findSalesByDay returns the sales of each day. The last of days is the end of the period.
func findSalesByDay(ctx context.Context, tx *db.Tx, days []time.Time) ([]salesRow, error) {
	query := dailySalesQuery()
	rows := make([]salesRow, len(days)-1)
	for i, day := range days[:len(days)-1] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var none string
		row, err := scanSales(tx.QueryRow(query, db.Millis(day), db.Millis(days[i+1])), &none)
		if err != nil {
			return nil, fmt.Errorf("find sales of a day: %w", err)
		}
		row.key = day.Format(time.DateOnly)
		row.name = row.key
		rows[i] = row
	}
	return rows, nil
}

// findSalesByCourier returns the sales by courier. Those of all couriers and of the orders without
// a shipment are the sales of the period.
func findSalesByCourier(tx *db.Tx, from, before time.Time) ([]salesRow, error) {
	rows, err := db.Query(tx, func(r db.Row) (row salesRow, err error) {
		var courier string
		row, err = scanSales(r, &courier)
		row.key, row.name = courier, courier
		return row, err
	}, courierSalesQuery(), db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("find sales by courier: %w", err)
	}
	return rows, nil
}

// findSalesByProduct returns the sales of the products with the largest ones, and whether there are
// more.
func findSalesByProduct(tx *db.Tx, from, before time.Time, limit int) (rows []salesRow, more bool, err error) {
	most := math.MaxInt32 // a negative limit means none in SQLite alone
	if limit != page.NoLimit {
		most = limit + 1
	}
	rows, err = db.Query(tx, func(r db.Row) (row salesRow, err error) {
		var id, title string
		row, err = scanSales(r, &id, &title)
		row.key, row.name = id, title
		return row, err
	}, productSalesQuery, db.Millis(from), db.Millis(before), most)
	if err != nil {
		return nil, false, fmt.Errorf("find sales by product: %w", err)
	}
	if limit != page.NoLimit && len(rows) > limit {
		return rows[:limit], true, nil
	}
	return rows, false, nil
}
