package cash

import (
	"context"
	"maps"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// storedCash is the stored state of a shipment's cash and its part of the courier's sums, so that
// reports and lists need not read the whole ledger: sums over 100,000 shipments take 220 to 790 ms,
// and stored ones less than 1 ms. The summary shows them, and should take 30 ms. Amounts are in
// minor units.
type storedCash struct {
	shipmentID string
	courier    plugin.Provider
	status     Status // "" if there is no cash, or none known yet
	different  bool
	movedAt    int64 // of the shipment
	expected   int64 // cash under way
	held       int64
	fees       int64
	payable    int64
	paidOut    int64
}

// courierSum is the sum of one courier's shipments, in minor units.
type courierSum struct {
	// the courier's share used to count its shipments
	rate int64
	// not all of them are counted with it yet
	counting                                              bool
	underWay, holding                                     int
	expected, held, fees, payable, paidOut, oldestMovedAt int64
}

// courierSums are the sums of the couriers with counted shipments.
type courierSums map[plugin.Provider]courierSum

// add adds a shipment to the sum, or subtracts it if sign is -1.
func (c *courierSum) add(p storedCash, sign int) {
	switch p.status {
	case UnderWay:
		c.underWay += sign
	case Held:
		c.holding += sign
	}
	by := int64(sign)
	c.expected, c.held, c.fees = c.expected+by*p.expected, c.held+by*p.held, c.fees+by*p.fees
	c.payable, c.paidOut = c.payable+by*p.payable, c.paidOut+by*p.paidOut
}

// areOf reports whether the couriers' shipments were counted with these shares.
func (c courierSums) areOf(rates Rates) bool {
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if sum, ok := c[courier]; !ok || sum.counting || sum.rate != rates[courier] {
			return false
		}
	}
	return true
}

// view calls fn in a transaction with the cash of all shipments, counted with the couriers' present
// shares. If a share has changed, or a courier's shipments were not counted yet, they are counted
// first.
func (c *Ledger) view(ctx context.Context, who access.Staff, fn reading) error {
	for {
		rates, err := c.cfg.Rates(ctx)
		if err != nil {
			return err
		}
		counted, err := c.viewCounted(ctx, who, rates, fn)
		if err != nil {
			return err
		}
		if counted {
			return nil
		}
		if err := c.count(ctx, rates); err != nil {
			return err
		}
	}
}

// reading reads the ledger as it was counted with the couriers' shares.
type reading func(tx *db.Tx, rates Rates, sums courierSums) error

// viewCounted is view that calls nothing if shipments are to be counted first. A shop without
// shipments has nothing to count, so that it can be read while it cannot be written.
func (c *Ledger) viewCounted(
	ctx context.Context, who access.Staff, rates Rates, fn reading,
) (counted bool, err error) {
	err = c.cfg.Data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		sums, err := findSums(tx)
		if err != nil {
			return err
		}
		if counted = sums.areOf(rates); !counted {
			shipments, err := countShipments(tx, 1)
			if err != nil {
				return err
			}
			if counted = shipments == 0; counted {
				sums = rates.noSums()
			}
		}
		if counted {
			return fn(tx, rates, sums)
		}
		return nil
	})
	return counted, err
}

// noSums returns the sums of couriers without shipments, which need not be stored.
func (r Rates) noSums() courierSums {
	sums := courierSums{}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		sums[courier] = courierSum{rate: r[courier]}
	}
	return sums
}

// maxCountedAtOnce limits the shipments that are counted while somebody waits for the summary.
const maxCountedAtOnce = 500

// FindHeld returns the couriers that hold the shop's cash; nil if too many shipments must be
// counted first, which is left to the background.
func (c *Ledger) FindHeld(ctx context.Context, who access.Staff) (held []HeldBy, err error) {
	set, err := c.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	rates, err := c.cfg.Rates(ctx)
	if err != nil {
		return nil, err
	}
	find := func(tx *db.Tx, _ Rates, sums courierSums) (err error) {
		held, err = sums.heldBy(tx, set.Currency, tx.Now())
		return err
	}
	counted, err := c.viewCounted(ctx, who, rates, find)
	if err != nil {
		return nil, err
	}
	if counted {
		return held, nil
	}
	var shipments int
	err = c.cfg.Data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		shipments, err = countShipments(tx, maxCountedAtOnce+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if shipments > maxCountedAtOnce {
		return nil, nil
	}
	err = c.view(ctx, who, find)
	return held, err
}

// HeldBy is the cash that a courier has collected and not paid out.
type HeldBy struct {
	Courier    plugin.Provider `json:"courier"`
	Held       money.Money     `json:"held"`
	Payable    money.Money     `json:"payable" doc:"Cash held less the courier's fees"`
	OldestDays *int            `json:"oldestDays" doc:"Days since the delivery of its oldest shipment; null if only fees are due"`
}

// heldBy returns the couriers that hold cash, or will deduct fees from their next payout.
func (c courierSums) heldBy(tx *db.Tx, currency money.Currency, now time.Time) ([]HeldBy, error) {
	if err := c.oldestHeld(tx); err != nil {
		return nil, err
	}
	all := []HeldBy{}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if sum := c[courier].view(courier, currency, now); sum.Holding > 0 || sum.Payable.Amount != 0 {
			all = append(all, HeldBy{Courier: courier, Held: sum.Held, Payable: sum.Payable, OldestDays: sum.OldestDays})
		}
	}
	return all, nil
}

// oldestHeld adds to each sum the time of the oldest shipment with cash that the courier holds.
func (c courierSums) oldestHeld(tx *db.Tx) error {
	for _, courier := range slices.Sorted(maps.Keys(c)) {
		sum := c[courier]
		if sum.holding == 0 {
			continue
		}
		var err error
		if sum.oldestMovedAt, err = findOldestHeld(tx, courier); err != nil {
			return err
		}
		c[courier] = sum
	}
	return nil
}
