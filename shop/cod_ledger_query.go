package shop

import (
	"fmt"

	"storefront/db"
)

// addLedgerEntry makes an entry. The same one again changes nothing.
func (s *Shop) addLedgerEntry(tx *db.Tx, e ledgerEntry) error {
	_, err := tx.Exec(`
		INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, kind, source, reference, at) DO NOTHING`,
		s.ids.Next(tx.Now()), e.shipmentID, e.kind, e.amount, e.source, e.reference, e.at)
	if err != nil {
		return fmt.Errorf("enter cash: %w", err)
	}
	return nil
}

// findLedgerRows gives the ledger's line of every parcel, oldest first.
func findLedgerRows(tx *db.Tx) ([]*ledgerRow, error) {
	var lines []*ledgerRow
	byID, brought := map[string]*ledgerRow{}, map[string]bool{}
	err := tx.Each(`
		SELECT p.id, p.order_id, p.provider, p.consignment_id, p.status, p.created_at, o.payment_method, o.total
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		ORDER BY p.id`, nil, func(r db.Row) error {
		l := &ledgerRow{source: cashFromOrder}
		var method PaymentMethod
		var total int64
		err := r.Scan(&l.shipment.id, &l.shipment.orderID, &l.shipment.provider, &l.shipment.consignmentID, &l.shipment.status, &l.shipment.createdAt, &method, &total)
		// A parcel that was entered by hand has no entry of what it is to bring: the order says it, of
		// the first that does not come back.
		if method == PayCOD && !brought[l.shipment.orderID] {
			l.due = total
		}
		l.at = l.shipment.createdAt
		brought[l.shipment.orderID] = brought[l.shipment.orderID] || l.shipment.collectsCash()
		lines, byID[l.shipment.id] = append(lines, l), l
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find parcels: %w", err)
	}
	// Oldest first, so that the newest of each kind stays; at the same time a statement wins, whose
	// source sorts last.
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
		return nil, fmt.Errorf("find cash entries: %w", err)
	}
	return lines, nil
}

// add lets an entry count.
func (l *ledgerRow) add(e ledgerEntry) {
	switch e.kind {
	case cashDue:
		l.due = amountOf(e.amount)
	case cashCollected:
		l.collected = e.amount
	case cashFee:
		l.fee = e.amount
	case cashRemitted:
		l.paidOut, l.remitted, l.reconciled = true, e.amount, l.reconciled || e.source == cashFromStatement
	}
	l.source, l.reference, l.at = e.source, e.reference, e.at
}

// statementExists reports whether a statement was entered before.
func statementExists(tx *db.Tx, statement string) (settled bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (SELECT 1 FROM cash_entries WHERE source = ? AND reference = ?)`, cashFromStatement, statement).Scan(&settled)
	if err != nil {
		return false, fmt.Errorf("look for the statement: %w", err)
	}
	return settled, nil
}
