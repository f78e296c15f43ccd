package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

const (
	// maxExpiryDelay limits how long after placing an order an open payment attempt delays its expiry.
	maxExpiryDelay = 24 * time.Hour
	// expiryExtension is added to an order's expiry while it has an open payment attempt.
	expiryExtension = 5 * time.Minute
	// expireBatch limits the orders expired in one transaction, so that other writes do not wait long.
	expireBatch = 50
)

// ExpireOrders expires the online orders that were not paid in time and releases their stock and
// coupon uses. An order with an open payment attempt stays open until the gateway has reported its
// status, for a day at most. next is the next due time. A zero time means that nothing is due.
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
			due = len(ids) > 0 // false if the clock was set back meanwhile
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

// expireOrder expires an order or extends its expiry.
func (s *Shop) expireOrder(tx *db.Tx, o *orderRow) error {
	now := tx.Now()
	last := db.FromMillis(o.placedAt).Add(maxExpiryDelay)
	if o.hasOpenAttempt() && now.Before(last) {
		again := now.Add(expiryExtension)
		if again.After(last) {
			again = last
		}
		o.expiresAt = new(db.Millis(again))
		return updateOrderStatuses(tx, o, o)
	}
	c := s.changeOrder(tx, o, ByShop)
	c.setStatus(OrderExpired)
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

// findDueOrders returns at most expireBatch orders that are due to expire, the longest overdue
// first.
func findDueOrders(tx *db.Tx) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, dueOrdersQuery, db.Millis(tx.Now()), expireBatch)
	if err != nil {
		return nil, fmt.Errorf("find due orders: %w", err)
	}
	return ids, nil
}

// findNextExpiry returns when the next order is due to expire. A zero time means that none is.
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
