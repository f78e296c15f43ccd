package order

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Purchases are the sums of a buyer's orders that were not placed in sandbox mode.
type Purchases struct {
	Orders int
	Spent  int64
	LastAt int64 // 0 if there are no orders
}

// LastOrderAt returns the time of the newest order; nil if there is none.
func (p Purchases) LastOrderAt() *time.Time {
	if p.LastAt == 0 {
		return nil
	}
	return timeOfMillis(&p.LastAt)
}

// spentTotal is an order's part of its buyer's spending.
const spentTotal = `CASE WHEN paid > refunded THEN paid - refunded ELSE 0 END`

// findPurchases adds up the orders of accounts by ID, or of guests by phone number. column is the
// column of orders.
func findPurchases(tx *db.Tx, column string, keys []string) (map[string]Purchases, error) {
	bought := make(map[string]Purchases, len(keys))
	guests := ""
	if column == "customer_phone" {
		guests = " AND customer_id IS NULL"
	}
	for chunk := range db.Chunks(keys) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT `+column+`, COUNT(*), COALESCE(SUM(`+spentTotal+`), 0), MAX(placed_at)
			FROM orders
			WHERE `+column+` IN `+list+guests+` AND test = 0
			GROUP BY `+column, args, func(r db.Row) error {
			var key string
			var sums Purchases
			err := r.Scan(&key, &sums.Orders, &sums.Spent, &sums.LastAt)
			bought[key] = sums
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find what customers have bought: %w", err)
		}
	}
	return bought, nil
}

// addPurchases counts new orders of a buyer; name is in the newest of them.
func addPurchases(tx *db.Tx, b Buyer, name string, p Purchases) (err error) {
	switch {
	case b.CustomerID != "":
		err = tx.Do(`
			UPDATE customers
			SET orders = orders + ?, spent = spent + ?, last_order_at = CASE WHEN last_order_at < ? THEN ? ELSE last_order_at END
			WHERE id = ?`, p.Orders, p.Spent, p.LastAt, p.LastAt, b.CustomerID)
	case b.Phone != "":
		err = tx.Do(`
			INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, name, orders, spent, last_order_at)
			VALUES (?, '', '[]', 'none', '', ?, ?, ?, ?, ?)
			ON CONFLICT (phone) DO UPDATE
			SET orders = contacts.orders + excluded.orders, spent = contacts.spent + excluded.spent,
				name = CASE WHEN contacts.last_order_at <= excluded.last_order_at THEN excluded.name ELSE contacts.name END,
				last_order_at = CASE WHEN contacts.last_order_at < excluded.last_order_at THEN excluded.last_order_at ELSE contacts.last_order_at END`,
			b.Phone, db.Millis(tx.Now()), name, p.Orders, p.Spent, p.LastAt)
	}
	if err != nil {
		return fmt.Errorf("count orders of buyer: %w", err)
	}
	return nil
}

// addSpent adds an amount, which can be negative, to a buyer's spending.
func addSpent(tx *db.Tx, b Buyer, amount int64) (err error) {
	switch {
	case b.CustomerID != "":
		err = tx.Do("UPDATE customers SET spent = spent + ? WHERE id = ?", amount, b.CustomerID)
	case b.Phone != "":
		err = tx.Do("UPDATE contacts SET spent = spent + ? WHERE phone = ?", amount, b.Phone)
	}
	if err != nil {
		return fmt.Errorf("change what a buyer has spent: %w", err)
	}
	return nil
}

func saveAccountOrders(tx *db.Tx, id string, p Purchases) error {
	_, err := tx.Exec(`
		UPDATE customers
		SET orders = ?, spent = ?, last_order_at = ?
		WHERE id = ?`, p.Orders, p.Spent, p.LastAt, id)
	if err != nil {
		return fmt.Errorf("save orders of account: %w", err)
	}
	return nil
}

// saveGuestOrders stores the sums of a phone number's orders without an account. A row without
// content is deleted.
func saveGuestOrders(tx *db.Tx, number string, p Purchases) error {
	var name string
	err := tx.QueryRow(`
		SELECT customer_name
		FROM orders
		WHERE customer_phone = ? AND customer_id IS NULL AND test = 0
		ORDER BY placed_at DESC, number DESC
		LIMIT 1`, number).Scan(&name)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	if err == nil {
		_, err = tx.Exec(`
			INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, name, orders, spent, last_order_at)
			VALUES (?, '', '[]', 'none', '', ?, ?, ?, ?, ?)
			ON CONFLICT (phone) DO UPDATE
			SET name = excluded.name, orders = excluded.orders, spent = excluded.spent, last_order_at = excluded.last_order_at`,
			number, db.Millis(tx.Now()), name, p.Orders, p.Spent, p.LastAt)
	}
	if err == nil {
		_, err = tx.Exec(`
			DELETE FROM contacts
			WHERE phone = ? AND orders = 0 AND note = '' AND tags = '[]' AND blocked = 'none' AND reason = ''`, number)
	}
	if err != nil {
		return fmt.Errorf("save orders of guest: %w", err)
	}
	return nil
}

// WrongSums returns the query for the number of rows in customers or contacts with sums that differ
// from their orders, and of buyers without such a row. orders selects the orders by a column. The
// query has no FULL JOIN, because SQLite would compare every row with every buyer.
func WrongSums(table, key, column, orders, name string) string {
	return `
		SELECT (
			SELECT COUNT(*)
			FROM ` + table + ` b
			LEFT JOIN (
				SELECT ` + column + ` AS buyer, COUNT(*) AS orders, SUM(` + spentTotal + `) AS spent, MAX(placed_at) AS last_at
				FROM orders
				WHERE ` + orders + ` AND test = 0 AND number <= ` + Posted + `
				GROUP BY ` + column + `) o ON o.buyer = b.` + key + `
			WHERE b.orders <> COALESCE(o.orders, 0) OR b.spent <> COALESCE(o.spent, 0)
				OR b.last_order_at <> COALESCE(o.last_at, 0)` + name + `) + (
			SELECT COUNT(DISTINCT ` + column + `)
			FROM orders o
			WHERE ` + orders + ` AND test = 0 AND number <= ` + Posted + `
				AND NOT EXISTS (SELECT 1 FROM ` + table + ` b WHERE b.` + key + ` = o.` + column + `))`
}
