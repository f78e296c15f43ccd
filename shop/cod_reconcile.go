package shop

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// Reconciliation is what came of a courier's statement.
type Reconciliation struct {
	Provider    Provider         `json:"provider"`
	DryRun      bool             `json:"dryRun"`
	Shipments   int              `json:"parcels"` // rows that were matched
	Collected   money.Money      `json:"collected"`
	Fees        money.Money      `json:"fees"`
	PaidOut     money.Money      `json:"paidOut"`
	Differences []CashDifference `json:"differences"`
}

// statementColumns are the names that couriers give the columns of a statement.
var statementColumns = map[entryKind][]string{
	"consignment": {"consignment", "consignmentid", "consignmentno", "parcelid", "trackingid", "cid"},
	cashCollected: {"collected", "collectedamount", "codamount", "cod", "collection", "cashcollected"},
	cashFee:       {"fee", "deliveryfee", "deliverycharge", "charge", "totalfee", "totalcharge"},
	cashRemitted:  {"paid", "paidout", "payout", "payable", "remitted", "netamount", "net", "paidamount"},
}

const consignmentColumn entryKind = "consignment"

// maxStatement bounds a statement, in bytes.
const maxStatement = 20 << 20

// ReconcileStatement enters a courier's statement, a CSV file with a row a parcel: a consignment, and what
// was collected, taken as a fee and paid out, in major units. Rows are matched by consignment; what
// does not agree with the ledger is listed and entered all the same, since the courier's statement
// is what it pays by. Without a column of payouts every row counts as paid out, whole. provider "" is
// the courier whose parcels the rows are. With dryRun nothing is entered. Codes: validation_failed (a
// file that is none, naming the rows), state_conflict (entered before).
func (s *Shop) ReconcileStatement(ctx context.Context, caller access.Caller, provider Provider, file io.Reader, dryRun bool) (*Reconciliation, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxStatement))
	if err != nil {
		return nil, fmt.Errorf("read statement: %w", err)
	}
	rows, err := parseStatement(text, provider, set.money)
	if err != nil {
		return nil, err
	}
	var result *Reconciliation
	settle := func(_ context.Context, tx *db.Tx) error {
		lines, err := findLedgerRows(tx)
		if err != nil {
			return err
		}
		of := provider
		if of == "" {
			if of, err = statementCourier(rows, lines); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(append([]byte(of+"\x00"), text...))
		result, err = s.reconcileRows(tx, of, rows, lines, hex.EncodeToString(sum[:8]), set.money, dryRun)
		return err
	}
	if dryRun {
		err = s.view(ctx, settle)
	} else {
		err = s.updateAlone(ctx, settle)
	}
	return result, err
}

// statementRow is a row of a statement; nil: the file has no such column, or nothing in it.
type statementRow struct {
	consignment string
	amounts     map[entryKind]*int64
}

// parseStatement reads a statement whole. Codes: validation_failed.
func parseStatement(text []byte, provider Provider, money money.Currency) ([]statementRow, error) {
	var bad fault.Invalid
	if provider != "" && provider != CourierA && provider != CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "A courier is %s or %s.", CourierA, CourierB)
		return nil, bad.Err()
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	reader := csv.NewReader(bytes.NewReader(text))
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	if err != nil {
		bad.Add("file", fault.CodeInvalidValue, "The file has no header: it is a CSV file with a row a parcel.")
		return nil, bad.Err()
	}
	columns := findStatementColumns(header)
	if _, ok := columns[consignmentColumn]; !ok || len(columns) < 2 {
		bad.Add("file", fault.CodeInvalidValue, "The header needs a consignment column and one of: collected, fee, paid.")
		return nil, bad.Err()
	}
	var rows []statementRow
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, bad.Err()
		}
		line, _ := reader.FieldPos(0)
		if err != nil {
			bad.Add("file", fault.CodeInvalidValue, "The file is no CSV beyond row %d.", len(rows)+1)
			return nil, bad.Err()
		}
		row := statementRow{consignment: strings.TrimSpace(record[columns[consignmentColumn]]), amounts: map[entryKind]*int64{}}
		for _, kind := range []entryKind{cashCollected, cashFee, cashRemitted} {
			i, ok := columns[kind]
			if !ok || strings.TrimSpace(record[i]) == "" {
				continue
			}
			amount, ok := parsePayout(record[i], money)
			if !ok || amount < 0 && kind != cashRemitted {
				bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue, "Line %d: %s is no amount.", line, header[i])
				continue
			}
			row.amounts[kind] = &amount
		}
		if row.consignment != "" {
			rows = append(rows, row)
		}
	}
}

// parsePayout reads an amount that may be below zero: couriers keep the fee of a parcel that brought
// less from what others brought.
func parsePayout(text string, money money.Currency) (amount int64, ok bool) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	if amount, ok = money.Parse(digits); negative {
		amount = -amount
	}
	return amount, ok
}

// findStatementColumns knows the columns by their names, whatever their case and spacing.
func findStatementColumns(header []string) map[entryKind]int {
	columns := map[entryKind]int{}
	for i, name := range header {
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" _-().#", r) {
				return -1
			}
			return r
		}, strings.ToLower(name))
		for kind, names := range statementColumns {
			if _, taken := columns[kind]; !taken && slices.Contains(names, name) {
				columns[kind] = i
			}
		}
	}
	return columns
}

// statementCourier gives the courier whose parcels a statement is about. Codes: validation_failed (none, or
// both).
func statementCourier(rows []statementRow, lines []*ledgerRow) (of Provider, err error) {
	named := map[string]bool{}
	for _, row := range rows {
		named[row.consignment] = true
	}
	couriers := map[Provider]bool{}
	for _, l := range lines {
		if l.shipment.consignmentID != nil && named[*l.shipment.consignmentID] {
			of = l.shipment.provider
			couriers[of] = true
		}
	}
	if len(couriers) == 1 {
		return of, nil
	}
	var bad fault.Invalid
	bad.Add("provider", fault.CodeRequired, "The parcels do not tell which courier sent this statement: name it.")
	return "", bad.Err()
}

func (s *Shop) reconcileRows(tx *db.Tx, provider Provider, rows []statementRow, lines []*ledgerRow, statement string, money money.Currency, dryRun bool) (*Reconciliation, error) {
	before, err := statementExists(tx, statement)
	if err != nil {
		return nil, err
	}
	if before {
		return nil, fault.Errorf(fault.CodeStateConflict, "This statement was entered before.")
	}
	known := map[string]*ledgerRow{}
	for _, l := range lines {
		if l.shipment.provider == provider && l.shipment.consignmentID != nil {
			known[*l.shipment.consignmentID] = l
		}
	}
	result := &Reconciliation{Provider: provider, DryRun: dryRun, Differences: []CashDifference{}}
	var collected, fees, paid int64
	seen := map[string]bool{}
	for _, row := range rows {
		l := known[row.consignment]
		if l == nil || seen[row.consignment] {
			what := "No order has this consignment."
			if l != nil {
				what = "The statement has this consignment twice; its first row counts."
			}
			result.Differences = append(result.Differences, CashDifference{Provider: provider, ConsignmentID: row.consignment, Problem: what})
			continue
		}
		seen[row.consignment] = true
		result.Shipments++
		result.Differences = append(result.Differences, l.compare(row, money)...)
		entries := l.applyRow(row, statement, db.Millis(tx.Now()))
		collected, fees, paid = collected+amountOf(l.collected), fees+amountOf(l.fee), paid+l.amountPaid()
		for _, e := range entries {
			if dryRun {
				break
			}
			if err := s.addLedgerEntry(tx, e); err != nil {
				return nil, err
			}
		}
	}
	result.Collected, result.Fees, result.PaidOut = money.Money(collected), money.Money(fees), money.Money(paid)
	return result, nil
}

// compare finds where a statement and what the courier told before do not agree.
func (l *ledgerRow) compare(row statementRow, money money.Currency) (all []CashDifference) {
	for _, told := range []struct {
		kind   entryKind
		before *int64
		what   string
	}{
		{cashCollected, l.collected, "The statement has another cash amount than the courier told before."},
		{cashFee, l.fee, "The statement has another fee than the courier told before."},
	} {
		now := row.amounts[told.kind]
		if now == nil || told.before == nil || *now == *told.before {
			continue
		}
		e, t := money.Money(*told.before), money.Money(*now)
		all = append(all, CashDifference{
			Provider: l.shipment.provider, ConsignmentID: row.consignment, OrderID: &l.shipment.orderID, Problem: told.what, Expected: &e, Reported: &t,
		})
	}
	after := *l
	after.applyRow(row, "", 0)
	if fee, paid := row.amounts[cashFee], row.amounts[cashRemitted]; fee != nil && paid != nil && *paid < 0 && *fee != *after.fee {
		e, t := money.Money(amountOf(after.collectedAmount())-*fee), money.Money(*paid)
		all = append(all, CashDifference{
			Provider: l.shipment.provider, ConsignmentID: row.consignment, OrderID: &l.shipment.orderID, Problem: payoutDiffers, Expected: &e, Reported: &t,
		})
	}
	if l.reconciled {
		e, t := money.Money(l.amountPaid()), money.Money(after.amountPaid())
		all = append(all, CashDifference{
			Provider: l.shipment.provider, ConsignmentID: row.consignment, OrderID: &l.shipment.orderID,
			Problem: "An earlier statement has paid this parcel out; the newer one counts.", Expected: &e, Reported: &t,
		})
	}
	return append(all, after.differences(money)...)
}

// applyRow lets a row of a statement count, and gives the entries that say so. A payout below zero is
// entered as the fee that makes it so: all that the courier kept.
func (l *ledgerRow) applyRow(row statementRow, statement string, at int64) (entries []ledgerEntry) {
	amounts := maps.Clone(row.amounts)
	if paid := amounts[cashRemitted]; paid != nil && *paid < 0 {
		brought := cmp.Or(amounts[cashCollected], l.collectedAmount())
		amounts[cashFee], amounts[cashRemitted] = new(amountOf(brought)-*paid), nil
	}
	for _, kind := range []entryKind{cashCollected, cashFee, cashRemitted} {
		amount := amounts[kind]
		if amount == nil && kind != cashRemitted {
			continue
		}
		e := ledgerEntry{shipmentID: l.shipment.id, kind: kind, amount: amount, source: cashFromStatement, reference: statement, at: at}
		l.add(e)
		entries = append(entries, e)
	}
	return entries
}
