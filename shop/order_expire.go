package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

const (
	// maxExpiryDelay is how long an order waits at most for what its gateway says of an open try to pay.
	maxExpiryDelay = 24 * time.Hour
	// expiryExtension is how long an order is given each time.
	expiryExtension = 5 * time.Minute
	// expireBatch is how many orders end in one transaction, so that buyers do not wait for it.
	expireBatch = 50
)

// ExpireOrders ends the online orders whose time to be paid has run out; stock and coupons go
// back. An order with an open try to pay waits until its gateway has been asked, a day at most.
// next is when there is something to do again; the zero time: nothing waits.
func (s *Shop) ExpireOrders(ctx context.Context) (next time.Time, err error) {
	for {
		due := false
		err = s.view(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			next, err = findNextExpiry(tx)
			due = !next.IsZero() && !next.After(tx.Now())
			return err
		})
		if err != nil || !due {
			return next, err
		}
		err = s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
			ids, err := findDueOrders(tx)
			if err != nil {
				return err
			}
			due = len(ids) > 0 // false when the clock was set back meanwhile
			rows, err := findOrderRows(tx, ids)
			if err != nil {
				return err
			}
			for _, o := range rows {
				if err := s.expireOrder(tx, o); err != nil {
					return fmt.Errorf("expire order %s: %w", o.id, err)
				}
			}
			return nil
		})
		if err != nil || !due {
			return next, err
		}
	}
}

// expireOrder ends an order or gives it more time.
func (s *Shop) expireOrder(tx *db.Tx, o *orderRow) error {
	now := tx.Now()
	last := db.FromMillis(o.placedAt).Add(maxExpiryDelay)
	if o.hasOpenAttempt() && now.Before(last) {
		again := now.Add(expiryExtension)
		if again.After(last) {
			again = last
		}
		o.expiresAt = new(db.Millis(again))
		return updateOrderState(tx, o, o)
	}
	c := s.changeOrder(tx, o, ByShop)
	c.move(OrderExpired)
	return c.save()
}

func (o *orderRow) hasOpenAttempt() bool {
	for _, a := range o.attempts {
		if a.status.isOpen() {
			return true
		}
	}
	return false
}

const (
	dueOrdersQuery = `
		SELECT id
		FROM orders
		WHERE expires_at IS NOT NULL AND expires_at <= ?
		ORDER BY expires_at
		LIMIT ?`
	nextExpiryQuery = `
		SELECT expires_at
		FROM orders
		WHERE expires_at IS NOT NULL
		ORDER BY expires_at
		LIMIT 1`
)

// findDueOrders gives some of the orders whose time has run out, the longest first.
func findDueOrders(tx *db.Tx) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, dueOrdersQuery, db.Millis(tx.Now()), expireBatch)
	if err != nil {
		return nil, fmt.Errorf("find due orders: %w", err)
	}
	return ids, nil
}

// findNextExpiry gives when the next order may expire; the zero time: none will.
func findNextExpiry(tx *db.Tx) (time.Time, error) {
	var at int64
	err := tx.QueryRow(nextExpiryQuery).Scan(&at)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, fmt.Errorf("find next expiry: %w", err)
	}
	return db.FromMillis(at), nil
}
