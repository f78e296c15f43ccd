package cash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
)

// Reconciliation is the result of matching a courier's statement to the COD ledger.
type Reconciliation struct {
	Provider    plugin.Provider `json:"provider"`
	DryRun      bool            `json:"dryRun"`
	Shipments   int             `json:"parcels"` // matched rows
	Collected   money.Money     `json:"collected"`
	Fees        money.Money     `json:"fees"`
	PaidOut     money.Money     `json:"paidOut"`
	Differences []Difference    `json:"differences" nullable:"false"`
	Notes       []StatementNote `json:"notes" nullable:"false" doc:"The first 20 lines without a shipment"`
	Skipped     int             `json:"skipped" doc:"Lines without a shipment, such as totals, that were not entered"`
}

// maxStatement is the maximum size of a statement, in bytes. A larger one is rejected.
const maxStatement = 20 << 20

// ReconcileStatement matches a courier's statement to the COD ledger and adds its amounts. The
// statement is a CSV file with one row per shipment: the consignment ID and the amounts collected,
// deducted as a fee and paid out, in major units. Amounts that differ from the ledger are listed as
// differences and added nevertheless, because the courier pays by its statement. Without a payout
// column every row counts as paid out in full. If provider is "" it is derived from the shipments
// in the rows. If dryRun is set nothing is stored.
//
// A long statement is recorded in several transactions, so that orders need not wait for it. If
// that is interrupted, the same statement completes it, with the result of the whole statement.
// Codes: validation_failed (an unreadable file, with the first 100 invalid lines, or more than
// 100,000 rows), state_conflict (already reconciled).
func (c *Ledger) ReconcileStatement(
	ctx context.Context, caller access.Caller, provider plugin.Provider, file io.Reader, dryRun bool,
) (*Reconciliation, error) {
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToReconcileStatement)
	if err != nil {
		return nil, err
	}
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	text, err := readStatement(file)
	if err != nil {
		return nil, err
	}
	rows, notes, err := parseStatement(text, provider, set.Currency)
	if err != nil {
		return nil, err
	}
	rates, err := c.cfg.Rates(ctx)
	if err != nil {
		return nil, err
	}
	if provider == "" {
		err := c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			provider, err = statementCourier(tx, rows)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(append([]byte(provider+"\x00"), text...))
	r := c.newReconciler(who, provider, hex.EncodeToString(sum[:8]), set.Currency)
	r.rates, r.rows = rates, len(rows)
	r.result.DryRun, r.result.Notes, r.result.Skipped = dryRun, db.OrEmpty(notes.first), notes.count
	if dryRun {
		err = c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error { return r.preview(tx, rows) })
	} else {
		err = r.record(ctx, rows)
	}
	if err != nil {
		return nil, err
	}
	return &r.result, nil
}

// readStatement reads a statement's file. Codes: validation_failed (too large).
func readStatement(file io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxStatement+1))
	if err != nil {
		return nil, fmt.Errorf("read statement: %w", err)
	}
	if len(text) > maxStatement {
		return nil, fault.Errorf(fault.CodeValidationFailed,
			"The statement must not be larger than %d MiB. Split it and reconcile the parts.", maxStatement>>20)
	}
	return text, nil
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
	ledger    *Ledger
	who       access.Staff
	provider  plugin.Provider
	statement string // its name
	rates     Rates
	currency  money.Currency
	rows      int
	started   int64 // distinguishes this run from others of the same statement
	resumed   bool  // an earlier run has recorded some rows
	result    Reconciliation
}

func (c *Ledger) newReconciler(
	who access.Staff, courier plugin.Provider, statement string, currency money.Currency,
) *reconciler {
	return &reconciler{
		ledger: c, who: who, provider: courier, statement: statement, currency: currency,
		result: Reconciliation{Provider: courier, Differences: []Difference{}, Notes: []StatementNote{}},
	}
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
	if err != nil {
		return err
	}
	r.add(part)
	return nil
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
			err = fmt.Errorf("recorded rows: %d of %d; reconcile the same file again to record the others: %w", done, len(rows), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordSlice records some rows in a transaction, and returns how long it held the write lock.
func (r *reconciler) recordSlice(
	ctx context.Context, rows []statementRow, first, last bool,
) (part *statementPart, held time.Duration, err error) {
	err = r.ledger.cfg.Data.UpdateAloneAs(ctx, r.who, func(_ context.Context, tx *db.Tx) (err error) {
		began := time.Now()
		part, err = r.recordIn(tx, rows, first, last)
		held = time.Since(began)
		return err
	})
	return part, held, err
}

// recordIn records some rows in a transaction. Codes: state_conflict.
func (r *reconciler) recordIn(
	tx *db.Tx, rows []statementRow, first, last bool,
) (*statementPart, error) {
	if err := r.begin(tx, first, last); err != nil {
		return nil, err
	}
	part, err := r.match(tx, rows)
	if err != nil {
		return nil, err
	}
	if err := r.save(tx, part); err != nil {
		return nil, err
	}
	if last {
		total := r.result
		r.addTo(&total, part)
		if err := saveStatementResult(tx, r.statement, &total); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// findState returns the statement's state. Codes: state_conflict (already reconciled).
func (r *reconciler) findState(tx *db.Tx) (statementState, error) {
	state, err := findStatement(tx, r.statement)
	if err != nil {
		return statementState{}, err
	}
	if state.complete {
		return statementState{}, fault.Errorf(fault.CodeStateConflict, "This statement has already been reconciled.")
	}
	return state, nil
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
