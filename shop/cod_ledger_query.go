package shop

import (
	"fmt"

	"storefront/db"
)

// addCash makes an entry. The same one again changes nothing.
func (s *Shop) addCash(tx *db.Tx, e cashEntry) error {
	_, err := tx.Exec(`
		INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, kind, source, reference, at) DO NOTHING`,
		s.ids.next(tx.Now()), e.shipmentID, e.kind, e.amount, e.source, e.reference, e.at)
	if err != nil {
		return fmt.Errorf("enter cash: %w", err)
	}
	return nil
}
