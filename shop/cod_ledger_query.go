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

// findLedgerRows returns the ledger's row of every shipment, oldest first; with an orderID only of that
// order's.
func findLedgerRows(tx *db.Tx, orderID string) ([]*ledgerRow, error) {
	var rows []*ledgerRow
	byID, assigned := map[string]*ledgerRow{}, map[string]bool{}
	ofShipments, ofEntries, args := "", "", []any(nil)
	if orderID != "" {
		args = []any{orderID}
		ofShipments = "WHERE p.order_id = ?"
		ofEntries = "WHERE shipment_id IN (SELECT id FROM shipments WHERE order_id = ?)"
	}
	err := tx.Each(`
		SELECT p.id, p.order_id, p.provider, p.consignment_id, p.status, p.created_at, o.payment_method, o.total
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		`+ofShipments+`
		ORDER BY p.id`, args, func(r db.Row) error {
		l := &ledgerRow{source: cashFromOrder}
		p := &l.shipment
		var method PaymentMethod
		err := r.Scan(&p.id, &p.orderID, &p.provider, &p.consignmentID, &p.status, &p.createdAt, &method, &l.total)
		// A shipment that staff recorded has no entry of the cash due: the order's total is due with
		// the first shipment that does not return.
		if method != PayCOD {
			l.total = 0
		}
		if !assigned[p.orderID] {
			l.due = l.total
		}
		l.at = p.createdAt
		assigned[p.orderID] = assigned[p.orderID] || p.collectsCash()
		rows, byID[p.id] = append(rows, l), l
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
		`+ofEntries+`
		ORDER BY at, source, id`, args, func(r db.Row) error {
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
	for _, l := range rows {
		if l.shipment.status == ShipmentCancelled {
			l.due = 0
		}
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
