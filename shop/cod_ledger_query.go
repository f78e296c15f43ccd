package shop

import (
	"fmt"

	"storefront/db"
)

// addLedgerEntry stores an entry. Storing the same entry again changes nothing.
func (s *Shop) addLedgerEntry(tx *db.Tx, e ledgerEntry) error {
	_, err := tx.Exec(`
		INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, kind, source, reference, at) DO NOTHING`,
		s.ids.Next(tx.Now()), e.shipmentID, e.kind, e.amount, e.source, e.reference, e.at)
	if err != nil {
		return fmt.Errorf("add ledger entry: %w", err)
	}
	return nil
}

// findLedgerRows returns the ledger's row of every shipment, oldest first.
func findLedgerRows(tx *db.Tx) ([]*ledgerRow, error) {
	var rows []*ledgerRow
	byID, assigned := map[string]*ledgerRow{}, map[string]bool{}
	err := tx.Each(`
		SELECT p.id, p.order_id, p.provider, p.consignment_id, p.status, p.created_at, o.payment_method, o.total
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		ORDER BY p.id`, nil, func(r db.Row) error {
		l := &ledgerRow{source: cashFromOrder}
		shipment := &l.shipment
		var method PaymentMethod
		var total int64
		err := r.Scan(&shipment.id, &shipment.orderID, &shipment.provider, &shipment.consignmentID, &shipment.status, &shipment.createdAt, &method, &total)
		// A shipment that staff recorded has no entry of the cash due: the order's total is due with the
		// first shipment that does not return.
		if method == PayCOD && !assigned[shipment.orderID] {
			l.due = total
		}
		l.at = shipment.createdAt
		assigned[shipment.orderID] = assigned[shipment.orderID] || shipment.collectsCash()
		rows, byID[shipment.id] = append(rows, l), l
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find ledger's shipments: %w", err)
	}
	// Oldest first, so that the newest entry of each kind counts. Of entries with the same time the
	// statement's counts: its source sorts last.
	err = tx.Each(`
		SELECT shipment_id, kind, amount, source, reference, at
		FROM cash_entries
		ORDER BY at, source, id`, nil, func(r db.Row) error {
		var e ledgerEntry
		err := r.Scan(&e.shipmentID, &e.kind, &e.amount, &e.source, &e.reference, &e.at)
		if l := byID[e.shipmentID]; l != nil && err == nil {
			l.add(e)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find ledger entries: %w", err)
	}
	return rows, nil
}

// statementExists reports whether a statement was reconciled before.
func statementExists(tx *db.Tx, statement string) (exists bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (SELECT 1 FROM cash_entries WHERE source = ? AND reference = ?)`, cashFromStatement, statement).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("find statement: %w", err)
	}
	return exists, nil
}
