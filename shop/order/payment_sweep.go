package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

const (
	// sweepBatch limits the attempts that one sweep processes, so that no shop delays the others.
	sweepBatch = 20
	// sweepTime is the time after which a sweep starts no further query, because gateways can be slow.
	sweepTime = 30 * time.Second
	// abandonedAfter is longer than the sending of an attempt to its gateway takes. An older attempt
	// without a check was left by an ended process.
	abandonedAfter = 2 * time.Minute
)

// SweepPayments queries the gateways for the attempts that are due and for refunds in progress, so
// that a closed browser or a lost webhook does not leave a paid order unpaid. next is the next due
// time; a zero time means that nothing is due. A gateway that does not respond is not an error.
func (s *Orders) SweepPayments(ctx context.Context) (next time.Time, err error) {
	var payments, refunds []string
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		now := tx.Now()
		if refunds, err = findDueRefunds(tx, db.Millis(now), sweepBatch); err != nil {
			return err
		}
		payments, err = findDueChecks(tx, db.Millis(now), db.Millis(now.Add(-abandonedAfter)), sweepBatch)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	start := time.Now()
	err = errors.Join(s.sweepEach(ctx, start, payments, s.sweepPayment), s.sweepEach(ctx, start, refunds, s.sweepRefund))
	if err != nil {
		return time.Time{}, err
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		at, err := findNextCheck(tx, abandonedAfter.Milliseconds())
		if err != nil {
			return err
		}
		refund, err := findNextRefund(tx)
		if refund != nil && (at == nil || *refund < *at) {
			at = refund
		}
		if at != nil {
			next = db.FromMillis(*at)
		}
		return err
	})
	return next, err
}

// sweepEach processes the IDs until sweepTime has passed since start.
func (s *Orders) sweepEach(ctx context.Context, start time.Time, ids []string, sweep func(context.Context, string) error) error {
	var failures []error
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(start) > sweepTime {
			break
		}
		if err := sweep(ctx, id); err != nil {
			failures = append(failures, fmt.Errorf("sweep %s: %w", id, err))
		}
	}
	return errors.Join(failures...)
}

// sweepPayment queries an attempt that is due, and applies the result.
func (s *Orders) sweepPayment(ctx context.Context, attemptID string) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	p, err := s.loadPayment(ctx, attemptID)
	if err != nil {
		return err
	}
	reported, failure := s.sweepStatus(ctx, p, set.Currency)
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return err
		}
		err = s.changeOrder(tx, p.order, ByShop).apply(p, func(c *orderChange, p *payment) error {
			if failure != nil {
				c.recordFailedCheck(p, failure)
			} else {
				c.recordCheck(p, reported, set.Currency)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if failure != nil || !p.attempt.status.MoneyReceived() {
			return nil
		}
		return closeDeferredWebhooks(tx, p.provider(), p.order.id)
	})
}

// sweepStatus returns the status of an attempt at its gateway. gateway_b identifies a payment by
// its own ID only. If the response to the start was lost, there is no ID, and the attempt counts as
// open.
func (s *Orders) sweepStatus(ctx context.Context, p *payment, currency money.Currency) (plugin.GatewayStatus, error) {
	if p.attempt.externalID == nil && p.attempt.method != status.PayGatewayA {
		return plugin.GatewayStatus{State: plugin.GatewayOpen}, nil
	}
	return s.queryStatus(ctx, p, p.statusQuery(currency))
}

// recordFailedCheck schedules the next query after a failed one. After the last query, a day later,
// the attempt expires.
func (c *orderChange) recordFailedCheck(p *payment, failure error) {
	p.check.reason = fault.Reason(failure)
	p.scheduleCheck(c.now)
	if p.check.dueAt == nil {
		c.closeAttempt(p, status.AttemptExpired, p.check.reason)
	}
}

// recordCheck applies the status that the gateway has reported. An attempt that was never started
// fails, because its buyer got no URL to pay at.
func (c *orderChange) recordCheck(p *payment, reported plugin.GatewayStatus, currency money.Currency) {
	c.applyStatus(p, reported, currency)
	if p.attempt.status == status.AttemptInitiated {
		c.recordFailedStart(p, fmt.Errorf("%w: start: the program ended before the gateway responded", plugin.ErrGatewayUnknown))
	}
	p.scheduleCheck(c.now)
}
