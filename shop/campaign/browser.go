package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
)

// maxAgent is the maximum length of the name of a browser, in characters.
const maxAgent = 500

// Browser is the browser of a buyer who has consented that advertisers receive it. The zero value
// means unknown.
type Browser struct{ Address, Agent string }

// InsertBrowser stores the browser of an order that was placed with consent.
func InsertBrowser(tx *db.Tx, orderNumber int64, a *AttributionInput, b Browser) error {
	if a == nil || a.Consent == nil || b == (Browser{}) {
		return nil
	}
	_, err := tx.Exec(`
		INSERT INTO order_browsers (order_number, placed_at, address, agent)
		VALUES (?, ?, ?, ?)`, orderNumber, db.Millis(tx.Now()), b.Address, input.Cut(input.Clean(b.Agent), maxAgent))
	if err != nil {
		return fmt.Errorf("insert browser: %w", err)
	}
	return nil
}

// FindBrowser returns the browser of an order.
func FindBrowser(tx *db.Tx, orderNumber int64) (b Browser, err error) {
	err = tx.QueryRow("SELECT address, agent FROM order_browsers WHERE order_number = ?", orderNumber).Scan(&b.Address, &b.Agent)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return b, fmt.Errorf("find browser: %w", err)
	}
	return b, nil
}

// DeleteBrowser deletes the browser of an order.
func DeleteBrowser(tx *db.Tx, orderNumber int64) error {
	if _, err := tx.Exec("DELETE FROM order_browsers WHERE order_number = ?", orderNumber); err != nil {
		return fmt.Errorf("delete browser: %w", err)
	}
	return nil
}

// purgeBatch limits the browsers that one transaction deletes.
const purgeBatch = 1_000

// PurgeBrowsers deletes the browsers of orders that were placed longer ago than an age.
func PurgeBrowsers(ctx context.Context, data access.Data, age time.Duration) error {
	for more := true; more; {
		var oldest *time.Time
		find := func(tx *db.Tx) error {
			err := tx.QueryRow("SELECT MIN(placed_at) FROM order_browsers").Scan(&oldest)
			more = oldest != nil && oldest.Add(age).Before(tx.Now())
			return err
		}
		err := data.View(ctx, func(_ context.Context, tx *db.Tx) error { return find(tx) })
		if err == nil && more {
			err = data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
				return tx.Do(`
					DELETE FROM order_browsers
					WHERE order_number IN (SELECT order_number FROM order_browsers WHERE placed_at < ? ORDER BY placed_at LIMIT ?)`,
					db.Millis(tx.Now().Add(-age)), purgeBatch)
			})
		}
		if err != nil {
			return fmt.Errorf("purge browsers: %w", err)
		}
	}
	return nil
}
