package cash

import (
	"fmt"
	"maps"
	"slices"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/status"
)

// statementPart is the result of matching some rows of a statement.
type statementPart struct {
	shipments             int
	collected, fees, paid int64
	entered               map[ColumnKind]int64 // of the file's own amounts
	differences           []Difference
	added                 []statementLine
	current               []*Row   // with the statement's entry as the newest
	late                  []string // shipments with a newer entry than the statement's, by the courier's clock
	// orders with derived values to update, which count their cash
	changed   map[string]bool
	recounted []string     // other orders with cash counted by the ledger
	cash      []cashChange // of the shipments of all others
}

// match matches rows of the statement to the courier's ledger rows.
func (r *reconciler) match(tx *db.Tx, rows []statementRow) (*statementPart, error) {
	lines, err := findStatementRows(tx, r.provider, consignmentsOf(rows))
	if err != nil {
		return nil, err
	}
	m := matcher{
		reconciler: r, at: db.Millis(tx.Now()), recorded: map[string]bool{},
		part: &statementPart{changed: map[string]bool{}, entered: map[ColumnKind]int64{}},
	}
	if m.flagged, err = findFlaggedOrders(tx); err != nil {
		return nil, err
	}
	if r.resumed {
		if m.recorded, err = r.rewind(tx, lines); err != nil {
			return nil, err
		}
	}
	sums, err := findSums(tx)
	if err != nil {
		return nil, err
	}
	sum, ok := sums[r.provider]
	m.isCounted = ok && !sum.counting && sum.rate == r.rates[r.provider]
	r.rates.apply(lines)
	byConsignment := make(map[string]*Row, len(lines))
	m.shipments = map[string]int{}
	for _, l := range lines {
		m.shipments[l.Shipment.orderID]++
		if l.Shipment.provider == r.provider && l.Shipment.consignmentID != nil {
			byConsignment[*l.Shipment.consignmentID] = l
		}
	}
	for _, row := range rows {
		m.match(row, byConsignment[row.consignment])
	}
	return m.part, nil
}

// matcher matches the rows of one part of a statement.
type matcher struct {
	*reconciler
	at        int64
	isCounted bool            // the courier's cash is stored as it is with the present share
	flagged   map[string]bool // orders with open flags
	recorded  map[string]bool // shipments that an earlier run has recorded
	shipments map[string]int  // by order
	part      *statementPart
}

// match matches a row to the ledger's row of its consignment; nil if there is none.
func (m *matcher) match(row statementRow, l *Row) {
	switch {
	case l == nil:
		m.reject(row, "No shipment has this consignment ID.")
		return
	case row.repeated:
		m.reject(row, "The statement lists this consignment ID twice; the first row counts.")
		return
	}
	part := m.part
	part.shipments++
	row.addTo(part.entered)
	differences := l.compare(row, m.currency)
	part.differences = append(part.differences, differences...)
	newest, was := l.at, l.cash(m.currency)
	line := l.applyRow(row, m.statement, m.at, m.currency)
	part.collected += amountOf(l.Collected)
	part.fees += amountOf(l.fee) + l.cashShare()
	part.paid += l.amountPaid()
	if m.recorded[l.Shipment.ID] {
		return
	}
	part.added = append(part.added, line)
	isLate := newest > l.at
	if isLate {
		part.late = append(part.late, l.Shipment.ID)
	} else {
		part.current = append(part.current, l)
	}
	order := l.Shipment.orderID
	switch {
	case len(differences) > 0 || m.flagged[order] || l.Shipment.Status == status.ShipmentExchanged:
		part.changed[order] = true
	case isLate || !m.isCounted || m.shipments[order] > 1: // the others may have counted as paid
		part.recounted = append(part.recounted, order)
	default:
		part.cash = append(part.cash, cashChange{was: was, is: l.cash(m.currency)})
	}
}

// reject lists a row that is not entered.
func (m *matcher) reject(row statementRow, problem string) {
	m.part.differences = append(m.part.differences, Difference{
		Provider: m.provider, ConsignmentID: row.consignment, Problem: problem,
	})
}

// rewind returns the shipments that an earlier run has recorded, and resets their ledger rows to
// the state without the statement.
func (r *reconciler) rewind(tx *db.Tx, lines []*Row) (recorded map[string]bool, err error) {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.Shipment.ID
	}
	if recorded, err = findRecorded(tx, r.statement, ids); err != nil {
		return nil, err
	}
	for _, l := range lines {
		if !recorded[l.Shipment.ID] {
			continue
		}
		before := Row{
			Shipment: l.Shipment, Total: l.Total, Due: l.Due, reduced: l.reduced, elsewhere: l.elsewhere,
			source: FromOrder, at: l.Shipment.createdAt,
		}
		if err := before.applyEntries(tx, r.statement); err != nil {
			return nil, err
		}
		*l = before
		l.limitDue()
	}
	return recorded, nil
}

// save stores the matched rows and their effects on the orders.
func (r *reconciler) save(tx *db.Tx, part *statementPart) error {
	if err := addStatementLines(tx, part.added); err != nil {
		return err
	}
	if err := saveLedgerLines(tx, part.current); err != nil {
		return err
	}
	for _, id := range part.late {
		if err := updateLedgerLine(tx, id); err != nil {
			return err
		}
	}
	if err := changeCash(tx, r.provider, part.cash); err != nil {
		return err
	}
	if err := r.ledger.Sync(tx, part.recounted...); err != nil {
		return err
	}
	ids := make([]string, len(part.current))
	for i, l := range part.current {
		ids[i] = l.Shipment.ID
	}
	if err := r.ledger.cfg.FeesChanged(tx, ids); err != nil {
		return err
	}
	return r.ledger.cfg.Follow(tx, r.provider, slices.Sorted(maps.Keys(part.changed)))
}

// add adds a part to the result.
func (r *reconciler) add(part *statementPart) { r.addTo(&r.result, part) }

func (r *reconciler) addTo(result *Reconciliation, part *statementPart) {
	sum := func(m money.Money, amount int64) money.Money { return r.currency.Money(m.Amount + amount) }
	result.Shipments += part.shipments
	if result.Collected != nil {
		result.Collected = new(sum(*result.Collected, part.collected))
	}
	if result.Fees != nil {
		result.Fees = new(sum(*result.Fees, part.fees))
	}
	result.PaidOut = sum(result.PaidOut, part.paid)
	for i, total := range result.Totals {
		result.Totals[i].Entered = sum(total.Entered, part.entered[total.Kind])
	}
	result.Differences = append(slices.Clip(result.Differences), part.differences...) // the total shares it
}

// findFlaggedOrders returns the orders with open flags.
func findFlaggedOrders(tx *db.Tx) (flagged map[string]bool, err error) {
	flagged = map[string]bool{}
	err = tx.Each(`
		SELECT DISTINCT order_id
		FROM order_flags
		WHERE resolved_at IS NULL`, nil, func(r db.Row) error {
		var id string
		err := r.Scan(&id)
		flagged[id] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find flagged orders: %w", err)
	}
	return flagged, nil
}
