package cash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
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
	Provider  plugin.Provider `json:"provider"`
	DryRun    bool            `json:"dryRun"`
	Shipments int             `json:"parcels"` // matched rows
	StatementSums
	Totals      []StatementTotal  `json:"totals" nullable:"false" doc:"Of each kind of amount in the file"`
	Columns     []StatementColumn `json:"columns" nullable:"false"`
	Differences []Difference      `json:"differences" nullable:"false"`
	Notes       []StatementNote   `json:"notes" nullable:"false" doc:"The first 20 lines without a shipment"`
	Skipped     int               `json:"skipped" doc:"Lines without a shipment, such as totals, that were not entered"`
}

// StatementSums are the sums of the shipments in a statement.
type StatementSums struct {
	Collected *money.Money `json:"collected" doc:"Null if the statement has no such column"`
	Fees      *money.Money `json:"fees" doc:"Null if the statement has no such column"`
	PaidOut   money.Money  `json:"paidOut" doc:"Amount paid out; without such a column, the cash less the fees"`
	Arrived   *money.Money `json:"arrived" doc:"Amount received at the bank; null if not specified"`
}

// StatementTotal compares sums of one kind of amount.
type StatementTotal struct {
	Kind    ColumnKind   `json:"kind"`
	Stated  *money.Money `json:"stated" doc:"The file's own total; null if it has none"`
	Rows    money.Money  `json:"rows" doc:"The sum of all rows, also of those that match no shipment"`
	Entered money.Money  `json:"entered" doc:"The sum of the rows that match a shipment"`
}

// StatementFile is a courier's statement to reconcile.
type StatementFile struct {
	Courier plugin.Provider // defaults to the courier of the shipments in the rows
	File    io.Reader
	Columns []ColumnKind // in order; defaults to the kinds specified for the header before, or those by name
	Arrived *int64       // at the bank, in minor units; nil if it is not known
	DryRun  bool         // store nothing
}

// maxStatement is the maximum size of a statement, in bytes. A larger one is rejected.
const maxStatement = 20 << 20

// ReconcileStatement matches a courier's statement to the COD ledger and adds its amounts. The
// statement is a CSV file or the first sheet with a header of a workbook (.xlsx), with one row per
// shipment: the consignment ID and the amounts collected, deducted as a fee and paid out, in major
// units. Lines above the header are skipped. Amounts that differ from the ledger are listed as
// differences and added nevertheless, because the courier pays by its statement. Without a payout
// column every row counts as paid out in full. Specified columns are saved for the courier.
//
// A long statement is recorded in several transactions, so that orders need not wait for it. If
// that is interrupted, the same statement completes it, with the result of the whole statement.
// Codes: validation_failed (an unreadable file, with the first 100 invalid lines, a column with
// unknown amounts, or more than 100,000 rows), state_conflict (already reconciled).
func (c *Ledger) ReconcileStatement(ctx context.Context, caller access.Caller, in StatementFile) (*Reconciliation, error) {
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToReconcileStatement)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	text, format, err := c.readStatement(ctx, who, in)
	if err != nil {
		return nil, err
	}
	parsed, err := parseStatement(text, format)
	if err != nil {
		return nil, err
	}
	if !in.DryRun && in.Columns == nil {
		if err := requireClear(parsed.columns); err != nil {
			return nil, err
		}
	}
	rates, err := c.cfg.Rates(ctx)
	if err != nil {
		return nil, err
	}
	if in.Courier == "" {
		err := c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			in.Courier, err = statementCourier(tx, parsed.rows)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	r := c.newReconciler(who, in, text, parsed, format.currency)
	r.rates = rates
	if in.DryRun {
		err = c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error { return r.preview(tx, parsed.rows) })
	} else {
		err = r.record(ctx, parsed.rows)
	}
	if err != nil {
		return nil, err
	}
	return &r.result, nil
}

// check checks what does not depend on the file. Codes: validation_failed.
func (in *StatementFile) check() error {
	var bad fault.Invalid
	if in.Courier != "" && in.Courier != plugin.CourierA && in.Courier != plugin.CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", plugin.CourierA, plugin.CourierB)
	}
	if in.Columns != nil && !isUsable(in.Columns) {
		bad.Add("columns", fault.CodeInvalidValue,
			"The consignment must have a column, and so must at least one amount: each has one column at most.")
	}
	if in.Arrived != nil && !money.IsAmount(*in.Arrived) {
		bad.Add("arrived", fault.CodeInvalidValue, "The amount that arrived must not be negative or too large.")
	}
	return bad.Err()
}

// requireClear returns an error if a column has amounts of an unknown kind. They may be what the
// statement seems to lack. Codes: validation_failed.
func requireClear(columns []StatementColumn) error {
	var bad fault.Invalid
	for _, column := range columns {
		if column.Unclear {
			bad.Add("columns", fault.CodeInvalidValue, "The column %q has amounts of an unknown kind. Specify what each column has.", column.Name)
		}
	}
	return bad.Err()
}

// StatementColumns are the columns of a statement.
type StatementColumns struct {
	Line    int               `json:"line" doc:"Of the header, in the file"`
	Usable  bool              `json:"usable" doc:"The columns have consignments and an amount"`
	Columns []StatementColumn `json:"columns" nullable:"false"`
}

// InspectStatement returns what the columns of a courier's statement seem to have, by their names
// or as it was specified before. Nothing is stored. Codes: validation_failed (an unreadable file).
func (c *Ledger) InspectStatement(ctx context.Context, caller access.Caller, in StatementFile) (*StatementColumns, error) {
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToInspectStatement)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	text, format, err := c.readStatement(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return inspectStatement(text, format)
}

// readStatement reads a statement's file, and what is known of its columns. Codes:
// validation_failed (too large).
func (c *Ledger) readStatement(ctx context.Context, who access.Staff, in StatementFile) (text []byte, format statementFormat, err error) {
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, statementFormat{}, err
	}
	if text, err = readStatement(in.File); err != nil {
		return nil, statementFormat{}, err
	}
	format = statementFormat{currency: set.Currency, given: in.Columns}
	err = c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		format.saved, err = findStatementColumns(tx, in.Courier)
		return err
	})
	return text, format, err
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
	parsed    *parsedStatement
	columns   []ColumnKind // to save; nil if none were specified
	started   int64        // distinguishes this run from others of the same statement
	resumed   bool         // an earlier run has recorded some rows
	result    Reconciliation
}

func (c *Ledger) newReconciler(
	who access.Staff, in StatementFile, text []byte, parsed *parsedStatement, currency money.Currency,
) *reconciler {
	sum := sha256.Sum256(append([]byte(in.Courier+"\x00"), text...))
	r := &reconciler{
		ledger: c, who: who, provider: in.Courier, statement: hex.EncodeToString(sum[:8]),
		currency: currency, parsed: parsed, columns: in.Columns,
		result: Reconciliation{
			Provider: in.Courier, DryRun: in.DryRun, Differences: []Difference{}, Columns: parsed.columns,
			Notes: db.OrEmpty(parsed.notes.first), Skipped: parsed.notes.count, Totals: []StatementTotal{},
		},
	}
	r.result.PaidOut = currency.Money(0)
	if in.Arrived != nil {
		r.result.Arrived = new(currency.Money(*in.Arrived))
	}
	for _, column := range parsed.columns {
		switch column.Kind {
		case ColumnCollected:
			r.result.Collected = new(currency.Money(0))
		case ColumnFee, ColumnCashFee:
			r.result.Fees = new(currency.Money(0))
		}
	}
	for _, kind := range []ColumnKind{ColumnCollected, ColumnFee, ColumnPaidOut} {
		total := StatementTotal{Kind: kind, Rows: currency.Money(parsed.sums[kind]), Entered: currency.Money(0)}
		if stated, ok := parsed.stated[kind]; ok {
			total.Stated = new(currency.Money(stated))
		}
		if _, ok := parsed.sums[kind]; ok || total.Stated != nil {
			r.result.Totals = append(r.result.Totals, total)
		}
	}
	return r
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
		total.Totals = slices.Clone(total.Totals)
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
		subject := access.Subject{Kind: access.SubjectStatement, ID: r.statement, Label: string(r.provider)}
		err := r.who.Audit(tx, subject, access.Set("rows", len(r.parsed.rows)))
		if err != nil {
			return err
		}
	case state.at != r.started:
		return fault.Errorf(fault.CodeStateConflict, "Another process has started to reconcile this statement, and records the remaining rows.")
	}
	if !first && !last {
		return nil
	}
	if first && r.columns != nil {
		if err := saveStatementColumns(tx, r.provider, r.parsed.header, r.columns); err != nil {
			return err
		}
	}
	if last {
		reconciled := outbox.Event{Type: outbox.CashReconciled, Subject: r.statement, Data: outbox.Data{Status: string(r.provider)}}
		if err := outbox.Append(tx, reconciled); err != nil {
			return err
		}
	}
	return saveStatement(tx, r.statement, statementState{at: r.started, complete: last})
}
