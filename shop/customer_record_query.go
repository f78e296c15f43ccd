package shop

import (
	"fmt"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/money"
	"storefront/shop/outbox"
	"storefront/shop/sales"
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

// addOrders adds the sums of the account's orders.
func (d *CustomerDetails) addOrders(tx *db.Tx, currency money.Currency) error {
	var sums purchases
	err := tx.QueryRow(`
		SELECT orders, spent, last_order_at
		FROM customers
		WHERE id = ?`, d.ID).Scan(&sums.orders, &sums.spent, &sums.lastAt)
	if err != nil {
		return fmt.Errorf("find what the customer has ordered: %w", err)
	}
	d.Orders, d.Spent, d.LastOrderAt = sums.orders, currency.Money(sums.spent), sums.lastOrderAt()
	records, err := findRecords(tx, []string{db.TextOf(d.PhoneNumber)})
	if record, ok := records[db.TextOf(d.PhoneNumber)]; ok {
		d.Record = &record
	}
	return err
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

// eraseBuyer erases the buyer's personal data from orders and from their fully processed webhooks.
// Idempotency keys of the orders are deleted: their scopes can contain a phone number. The staff's
// records of the buyer are erased too.
func eraseBuyer(tx *db.Tx, subjects buyerSubjects, buyer account.Account, orderIDs []string) error {
	if err := staff.EraseAudit(tx, append([]string{subjects.of(buyer).ID}, orderIDs...)); err != nil {
		return err
	}
	phones, err := findPhones(tx, orderIDs)
	if err != nil {
		return err
	}
	for _, phone := range phones { // orders of others with the number, who may be new buyers now
		if err := sales.InvalidateBuyer(tx, phone); err != nil {
			return err
		}
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
	if err := countBuyers(tx, append(guestsOf(phones), buyerKey{customerID: buyer.ID()})...); err != nil {
		return err
	}
	erasedPhones, err := eraseContacts(tx, ownPhone(buyer), phones)
	if err != nil {
		return err
	}
	guests := make([]string, len(erasedPhones))
	for i, number := range erasedPhones {
		guests[i] = subjects.of(account.Guest(number)).ID
	}
	return staff.EraseAudit(tx, guests)
}

// eraseShipmentNotes erases the couriers' notes on an order's shipments and their texts in its
// timeline, which may contain the buyer's name. If events differ only in their notes, one remains.
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
