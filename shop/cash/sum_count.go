package cash

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/plugin"
)

// CountCash counts the cash of all shipments that were not counted yet with the couriers' present
// shares, so that nobody waits for it. It is called in the background.
func (c *Ledger) CountCash(ctx context.Context) (next time.Time, err error) {
	rates, err := c.cfg.Rates(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var missing bool
	err = c.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		sums, err := findSums(tx)
		if err != nil {
			return err
		}
		if sums.areOf(rates) {
			return nil
		}
		shipments, err := countShipments(tx, 1)
		missing = shipments > 0
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if missing {
		err = c.count(ctx, rates)
	}
	return time.Time{}, err
}

// countedBatch limits the shipments that one transaction counts, so that orders do not wait for it.
const countedBatch = 500

// count counts the shipments of couriers with stored sums for other shares than these. A concurrent
// change of a shipment counts it with the new share. If a share changes again, or after a crash,
// the couriers are counted from the beginning by the next call.
func (c *Ledger) count(ctx context.Context, rates Rates) error {
	err := c.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return beginCount(tx, rates) })
	if err != nil {
		return err
	}
	for last := ""; ; {
		var through string
		err := c.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			through, err = c.countAfter(tx, last, rates)
			return err
		})
		if err != nil {
			return err
		}
		if through == "" {
			return nil
		}
		last = through
	}
}

// beginCount marks the couriers as being counted whose stored sums have other shares than these.
func beginCount(tx *db.Tx, rates Rates) error {
	sums, err := findSums(tx)
	if err != nil {
		return err
	}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		sum, ok := sums[courier]
		if ok && sum.rate == rates[courier] {
			continue
		}
		sum.rate, sum.counting = rates[courier], true
		if err := saveSum(tx, courier, sum); err != nil {
			return err
		}
	}
	return nil
}

// countAfter counts a batch of shipments with IDs after a given one, and returns the last ID. It
// returns "" if all are counted, or if couriers are now being counted with other shares.
func (c *Ledger) countAfter(tx *db.Tx, id string, rates Rates) (last string, err error) {
	sums, err := findSums(tx)
	if err != nil {
		return "", err
	}
	if sums.areOf(rates) {
		return "", nil
	}
	for courier, sum := range sums {
		if sum.rate != rates[courier] {
			return "", nil
		}
	}
	last, err = findShipmentsAfter(tx, id, countedBatch)
	if err != nil {
		return "", err
	}
	if last != "" {
		return last, c.syncOf(tx, "p.id > ? AND p.id <= ?", []any{id, last})
	}
	for courier, sum := range sums {
		sum.counting = false
		if err := saveSum(tx, courier, sum); err != nil {
			return "", err
		}
	}
	return "", nil
}
