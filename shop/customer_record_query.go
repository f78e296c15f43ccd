package shop

import (
	"fmt"

	"storefront/db"
	"storefront/shop/account"
)

func customerRecord(tx *db.Tx, customer account.Account) (CustomerRecord, error) {
	user, err := customer.View(tx)
	if err != nil {
		return CustomerRecord{}, err
	}
	record := CustomerRecord{
		Customer: user, EmailVerified: customer.EmailVerified(), HasPassword: customer.HasPassword(), PasswordResetRequired: customer.PasswordResetRequired(),
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
