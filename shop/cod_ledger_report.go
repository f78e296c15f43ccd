package shop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// CashReport is the state of the COD ledger.
type CashReport struct {
	Couriers    []CourierCash    `json:"couriers"`
	Differences []CashDifference `json:"differences"`
	// Incomplete has the times at which the recording of statements began that is under way or was
	// interrupted. The same statement completes it.
	Incomplete []time.Time `json:"incomplete"`
}

// CourierCash is the sum of one courier's shipments.
type CourierCash struct {
	Provider Provider    `json:"provider"`
	UnderWay int         `json:"underWay"` // shipments whose cash is still to be collected
	Expected money.Money `json:"expected"` // cash due with them
	Holding  int         `json:"holding"`  // shipments whose cash the courier holds
	Held     money.Money `json:"held"`     // cash that the courier holds
	Fees     money.Money `json:"fees"`     // the courier's fees on it, its share of the cash included
	Payable  money.Money `json:"payable"`  // held - fees
	PaidOut  money.Money `json:"paidOut"`  // paid out to the shop so far
	// OldestDays are the days since the delivery of the oldest shipment whose cash the courier holds;
	// null: it holds none.
	OldestDays *int `json:"oldestDays"`
}

// CashDifference is a mismatch between the ledger's amounts of a shipment, or with a statement.
type CashDifference struct {
	Provider      Provider     `json:"provider"`
	ConsignmentID string       `json:"consignmentId"`
	OrderID       *string      `json:"orderId"` // null: no order has the consignment
	Problem       string       `json:"what"`
	Expected      *money.Money `json:"expected"`
	Reported      *money.Money `json:"told"`
}

// LedgerLine is the ledger's line of one shipment.
type LedgerLine struct {
	Provider      Provider       `json:"provider"`
	ConsignmentID *string        `json:"consignmentId"`
	OrderID       string         `json:"orderId"`
	Status        ShipmentStatus `json:"status"`
	Due           money.Money    `json:"due"`
	Collected     *money.Money   `json:"collected"` // null: not reported
	Fee           *money.Money   `json:"fee"`       // null: not reported
	CashShare     money.Money    `json:"cashShare"` // the courier's share of the collected cash, unless the fee contains it
	PaidOut       *money.Money   `json:"paidOut"`   // null: not paid out
	Source        EntrySource    `json:"source"`    // of the newest entry
	At            time.Time      `json:"at"`        // time of the newest entry
}

// ReportCash returns the sums and the differences of the COD ledger.
func (s *Shop) ReportCash(ctx context.Context, caller access.Caller) (*CashReport, error) {
	who, err := s.requireStaff(ctx, caller, access.ToReportCash)
	if err != nil {
		return nil, err
	}
	lines, currency, err := s.loadLedger(ctx, who)
	if err != nil {
		return nil, err
	}
	contradicted, err := s.findContradicted(ctx)
	if err != nil {
		return nil, err
	}
	incomplete, err := s.findIncomplete(ctx)
	if err != nil {
		return nil, err
	}
	report := &CashReport{Couriers: []CourierCash{}, Differences: []CashDifference{}, Incomplete: incomplete}
	for _, provider := range []Provider{CourierA, CourierB} {
		report.Couriers = append(report.Couriers, sumLedger(provider, lines, currency, s.now()))
	}
	for _, l := range lines {
		report.Differences = append(report.Differences, l.differences(currency)...)
		if flag, ok := contradicted[l.shipment.id]; ok {
			d := l.difference(flag, amountOf(l.collectedAmount()), 0, currency)
			d.Reported = nil
			report.Differences = append(report.Differences, d)
		}
	}
	return report, nil
}

// findContradicted returns the messages of the shipments whose end the courier contradicted, by ID.
func (s *Shop) findContradicted(ctx context.Context) (messages map[string]string, err error) {
	messages = map[string]string{}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		return tx.Each(`
			SELECT shipment_id, message
			FROM order_flags
			WHERE resolved_at IS NULL AND code = ?`, []any{FlagContradicted}, func(r db.Row) error {
			var id, message string
			err := r.Scan(&id, &message)
			messages[id] = message
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("find contradicted shipments: %w", err)
	}
	return messages, nil
}

// findIncomplete returns when the statements were begun that are recorded in part.
func (s *Shop) findIncomplete(ctx context.Context) (began []time.Time, err error) {
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		began, err = db.Query(tx, func(r db.Row) (at time.Time, err error) { return at, r.Scan(&at) },
			"SELECT at FROM cash_statements WHERE complete = 0 ORDER BY at")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find incomplete statements: %w", err)
	}
	return began, nil
}

func sumLedger(provider Provider, lines []*ledgerRow, currency money.Currency, now time.Time) CourierCash {
	sum := CourierCash{Provider: provider}
	var expected, held, fees, payable, paid, oldest int64
	for _, l := range lines {
		switch collected := l.collectedAmount(); {
		case l.shipment.provider != provider:
		case l.paidOut:
			paid += l.amountPaid()
		case collected != nil:
			if *collected > 0 {
				sum.Holding++
				if oldest == 0 || l.shipment.movedAt < oldest {
					oldest = l.shipment.movedAt
				}
			}
			held, fees, payable = held+*collected, fees+amountOf(l.fee)+l.cashShare(), payable+l.outstanding()
		case l.due > 0 && len(shipmentTransitions[l.shipment.status]) > 0 && l.shipment.status != ShipmentReturning:
			sum.UnderWay++
			expected += l.due
		}
	}
	if sum.Holding > 0 {
		sum.OldestDays = new(int(now.Sub(db.FromMillis(oldest)) / (24 * time.Hour)))
	}
	sum.Expected, sum.Held, sum.Fees = currency.Money(expected), currency.Money(held), currency.Money(fees)
	sum.Payable, sum.PaidOut = currency.Money(payable), currency.Money(paid)
	return sum
}

const payoutDiffers = "The courier paid out a different amount than it collected minus its fee."

// difference returns a difference of the shipment. The amounts are in minor units.
func (l *ledgerRow) difference(problem string, expected, reported int64, currency money.Currency) CashDifference {
	e, r := currency.Money(expected), currency.Money(reported)
	return CashDifference{
		Provider: l.shipment.provider, ConsignmentID: db.TextOf(l.shipment.consignmentID), OrderID: &l.shipment.orderID,
		Problem: problem, Expected: &e, Reported: &r,
	}
}

// differences returns the mismatches between the shipment's own amounts, and with its status.
func (l *ledgerRow) differences(currency money.Currency) (all []CashDifference) {
	add := func(problem string, expected, reported int64) {
		all = append(all, l.difference(problem, expected, reported, currency))
	}
	status := l.shipment.status
	switch {
	case l.collected == nil && status == ShipmentExchanged && l.due > 0:
		add("The courier exchanged the shipment and reported no cash.", l.due, 0)
	case l.collected != nil && status.isDone() && *l.collected != l.due:
		add("The courier collected a different amount than was due.", l.due, *l.collected)
	case l.collected != nil && *l.collected > 0 && !status.isDone():
		add("The courier collected cash with a shipment that it did not report as delivered.", 0, *l.collected)
	}
	if l.paidOut && l.remitted != nil && !l.explainsPayout(*l.remitted, currency) {
		add(payoutDiffers, l.outstanding(), *l.remitted)
	}
	if !l.paidOut || l.reconciled {
		return all
	}
	if !status.isDone() && status != ShipmentReturned && status != ShipmentReturning {
		add("The courier paid out for a shipment that it did not report as delivered.", 0, l.amountPaid())
	}
	if l.outstanding() < 0 {
		add("The courier deducted more than it collected.", 0, l.outstanding())
	}
	return all
}

// ListLedger returns the ledger's lines, those with the newest entries first.
func (s *Shop) ListLedger(ctx context.Context, caller access.Caller) ([]LedgerLine, error) {
	who, err := s.requireStaff(ctx, caller, access.ToListLedger)
	if err != nil {
		return nil, err
	}
	lines, currency, err := s.loadLedger(ctx, who)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(lines, func(a, b *ledgerRow) int { return cmp.Compare(b.at, a.at) })
	list := make([]LedgerLine, len(lines))
	show := func(amount *int64) *money.Money {
		if amount == nil {
			return nil
		}
		m := currency.Money(*amount)
		return &m
	}
	for i, l := range lines {
		list[i] = LedgerLine{
			Provider: l.shipment.provider, ConsignmentID: l.shipment.consignmentID, OrderID: l.shipment.orderID, Status: l.shipment.status,
			Due: currency.Money(l.due), Collected: show(l.collected), Fee: show(l.fee), CashShare: currency.Money(l.cashShare()),
			Source: l.source, At: db.FromMillis(l.at),
		}
		if l.paidOut {
			list[i].PaidOut = show(new(l.amountPaid()))
		}
	}
	return list, nil
}

func (s *Shop) loadLedger(ctx context.Context, who access.Staff) (lines []*ledgerRow, currency money.Currency, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, currency, err
	}
	rates, err := s.cashRates(ctx)
	if err != nil {
		return nil, currency, err
	}
	err = s.viewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		lines, err = findLedgerRows(tx, "")
		return err
	})
	rates.apply(lines)
	return lines, set.money, err
}
