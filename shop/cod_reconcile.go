package shop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Reconciliation is the result of matching a courier's statement to the COD ledger.
type Reconciliation struct {
	Provider    plugin.Provider  `json:"provider"`
	DryRun      bool             `json:"dryRun"`
	Shipments   int              `json:"parcels"` // matched rows
	Collected   money.Money      `json:"collected"`
	Fees        money.Money      `json:"fees"`
	PaidOut     money.Money      `json:"paidOut"`
	Differences []CashDifference `json:"differences" nullable:"false"`
	Notes       []StatementNote  `json:"notes" nullable:"false" doc:"The first 20 of the lines that are about no shipment"`
	Skipped     int              `json:"skipped" doc:"Lines that are about no shipment, such as totals, and were not entered"`
}

// maxStatement is the maximum size of a statement, in bytes. A larger one is rejected whole.
const maxStatement = 20 << 20

// ReconcileStatement matches a courier's statement to the COD ledger and adds its amounts. The
// statement is a CSV file with one row per shipment: the consignment ID and the amounts collected,
// deducted as a fee and paid out, in major units. Amounts that differ from the ledger are listed as
// differences and added nevertheless, because the courier pays by its statement. Without a payout
// column every row counts as paid out in full. If provider is "" it is derived from the shipments
// in the rows. If dryRun is set nothing is stored.
//
// A long statement is recorded in several transactions, so that orders need not wait for it. If
// that is interrupted, the same statement completes it, with the result of the whole. Codes:
// validation_failed (an unreadable file, with the first 100 invalid lines, or more than 100,000
// rows), state_conflict (already reconciled).
func (s *Shop) ReconcileStatement(
	ctx context.Context, caller access.Caller, provider plugin.Provider, file io.Reader, dryRun bool,
) (*Reconciliation, error) {
	who, err := s.requireStaff(ctx, caller, access.ToReconcileStatement)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxStatement+1))
	if err != nil {
		return nil, fmt.Errorf("read statement: %w", err)
	}
	if len(text) > maxStatement {
		return nil, fault.Errorf(fault.CodeValidationFailed, "The statement must not be larger than %d MiB. Split it and reconcile the parts.",
			maxStatement>>20)
	}
	rows, notes, err := parseStatement(text, provider, set.money)
	if err != nil {
		return nil, err
	}
	rates, err := s.cashRates(ctx)
	if err != nil {
		return nil, err
	}
	if provider == "" {
		err := s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			provider, err = statementCourier(tx, rows)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(append([]byte(provider+"\x00"), text...))
	r := &reconciler{
		shop: s, who: who, provider: provider, statement: hex.EncodeToString(sum[:8]), rates: rates, currency: set.money, rows: len(rows),
		result: Reconciliation{Provider: provider, DryRun: dryRun, Differences: []CashDifference{}, Notes: db.OrEmpty(notes.first), Skipped: notes.count},
	}
	if dryRun {
		err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error { return r.preview(tx, rows) })
	} else {
		err = r.record(ctx, rows)
	}
	if err != nil {
		return nil, err
	}
	return &r.result, nil
}

// statementCourier returns the courier of the shipments in a statement. Codes: validation_failed
// (no shipment is found, or the shipments are of both couriers).
func statementCourier(tx *db.Tx, rows []statementRow) (courier plugin.Provider, err error) {
	couriers := map[plugin.Provider]bool{}
	for chunk := range db.Chunks(consignmentsOf(rows)) {
		found, err := findCouriers(tx, chunk)
		if err != nil {
			return "", err
		}
		for _, courier = range found {
			couriers[courier] = true
		}
	}
	if len(couriers) == 1 {
		return courier, nil
	}
	var bad fault.Invalid
	bad.Add("provider", fault.CodeRequired, "The courier cannot be derived from the statement's shipments. Specify it.")
	return "", bad.Err()
}

// consignmentsOf returns the consignment IDs of a statement's rows.
func consignmentsOf(rows []statementRow) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.consignment
	}
	return ids
}

// reconciler reconciles one statement.
type reconciler struct {
	shop      *Shop
	who       access.Staff
	provider  plugin.Provider
	statement string // its name
	rates     cashRates
	currency  money.Currency
	rows      int
	started   int64 // distinguishes this run from others of the same statement
	resumed   bool  // an earlier run has recorded some of the rows
	result    Reconciliation
}

// newStatementSlices returns the slices of a statement. The pause is longer than the interval at
// which another process polls for the write lock.
func newStatementSlices() *db.Slices {
	return &db.Slices{Time: 500 * time.Millisecond, Pause: 110 * time.Millisecond, Min: 2000, Max: 50_000}
}

// preview matches all rows and stores nothing. Codes: state_conflict.
func (r *reconciler) preview(tx *db.Tx, rows []statementRow) error {
	state, err := r.findState(tx)
	if err != nil {
		return err
	}
	r.resumed = state.exists
	part, err := r.match(tx, rows)
	if err == nil {
		r.add(part)
	}
	return err
}

// record records all rows, slice by slice. Codes: state_conflict.
func (r *reconciler) record(ctx context.Context, rows []statementRow) error {
	sizes := newStatementSlices()
	for done := 0; done == 0 || done < len(rows); {
		next := rows[done:min(done+sizes.Size(), len(rows))]
		part, held, err := r.recordSlice(ctx, next, done == 0, done+len(next) == len(rows))
		if err == nil {
			done += len(next)
			r.add(part)
			if done == len(rows) {
				return nil
			}
			err = sizes.Next(ctx, held)
		}
		if err != nil && done > 0 {
			err = fmt.Errorf("recorded %d of %d rows, reconcile the same file again to record the others: %w", done, len(rows), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordSlice records some rows in a transaction, and returns how long it held the write lock.
func (r *reconciler) recordSlice(ctx context.Context, rows []statementRow, first, last bool) (part *statementPart, held time.Duration, err error) {
	err = r.shop.data.UpdateAloneAs(ctx, r.who, func(_ context.Context, tx *db.Tx) (err error) {
		began := time.Now()
		if err := r.begin(tx, first, last); err != nil {
			return err
		}
		if part, err = r.match(tx, rows); err != nil {
			return err
		}
		if err = r.save(tx, part); err == nil && last {
			total := r.result
			r.addTo(&total, part)
			err = saveStatementResult(tx, r.statement, &total)
		}
		held = time.Since(began)
		return err
	})
	return part, held, err
}

// findState returns the statement's state. Codes: state_conflict (already reconciled).
func (r *reconciler) findState(tx *db.Tx) (statementState, error) {
	state, err := findStatement(tx, r.statement)
	if err == nil && state.complete {
		err = fault.Errorf(fault.CodeStateConflict, "This statement has already been reconciled.")
	}
	return state, err
}

// begin begins a slice. The first one creates the statement, or resumes it from another run, which
// then ends. The last one completes it. Codes: state_conflict.
func (r *reconciler) begin(tx *db.Tx, first, last bool) error {
	state, err := r.findState(tx)
	switch {
	case err != nil:
		return err
	case first:
		r.resumed, r.started = state.exists, max(db.Millis(tx.Now()), state.at+1)
		err := r.who.Audit(tx, access.Subject{Kind: access.SubjectStatement, ID: r.statement, Label: string(r.provider)}, access.Set("rows", r.rows))
		if err != nil {
			return err
		}
	case state.at != r.started:
		return fault.Errorf(fault.CodeStateConflict, "Another process has started to reconcile this statement, and records the remaining rows.")
	}
	if !first && !last {
		return nil
	}
	if last {
		reconciled := outbox.Event{Type: outbox.CashReconciled, Subject: r.statement, Data: outbox.Data{Status: string(r.provider)}}
		if err := outbox.Append(tx, reconciled); err != nil {
			return err
		}
	}
	return saveStatement(tx, r.statement, statementState{at: r.started, complete: last})
}

// statementPart is the result of matching some rows of a statement.
type statementPart struct {
	shipments             int
	collected, fees, paid int64
	differences           []CashDifference
	added                 []statementLine
	current               []*ledgerRow    // whose newest entry is the statement's
	late                  []string        // shipments with a newer entry than the statement's, by the courier's clock
	changed               map[string]bool // orders to follow, which counts their cash
	recounted             []string        // other orders whose cash is counted by the ledger
	cash                  []cashChange    // of the shipments of all others
}

// match matches rows of the statement to the courier's ledger rows.
func (r *reconciler) match(tx *db.Tx, rows []statementRow) (*statementPart, error) {
	lines, err := findStatementRows(tx, r.provider, consignmentsOf(rows))
	if err != nil {
		return nil, err
	}
	flagged, err := findFlaggedOrders(tx)
	if err != nil {
		return nil, err
	}
	recorded := map[string]bool{}
	if r.resumed {
		if recorded, err = r.rewind(tx, lines); err != nil {
			return nil, err
		}
	}
	r.rates.apply(lines)
	byConsignment := make(map[string]*ledgerRow, len(lines))
	for _, l := range lines {
		if l.shipment.provider == r.provider && l.shipment.consignmentID != nil {
			byConsignment[*l.shipment.consignmentID] = l
		}
	}
	sums, err := findCashSums(tx)
	if err != nil {
		return nil, err
	}
	sum, isCounted := sums[r.provider]
	isCounted = isCounted && !sum.counting && sum.rate == r.rates[r.provider]
	part := &statementPart{changed: map[string]bool{}}
	for _, row := range rows {
		l := byConsignment[row.consignment]
		if l == nil || row.repeated {
			problem := "No shipment has this consignment ID."
			if l != nil {
				problem = "The statement lists this consignment ID twice; the first row counts."
			}
			part.differences = append(part.differences, CashDifference{Provider: r.provider, ConsignmentID: row.consignment, Problem: problem})
			continue
		}
		part.shipments++
		differences := l.compare(row, r.currency)
		part.differences = append(part.differences, differences...)
		newest, was := l.at, l.cash(r.currency)
		line := l.applyRow(row, r.statement, db.Millis(tx.Now()), r.currency)
		part.collected, part.fees, part.paid = part.collected+amountOf(l.collected), part.fees+amountOf(l.fee)+l.cashShare(), part.paid+l.amountPaid()
		if recorded[l.shipment.id] {
			continue
		}
		part.added = append(part.added, line)
		isLate := newest > l.at
		if isLate {
			part.late = append(part.late, l.shipment.id)
		} else {
			part.current = append(part.current, l)
		}
		switch {
		case len(differences) > 0 || flagged[l.shipment.orderID] || l.shipment.status == status.ShipmentExchanged:
			part.changed[l.shipment.orderID] = true
		case isLate || !isCounted:
			part.recounted = append(part.recounted, l.shipment.orderID)
		default:
			part.cash = append(part.cash, cashChange{was: was, is: l.cash(r.currency)})
		}
	}
	return part, nil
}

// rewind returns the shipments that an earlier run has recorded, and changes their ledger rows to
// what they are without the statement.
func (r *reconciler) rewind(tx *db.Tx, lines []*ledgerRow) (recorded map[string]bool, err error) {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.shipment.id
	}
	if recorded, err = findRecorded(tx, r.statement, ids); err != nil {
		return nil, err
	}
	for _, l := range lines {
		if !recorded[l.shipment.id] {
			continue
		}
		before := ledgerRow{shipment: l.shipment, total: l.total, due: l.due, source: CashFromOrder, at: l.shipment.createdAt}
		if err := before.applyEntries(tx, r.statement); err != nil {
			return nil, err
		}
		if *l = before; l.shipment.status == status.ShipmentCancelled {
			l.due = 0
		}
	}
	return recorded, nil
}

// save stores the matched rows, and what follows from them for their orders.
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
	if err := syncCash(tx, part.recounted...); err != nil {
		return err
	}
	if err := uncountFees(tx, part.current); err != nil {
		return err
	}
	return r.shop.followStatement(tx, r.provider, slices.Sorted(maps.Keys(part.changed)))
}

// uncountFees makes the days of the shipments' orders ones without stored sums, which have the
// fees.
func uncountFees(tx *db.Tx, lines []*ledgerRow) error {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.shipment.id
	}
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		if err := uncountDays(tx, "o.id IN (SELECT p.order_id FROM shipments p WHERE p.id IN "+list+")", args...); err != nil {
			return err
		}
	}
	return nil
}

// add adds a part to the result.
func (r *reconciler) add(part *statementPart) { r.addTo(&r.result, part) }

func (r *reconciler) addTo(result *Reconciliation, part *statementPart) {
	sum := func(m money.Money, amount int64) money.Money { return r.currency.Money(m.Amount + amount) }
	result.Shipments += part.shipments
	result.Collected, result.Fees = sum(result.Collected, part.collected), sum(result.Fees, part.fees)
	result.PaidOut = sum(result.PaidOut, part.paid)
	result.Differences = append(slices.Clip(result.Differences), part.differences...) // the total shares it
}

// followStatement raises and drops the flags of the orders whose shipments are in a statement, and
// marks those as paid whose cash the statement shows.
func (s *Shop) followStatement(tx *db.Tx, provider plugin.Provider, orderIDs []string) error {
	for _, id := range orderIDs {
		order, err := findOrderRow(tx, id)
		if err != nil {
			return fmt.Errorf("find order in statement: %w", err)
		}
		c := s.changeOrder(tx, order, Cause(provider))
		c.shipmentsChanged = true
		if err := c.save(); err != nil {
			return err
		}
	}
	return nil
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
