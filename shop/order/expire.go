package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

const (
	// maxExpiryDelay limits how long after placing an order an open payment attempt delays its expiry.
	maxExpiryDelay = 24 * time.Hour
	// expiryExtension is added to an order's expiry while it has an open payment attempt.
	expiryExtension = 5 * time.Minute
	// expireBatch limits the orders expired in one transaction, so that other writes do not wait long.
	expireBatch = 50
)

// ExpireOrders expires the online orders that were not paid in time, and the cash orders of guests
// that the shop did not confirm in time (setting codExpiryHours), and releases their stock and
// coupon uses. First the gateways of open payment attempts are queried: an order stays open only
// while one of them does not respond or captures a payment, for a day at most. next is the next due
// time. A zero time means that nothing is due.
func (s *Orders) ExpireOrders(ctx context.Context) (next time.Time, err error) {
	start := time.Now()
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for {
		due := false
		var open []string
		err = s.data.View(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			next, err = findNextExpiry(tx, set.codExpiry())
			if due = err == nil && !next.IsZero() && !next.After(tx.Now()); due {
				open, err = findExpiringAttempts(tx)
			}
			return err
		})
		if err != nil {
			return next, err
		}
		if !due {
			return next, nil
		}
		unpaid := map[string]bool{}
		for _, id := range open {
			if ctx.Err() != nil || time.Since(start) > sweepTime {
				return next, ctx.Err() // the sweep continues with the rest
			}
			if unpaid[id], err = s.checkExpiring(ctx, id); err != nil {
				return time.Time{}, fmt.Errorf("check payment %s: %w", id, err)
			}
		}
		err = s.data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
			ids, err := findDueOrders(tx, set.codExpiry())
			if err != nil {
				return err
			}
			due = len(ids) > 0 // false if the clock was set back in the meantime
			rows, err := findOrderRows(tx, ids)
			if err != nil {
				return err
			}
			for _, o := range rows {
				if err := s.expireOrder(tx, o, unpaid); err != nil {
					return fmt.Errorf("expire order %s: %w", o.id, err)
				}
			}
			return nil
		})
		if err != nil {
			return next, err
		}
		if !due {
			return next, nil
		}
	}
}

// checkExpiring queries the gateway for an open attempt of an order that is due to expire, and
// applies a payment or an end of the attempt. unpaid reports that the gateway waits for the buyer.
func (s *Orders) checkExpiring(ctx context.Context, attemptID string) (unpaid bool, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return false, err
	}
	p, err := s.loadPayment(ctx, attemptID)
	if err != nil {
		return false, err
	}
	reported, failure := s.sweepStatus(ctx, p, set.Currency)
	if failure != nil {
		return false, nil // the sweep records it
	}
	err = s.changeAttempt(ctx, attemptID, ByShop, func(c *orderChange, p *payment) error {
		claimed := p.check.claimedAt != nil && c.now-*p.check.claimedAt < claimTTL.Milliseconds()
		if unpaid = reported.State == plugin.GatewayOpen && !claimed; !unpaid && reported.State != plugin.GatewayOpen {
			c.applyStatus(p, reported, set.Currency)
		}
		return nil
	})
	return unpaid, err
}

// expireOrder expires an order, or extends its expiry while it has an open attempt that is not
// among the unpaid ones.
func (s *Orders) expireOrder(tx *db.Tx, o *orderRow, unpaid map[string]bool) error {
	now := tx.Now()
	last := db.FromMillis(o.placedAt).Add(maxExpiryDelay)
	extended := slices.ContainsFunc(o.attempts, func(a *attemptRow) bool { return a.status.IsOpen() && !unpaid[a.id] })
	if !extended && len(o.attempts) > 0 { // a buyer may have returned since the gateway was queried
		var err error
		if extended, err = isCapturing(tx, o.id, db.Millis(now.Add(-claimTTL))); err != nil {
			return err
		}
	}
	if extended && now.Before(last) && o.method != status.PayCOD { // an advance that arrives later is due for refund
		again := now.Add(expiryExtension)
		if again.After(last) {
			again = last
		}
		o.expiresAt = new(db.Millis(again))
		return updateOrderStatuses(tx, o, o)
	}
	c := s.changeOrder(tx, o, ByShop)
	for _, a := range o.attempts {
		if unpaid[a.id] && a.status.IsOpen() {
			// The sweep continues to query it: a payment that arrives late is refunded.
			c.setAttemptStatus(a, status.AttemptExpired)
		}
	}
	c.setStatus(status.OrderExpired)
	return c.save()
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
	// A booking with an unknown result may have sent the goods off, and a reported payment may have
	// arrived.
	unconfirmedCondition = `
		FROM orders o
		WHERE o.client IS NOT NULL AND o.status = 'pending' AND o.customer_id IS NULL
			AND NOT EXISTS (SELECT 1 FROM parcel_bookings b WHERE b.order_id = o.id AND b.shipment_id IS NULL)
			AND NOT EXISTS (SELECT 1 FROM wallet_payments w WHERE w.order_number = o.number AND w.status = 'waiting')`
	unconfirmedOrdersQuery = `
		SELECT o.id` + unconfirmedCondition + ` AND o.placed_at <= ?
		ORDER BY o.placed_at
		LIMIT ?`
	nextUnconfirmedQuery = `
		SELECT o.placed_at` + unconfirmedCondition + `
		ORDER BY o.placed_at
		LIMIT 1`
)

// findDueOrders returns at most expireBatch orders that are due to expire, the longest overdue
// first: online orders, or else cash orders that were placed longer than codExpiry ago.
func findDueOrders(tx *db.Tx, codExpiry time.Duration) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, dueOrdersQuery, db.Millis(tx.Now()), expireBatch)
	if err == nil && len(ids) == 0 {
		ids, err = db.Query(tx, db.ScanText, unconfirmedOrdersQuery, db.Millis(tx.Now().Add(-codExpiry)), expireBatch)
	}
	if err != nil {
		return nil, fmt.Errorf("find due orders: %w", err)
	}
	return ids, nil
}

// findNextExpiry returns the time at which the next order is due to expire. A zero time means that
// none is.
func findNextExpiry(tx *db.Tx, codExpiry time.Duration) (next time.Time, err error) {
	for query, after := range map[string]time.Duration{nextExpiryQuery: 0, nextUnconfirmedQuery: codExpiry} {
		var at int64
		err := tx.QueryRow(query).Scan(&at)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return time.Time{}, fmt.Errorf("find next expiry: %w", err)
		}
		if due := db.FromMillis(at).Add(after); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, nil
}

// findExpiringAttempts returns the IDs of the open attempts of the orders that findDueOrders finds.
func findExpiringAttempts(tx *db.Tx) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT a.id
		FROM (`+dueOrdersQuery+`) o
		JOIN payment_attempts a ON a.order_id = o.id
		WHERE a.status IN ('initiated', 'pending')
		ORDER BY a.id`, db.Millis(tx.Now()), expireBatch)
	if err != nil {
		return nil, fmt.Errorf("find open attempts of due orders: %w", err)
	}
	return ids, nil
}
