package shop

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/phone"
	"storefront/shop/staff"
)

func customerRecord(tx *db.Tx, customer account.Account) (CustomerRecord, error) {
	user, err := customer.View(tx)
	if err != nil {
		return CustomerRecord{}, err
	}
	record := CustomerRecord{
		Customer: user, HasPassword: customer.HasPassword(),
		PasswordResetRequired: customer.PasswordResetRequired(),
	}
	var updated int64
	err = tx.QueryRow(`
		SELECT updated_at, (SELECT count(*) FROM orders WHERE customer_id = customers.id)
		FROM customers
		WHERE id = ?`, customer.ID()).Scan(&updated, &record.Orders)
	if err != nil {
		return CustomerRecord{}, fmt.Errorf("find customer's orders: %w", err)
	}
	record.UpdatedAt = db.FromMillis(updated)
	return record, nil
}

// customerRows returns accounts with what they have ordered. Orders placed in sandbox mode do not
// count.
func customerRows(tx *db.Tx, accounts []account.Account, currency money.Currency) ([]CustomerRow, error) {
	rows := make([]CustomerRow, len(accounts))
	var phones []string
	for i, customer := range accounts {
		record, err := customerRecord(tx, customer)
		if err != nil {
			return nil, err
		}
		rows[i].CustomerRecord = record
		var spent int64
		err = tx.QueryRow(`
			SELECT COALESCE(SUM(CASE WHEN status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN total ELSE 0 END), 0),
				MAX(placed_at)
			FROM orders
			WHERE customer_id = ? AND test = 0`, customer.ID()).Scan(&spent, &rows[i].LastOrderAt)
		if err != nil {
			return nil, fmt.Errorf("find what a customer has spent: %w", err)
		}
		rows[i].Spent = currency.Money(spent)
		phones = append(phones, db.TextOf(customer.Phone()))
	}
	records, err := findRecords(tx, phones)
	for i, number := range phones {
		if record, ok := records[number]; ok {
			rows[i].Record = &record
		}
	}
	return rows, err
}

// guestQuery selects the orders of guests.
type guestQuery struct {
	where string
	args  []any
}

// newGuestQuery returns the query for guests by a whole phone number or e-mail address, or by a
// part of the name; "" matches every guest.
func newGuestQuery(search, country string) guestQuery {
	q := guestQuery{where: `
		WHERE customer_id IS NULL AND customer_phone <> '' AND test = 0
			AND NOT EXISTS (SELECT 1 FROM customers c WHERE c.phone = customer_phone AND c.phone_verified_at IS NOT NULL)`}
	search = strings.TrimSpace(input.Clean(search))
	email, isEmail := input.ParseEmail(search)
	number, isPhone := phone.Parse(search, country)
	switch {
	case search == "":
	case isEmail:
		q.where += ` AND customer_email = ?`
		q.args = []any{email}
	case isPhone:
		q.where += ` AND customer_phone = ?`
		q.args = []any{number}
	default:
		q.where += ` AND lower(customer_name) LIKE lower(?) ESCAPE '\'`
		q.args = []any{"%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search) + "%"}
	}
	return q
}

// listGuests returns one page of the guests, those with the newest orders first, and their total
// number.
func listGuests(tx *db.Tx, q guestQuery, currency money.Currency, w page.Window) (guests []GuestRecord, total int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(DISTINCT customer_phone)
		FROM orders`+q.where, q.args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count guests: %w", err)
	}
	guests, err = db.Query(tx, func(r db.Row) (g GuestRecord, err error) {
		var spent int64
		err = r.Scan(&g.PhoneNumber, &g.Orders, &spent, &g.LastOrderAt, &g.Name)
		g.Spent = currency.Money(spent)
		return g, err
	}, `
		SELECT g.customer_phone, g.orders, g.spent, g.last_at, (
				SELECT o.customer_name
				FROM orders o
				WHERE o.customer_phone = g.customer_phone AND o.placed_at = g.last_at AND o.customer_id IS NULL
				ORDER BY o.number DESC
				LIMIT 1)
		FROM (
			SELECT customer_phone, COUNT(*) AS orders, MAX(placed_at) AS last_at,
				SUM(CASE WHEN status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN total ELSE 0 END) AS spent
			FROM orders`+q.where+`
			GROUP BY customer_phone
			ORDER BY last_at DESC, customer_phone
			LIMIT ?
			OFFSET ?) g
		ORDER BY g.last_at DESC, g.customer_phone`, append(q.args[:len(q.args):len(q.args)], w.Limit, w.Offset())...)
	if err != nil {
		return nil, 0, fmt.Errorf("list guests: %w", err)
	}
	phones := make([]string, len(guests))
	for i, g := range guests {
		phones[i] = g.PhoneNumber
	}
	records, err := findRecords(tx, phones)
	for i := range guests {
		guests[i].Record = records[guests[i].PhoneNumber]
	}
	return guests, total, err
}

// findBuyerOrderIDs returns the IDs of an account's orders and of orders that guests placed with a
// phone number. An empty customerID or guestPhone matches no order.
func findBuyerOrderIDs(tx *db.Tx, customerID, guestPhone string) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM orders
		WHERE customer_id = ? OR customer_id IS NULL AND customer_phone = ? AND customer_phone <> ''
		ORDER BY placed_at, number`, customerID, guestPhone)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return ids, nil
}

// hasOpenOrders reports whether one of the orders that findBuyerOrderIDs returns is neither
// completed nor closed.
func hasOpenOrders(tx *db.Tx, customerID, guestPhone string) (open bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM orders
			WHERE (customer_id = ? OR customer_id IS NULL AND customer_phone = ? AND customer_phone <> '')
				AND status IN ('pending', 'pending_payment', 'confirmed', 'processing'))`, customerID, guestPhone).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("find open orders: %w", err)
	}
	return open, nil
}

// erased replaces the body of a webhook that contained erased personal data.
const erased = "erased"

// eraseBuyer erases the buyer's personal data from orders and from the webhooks about them that
// need no further processing. Idempotency keys of the orders are deleted: their scopes can contain
// a phone number. What staff have recorded about the buyer is erased, too.
func eraseBuyer(tx *db.Tx, subjects buyerSubjects, buyer account.Account, orderIDs []string) error {
	if err := staff.EraseAudit(tx, append([]string{subjects.of(buyer).ID}, orderIDs...)); err != nil {
		return err
	}
	phones, err := findPhones(tx, orderIDs)
	if err != nil {
		return err
	}
	if err := staff.EraseResponses(tx, append([]string{buyer.ID()}, orderIDs...)); err != nil {
		return err
	}
	for _, id := range orderIDs {
		_, err := tx.Exec(`
			UPDATE orders
			SET customer_id = NULL, customer_name = '', customer_phone = '', customer_email = NULL,
				line1 = '', line2 = '', area = '', city = '', postcode = '', note = '', cancel_reason = '', updated_at = ?
			WHERE id = ?`, db.Millis(tx.Now()), id)
		if err == nil {
			_, err = tx.Exec(`
				DELETE FROM idempotency_keys
				WHERE order_id = ?`, id)
		}
		if err == nil {
			_, err = tx.Exec(`
				UPDATE provider_calls
				SET body = ?
				WHERE order_id = ? AND verdict IN ('applied', 'ignored')`, []byte(erased), id)
		}
		if err != nil {
			return fmt.Errorf("erase buyer: %w", err)
		}
		if err := eraseShipmentNotes(tx, id); err != nil {
			return err
		}
		o, err := findOrderRow(tx, id)
		if err != nil {
			return fmt.Errorf("find erased order: %w", err)
		}
		if err := eraseAnnotations(tx, o.number); err != nil {
			return err
		}
		if err := unindexOrder(tx, o.number); err != nil {
			return fmt.Errorf("unindex erased order: %w", err)
		}
		if err := outbox.Append(tx, o.event(outbox.OrderEdited, string(o.status))); err != nil {
			return err
		}
	}
	return eraseContacts(tx, subjects, ownPhone(buyer), phones)
}

// eraseShipmentNotes erases the couriers' notes on an order's shipments and their texts in its
// timeline, which can name the buyer. Of
// events that differ only in their notes, one stays.
func eraseShipmentNotes(tx *db.Tx, orderID string) error {
	_, err := tx.Exec(`
		DELETE FROM parcel_events
		WHERE shipment_id IN (SELECT id FROM shipments WHERE order_id = ?)
			AND EXISTS (
				SELECT 1
				FROM parcel_events e
				WHERE e.shipment_id = parcel_events.shipment_id AND e.at = parcel_events.at AND e.event = parcel_events.event
					AND e.id < parcel_events.id)`, orderID)
	if err == nil {
		_, err = tx.Exec(`
			UPDATE parcel_events
			SET note = ''
			WHERE shipment_id IN (SELECT id FROM shipments WHERE order_id = ?) AND note <> ''`, orderID)
	}
	if err == nil {
		_, err = tx.Exec(`
			UPDATE order_events
			SET detail = ''
			WHERE order_number = (SELECT number FROM orders WHERE id = ?) AND detail <> ''`, orderID)
	}
	if err != nil {
		return fmt.Errorf("erase shipment notes: %w", err)
	}
	return nil
}
