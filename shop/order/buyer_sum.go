package order

import "storefront/db"

// Buyer identifies the buyer that an order counts for: an account by its ID, or a guest by the
// phone number. The zero value means none, for an erased order or one in sandbox mode.
type Buyer struct{ CustomerID, Phone string }

// buyer returns the buyer that the order counts for.
func (o *orderRow) buyer() Buyer {
	switch {
	case o.test != 0:
		return Buyer{}
	case o.customerID != nil:
		return Buyer{CustomerID: *o.customerID}
	}
	return Buyer{Phone: o.phone}
}

// spent returns the order's part of its buyer's spending: the money that the shop received and
// retained.
func (o *orderRow) spent() int64 { return max(0, o.paid-o.refunded) }

// syncBuyer updates the buyer's sums for a change of an order. An edit can assign the order to
// another buyer, or rename a guest.
func (c *orderChange) syncBuyer() error {
	was, now := c.was.buyer(), c.o.buyer()
	if was != now || now.Phone != "" && c.was.name != c.o.name {
		return CountBuyers(c.tx, was, now)
	}
	if by := c.o.spent() - c.was.spent(); by != 0 {
		return addSpent(c.tx, now, by)
	}
	return nil
}

// CountBuyers counts the orders of buyers again. Every move of orders to another buyer calls it in
// the same transaction.
func CountBuyers(tx *db.Tx, buyers ...Buyer) error {
	for _, b := range distinctBuyers(buyers) {
		column, key, save := "customer_id", b.CustomerID, saveAccountOrders
		if b.Phone != "" {
			column, key, save = "customer_phone", b.Phone, saveGuestOrders
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
func distinctBuyers(buyers []Buyer) (all []Buyer) {
	seen := map[Buyer]bool{{}: true}
	for _, b := range buyers {
		if !seen[b] {
			seen[b], all = true, append(all, b)
		}
	}
	return all
}

// guestsOf returns the guests with phone numbers.
func guestsOf(phones []string) (guests []Buyer) {
	for _, number := range phones {
		guests = append(guests, Buyer{Phone: number})
	}
	return guests
}
