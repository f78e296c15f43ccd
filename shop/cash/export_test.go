package cash

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// LedgerStatuses returns the IDs of the shipments with each status of cash, newest first: as each
// shipment's row has it, and as the queries find them. rate is the couriers' share.
func (c *Ledger) LedgerStatuses(ctx context.Context, rate int64) (rows, queries map[Status][]string, err error) {
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	rates := Rates{plugin.CourierA: rate, plugin.CourierB: rate}
	rows, queries = map[Status][]string{}, map[Status][]string{}
	if err := c.count(ctx, rates); err != nil {
		return nil, nil, err
	}
	err = c.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		lines, err := FindRows(tx, "")
		if err != nil {
			return err
		}
		contradicted, err := findContradicted(tx)
		if err != nil {
			return err
		}
		rates.apply(lines)
		for _, l := range slices.Backward(lines) {
			add := func(status Status) { rows[status] = append(rows[status], l.Shipment.ID) }
			switch collected := l.collectedAmount(); {
			case l.PaidOut:
				add(PaidOut)
			case amountOf(collected) > 0:
				add(Held)
			case collected == nil && l.Due > 0 && l.Shipment.Status.MayBeDue():
				add(UnderWay)
			}
			if _, ok := contradicted[l.Shipment.ID]; ok || len(l.differences(set.Currency)) > 0 {
				add(Different)
			}
		}
		for _, status := range Statuses() {
			found, _, err := ledgerQuery{status: status, rates: rates, currency: set.Currency}.find(tx, page.Window{Page: 1, Limit: page.NoLimit})
			if err != nil {
				return err
			}
			for _, l := range found {
				queries[status] = append(queries[status], l.Shipment.ID)
			}
		}
		return nil
	})
	return rows, queries, err
}

// SumLedger returns the sums of the couriers: added up from each shipment's row, and as the query
// returns them.
func (c *Ledger) SumLedger(ctx context.Context, rate int64) (rows, query map[plugin.Provider][]int64, err error) {
	rates := Rates{plugin.CourierA: rate, plugin.CourierB: rate}
	sums, queried := courierSums{}, courierSums(nil)
	if err := c.count(ctx, rates); err != nil {
		return nil, nil, err
	}
	err = c.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		lines, err := FindRows(tx, "")
		rates.apply(lines)
		for _, l := range lines {
			sum := sums[l.Shipment.provider]
			switch collected := l.collectedAmount(); {
			case l.PaidOut:
				sum.paidOut += l.amountPaid()
			case collected != nil:
				if *collected > 0 {
					if sum.holding++; sum.oldestMovedAt == 0 || l.Shipment.movedAt < sum.oldestMovedAt {
						sum.oldestMovedAt = l.Shipment.movedAt
					}
				}
				sum.held, sum.fees = sum.held+*collected, sum.fees+amountOf(l.fee)+l.cashShare()
				sum.payable += l.Outstanding()
			case l.Due > 0 && l.Shipment.Status.MayBeDue():
				sum.underWay++
				sum.expected += l.Due
			}
			sums[l.Shipment.provider] = sum
		}
		if err == nil {
			queried, err = findSums(tx)
		}
		if err == nil {
			err = queried.oldestHeld(tx)
		}
		return err
	})
	list := func(sums courierSums) map[plugin.Provider][]int64 {
		all := map[plugin.Provider][]int64{}
		for provider, c := range sums {
			all[provider] = []int64{int64(c.underWay), c.expected, int64(c.holding), c.oldestMovedAt, c.held, c.fees, c.payable, c.paidOut}
		}
		return all
	}
	return list(sums), list(queried), err
}

// LedgerQueries returns the statements that list and sum the ledger, by what they find.
func LedgerQueries() map[string]string {
	queries := map[string]string{}
	for _, status := range append(Statuses(), "") {
		query, _ := ledgerQuery{status: status}.page(page.Window{Page: 1, Limit: page.DefaultLimit})
		queries["page "+string(status)] = query
	}
	return queries
}

// LedgerCashQuery returns the query of the cash of an order's shipments according to the ledger.
func LedgerCashQuery() string { return ledgerCash("p.order_id = ?") }
