package shop

import (
	"cmp"

	"storefront/shop/money"
)

// statementLine is what a statement has of a shipment, as it is stored. Amounts are in minor units.
type statementLine struct {
	shipmentID string
	statement  string
	collected  *int64 // nil: not in the statement
	fee        *int64 // nil: not in the statement
	remitted   *int64 // nil: paid out, amount not reported
	at         int64
}

// addLine applies a line that is newer than the entries and lines applied before.
func (l *ledgerRow) addLine(line statementLine) {
	e := ledgerEntry{shipmentID: line.shipmentID, source: CashFromStatement, at: line.at}
	for _, reported := range []struct {
		kind   entryKind
		amount *int64
	}{{cashCollected, line.collected}, {cashFee, line.fee}, {cashRemitted, line.remitted}} {
		if e.kind, e.amount = reported.kind, reported.amount; e.amount != nil || e.kind == cashRemitted {
			l.add(e)
		}
	}
}

// compare returns the differences between a statement's row and what the courier reported before.
func (l *ledgerRow) compare(row statementRow, currency money.Currency) (all []CashDifference) {
	if now := row.collected; now != nil && l.collected != nil && *now != *l.collected {
		all = append(all, l.difference("The statement has a different cash amount than the courier reported before.", *l.collected, *now, currency))
	}
	if now := row.fee; now != nil && l.fee != nil && *now != *l.fee && !l.explainsFee(row, currency) {
		all = append(all, l.difference("The statement has a different fee than the courier reported before.", *l.fee, *now, currency))
	}
	after := *l
	after.applyRow(row, "", 0, currency)
	if fee, paid := row.fee, row.remitted; fee != nil && paid != nil && *paid < 0 && *fee != *after.fee {
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
	if collected := row.collected; collected != nil {
		with.collected = collected
	}
	return with
}

// explainsFee reports whether the statement's fee is the fee that is known plus the courier's share
// of the cash, rounded.
func (l *ledgerRow) explainsFee(row statementRow, currency money.Currency) bool {
	with := l.collectedBy(row)
	return with.explainsPayout(amountOf(with.collectedAmount())-*row.fee, currency)
}

// wholeFee returns all that the courier deducted by a statement's row, its share of the cash
// included, if the payout shows it; otherwise the fee in the row.
func (l *ledgerRow) wholeFee(row statementRow, currency money.Currency) *int64 {
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

// applyRow applies a statement's row and returns its line. A negative payout becomes the fee that
// explains it: the whole amount that the courier deducted.
func (l *ledgerRow) applyRow(row statementRow, statement string, at int64, currency money.Currency) statementLine {
	line := statementLine{
		shipmentID: l.shipment.id, statement: statement, collected: row.collected, fee: l.wholeFee(row, currency), remitted: row.remitted, at: at,
	}
	if paid := row.remitted; paid != nil && *paid < 0 {
		line.fee, line.remitted = new(amountOf(cmp.Or(row.collected, l.collectedAmount()))-*paid), nil
	}
	l.addLine(line)
	return line
}
