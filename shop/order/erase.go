package order

import (
	"cmp"
	"fmt"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/conversion"
	"storefront/shop/outbox"
	"storefront/shop/review"
	"storefront/shop/sales"
	"storefront/shop/staff"
)

// erased replaces the body of a webhook that contained erased personal data.
const erased = "erased"

// EraseBuyer erases the buyer's personal data from orders and from their fully processed webhooks.
// Idempotency keys of the orders are deleted: their scopes can contain a phone number. The staff's
// records of the buyer are erased too.
func (s *Orders) EraseBuyer(tx *db.Tx, subjects Subjects, buyer account.Account, orderIDs []string) error {
	if err := s.Post(tx); err != nil {
		return err
	}
	if err := staff.EraseAudit(tx, append([]string{subjects.Of(buyer).ID}, orderIDs...)); err != nil {
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
				UPDATE provider_webhooks
				SET body = ?
				WHERE order_id = ? AND verdict IN ('applied', 'ignored')`, []byte(erased), id)
		}
		if err != nil {
			return fmt.Errorf("erase buyer: %w", err)
		}
		if err := eraseShipmentNotes(tx, id); err != nil {
			return err
		}
		if err := eraseWalletSenders(tx, id); err != nil {
			return err
		}
		o, err := findOrderRow(tx, id)
		if err != nil {
			return fmt.Errorf("find erased order: %w", err)
		}
		if err := cmp.Or(
			eraseAnnotations(tx, o.number), s.eraseReviews(tx, o.number), campaign.Erase(tx, o.number), conversion.Erase(tx, o.number),
		); err != nil {
			return err
		}
		if err := unindexOrder(tx, o.number); err != nil {
			return fmt.Errorf("unindex erased order: %w", err)
		}
		if err := outbox.Append(tx, o.event(outbox.OrderEdited, string(o.status))); err != nil {
			return err
		}
	}
	if err := CountBuyers(tx, append(guestsOf(phones), Buyer{CustomerID: buyer.ID()})...); err != nil {
		return err
	}
	erasedPhones, err := eraseContacts(tx, ownPhone(buyer), phones)
	if err != nil {
		return err
	}
	guests := make([]string, len(erasedPhones))
	for i, number := range erasedPhones {
		guests[i] = subjects.Of(account.Guest(number)).ID
	}
	return staff.EraseAudit(tx, guests)
}

// eraseReviews erases the personal data in the reviews of an order, and their photos.
func (s *Orders) eraseReviews(tx *db.Tx, orderNumber int64) error {
	photos, err := review.EraseOrder(tx, orderNumber)
	if err != nil {
		return err
	}
	for _, id := range photos {
		if err := s.cfg.Catalogue.DropPhoto(tx, id); err != nil {
			return err
		}
	}
	return nil
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
