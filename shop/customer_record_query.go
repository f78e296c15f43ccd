package shop

import (
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/phone"
)

// customerQuery is the condition of a [CustomerFilter].
type customerQuery struct {
	where string
	args  []any
}

func newCustomerQuery(search, country string) customerQuery {
	search = strings.TrimSpace(input.Clean(search))
	switch email, isEmail := input.ParseEmail(search); {
	case search == "":
		return customerQuery{}
	case isEmail:
		return customerQuery{"WHERE email = ?", []any{email}}
	}
	if phone, ok := phone.Parse(search, country); ok {
		return customerQuery{"WHERE phone = ?", []any{phone}}
	}
	part := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search)
	return customerQuery{`WHERE lower(name) LIKE lower(?) ESCAPE '\'`, []any{"%" + part + "%"}}
}

func (q customerQuery) find(tx *db.Tx, w page.Window) (rows []customerRow, total int, err error) {
	err = tx.QueryRow(`
		SELECT count(*)
		FROM customers
		`+q.where, q.args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count customers: %w", err)
	}
	rows, err = db.Query(tx, scanCustomer, selectCustomer+q.where+`
		ORDER BY created_at DESC, id DESC
		LIMIT ?
		OFFSET ?`, append(q.args[:len(q.args):len(q.args)], w.Limit, w.Offset())...)
	if err != nil {
		return nil, 0, fmt.Errorf("list customers: %w", err)
	}
	return rows, total, nil
}

func customerRecord(tx *db.Tx, row customerRow) (CustomerRecord, error) {
	user, err := customerView(tx, row)
	if err != nil {
		return CustomerRecord{}, err
	}
	record := CustomerRecord{
		Customer: user, EmailVerified: row.emailVerifiedAt != nil, HasPassword: row.hasPassword(), PasswordResetRequired: row.passwordReset,
	}
	var updated int64
	err = tx.QueryRow(`
		SELECT updated_at, (SELECT count(*) FROM orders WHERE customer_id = customers.id)
		FROM customers
		WHERE id = ?`, row.id).Scan(&updated, &record.Orders)
	if err != nil {
		return CustomerRecord{}, fmt.Errorf("find customer's orders: %w", err)
	}
	record.UpdatedAt = db.FromMillis(updated)
	return record, nil
}

func findSentCodes(tx *db.Tx, phone string) ([]SentCode, error) {
	codes, err := db.Query(tx, func(r db.Row) (c SentCode, err error) {
		var sent int64
		var used *int64
		err = r.Scan(&sent, &used, &c.Message)
		c.SentAt, c.UsedAt = db.FromMillis(sent), db.FromNullMillis(used)
		return c, err
	}, `
		SELECT created_at, used_at, message_id
		FROM otp_codes
		WHERE phone = ?
		ORDER BY created_at, id`, phone)
	if err != nil {
		return nil, fmt.Errorf("find codes: %w", err)
	}
	return codes, nil
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

// erased replaces the body of a webhook that contained erased personal data.
const erased = "erased"

// eraseBuyer erases the buyer's personal data from orders and from the webhooks about them that need
// no further processing. Idempotency keys of the orders are deleted: their scopes can contain a phone
// number.
func eraseBuyer(tx *db.Tx, orderIDs []string) error {
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
	}
	return nil
}

// eraseShipmentNotes erases the couriers' notes on an order's shipments, which can name the buyer. Of
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
	if err != nil {
		return fmt.Errorf("erase shipment notes: %w", err)
	}
	return nil
}

// deleteCustomer deletes an account with its addresses and the sign-in codes sent to its phone. A row
// without an ID is a guest: only the codes are deleted.
func deleteCustomer(tx *db.Tx, row customerRow) error {
	if err := deleteAddresses(tx, row.id); err != nil {
		return err
	}
	_, err := tx.Exec(`
		DELETE FROM otp_codes
		WHERE phone = ?`, db.TextOf(row.phone))
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM customers
			WHERE id = ?`, row.id)
	}
	if err != nil {
		return fmt.Errorf("delete customer: %w", err)
	}
	return nil
}
