package shop

import (
	"cmp"
	"context"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// CashReport says what cash on delivery the couriers hold.
type CashReport struct {
	Couriers    []CourierCash    `json:"couriers"`
	Differences []CashDifference `json:"differences"`
}

// CourierCash is the cash of one courier's parcels.
type CourierCash struct {
	Provider Provider    `json:"provider"`
	UnderWay int         `json:"underWay"` // parcels that are still to bring cash
	Expected money.Money `json:"expected"` // what those are to bring
	Holding  int         `json:"holding"`  // parcels whose cash the courier has
	Held     money.Money `json:"held"`     // that cash
	Fees     money.Money `json:"fees"`     // what the courier takes of it
	Payable  money.Money `json:"payable"`  // held - fees: what is left of it for the shop
	PaidOut  money.Money `json:"paidOut"`  // what went to the shop so far
}

// CashDifference is a parcel whose figures do not agree.
type CashDifference struct {
	Provider      Provider     `json:"provider"`
	ConsignmentID string       `json:"consignmentId"`
	OrderID       *string      `json:"orderId"` // null: no order has this consignment
	Problem       string       `json:"what"`
	Expected      *money.Money `json:"expected"`
	Reported      *money.Money `json:"told"`
}

// LedgerLine is one parcel's line of the ledger.
type LedgerLine struct {
	Provider      Provider       `json:"provider"`
	ConsignmentID *string        `json:"consignmentId"`
	OrderID       string         `json:"orderId"`
	Status        ShipmentStatus `json:"status"`
	Due           money.Money    `json:"due"`
	Collected     *money.Money   `json:"collected"` // null: not told
	Fee           *money.Money   `json:"fee"`       // null: not told
	PaidOut       *money.Money   `json:"paidOut"`   // null: not paid out
	Source        string         `json:"source"`    // where the newest figure comes from
	At            time.Time      `json:"at"`        // when it was told
}

// ledgerRow is a parcel with the figures that count.
type ledgerRow struct {
	shipment   shipmentRow
	due        int64
	collected  *int64
	fee        *int64
	paidOut    bool
	remitted   *int64 // nil with paidOut: all that was left
	reconciled bool   // a statement says that it was paid out
	source     entrySource
	reference  string
	at         int64
}

// collectedAmount is the cash that the courier has taken from the buyer; nil: none so far. Of a parcel that was
// delivered, and of whose cash nothing was told, it has what was due.
func (l *ledgerRow) collectedAmount() *int64 {
	if l.collected == nil && l.shipment.status == ShipmentDelivered && l.due > 0 {
		return &l.due
	}
	return l.collected
}

// outstanding is what the courier owes the shop for the parcel. It is below zero where the fee is more than
// the cash, as for a parcel that came back: the courier then keeps it from what other parcels brought.
func (l *ledgerRow) outstanding() int64 { return amountOf(l.collectedAmount()) - amountOf(l.fee) }

// amountPaid is what came to the shop; 0 where nothing did.
func (l *ledgerRow) amountPaid() int64 {
	switch {
	case !l.paidOut:
		return 0
	case l.remitted == nil:
		return l.outstanding()
	}
	return *l.remitted
}

func amountOf(amount *int64) int64 {
	if amount == nil {
		return 0
	}
	return *amount
}

// ReportCash adds up the ledger of cash on delivery, for the shop's staff.
func (s *Shop) ReportCash(ctx context.Context, caller access.Caller) (*CashReport, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	lines, money, err := s.loadLedger(ctx)
	if err != nil {
		return nil, err
	}
	report := &CashReport{Couriers: []CourierCash{}, Differences: []CashDifference{}}
	for _, provider := range []Provider{CourierA, CourierB} {
		report.Couriers = append(report.Couriers, sumLedger(provider, lines, money))
	}
	for _, l := range lines {
		report.Differences = append(report.Differences, l.differences(money)...)
	}
	return report, nil
}

func sumLedger(provider Provider, lines []*ledgerRow, money money.Currency) CourierCash {
	sum := CourierCash{Provider: provider}
	var expected, held, fees, payable, paid int64
	for _, l := range lines {
		switch taken := l.collectedAmount(); {
		case l.shipment.provider != provider:
		case l.paidOut:
			paid += l.amountPaid()
		case taken != nil:
			if *taken > 0 {
				sum.Holding++
			}
			held, fees, payable = held+*taken, fees+amountOf(l.fee), payable+l.outstanding()
		case l.due > 0 && len(shipmentMoves[l.shipment.status]) > 0 && l.shipment.status != ShipmentReturning:
			sum.UnderWay++
			expected += l.due
		}
	}
	sum.Expected, sum.Held, sum.Fees = money.Money(expected), money.Money(held), money.Money(fees)
	sum.Payable, sum.PaidOut = money.Money(payable), money.Money(paid)
	return sum
}

const payoutDiffers = "The courier paid out another amount than it collected less its fee."

// differences finds what does not agree within one parcel.
func (l *ledgerRow) differences(money money.Currency) (all []CashDifference) {
	add := func(what string, expected, told int64) {
		e, t := money.Money(expected), money.Money(told)
		all = append(all, CashDifference{
			Provider: l.shipment.provider, ConsignmentID: db.TextOf(l.shipment.consignmentID), OrderID: &l.shipment.orderID, Problem: what, Expected: &e, Reported: &t,
		})
	}
	whole := l.shipment.status == ShipmentDelivered
	if l.collected != nil && whole && *l.collected != l.due {
		add("The courier collected another amount than was due.", l.due, *l.collected)
	}
	if l.paidOut && l.remitted != nil && *l.remitted != l.outstanding() {
		add(payoutDiffers, l.outstanding(), *l.remitted)
	}
	return all
}

// ListLedger gives the ledger's lines, newest first, for the shop's staff.
func (s *Shop) ListLedger(ctx context.Context, caller access.Caller) ([]LedgerLine, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	lines, currency, err := s.loadLedger(ctx)
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
			Due: currency.Money(l.due), Collected: show(l.collected), Fee: show(l.fee), Source: string(l.source), At: db.FromMillis(l.at),
		}
		if l.paidOut {
			list[i].PaidOut = show(new(l.amountPaid()))
		}
	}
	return list, nil
}

func (s *Shop) loadLedger(ctx context.Context) (lines []*ledgerRow, money money.Currency, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, money, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		lines, err = findLedgerRows(tx)
		return err
	})
	return lines, set.money, err
}
