package shop

import (
	"fmt"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/money"
	"storefront/shop/order"
)

func customerRecord(tx *db.Tx, customer account.Account) (CustomerRecord, error) {
	user, err := customer.View(tx)
	if err != nil {
		return CustomerRecord{}, err
	}
	record := CustomerRecord{
		Customer: user, HasPassword: customer.HasPassword(),
		PasswordResetRequired: customer.PasswordResetRequired(),
	}
	var updated int64
	err = tx.QueryRow(`
		SELECT updated_at, (SELECT count(*) FROM orders WHERE customer_id = customers.id)
		FROM customers
		WHERE id = ?`, customer.ID()).Scan(&updated, &record.Orders)
	if err != nil {
		return CustomerRecord{}, fmt.Errorf("find customer's orders: %w", err)
	}
	record.UpdatedAt = db.FromMillis(updated)
	return record, nil
}

// addOrders adds the sums of the account's orders.
func (d *CustomerDetails) addOrders(tx *db.Tx, currency money.Currency) error {
	var sums order.Purchases
	err := tx.QueryRow(`
		SELECT orders, spent, last_order_at
		FROM customers
		WHERE id = ?`, d.ID).Scan(&sums.Orders, &sums.Spent, &sums.LastAt)
	if err != nil {
		return fmt.Errorf("find what the customer has ordered: %w", err)
	}
	d.Orders, d.Spent, d.LastOrderAt = sums.Orders, currency.Money(sums.Spent), sums.LastOrderAt()
	records, err := order.FindRecords(tx, []string{db.TextOf(d.PhoneNumber)})
	if record, ok := records[db.TextOf(d.PhoneNumber)]; ok {
		d.Record = &record
	}
	return err
}
