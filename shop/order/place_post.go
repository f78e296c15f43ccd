package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/catalogue"
)

// postedCounter has the number of the newest posted order.
const postedCounter = "posted_order"

// Posted is the number of the newest posted order, in SQL. A later order is not yet in the units
// sold, the stock movements and the sums of its buyer, and has not changed since it was placed.
const Posted = `COALESCE((SELECT value FROM counters WHERE name = '` + postedCounter + `'), 0)`

// postBatch limits the orders posted in one transaction in the background.
const postBatch = 500

const unpostedQuery = `
	SELECT number, customer_id, customer_phone, customer_name, test, paid, refunded, placed_at
	FROM orders
	WHERE number > ` + Posted + `
	ORDER BY number
	LIMIT ?`

// PostOrders posts the orders placed so far: it counts their units as sold, records their stock
// movements and counts them for their buyers. The buyer of an order does not wait for that, and
// many orders need few statements.
func (s *Orders) PostOrders(ctx context.Context) error {
	for {
		var due bool
		err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			orders, err := findUnposted(tx, 1)
			due = len(orders) > 0
			return err
		})
		if err != nil {
			return err
		}
		if !due {
			return nil
		}
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			_, err := s.postSome(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// PostForReading posts the orders for a use case that reads. If the shop cannot be written, such as
// on a full disk, staff see it as of the last posting.
func (s *Orders) PostForReading(ctx context.Context) error {
	if err := s.PostOrders(ctx); err != nil && !db.IsUnwritable(err) {
		return err
	}
	return nil
}

// Post posts all orders. A transaction that changes the lines, the status, the buyer or the
// payments of orders calls it before.
func (s *Orders) Post(tx *db.Tx) error {
	for more := true; more; {
		var err error
		if more, err = s.postSome(tx); err != nil {
			return err
		}
	}
	return nil
}

// postSome posts at most postBatch orders. more reports that there may be others.
func (s *Orders) postSome(tx *db.Tx) (more bool, err error) {
	orders, err := findUnposted(tx, postBatch)
	if err != nil {
		return false, err
	}
	if len(orders) == 0 {
		return false, nil
	}
	if err := s.postItems(tx, orders); err != nil {
		return false, err
	}
	if err := postBuyers(tx, orders); err != nil {
		return false, err
	}
	err = tx.Do(`
		INSERT INTO counters (name, value)
		VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, postedCounter, orders[len(orders)-1].number)
	if err != nil {
		return false, fmt.Errorf("save the newest posted order: %w", err)
	}
	return len(orders) == postBatch, nil
}

// findUnposted returns the oldest unposted orders with the columns that are posted, at most limit.
func findUnposted(tx *db.Tx, limit int) ([]*orderRow, error) {
	orders, err := db.Query(tx, func(r db.Row) (*orderRow, error) {
		o := new(orderRow)
		return o, r.Scan(&o.number, &o.customerID, &o.phone, &o.name, &o.test, &o.paid, &o.refunded, &o.placedAt)
	}, unpostedQuery, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders to post: %w", err)
	}
	return orders, nil
}

// ordersOfProduct selects the numbers of the orders with a product, which is its argument twice.
// The orders that are not yet posted are few.
const ordersOfProduct = `
	SELECT order_number FROM product_orders WHERE product_id = ?
	UNION ALL
	SELECT order_number FROM order_items WHERE order_number > ` + Posted + ` AND product_id = ?`

// listByProduct adds consecutive orders to the orders of their products.
func listByProduct(tx *db.Tx, first, last int64) error {
	err := tx.Do(`
		INSERT INTO product_orders (product_id, order_number)
		SELECT DISTINCT product_id, order_number
		FROM order_items
		WHERE order_number BETWEEN ? AND ?
		ORDER BY product_id, order_number`, first, last)
	if err != nil {
		return fmt.Errorf("list orders by product: %w", err)
	}
	return nil
}

// postItems counts the units of consecutive orders as sold, lists the orders by product and records
// their stock movements. A deleted variant has none.
func (s *Orders) postItems(tx *db.Tx, orders []*orderRow) error {
	placedAt := make(map[int64]int64, len(orders))
	for _, o := range orders {
		placedAt[o.number] = o.placedAt
	}
	sold := soldCounts{}
	var ordered []catalogue.Ordered
	err := tx.Each(`
		SELECT i.order_number, i.product_id, i.variant_id, i.quantity, CASE WHEN i.stock_taken = 1 AND v.id IS NOT NULL THEN 1 ELSE 0 END
		FROM order_items i
		LEFT JOIN variants v ON v.id = i.variant_id
		WHERE i.order_number BETWEEN ? AND ?
		ORDER BY i.order_number, i.position`, []any{orders[0].number, orders[len(orders)-1].number}, func(r db.Row) error {
		var number int64
		var productID, variantID string
		var units int
		var moved bool
		if err := r.Scan(&number, &productID, &variantID, &units, &moved); err != nil {
			return err
		}
		sold.add(productID, units)
		if moved {
			ordered = append(ordered, catalogue.Ordered{VariantID: variantID, OrderNumber: number, Units: units, At: placedAt[number]})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find items to post: %w", err)
	}
	if err := sold.save(tx); err != nil {
		return err
	}
	if err := listByProduct(tx, orders[0].number, orders[len(orders)-1].number); err != nil {
		return err
	}
	slices.SortStableFunc(ordered, func(a, b catalogue.Ordered) int { return cmp.Compare(a.VariantID, b.VariantID) })
	return s.cfg.Catalogue.RecordOrdered(tx, ordered)
}

// postBuyers counts orders for their buyers.
func postBuyers(tx *db.Tx, orders []*orderRow) error {
	type sums struct {
		Purchases
		buyer Buyer
		name  string // of the newest order
	}
	byBuyer := map[Buyer]*sums{}
	var all []*sums
	for _, o := range orders {
		b := o.buyer()
		if b == (Buyer{}) {
			continue
		}
		sum := byBuyer[b]
		if sum == nil {
			sum = &sums{buyer: b}
			byBuyer[b], all = sum, append(all, sum)
		}
		if sum.Orders++; o.placedAt >= sum.LastAt {
			sum.LastAt, sum.name = o.placedAt, o.name
		}
		sum.Spent += o.spent()
	}
	slices.SortFunc(all, func(a, b *sums) int { // so that adjacent rows are written together
		return cmp.Or(cmp.Compare(a.buyer.CustomerID, b.buyer.CustomerID), cmp.Compare(a.buyer.Phone, b.buyer.Phone))
	})
	for _, sum := range all {
		if err := addPurchases(tx, sum.buyer, sum.name, sum.Purchases); err != nil {
			return err
		}
	}
	return nil
}

// changesPosted reports whether the change affects columns that posting reads or sums up.
func (c *orderChange) changesPosted() bool {
	return c.o.status != c.was.status || c.o.spent() != c.was.spent() || c.contentsChanged()
}
