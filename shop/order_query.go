package shop

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/page"
	"storefront/shop/sequence"
)

// firstOrderNumber is the number of a shop's first order, which must not reveal how new the shop
// is.
const firstOrderNumber = 1001

func nextOrderNumber(tx *db.Tx) (int64, error) {
	return sequence.RaiseCounter(tx, "order", 1, firstOrderNumber-1)
}

// orderColumns are the columns of orderRow.columns, in the same order.
const orderColumns = `number, id, status, payment_status, fulfillment_status, payment_method, test,
			customer_id, customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country,
			note, delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge,
			rounding, total, cancel_reason, placed_at, expires_at, updated_at, client`

// columns returns pointers to the row's fields, which a SELECT scans into and an INSERT reads.
func (o *orderRow) columns() []any {
	return []any{
		&o.number, &o.id, &o.status, &o.payment, &o.fulfillment, &o.method, &o.test,
		&o.customerID, &o.name, &o.phone, &o.email, &o.line1, &o.line2, &o.area, &o.city, &o.postcode, &o.country,
		&o.note, &o.deliveryChargeID, &o.deliveryName, &o.couponID, &o.couponCode, &o.subtotal, &o.discount, &o.deliveryCharge,
		&o.rounding, &o.total, &o.cancelReason, &o.placedAt, &o.expiresAt, &o.updatedAt, &o.client,
	}
}

var (
	orderInsertion = db.NewInsertion("orders (" + orderColumns + ")")
	itemInsertion  = db.NewInsertion(`order_items (order_number, position, product_id, variant_id, title, variant_title, sku,
		image_url, quantity, unit_price, discount, stock_taken)`)
	eventInsertion = db.NewInsertion("order_events (order_number, at, id, type, message, cause, detail)")
)

// insertOrder inserts an order with its lines and its timeline.
func insertOrder(tx *db.Tx, o *orderRow) error {
	if err := orderInsertion.Run(tx, o.columns()); err != nil {
		return fmt.Errorf("insert order: %w", err)
	}
	values := make([]any, 0, len(o.items)*itemInsertion.Columns)
	for i, item := range o.items {
		values = append(values, o.number, i+1, item.productID, item.variantID, item.title, item.variantTitle, item.sku,
			item.imageURL, item.quantity, item.unitPrice, item.discount, db.BoolInt(item.stockReserved))
	}
	if err := itemInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert order items: %w", err)
	}
	return insertEvents(tx, o.number, o.events)
}

func insertEvents(tx *db.Tx, number int64, events []orderEventRow) error {
	values := make([]any, 0, len(events)*eventInsertion.Columns)
	for _, e := range events {
		values = append(values, number, e.at, e.id, e.kind, e.message, string(e.cause), e.detail)
	}
	if err := eventInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert order events: %w", err)
	}
	return nil
}

// requireOrder returns the order with this invoice UID. Codes: not_found.
func requireOrder(tx *db.Tx, uid string) (*orderRow, error) {
	o, err := findOrderRow(tx, uid)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, errNoOrder()
	case err != nil:
		return nil, fmt.Errorf("find order: %w", err)
	}
	return o, nil
}

// findOrderRow returns the order with this invoice UID; the error is db.ErrNotFound if there is
// none.
func findOrderRow(tx *db.Tx, id string) (*orderRow, error) {
	rows, err := findOrderRows(tx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, db.ErrNotFound
	}
	return rows[0], nil
}

// findOrderRows returns the complete orders with these ids, in the same order. Unknown ids are left
// out. It runs five queries per chunk of ids.
func findOrderRows(tx *db.Tx, ids []string) ([]*orderRow, error) {
	rows := make([]*orderRow, 0, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		found, err := db.Query(tx, func(r db.Row) (*orderRow, error) {
			o := new(orderRow)
			return o, r.Scan(o.columns()...)
		}, `
			SELECT `+orderColumns+`
			FROM orders
			WHERE id IN `+list, args...)
		if err != nil {
			return nil, fmt.Errorf("load orders: %w", err)
		}
		byID := make(map[string]*orderRow, len(found))
		for _, o := range found {
			byID[o.id] = o
		}
		for _, load := range []func(*db.Tx, map[string]*orderRow, string, []any) error{loadItems, loadEvents, loadAttempts, loadShipments} {
			if err := load(tx, byID, list, args); err != nil {
				return nil, err
			}
		}
		for _, id := range chunk {
			if o := byID[id]; o != nil {
				rows = append(rows, o)
			}
		}
	}
	return rows, nil
}

func loadItems(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	err := tx.Each(`
		SELECT o.id, i.product_id, i.variant_id, i.title, i.variant_title, i.sku, i.image_url, i.quantity,
			i.unit_price, i.discount, i.stock_taken
		FROM order_items i
		JOIN orders o ON o.number = i.order_number
		WHERE o.id IN `+list+`
		ORDER BY i.order_number, i.position`, args, func(r db.Row) error {
		var id string
		var i orderItemRow
		err := r.Scan(&id, &i.productID, &i.variantID, &i.title, &i.variantTitle, &i.sku, &i.imageURL,
			&i.quantity, &i.unitPrice, &i.discount, &i.stockReserved)
		if err == nil {
			byID[id].items = append(byID[id].items, i)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load order items: %w", err)
	}
	return nil
}

func loadEvents(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	err := tx.Each(`
		SELECT o.id, e.id, e.type, e.message, e.cause, e.at, e.detail
		FROM order_events e
		JOIN orders o ON o.number = e.order_number
		WHERE o.id IN `+list+`
		ORDER BY e.order_number, e.at, e.id`, args, func(r db.Row) error {
		var id string
		var e orderEventRow
		err := r.Scan(&id, &e.id, &e.kind, &e.message, &e.cause, &e.at, &e.detail)
		if err == nil {
			byID[id].events = append(byID[id].events, e)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load order events: %w", err)
	}
	return nil
}

// orderQuery selects orders. Its zero value selects all.
type orderQuery struct {
	customerID string
	status     OrderStatus
	from       *time.Time // placed at this time or later
	before     *time.Time // placed before this time
}

func (q orderQuery) where() (conditions string, args []any) {
	all := []string{"1 = 1"}
	add := func(condition string, arg any) {
		all, args = append(all, condition), append(args, arg)
	}
	if q.customerID != "" {
		add("customer_id = ?", q.customerID)
	}
	if q.status != "" {
		add("status = ?", q.status)
	}
	if q.from != nil {
		add("placed_at >= ?", db.Millis(*q.from))
	}
	if q.before != nil {
		add("placed_at < ?", db.Millis(*q.before))
	}
	return strings.Join(all, " AND "), args
}

func (q orderQuery) count(tx *db.Tx) (total int, err error) {
	where, args := q.where()
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM orders
		WHERE `+where, args...).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("count orders: %w", err)
	}
	return total, nil
}

func (q orderQuery) findIDs(tx *db.Tx, w page.Window) ([]string, error) {
	query, args := q.page(w)
	ids, err := db.Query(tx, db.ScanText, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return ids, nil
}

func (q orderQuery) page(w page.Window) (query string, args []any) {
	where, args := q.where()
	query = `
		SELECT id
		FROM orders
		WHERE ` + where + `
		ORDER BY placed_at DESC, number DESC`
	if w.Limit == page.NoLimit {
		return query, args
	}
	return query + `
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
}

// updateOrderStatuses saves the row's statuses and what depends on them, provided that the stored
// statuses are still those of was.
func updateOrderStatuses(tx *db.Tx, o, was *orderRow) error {
	n, err := tx.Exec(`
		UPDATE orders
		SET status = ?, payment_status = ?, fulfillment_status = ?, payment_method = ?, rounding = ?, total = ?, cancel_reason = ?,
			expires_at = ?, updated_at = ?, client = ?
		WHERE id = ? AND status = ? AND payment_status = ? AND fulfillment_status = ?`,
		o.status, o.payment, o.fulfillment, o.method, o.rounding, o.total, o.cancelReason, o.expiresAt, o.updatedAt, o.client, o.id, was.status, was.payment, was.fulfillment)
	if err == nil && n != 1 {
		err = fmt.Errorf("order %s: %d rows have the statuses that were read", o.id, n)
	}
	if err != nil {
		return fmt.Errorf("save order state: %w", err)
	}
	return nil
}

// attachGuestOrders makes orders that were placed without an account, with a phone that is now
// proven, those of the account. Later ones are attached when they are placed.
func attachGuestOrders(tx *db.Tx, customerID, phone string) error {
	_, err := tx.Exec(`
		UPDATE orders
		SET customer_id = ?, client = NULL
		WHERE customer_phone = ? AND customer_id IS NULL`, customerID, phone)
	if err != nil {
		return fmt.Errorf("attach guest orders: %w", err)
	}
	return nil
}

// hasOrders reports whether an account has any order.
func hasOrders(tx *db.Tx, customerID string) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM orders
			WHERE customer_id = ?
		)`, customerID).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find orders of account: %w", err)
	}
	return has, nil
}
