package cash

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Report is the state of the COD ledger.
type Report struct {
	Couriers    []CourierCash `json:"couriers" nullable:"false"`
	Differences []Difference  `json:"differences" nullable:"false"`
	// Bounded reports that more shipments have differences than the listed newest ones.
	Bounded bool `json:"bounded"`
	// Incomplete has the start times of statements that are being recorded or were interrupted. The
	// same statement completes it.
	Incomplete []time.Time `json:"incomplete" nullable:"false"`
}

// CourierCash is the sum of one courier's shipments.
type CourierCash struct {
	Provider plugin.Provider `json:"provider"`
	UnderWay int             `json:"underWay"` // shipments with cash that is still to be collected
	Expected money.Money     `json:"expected"` // cash due with them
	Holding  int             `json:"holding"`  // shipments with cash that the courier holds
	Held     money.Money     `json:"held"`     // cash that the courier holds
	// the courier's fees on it, including its share of the cash
	Fees    money.Money `json:"fees"`
	Payable money.Money `json:"payable"` // held - fees
	PaidOut money.Money `json:"paidOut"` // paid out to the shop so far
	// OldestDays are the days since the delivery of the oldest shipment with cash that the courier
	// holds; null if it holds none.
	OldestDays *int `json:"oldestDays"`
}

// Difference is a mismatch between a shipment's amounts in the ledger, or with a statement.
type Difference struct {
	Provider      plugin.Provider `json:"provider"`
	ConsignmentID string          `json:"consignmentId"`
	OrderID       *string         `json:"orderId"` // null if no order has the consignment
	OrderNumber   *int64          `json:"orderNumber"`
	Problem       string          `json:"what"`
	Expected      *money.Money    `json:"expected"`
	Reported      *money.Money    `json:"told"`
}

// ReportCash returns the sums and the differences of the COD ledger.
func (c *Ledger) ReportCash(ctx context.Context, caller access.Caller) (*Report, error) {
	who, err := c.cfg.Data.Authorize(ctx, caller, access.ToReportCash)
	if err != nil {
		return nil, err
	}
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var report *Report
	now := c.cfg.Now()
	err = c.view(ctx, who, func(tx *db.Tx, rates Rates, sums courierSums) (err error) {
		report = &Report{Couriers: []CourierCash{}}
		query := ledgerQuery{status: Different, rates: rates, currency: set.Currency}
		if err := sums.oldestHeld(tx); err != nil {
			return err
		}
		for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
			report.Couriers = append(report.Couriers, sums[provider].view(provider, set.Currency, now))
		}
		if report.Differences, report.Bounded, err = query.differences(tx); err != nil {
			return err
		}
		incomplete, err := findIncomplete(tx)
		report.Incomplete = db.OrEmpty(incomplete)
		return err
	})
	if err != nil {
		return nil, err
	}
	return report, nil
}

// maxDifferences limits the shipments whose differences a report has.
const maxDifferences = 1000

// differences returns the differences of the newest shipments with any, oldest first. bounded
// reports that there are more.
func (q ledgerQuery) differences(tx *db.Tx) (all []Difference, bounded bool, err error) {
	contradicted, err := findContradicted(tx)
	if err != nil {
		return nil, false, err
	}
	query, args := q.page(page.Window{Page: 1, Limit: maxDifferences + 1})
	ids, err := db.Query(tx, db.ScanText, query, args...)
	if err != nil {
		return nil, false, fmt.Errorf("find differences: %w", err)
	}
	if bounded = len(ids) > maxDifferences; bounded {
		ids = ids[:maxDifferences]
	}
	rows, err := q.load(tx, ids)
	if err != nil {
		return nil, false, err
	}
	all = []Difference{}
	for _, l := range slices.Backward(rows) {
		all = append(all, l.differences(q.currency)...)
		if flag, ok := contradicted[l.Shipment.ID]; ok {
			d := l.difference(flag, amountOf(l.collectedAmount()), 0, q.currency)
			d.Reported = nil
			all = append(all, d)
		}
	}
	return all, bounded, nil
}

// findContradicted returns the messages of the shipments with a contradicted end, by ID.
func findContradicted(tx *db.Tx) (messages map[string]string, err error) {
	messages = map[string]string{}
	err = tx.Each(`
		SELECT shipment_id, message
		FROM order_flags
		WHERE resolved_at IS NULL AND code = 'contradicted'`, nil, func(r db.Row) error {
		var id, message string
		err := r.Scan(&id, &message)
		messages[id] = message
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find contradicted shipments: %w", err)
	}
	return messages, nil
}

// findIncomplete returns the start times of the partly recorded statements.
func findIncomplete(tx *db.Tx) ([]time.Time, error) {
	began, err := db.Query(tx, func(r db.Row) (at time.Time, err error) { return at, r.Scan(&at) },
		"SELECT at FROM cash_statements WHERE complete = 0 ORDER BY at")
	if err != nil {
		return nil, fmt.Errorf("find incomplete statements: %w", err)
	}
	return began, nil
}

// view returns the sums in the form for staff.
func (c courierSum) view(provider plugin.Provider, currency money.Currency, now time.Time) CourierCash {
	sum := CourierCash{
		Provider: provider, UnderWay: c.underWay, Expected: currency.Money(c.expected), Holding: c.holding, Held: currency.Money(c.held),
		Fees: currency.Money(c.fees), Payable: currency.Money(c.payable), PaidOut: currency.Money(c.paidOut),
	}
	if c.holding > 0 {
		sum.OldestDays = new(int(now.Sub(db.FromMillis(c.oldestMovedAt)) / (24 * time.Hour)))
	}
	return sum
}

const payoutDiffers = "The courier paid out a different amount than it collected minus its fee."

// difference returns a difference of the shipment. The amounts are in minor units.
func (l *Row) difference(problem string, expected, reported int64, currency money.Currency) Difference {
	e, r := currency.Money(expected), currency.Money(reported)
	return Difference{
		Provider: l.Shipment.provider, ConsignmentID: db.TextOf(l.Shipment.consignmentID),
		OrderID: &l.Shipment.orderID, OrderNumber: &l.Shipment.orderNumber,
		Problem: problem, Expected: &e, Reported: &r,
	}
}

// differences returns the mismatches between the shipment's own amounts, and with its status.
func (l *Row) differences(currency money.Currency) (all []Difference) {
	add := func(problem string, expected, reported int64) {
		all = append(all, l.difference(problem, expected, reported, currency))
	}
	st := l.Shipment.Status
	switch {
	case l.Collected == nil && st == status.ShipmentExchanged && l.Due > 0:
		add("The courier exchanged the shipment and reported no cash.", l.Due, 0)
	case l.Collected != nil && st.IsDone() && *l.Collected != l.Due:
		add("The courier collected a different amount than was due.", l.Due, *l.Collected)
	case l.Collected != nil && *l.Collected > 0 && !st.IsDone():
		add("The courier collected cash with a shipment that it did not report as delivered.", 0, *l.Collected)
	}
	if l.PaidOut && l.remitted != nil && !l.explainsPayout(*l.remitted, currency) {
		add(payoutDiffers, l.Outstanding(), *l.remitted)
	}
	if !l.PaidOut || l.Reconciled {
		return all
	}
	if !st.IsDone() && st != status.ShipmentReturned && st != status.ShipmentReturning {
		add("The courier paid out for a shipment that it did not report as delivered.", 0, l.amountPaid())
	}
	if l.Outstanding() < 0 {
		add("The courier deducted more than it collected.", 0, l.Outstanding())
	}
	return all
}
