package shop

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

// storedCash is where the cash of a shipment is, and what it adds to the sums of its courier, as it
// is stored: so that reports and lists need not read the whole ledger. Amounts are in minor units.
type storedCash struct {
	shipmentID string
	courier    plugin.Provider
	status     CashStatus // "": no cash, or none that is known yet
	different  bool
	movedAt    int64 // of the shipment
	expected   int64 // cash that is under way
	held       int64
	fees       int64
	payable    int64
	paidOut    int64
}

// courierSum is the sum of one courier's shipments, in minor units.
type courierSum struct {
	rate                                                  int64 // the courier's share with which its shipments were counted
	counting                                              bool  // not all of them are counted with it yet
	underWay, holding                                     int
	expected, held, fees, payable, paidOut, oldestMovedAt int64
}

// courierSums are the sums of the couriers whose shipments were counted.
type courierSums map[plugin.Provider]courierSum

// add adds a shipment to the sum, or subtracts it if sign is -1.
func (c *courierSum) add(p storedCash, sign int) {
	switch p.status {
	case CashUnderWay:
		c.underWay += sign
	case CashHeld:
		c.holding += sign
	}
	by := int64(sign)
	c.expected, c.held, c.fees = c.expected+by*p.expected, c.held+by*p.held, c.fees+by*p.fees
	c.payable, c.paidOut = c.payable+by*p.payable, c.paidOut+by*p.paidOut
}

// areOf reports whether the couriers' shipments were counted with these shares.
func (c courierSums) areOf(rates cashRates) bool {
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if sum, ok := c[courier]; !ok || sum.counting || sum.rate != rates[courier] {
			return false
		}
	}
	return true
}

// viewCash calls fn in a transaction that reads the cash of all shipments as it was counted with
// the couriers' present shares. If a share has changed, or a courier's shipments were not counted
// yet, they are counted first.
func (s *Shop) viewCash(ctx context.Context, who access.Staff, fn func(tx *db.Tx, rates cashRates, sums courierSums) error) error {
	for {
		rates, err := s.cashRates(ctx)
		if err != nil {
			return err
		}
		counted, err := s.viewCountedCash(ctx, who, rates, fn)
		if counted || err != nil {
			return err
		}
		if err := s.countCash(ctx, rates); err != nil {
			return err
		}
	}
}

// viewCountedCash is viewCash that calls nothing if shipments are to be counted first.
func (s *Shop) viewCountedCash(
	ctx context.Context, who access.Staff, rates cashRates, fn func(tx *db.Tx, rates cashRates, sums courierSums) error,
) (counted bool, err error) {
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		sums, err := findCashSums(tx)
		if err != nil {
			return err
		}
		if counted = sums.areOf(rates); counted {
			return fn(tx, rates, sums)
		}
		return nil
	})
	return counted, err
}

// maxCountedAtOnce is how many shipments are counted while somebody waits for the summary.
const maxCountedAtOnce = 500

// findCashNow returns the couriers that hold the shop's cash; nil if so many shipments are to be
// counted first that it is left to the background.
func (s *Shop) findCashNow(ctx context.Context, who access.Staff, currency money.Currency) (held []CashHeldBy, err error) {
	rates, err := s.cashRates(ctx)
	if err != nil {
		return nil, err
	}
	find := func(tx *db.Tx, _ cashRates, sums courierSums) (err error) {
		held, err = sums.heldBy(tx, currency, tx.Now())
		return err
	}
	counted, err := s.viewCountedCash(ctx, who, rates, find)
	if counted || err != nil {
		return held, err
	}
	var shipments int
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		shipments, err = countShipments(tx, maxCountedAtOnce+1)
		return err
	})
	switch {
	case err != nil || shipments > maxCountedAtOnce:
		return nil, err
	case shipments == 0:
		return []CashHeldBy{}, nil
	}
	return held, s.viewCash(ctx, who, find)
}

// CountCash counts the cash of all shipments if that was not done yet, or not with the couriers'
// present shares, so that nobody waits for it. It is called in the background.
func (s *Shop) CountCash(ctx context.Context) (next time.Time, err error) {
	rates, err := s.cashRates(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var missing bool
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		sums, err := findCashSums(tx)
		if err != nil || sums.areOf(rates) {
			return err
		}
		shipments, err := countShipments(tx, 1)
		missing = shipments > 0
		return err
	})
	if err != nil || !missing {
		return time.Time{}, err
	}
	return time.Time{}, s.countCash(ctx, rates)
}

// countedBatch is how many shipments one transaction counts, so that orders do not wait for it.
const countedBatch = 500

// countCash counts the shipments of the couriers whose stored sums have other shares than these.
// What changes a shipment meanwhile counts it with the new share. If a share changes again, or
// after a crash, the couriers are counted from the beginning by the next call.
func (s *Shop) countCash(ctx context.Context, rates cashRates) error {
	err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		sums, err := findCashSums(tx)
		if err != nil || sums.areOf(rates) {
			return err
		}
		for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
			if sum, ok := sums[courier]; err == nil && (!ok || sum.rate != rates[courier]) {
				sum.rate, sum.counting = rates[courier], true
				err = saveCashSum(tx, courier, sum)
			}
		}
		return err
	})
	last, more := "", true
	for err == nil && more {
		var through string
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			through, err = countCashAfter(tx, last, rates)
			return err
		})
		last, more = through, through != ""
	}
	return err
}

// countCashAfter counts a batch of shipments whose IDs are after one, and returns the last of them.
// It returns "" if all are counted, or if couriers are counted with other shares by now.
func countCashAfter(tx *db.Tx, id string, rates cashRates) (last string, err error) {
	sums, err := findCashSums(tx)
	if err != nil || sums.areOf(rates) {
		return "", err
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
		return last, syncCashOf(tx, "p.id > ? AND p.id <= ?", []any{id, last})
	}
	for courier, sum := range sums {
		if sum.counting = false; err == nil {
			err = saveCashSum(tx, courier, sum)
		}
	}
	return "", err
}

// syncCash stores the cash of the orders' shipments as the ledger has it. Whatever changes a
// shipment, its ledger, its flags or what its order costs calls it in the same transaction.
func syncCash(tx *db.Tx, orderIDs ...string) error {
	for chunk := range db.Chunks(orderIDs) {
		list, args := db.InList(chunk)
		if err := syncCashOf(tx, "p.order_id IN "+list, args); err != nil {
			return err
		}
	}
	return nil
}

// syncCashOf is syncCash for the shipments that a condition selects. Shipments of a courier whose
// shipments were never counted are left to countCash.
func syncCashOf(tx *db.Tx, condition string, args []any) error {
	sums, err := findCashSums(tx)
	if err != nil || len(sums) == 0 {
		return err
	}
	current, err := findLedgerCash(tx, sums, condition, args)
	if err != nil {
		return err
	}
	stored, err := findStoredCash(tx, condition, args)
	if err != nil {
		return err
	}
	var changed []storedCash
	changes := courierSums{}
	for _, p := range current {
		change := changes[p.courier]
		was, ok := stored[p.shipmentID]
		if _, counted := sums[p.courier]; !counted || ok && was == p {
			continue
		}
		if changed = append(changed, p); ok {
			change.add(was, -1)
		}
		change.add(p, 1)
		changes[p.courier] = change
	}
	return saveStoredCash(tx, changed, changes)
}

// cash returns where the cash of a shipment is that has no open flag.
func (l *ledgerRow) cash(currency money.Currency) storedCash {
	p := storedCash{shipmentID: l.shipment.id, courier: l.shipment.provider, movedAt: l.shipment.movedAt, different: len(l.differences(currency)) > 0}
	switch collected := l.collectedAmount(); {
	case l.paidOut:
		p.status, p.paidOut = CashPaid, l.amountPaid()
	case collected != nil:
		if p.held, p.fees, p.payable = *collected, amountOf(l.fee)+l.cashShare(), l.outstanding(); p.held > 0 {
			p.status = CashHeld
		}
	case l.due > 0 && l.shipment.status.MayCollect():
		p.status, p.expected = CashUnderWay, l.due
	}
	return p
}

// cashChange is the cash of a shipment before and after a change of its ledger.
type cashChange struct{ was, is storedCash }

// changeCash stores changes that the ledger already has, of one courier's shipments. It does what
// syncCash does and reads nothing again, for the many shipments of a statement.
func changeCash(tx *db.Tx, courier plugin.Provider, all []cashChange) error {
	var total courierSum
	rows := make([]storedCash, 0, len(all))
	for _, c := range all {
		if c.was != c.is {
			total.add(c.was, -1)
			total.add(c.is, 1)
			rows = append(rows, c.is)
		}
	}
	return saveStoredCash(tx, rows, courierSums{courier: total})
}

// dropCash removes a shipment that is deleted from the stored cash.
func dropCash(tx *db.Tx, shipmentID string) error {
	stored, err := findStoredCash(tx, "p.id = ?", []any{shipmentID})
	if err != nil {
		return err
	}
	was, ok := stored[shipmentID]
	if !ok {
		return nil
	}
	var change courierSum
	change.add(was, -1)
	if err := deleteStoredCash(tx, shipmentID); err != nil {
		return err
	}
	return saveStoredCash(tx, nil, courierSums{was.courier: change})
}

// changesCash reports whether the change may have moved the cash of the order's shipments.
func (c *orderChange) changesCash() bool {
	return len(c.o.shipments) > 0 &&
		(c.shipmentsChanged || c.contentsChanged || c.attentionChanged || c.ledgerChanged || c.o.method != c.was.method)
}

// heldBy returns the couriers that hold cash, or from whose next payout they deduct fees.
func (c courierSums) heldBy(tx *db.Tx, currency money.Currency, now time.Time) ([]CashHeldBy, error) {
	if err := c.oldestHeld(tx); err != nil {
		return nil, err
	}
	all := []CashHeldBy{}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if sum := c[courier].view(courier, currency, now); sum.Holding > 0 || sum.Payable.Amount != 0 {
			all = append(all, CashHeldBy{Courier: courier, Held: sum.Held, Payable: sum.Payable, OldestDays: sum.OldestDays})
		}
	}
	return all, nil
}

// oldestHeld adds to each sum when the oldest shipment moved whose cash the courier holds.
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
