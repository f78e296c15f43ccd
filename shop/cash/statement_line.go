package cash

import (
	"cmp"

	"storefront/shop/money"
)

// statementLine is the stored line of a statement about a shipment. Amounts are in minor units.
type statementLine struct {
	shipmentID string
	statement  string
	collected  *int64 // nil if not in the statement
	fee        *int64 // nil if not in the statement
	remitted   *int64 // nil if paid out without a reported amount
	at         int64
}

// addLine applies a line that is newer than the entries and lines applied before.
func (l *Row) addLine(line statementLine) {
	e := Entry{ShipmentID: line.shipmentID, Source: FromStatement, At: line.at}
	for _, reported := range []struct {
		kind   EntryKind
		amount *int64
	}{{EntryCollected, line.collected}, {EntryFee, line.fee}, {EntryRemitted, line.remitted}} {
		if e.Kind, e.Amount = reported.kind, reported.amount; e.Amount != nil || e.Kind == EntryRemitted {
			l.add(e)
		}
	}
}

// compare returns the differences between a statement's row and the courier's earlier reports.
func (l *Row) compare(row statementRow, currency money.Currency) (all []Difference) {
	if now := row.collected; now != nil && l.Collected != nil && *now != *l.Collected {
		all = append(all, l.difference("The statement has a different cash amount than the courier reported before.", *l.Collected, *now, currency))
	}
	if now := row.fee; now != nil && l.fee != nil && *now != *l.fee && !l.explainsFee(row, currency) {
		all = append(all, l.difference("The statement has a different fee than the courier reported before.", *l.fee, *now, currency))
	}
	after := *l
	after.applyRow(row, "", 0, currency)
	if fee, paid := row.fee, row.remitted; fee != nil && paid != nil && *paid < 0 && *fee != *after.fee {
		all = append(all, l.difference(payoutDiffers, amountOf(after.collectedAmount())-*fee, *paid, currency))
	}
	if l.Reconciled {
		const problem = "An earlier statement contains the payout of this shipment; the newer one counts."
		all = append(all, l.difference(problem, l.amountPaid(), after.amountPaid(), currency))
	}
	return append(all, after.differences(currency)...)
}

// collectedBy returns the row with the statement's collected amount.
func (l *Row) collectedBy(row statementRow) Row {
	with := *l
	if collected := row.collected; collected != nil {
		with.Collected = collected
	}
	return with
}

// explainsFee reports whether the statement's fee is the known fee plus the courier's share of the
// cash, rounded.
func (l *Row) explainsFee(row statementRow, currency money.Currency) bool {
	with := l.collectedBy(row)
	return with.explainsPayout(amountOf(with.collectedAmount())-*row.fee, currency)
}

// wholeFee returns the courier's whole deduction in a statement's row, including its share of the
// cash, if the payout shows it; otherwise the fee in the row.
func (l *Row) wholeFee(row statementRow, currency money.Currency) *int64 {
	fee, paid := row.fee, row.remitted
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

// applyRow applies a statement's row and returns its line. A negative payout becomes an explaining
// fee: the courier's whole deduction.
func (l *Row) applyRow(row statementRow, statement string, at int64, currency money.Currency) statementLine {
	line := statementLine{
		shipmentID: l.Shipment.ID, statement: statement, collected: row.collected, fee: l.wholeFee(row, currency), remitted: row.remitted, at: at,
	}
	if paid := row.remitted; paid != nil && *paid < 0 {
		line.fee, line.remitted = new(amountOf(cmp.Or(row.collected, l.collectedAmount()))-*paid), nil
	}
	l.addLine(line)
	return line
}
