package cash

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/plugin"
)

// statementInsertion and lineUpsertion write many rows of the ledger.
var (
	statementInsertion = db.NewInsertion("cash_statement_lines (shipment_id, statement, collected, fee, remitted, at)")
	lineUpsertion      = db.NewUpsertion(
		"cash_lines (shipment_id, due, due_changed, collected, fee, fee_whole, paid_out, remitted, reconciled, source, at)")
)

// AddEntry stores an entry. Storing the same entry again changes nothing.
func (c *Ledger) AddEntry(tx *db.Tx, e Entry) error {
	added, err := tx.Exec(`
		INSERT INTO cash_entries (id, shipment_id, kind, amount, source, reference, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (shipment_id, kind, source, reference, at) DO NOTHING`,
		c.cfg.IDs.Next(tx.Now()), e.ShipmentID, e.Kind, e.Amount, e.Source, e.reference, e.At)
	if err == nil && added > 0 {
		err = updateLedgerLine(tx, e.ShipmentID)
	}
	if err != nil {
		return fmt.Errorf("add ledger entry: %w", err)
	}
	return nil
}

// AllEntries are the entries of the ledger, including the statements'.
const AllEntries = `(
	SELECT id, shipment_id, kind, amount, source, reference, at FROM cash_entries
	UNION ALL
	SELECT statement, shipment_id, 'collected', collected, 'statement', statement, at FROM cash_statement_lines WHERE collected IS NOT NULL
	UNION ALL
	SELECT statement, shipment_id, 'fee', fee, 'statement', statement, at FROM cash_statement_lines WHERE fee IS NOT NULL
	UNION ALL
	SELECT statement, shipment_id, 'remitted', remitted, 'statement', statement, at FROM cash_statement_lines) e`

// updateLedgerLine stores a shipment's line, computed from its entries.
func updateLedgerLine(tx *db.Tx, shipmentID string) error {
	l := &Row{Shipment: Shipment{ID: shipmentID}}
	if err := l.applyEntries(tx, ""); err != nil {
		return err
	}
	return saveLedgerLines(tx, []*Row{l})
}

// applyEntries applies all entries of the shipment except one statement's.
func (l *Row) applyEntries(tx *db.Tx, without string) error {
	// Oldest first, so that the newest entry of each kind counts. Among entries of the same time the
	// statement's counts: its source sorts last.
	err := tx.Each(`
		SELECT kind, amount, source, at
		FROM `+AllEntries+`
		WHERE shipment_id = ? AND (source <> 'statement' OR reference <> ?)
		ORDER BY at, source, id`, []any{l.Shipment.ID, without}, func(r db.Row) error {
		e := Entry{ShipmentID: l.Shipment.ID}
		err := r.Scan(&e.Kind, &e.Amount, &e.Source, &e.At)
		l.add(e)
		return err
	})
	if err != nil {
		return fmt.Errorf("find ledger entries: %w", err)
	}
	return nil
}

// addStatementLines stores lines of a statement.
func addStatementLines(tx *db.Tx, lines []statementLine) error {
	values := make([]any, 0, len(lines)*statementInsertion.Columns)
	for _, l := range lines {
		values = append(values, l.shipmentID, l.statement, l.collected, l.fee, l.remitted, l.at)
	}
	if err := statementInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("add statement lines: %w", err)
	}
	return nil
}

// saveLedgerLines stores the lines of shipments.
func saveLedgerLines(tx *db.Tx, lines []*Row) error {
	values := make([]any, 0, len(lines)*lineUpsertion.Columns)
	for _, l := range lines {
		values = append(values, l.Shipment.ID, l.entryDue, db.BoolInt(l.DueChanged), l.Collected, l.fee, db.BoolInt(l.feeWhole),
			db.BoolInt(l.PaidOut), l.remitted, db.BoolInt(l.Reconciled), l.source, l.at)
	}
	if err := lineUpsertion.Run(tx, values); err != nil {
		return fmt.Errorf("save ledger lines: %w", err)
	}
	return nil
}

// FindRows returns the ledger's row of every shipment, oldest first; with an orderID only of
// that order's.
func FindRows(tx *db.Tx, orderID string) (rows []*Row, err error) {
	if orderID == "" {
		return findRowsOf(tx, "", nil)
	}
	return findRowsOf(tx, "WHERE p.order_id = ?", []any{orderID})
}

// findStatementRows returns the ledger's rows of the orders with a courier's shipments that have
// these consignment IDs.
func findStatementRows(tx *db.Tx, provider plugin.Provider, consignments []string) (rows []*Row, err error) {
	found := map[string]bool{}
	for chunk := range db.Chunks(consignments) {
		list, args := db.InList(chunk)
		part, err := findRowsOf(tx,
			`WHERE p.order_id IN (SELECT order_id FROM shipments WHERE provider = ? AND consignment_id IN `+list+`)`, append([]any{provider}, args...))
		if err != nil {
			return nil, err
		}
		for _, l := range part {
			if !found[l.Shipment.ID] { // the order's other shipment may be in another chunk
				found[l.Shipment.ID] = true
				rows = append(rows, l)
			}
		}
	}
	return rows, nil
}

// findCouriers returns the couriers of the shipments with these consignment IDs.
func findCouriers(tx *db.Tx, consignments []string) ([]plugin.Provider, error) {
	list, args := db.InList(consignments)
	couriers, err := db.Query(tx, func(r db.Row) (p plugin.Provider, err error) { return p, r.Scan(&p) }, `
		SELECT DISTINCT provider
		FROM shipments
		WHERE provider IN ('courier_a', 'courier_b') AND consignment_id IN `+list, args...)
	if err != nil {
		return nil, fmt.Errorf("find couriers: %w", err)
	}
	return couriers, nil
}

// findRecorded returns the shipments among these that have a line of a statement.
func findRecorded(tx *db.Tx, statement string, shipmentIDs []string) (recorded map[string]bool, err error) {
	recorded = map[string]bool{}
	for chunk := range db.Chunks(shipmentIDs) {
		list, args := db.InList(chunk)
		ids, err := db.Query(tx, db.ScanText, `
			SELECT shipment_id
			FROM cash_statement_lines
			WHERE statement = ? AND shipment_id IN `+list, append([]any{statement}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("find recorded rows: %w", err)
		}
		for _, id := range ids {
			recorded[id] = true
		}
	}
	return recorded, nil
}

// findRowsOf returns the ledger's rows of all shipments of the orders that a condition
// selects.
func findRowsOf(tx *db.Tx, where string, args []any) (rows []*Row, err error) {
	assigned := map[string]bool{}
	err = tx.Each(`
		SELECT p.id, p.order_id, o.number, p.provider, p.consignment_id, p.status, p.created_at, p.moved_at, `+cashTotal("o")+`,
			CASE WHEN o.payment_method = 'cod' AND o.uncollected > 0 THEN 1 ELSE 0 END,
			l.due, l.due_changed, l.collected, l.fee, l.fee_whole, l.paid_out, l.remitted, l.reconciled, l.source, l.at
		FROM shipments p
		JOIN orders o ON o.id = p.order_id
		LEFT JOIN cash_lines l ON l.shipment_id = p.id
		`+where+`
		ORDER BY p.id`, args, func(r db.Row) error {
		l, err := scanRow(r)
		if err != nil {
			return err
		}
		// A shipment recorded by staff has no entry of the cash due: the order's total is due with the
		// first shipment that does not return.
		if l.entryDue == nil && !assigned[l.Shipment.orderID] {
			l.Due = l.Total
		}
		if l.Shipment.Status.CollectsCash() {
			assigned[l.Shipment.orderID] = true
		}
		l.limitDue()
		rows = append(rows, l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find ledger: %w", err)
	}
	addElsewhere(rows)
	return rows, nil
}

func scanRow(r db.Row) (*Row, error) {
	l := &Row{}
	p := &l.Shipment
	var at *int64
	var dueChanged, feeWhole, paidOut, reconciled *bool
	var source *EntrySource
	err := r.Scan(&p.ID, &p.orderID, &p.orderNumber, &p.provider, &p.consignmentID, &p.Status, &p.createdAt, &p.movedAt, &l.Total, &l.reduced,
		&l.entryDue, &dueChanged, &l.Collected, &l.fee, &feeWhole, &paidOut, &l.remitted, &reconciled, &source, &at)
	if err != nil {
		return nil, err
	}
	l.source, l.at = FromOrder, p.createdAt
	if source == nil { // no entry
		return l, nil
	}
	l.source, l.at, l.DueChanged, l.feeWhole, l.PaidOut, l.Reconciled = *source, *at, *dueChanged, *feeWhole, *paidOut, *reconciled
	l.Due = amountOf(l.entryDue)
	return l, nil
}

// statementState is the recorded part of a statement. The zero value means none.
type statementState struct {
	exists   bool
	at       int64
	complete bool
}

func findStatement(tx *db.Tx, name string) (state statementState, err error) {
	err = tx.QueryRow("SELECT at, complete FROM cash_statements WHERE name = ?", name).Scan(&state.at, &state.complete)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return statementState{}, nil
	case err != nil:
		return statementState{}, fmt.Errorf("find statement: %w", err)
	}
	state.exists = true
	return state, nil
}

func saveStatement(tx *db.Tx, name string, state statementState) error {
	_, err := tx.Exec(`
		INSERT INTO cash_statements (name, at, complete)
		VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET at = excluded.at, complete = excluded.complete`, name, state.at, db.BoolInt(state.complete))
	if err != nil {
		return fmt.Errorf("save statement: %w", err)
	}
	return nil
}
