package shop

import (
	"storefront/db"
	"storefront/shop/status"
)

// buyerKey identifies the buyer that an order counts for: an account by its ID, or a guest by the
// phone number. The zero value means none, for an erased order or one in sandbox mode.
type buyerKey struct{ customerID, phone string }

// buyer returns the buyer that the order counts for.
func (o *orderRow) buyer() buyerKey {
	switch {
	case o.test != 0:
		return buyerKey{}
	case o.customerID != nil:
		return buyerKey{customerID: *o.customerID}
	}
	return buyerKey{phone: o.phone}
}

// spent returns the order's part of its buyer's spending.
func (o *orderRow) spent() int64 {
	switch o.status {
	case status.OrderPendingPayment, status.OrderExpired, status.OrderCancelled, status.OrderReturned:
		return 0
	}
	return o.total
}

// syncBuyer updates the buyer's sums for a change of an order. An edit can assign the order to
// another buyer, or rename a guest.
func (c *orderChange) syncBuyer() error {
	was, now := c.was.buyer(), c.o.buyer()
	if was != now || now.phone != "" && c.was.name != c.o.name {
		return countBuyers(c.tx, was, now)
	}
	if by := c.o.spent() - c.was.spent(); by != 0 {
		return addSpent(c.tx, now, by)
	}
	return nil
}

// countBuyers counts the orders of buyers again. Every move of orders to another buyer calls it in
// the same transaction.
func countBuyers(tx *db.Tx, buyers ...buyerKey) error {
	for _, b := range distinctBuyers(buyers) {
		column, key, save := "customer_id", b.customerID, saveAccountOrders
		if b.phone != "" {
			column, key, save = "customer_phone", b.phone, saveGuestOrders
		}
		counted, err := findPurchases(tx, column, []string{key})
		if err != nil {
			return err
		}
		if err := save(tx, key, counted[key]); err != nil {
			return err
		}
	}
	return nil
}

// distinctBuyers returns each buyer once, without the zero value.
func distinctBuyers(buyers []buyerKey) (all []buyerKey) {
	seen := map[buyerKey]bool{{}: true}
	for _, b := range buyers {
		if !seen[b] {
			seen[b], all = true, append(all, b)
		}
	}
	return all
}

// guestsOf returns the guests with phone numbers.
func guestsOf(phones []string) (guests []buyerKey) {
	for _, number := range phones {
		guests = append(guests, buyerKey{phone: number})
	}
	return guests
}
