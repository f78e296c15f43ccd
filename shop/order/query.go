package order

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/campaign"
)

// orderColumns are the columns of orderRow.columns, in the same order.
const orderColumns = `number, id, status, payment_status, fulfillment_status, payment_method, test,
			customer_id, customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country,
			note, delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge,
			rounding, total, cancel_reason, placed_at, expires_at, updated_at, client,
			courier, shipment_status, attention, work, source, placed_by, staff_discount, discount_reason, quantity_discount, advance, signed_in,
			credited, uncollected, cash_paid, cash_refunded, paid, refunded, language, advance_asked, advance_reason, prepaid,
			automatic_discount, discounts`

// columns returns pointers to the row's fields, for the destinations of a SELECT and the values of
// an INSERT.
func (o *orderRow) columns() []any {
	return []any{
		&o.number, &o.id, &o.status, &o.payment, &o.fulfillment, &o.method, &o.test,
		&o.customerID, &o.name, &o.phone, &o.email, &o.line1, &o.line2, &o.area, &o.city, &o.postcode, &o.country,
		&o.note, &o.deliveryChargeID, &o.deliveryName, &o.couponID, &o.couponCode, &o.subtotal, &o.discount, &o.deliveryCharge,
		&o.rounding, &o.total, &o.cancelReason, &o.placedAt, &o.expiresAt, &o.updatedAt, &o.client,
		&o.courier, &o.shipmentStatus, &o.attention, &o.work, &o.source, &o.placedBy,
		&o.staffDiscount, &o.discountReason, &o.quantityDiscount, &o.advance, &o.signedIn,
		&o.credited, &o.uncollected, &o.cashPaid, &o.cashRefunded, &o.paid, &o.refunded, &o.language,
		&o.asked.amount, &o.asked.reason, &o.prepaid, &o.automaticDiscount, &o.discounts,
	}
}

// staffColumns are the columns of orderRow.staffColumns. A new order has their defaults.
const staffColumns = `call_count, last_call, last_call_at, call_due_at, claimed_by, claimed_until`

func (o *orderRow) staffColumns() []any {
	return []any{&o.calls.count, &o.calls.outcome, &o.calls.at, &o.calls.dueAt, &o.claim.by, &o.claim.until}
}

var (
	orderInsertion = db.NewInsertion("orders (" + orderColumns + ")")
	itemInsertion  = db.NewInsertion(`order_items (order_number, position, product_id, variant_id, title, variant_title, sku,
		image_url, quantity, unit_price, quantity_prices, quantity_discount, discount, stock_taken, damaged, restocked)`)
	eventInsertion = db.NewInsertion("order_events (order_number, at, id, type, message, cause, detail, author)")
)

// insertOrder inserts an order with its lines and its timeline.
func insertOrder(tx *db.Tx, o *orderRow, led *campaign.AttributionInput) error {
	if err := orderInsertion.Run(tx, o.columns()); err != nil {
		return fmt.Errorf("insert order: %w", err)
	}
	if err := insertItems(tx, o); err != nil {
		return err
	}
	if err := insertEvents(tx, o.number, o.events); err != nil {
		return err
	}
	return campaign.Insert(tx, o.number, led.Clean(tx.Now()))
}

func insertItems(tx *db.Tx, o *orderRow) error {
	values := make([]any, 0, len(o.items)*itemInsertion.Columns)
	for i, item := range o.items {
		values = append(values, o.number, i+1, item.productID, item.variantID, item.title, item.variantTitle, item.sku,
			item.imageURL, item.quantity, item.unitPrice, db.NullText(item.quantityPrices), item.quantityDiscount,
			item.discount, db.BoolInt(item.stockReserved), item.damaged, item.restocked)
	}
	if err := itemInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert order items: %w", err)
	}
	return nil
}

func insertEvents(tx *db.Tx, number int64, events []orderEventRow) error {
	values := make([]any, 0, len(events)*eventInsertion.Columns)
	for _, e := range events {
		values = append(values, number, e.at, e.id, string(e.kind), e.message, string(e.cause), e.detail, db.NullText(e.by))
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

// requireSentOrder returns the order with an invoice UID that a caller sent. Codes: not_found.
func requireSentOrder(tx *db.Tx, invoiceUID string) (*orderRow, error) {
	uid, err := requireInvoiceUID(invoiceUID)
	if err != nil {
		return nil, err
	}
	return requireOrder(tx, uid)
}

// findInvoiceUID returns the invoice UID of the order with this number. The error is db.ErrNotFound
// if there is none.
func findInvoiceUID(tx *db.Tx, number int64) (uid string, err error) {
	err = tx.QueryRow(`
		SELECT id
		FROM orders
		WHERE number = ?`, number).Scan(&uid)
	if err != nil {
		return "", fmt.Errorf("find order by number: %w", err)
	}
	return uid, nil
}

// findOrderRow returns the order with this invoice UID. The error is db.ErrNotFound if there is
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

// findOrderRows returns the complete orders with these ids, in the same order. Unknown IDs are
// omitted. It runs five queries per chunk of IDs, more if an
// order has credit lines or an advance.
func findOrderRows(tx *db.Tx, ids []string) ([]*orderRow, error) {
	return findOrderParts(tx, ids, loadItems, loadCredits, loadWalletPayments, loadEvents, loadAttempts, loadShipments)
}

// orderLoad loads a part of orders. list and args are the SQL list of the orders' IDs.
type orderLoad func(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error

// findOrderParts is findOrderRows with only some of the orders' parts.
func findOrderParts(tx *db.Tx, ids []string, loads ...orderLoad) ([]*orderRow, error) {
	rows := make([]*orderRow, 0, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		found, err := db.Query(tx, func(r db.Row) (*orderRow, error) {
			o := new(orderRow)
			return o, r.Scan(append(o.columns(), o.staffColumns()...)...)
		}, `
			SELECT `+orderColumns+`, `+staffColumns+`
			FROM orders
			WHERE id IN `+list, args...)
		if err != nil {
			return nil, fmt.Errorf("load orders: %w", err)
		}
		byID := make(map[string]*orderRow, len(found))
		for _, o := range found {
			byID[o.id] = o
		}
		for _, load := range loads {
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
			i.unit_price, COALESCE(i.quantity_prices, ''), i.quantity_discount, i.discount, i.stock_taken, i.damaged, i.restocked
		FROM order_items i
		JOIN orders o ON o.number = i.order_number
		WHERE o.id IN `+list+`
		ORDER BY i.order_number, i.position`, args, func(r db.Row) error {
		var id string
		var i orderItemRow
		err := r.Scan(&id, &i.productID, &i.variantID, &i.title, &i.variantTitle, &i.sku, &i.imageURL,
			&i.quantity, &i.unitPrice, &i.quantityPrices, &i.quantityDiscount, &i.discount, &i.stockReserved, &i.damaged, &i.restocked)
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
		SELECT o.id, e.id, e.type, e.message, e.cause, e.at, e.detail, e.author
		FROM order_events e
		JOIN orders o ON o.number = e.order_number
		WHERE o.id IN `+list+`
		ORDER BY e.order_number, e.at, e.id`, args, func(r db.Row) error {
		var id string
		var e orderEventRow
		var by *string
		err := r.Scan(&id, &e.id, &e.kind, &e.message, &e.cause, &e.at, &e.detail, &by)
		if err == nil {
			e.by = db.TextOf(by)
			byID[id].events = append(byID[id].events, e)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load order events: %w", err)
	}
	return nil
}

// updateOrderStatuses saves the row's statuses and their dependent columns, provided that the
// stored statuses are still equal to was.
func updateOrderStatuses(tx *db.Tx, o, was *orderRow) error {
	n, err := tx.Exec(`
		UPDATE orders
		SET status = ?, payment_status = ?, fulfillment_status = ?, payment_method = ?, rounding = ?, total = ?, cancel_reason = ?,
			expires_at = ?, updated_at = ?, client = ?, courier = ?, shipment_status = ?, attention = ?, work = ?,
			cash_paid = ?, cash_refunded = ?, paid = ?, refunded = ?, advance_asked = ?, advance_reason = ?, prepaid = ?
		WHERE id = ? AND status = ? AND payment_status = ? AND fulfillment_status = ?`,
		o.status, o.payment, o.fulfillment, o.method, o.rounding, o.total, o.cancelReason, o.expiresAt, o.updatedAt, o.client,
		o.courier, o.shipmentStatus, o.attention, db.BoolInt(o.work), o.cashPaid, o.cashRefunded, o.paid, o.refunded,
		o.asked.amount, o.asked.reason, o.prepaid, o.id,
		was.status, was.payment, was.fulfillment)
	if err == nil && n != 1 {
		err = fmt.Errorf("order %s: %d rows have the statuses that were read", o.id, n)
	}
	if err != nil {
		return fmt.Errorf("save order state: %w", err)
	}
	return nil
}

// updateOrderContents saves a posted order's items, recipient, address and advance.
func updateOrderContents(tx *db.Tx, o *orderRow) error {
	err := tx.Do(`
		UPDATE orders
		SET customer_id = ?, signed_in = ?, customer_name = ?, customer_phone = ?, customer_email = ?, line1 = ?, line2 = ?, area = ?, city = ?,
			postcode = ?, country = ?, note = ?, delivery_charge_id = ?, delivery_name = ?, coupon_id = ?, coupon_code = ?, subtotal = ?, discount = ?,
			delivery_charge = ?, rounding = ?, total = ?, staff_discount = ?, discount_reason = ?, quantity_discount = ?, advance = ?,
			automatic_discount = ?, discounts = ?
		WHERE number = ?`,
		o.customerID, db.BoolInt(o.signedIn), o.name, o.phone, o.email, o.line1, o.line2, o.area, o.city, o.postcode,
		o.country, o.note, o.deliveryChargeID, o.deliveryName, o.couponID, o.couponCode, o.subtotal, o.discount,
		o.deliveryCharge, o.rounding, o.total, o.staffDiscount, o.discountReason, o.quantityDiscount, o.advance,
		o.automaticDiscount, o.discounts, o.number)
	if err == nil {
		err = tx.Do(`
		DELETE FROM product_orders
		WHERE order_number = ? AND product_id IN (SELECT product_id FROM order_items WHERE order_number = ?)`, o.number, o.number)
	}
	if err == nil {
		err = tx.Do(`
		DELETE FROM order_items
		WHERE order_number = ?`, o.number)
	}
	if err != nil {
		return fmt.Errorf("save order contents: %w", err)
	}
	if err := insertItems(tx, o); err != nil {
		return err
	}
	return listByProduct(tx, o.number, o.number)
}

// showsUpload is the condition of the index order_items_by_media.
const showsUpload = `SUBSTR(image_url, 1, 6) = 'media:'`

// FindOrderedImages returns the stored URLs of the uploaded images that lines of orders show, each
// once.
func FindOrderedImages(tx *db.Tx) ([]string, error) {
	urls, err := db.Query(tx, db.ScanText, `
		SELECT DISTINCT image_url
		FROM order_items
		WHERE `+showsUpload)
	if err != nil {
		return nil, fmt.Errorf("find images of order lines: %w", err)
	}
	return urls, nil
}

// CountShowing returns how many orders have a line that shows an uploaded image, most at most.
func CountShowing(tx *db.Tx, mediaID string, most int) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (
			SELECT DISTINCT order_number
			FROM order_items
			WHERE `+showsUpload+` AND image_url >= ? AND image_url < ?
			LIMIT ?) AS shown`, "media:"+mediaID+"/", "media:"+mediaID+"0", most).Scan(&n) // '0' follows '/'
	if err != nil {
		return 0, fmt.Errorf("count orders that show an image: %w", err)
	}
	return n, nil
}
