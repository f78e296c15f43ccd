package cash

import (
	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// Sync stores the cash of the orders' shipments according to the ledger. Every change of a
// shipment, its ledger, its flags or its order's total calls it in the same transaction.
func (c *Ledger) Sync(tx *db.Tx, orderIDs ...string) error {
	for chunk := range db.Chunks(orderIDs) {
		list, args := db.InList(chunk)
		if err := c.syncOf(tx, "p.order_id IN "+list, args); err != nil {
			return err
		}
	}
	return nil
}

// syncOf is Sync for the shipments that a condition selects. Shipments of a courier whose
// shipments were never counted are left to count.
func (c *Ledger) syncOf(tx *db.Tx, condition string, args []any) error {
	sums, err := findSums(tx)
	if err != nil {
		return err
	}
	if len(sums) == 0 {
		return nil
	}
	currency, err := c.cfg.CurrencyIn(tx)
	if err != nil {
		return err
	}
	current, err := findLedgerCash(tx, currency, sums, condition, args)
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

// cash returns the state of a shipment's cash, without open flags.
func (l *Row) cash(currency money.Currency) storedCash {
	p := storedCash{shipmentID: l.Shipment.ID, courier: l.Shipment.provider, movedAt: l.Shipment.movedAt, different: len(l.differences(currency)) > 0}
	switch collected := l.collectedAmount(); {
	case l.PaidOut:
		p.status, p.paidOut = PaidOut, l.amountPaid()
	case collected != nil:
		if p.held, p.fees, p.payable = *collected, amountOf(l.fee)+l.cashShare(), l.Outstanding(); p.held > 0 {
			p.status = Held
		}
	case l.Due > 0 && l.Shipment.Status.MayBeDue():
		p.status, p.expected = UnderWay, l.Due
	}
	return p
}

// cashChange is the cash of a shipment before and after a change of its ledger.
type cashChange struct{ was, is storedCash }

// changeCash stores changes of one courier's shipments that the ledger already has. It is Sync
// without further reads, for the many shipments of a statement.
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

// Drop removes a deleted shipment from the stored cash.
func Drop(tx *db.Tx, shipmentID string) error {
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
