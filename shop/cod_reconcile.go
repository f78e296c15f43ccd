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

// Reconciliation is the result of matching a courier's statement to the COD ledger.
type Reconciliation struct {
	Provider    Provider         `json:"provider"`
	DryRun      bool             `json:"dryRun"`
	Shipments   int              `json:"parcels"` // matched rows
	Collected   money.Money      `json:"collected"`
	Fees        money.Money      `json:"fees"`
	PaidOut     money.Money      `json:"paidOut"`
	Differences []CashDifference `json:"differences"`
}

// statementColumns are the column names that couriers use in statements, in lower case and without
// punctuation.
var statementColumns = map[entryKind][]string{
	"consignment": {"consignment", "consignmentid", "consignmentno", "parcelid", "trackingid", "cid"},
	cashCollected: {"collected", "collectedamount", "codamount", "cod", "collection", "cashcollected"},
	cashFee:       {"fee", "deliveryfee", "deliverycharge", "charge", "totalfee", "totalcharge"},
	cashShare:     {"codfee", "codcharge", "cashhandlingfee", "collectionfee", "collectioncharge"},
	cashRemitted:  {"paid", "paidout", "payout", "payable", "remitted", "netamount", "net", "paidamount"},
}

// Columns of a statement that are no kinds of ledger entries. The courier's share of the cash becomes
// part of the fee.
const (
	consignmentColumn entryKind = "consignment"
	cashShare         entryKind = "share"
)

// maxStatement is the maximum size of a statement, in bytes. A larger one is rejected whole.
const maxStatement = 20 << 20

// ReconcileStatement matches a courier's statement to the COD ledger and adds its amounts. The
// statement is a CSV file with one row per shipment: the consignment ID and the amounts collected,
// deducted as a fee and paid out, in major units. Amounts that differ from the ledger are listed as
// differences and added nevertheless, because the courier pays by its statement. Without a payout
// column every row counts as paid out in full. If provider is "" it is derived from the shipments in
// the rows. If dryRun is set nothing is stored. Codes: validation_failed (an unreadable file, with
// the invalid lines), state_conflict (already reconciled).
func (s *Shop) ReconcileStatement(
	ctx context.Context, caller access.Caller, provider Provider, file io.Reader, dryRun bool,
) (*Reconciliation, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
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
		return nil, fault.Errorf(fault.CodeValidationFailed, "The statement must not be larger than %d MiB. Split it and reconcile the parts.", maxStatement>>20)
	}
	rows, err := parseStatement(text, provider, set.money)
	if err != nil {
		return nil, err
	}
	rates, err := s.cashRates(ctx)
	if err != nil {
		return nil, err
	}
	var result *Reconciliation
	reconcile := func(_ context.Context, tx *db.Tx) error {
		lines, err := findLedgerRows(tx, "")
		if err != nil {
			return err
		}
		rates.apply(lines)
		courier := provider
		if courier == "" {
			if courier, err = statementCourier(rows, lines); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(append([]byte(courier+"\x00"), text...))
		result, err = s.reconcileRows(tx, courier, rows, lines, hex.EncodeToString(sum[:8]), set.money, dryRun)
		return err
	}
	if dryRun {
		err = s.viewMany(ctx, reconcile)
	} else {
		err = s.updateAlone(ctx, reconcile)
	}
	return result, err
}

// statementRow is a row of a statement.
type statementRow struct {
	consignment string
	amounts     map[entryKind]*int64 // minor units; nil: no such column, or an empty field
}

// parseStatement returns the rows of a statement. Codes: validation_failed.
func parseStatement(text []byte, provider Provider, currency money.Currency) ([]statementRow, error) {
	var bad fault.Invalid
	if provider != "" && provider != CourierA && provider != CourierB {
		bad.Add("provider", fault.CodeInvalidValue, "The courier must be %s or %s.", CourierA, CourierB)
		return nil, bad.Err()
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	reader := csv.NewReader(bytes.NewReader(text))
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	if err != nil {
		bad.Add("file", fault.CodeInvalidValue, "The file must be a CSV file with a header and one row per shipment.")
		return nil, bad.Err()
	}
	columns := findStatementColumns(header)
	if _, ok := columns[consignmentColumn]; !ok || len(columns) < 2 {
		bad.Add("file", fault.CodeInvalidValue, "The header must have a consignment column and at least one of: collected, fee, paid.")
		return nil, bad.Err()
	}
	var rows []statementRow
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, bad.Err()
		}
		if err != nil {
			bad.Add("file", fault.CodeInvalidValue, "The file must be valid CSV: it cannot be read after row %d.", len(rows)+1)
			return nil, bad.Err()
		}
		line, _ := reader.FieldPos(0) // it panics after an error
		row := statementRow{consignment: strings.TrimSpace(record[columns[consignmentColumn]]), amounts: map[entryKind]*int64{}}
		for _, kind := range []entryKind{cashCollected, cashFee, cashShare, cashRemitted} {
			i, ok := columns[kind]
			if !ok || strings.TrimSpace(record[i]) == "" {
				continue
			}
			amount, ok := parsePayout(record[i], currency)
			if !ok || amount < 0 && kind != cashRemitted {
				bad.Add(fmt.Sprintf("line %d", line), fault.CodeInvalidValue, "Line %d: %s must be an amount.", line, header[i])
				continue
			}
			row.amounts[kind] = &amount
		}
		if share := row.amounts[cashShare]; share != nil {
			row.amounts[cashFee] = new(amountOf(row.amounts[cashFee]) + *share)
		}
		if row.consignment != "" {
			rows = append(rows, row)
		}
	}
}

// parsePayout parses an amount that may be negative: couriers deduct the fee of a shipment without
// enough cash from other shipments. ok is false beyond [money.MaxAmount].
func parsePayout(text string, currency money.Currency) (amount int64, ok bool) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	amount, ok = currency.Parse(digits)
	if !ok || !money.IsAmount(amount) {
		return 0, false
	}
	if negative {
		amount = -amount
	}
	return amount, true
}

// findStatementColumns returns the positions of the known columns. Case and punctuation of the names
// do not matter.
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
			if _, found := columns[kind]; !found && slices.Contains(names, name) {
				columns[kind] = i
			}
		}
	}
	return columns
}

// statementCourier returns the courier of the shipments in a statement. Codes: validation_failed (no
// shipment is found, or the shipments are of both couriers).
func statementCourier(rows []statementRow, lines []*ledgerRow) (courier Provider, err error) {
	inStatement := map[string]bool{}
	for _, row := range rows {
		inStatement[row.consignment] = true
	}
	couriers := map[Provider]bool{}
	for _, l := range lines {
		if l.shipment.consignmentID != nil && inStatement[*l.shipment.consignmentID] {
			courier = l.shipment.provider
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

// reconcileRows matches the rows of a statement to the courier's ledger rows and, unless dryRun is set,
// adds their amounts. statement identifies the file.
func (s *Shop) reconcileRows(
	tx *db.Tx, provider Provider, rows []statementRow, lines []*ledgerRow, statement string, currency money.Currency, dryRun bool,
) (*Reconciliation, error) {
	before, err := statementExists(tx, statement)
	if err != nil {
		return nil, err
	}
	if before {
		return nil, fault.Errorf(fault.CodeStateConflict, "This statement has already been reconciled.")
	}
	byConsignment := map[string]*ledgerRow{}
	for _, l := range lines {
		if l.shipment.provider == provider && l.shipment.consignmentID != nil {
			byConsignment[*l.shipment.consignmentID] = l
		}
	}
	result := &Reconciliation{Provider: provider, DryRun: dryRun, Differences: []CashDifference{}}
	var collected, fees, paid int64
	flagged, err := findFlaggedOrders(tx)
	if err != nil {
		return nil, err
	}
	seen, changed := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		l := byConsignment[row.consignment]
		if l == nil || seen[row.consignment] {
			problem := "No shipment has this consignment ID."
			if l != nil {
				problem = "The statement lists this consignment ID twice; the first row counts."
			}
			result.Differences = append(result.Differences, CashDifference{Provider: provider, ConsignmentID: row.consignment, Problem: problem})
			continue
		}
		seen[row.consignment] = true
		result.Shipments++
		differences := l.compare(row, currency)
		result.Differences = append(result.Differences, differences...)
		entries := l.applyRow(row, statement, db.Millis(tx.Now()), currency)
		if len(differences) > 0 || flagged[l.shipment.orderID] || l.shipment.status == ShipmentExchanged {
			changed[l.shipment.orderID] = true
		}
		collected, fees, paid = collected+amountOf(l.collected), fees+amountOf(l.fee)+l.cashShare(), paid+l.amountPaid()
		for _, e := range entries {
			if dryRun {
				break
			}
			if err := s.addLedgerEntry(tx, e); err != nil {
				return nil, err
			}
		}
	}
	result.Collected, result.Fees, result.PaidOut = currency.Money(collected), currency.Money(fees), currency.Money(paid)
	if dryRun {
		return result, nil
	}
	return result, s.followStatement(tx, provider, slices.Sorted(maps.Keys(changed)))
}

// compare returns the differences between a statement's row and what the courier reported before.
func (l *ledgerRow) compare(row statementRow, currency money.Currency) (all []CashDifference) {
	if now := row.amounts[cashCollected]; now != nil && l.collected != nil && *now != *l.collected {
		all = append(all, l.difference("The statement has a different cash amount than the courier reported before.", *l.collected, *now, currency))
	}
	if now := row.amounts[cashFee]; now != nil && l.fee != nil && *now != *l.fee && !l.explainsFee(row, currency) {
		all = append(all, l.difference("The statement has a different fee than the courier reported before.", *l.fee, *now, currency))
	}
	after := *l
	after.applyRow(row, "", 0, currency)
	if fee, paid := row.amounts[cashFee], row.amounts[cashRemitted]; fee != nil && paid != nil && *paid < 0 && *fee != *after.fee {
		all = append(all, l.difference(payoutDiffers, amountOf(after.collectedAmount())-*fee, *paid, currency))
	}
	if l.reconciled {
		const problem = "An earlier statement contains the payout of this shipment; the newer one counts."
		all = append(all, l.difference(problem, l.amountPaid(), after.amountPaid(), currency))
	}
	return append(all, after.differences(currency)...)
}

// collectedBy returns the row as it is with the statement's collected amount.
func (l *ledgerRow) collectedBy(row statementRow) ledgerRow {
	with := *l
	if collected := row.amounts[cashCollected]; collected != nil {
		with.collected = collected
	}
	return with
}

// explainsFee reports whether the statement's fee is the fee that is known plus the courier's share
// of the cash, rounded.
func (l *ledgerRow) explainsFee(row statementRow, currency money.Currency) bool {
	with := l.collectedBy(row)
	return with.explainsPayout(amountOf(with.collectedAmount())-*row.amounts[cashFee], currency)
}

// wholeFee returns all that the courier deducted by a statement's row, its share of the cash
// included, if the payout shows it; otherwise the fee in the row.
func (l *ledgerRow) wholeFee(row statementRow, currency money.Currency) *int64 {
	fee, paid := row.amounts[cashFee], row.amounts[cashRemitted]
	with := l.collectedBy(row)
	if fee != nil {
		with.fee, with.feeWhole = fee, false
	}
	collected := amountOf(with.collectedAmount())
	switch {
	case with.cashShare() == 0:
	case paid == nil && fee != nil && l.fee != nil && *fee == *l.fee:
		return new(*fee + with.cashShare())
	case paid == nil:
	case fee != nil && collected-*fee == *paid: // the fee contains it
	case with.explainsPayout(*paid, currency):
		return new(collected - *paid)
	}
	return fee
}

// applyRow applies a statement's row and returns its ledger entries. A negative payout becomes the fee
// that explains it: the whole amount that the courier deducted.
func (l *ledgerRow) applyRow(row statementRow, statement string, at int64, currency money.Currency) (entries []ledgerEntry) {
	amounts := maps.Clone(row.amounts)
	amounts[cashFee] = l.wholeFee(row, currency)
	if paid := amounts[cashRemitted]; paid != nil && *paid < 0 {
		collected := cmp.Or(amounts[cashCollected], l.collectedAmount())
		amounts[cashFee], amounts[cashRemitted] = new(amountOf(collected)-*paid), nil
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

// followStatement raises and drops the flags of the orders whose shipments are in a statement, and
// marks those as paid whose cash the statement shows.
func (s *Shop) followStatement(tx *db.Tx, provider Provider, orderIDs []string) error {
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
