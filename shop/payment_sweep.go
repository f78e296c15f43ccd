package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

const (
	// sweepBatch is how many payments one sweep asks about, so that no shop keeps the others waiting.
	sweepBatch = 20
	// sweepTime is after how long a sweep begins no further question: gateways can be slow.
	sweepTime = 30 * time.Second
	// abandonedAfter is longer than it takes to hand a payment to its gateway: one that was only
	// written down by then was left behind by a process that ended.
	abandonedAfter = 2 * time.Minute
)

// SweepPayments asks the gateways about the payments whose time has come, so that a closed browser
// or a lost notice never leaves a paid order unpaid, and about refunds under way. next is when there
// is something to do again; the zero time: nothing waits. A gateway that gives no answer is no error.
func (s *Shop) SweepPayments(ctx context.Context) (next time.Time, err error) {
	var due []string
	var faults []error
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		now := tx.Now()
		due, err = findDueChecks(tx, db.Millis(now), db.Millis(now.Add(-abandonedAfter)), sweepBatch)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	began := time.Now()
	for _, id := range due {
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if time.Since(began) > sweepTime {
			break
		}
		if err := s.sweepPayment(ctx, id); err != nil {
			faults = append(faults, fmt.Errorf("look after payment %s: %w", id, err))
		}
	}
	if len(faults) > 0 {
		return time.Time{}, errors.Join(faults...)
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		at, err := findNextCheck(tx, abandonedAfter.Milliseconds())
		if err == nil && at != nil {
			next = db.FromMillis(*at)
		}
		return err
	})
	return next, err
}

func (s *Shop) sweepPayment(ctx context.Context, attemptID string) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	p, err := s.loadPayment(ctx, attemptID)
	if err != nil {
		return err
	}
	if p.attempt.status == AttemptRefundDue && p.check.refunding {
		if _, err := s.requestRefund(ctx, attemptID, ByShop); !fault.HasCode(err, fault.CodeUnavailable) {
			return err
		}
		return nil // it is asked again, or staff reads why not
	}
	proof, failure := GatewayStatus{State: GatewayOpen}, error(nil)
	// gateway_b knows a payment by its own name only, which a lost answer did not bring.
	if p.attempt.externalID != nil || p.attempt.method == PayGatewayA {
		proof, failure = s.queryStatus(ctx, p, p.statusQuery(set.money))
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return err
		}
		err = s.changeLoadedAttempt(tx, p, ByShop, func(c *orderChange, p *payment) error {
			if failure != nil {
				p.check.reason = failure.Error()
				p.scheduleCheck(c.now)
				if p.check.dueAt == nil { // a day without an answer
					c.closeAttempt(p, AttemptExpired, p.check.reason)
				}
				return nil
			}
			c.applyStatus(p, proof, set.money)
			if p.attempt.status == AttemptInitiated { // its buyer never got an address to pay at
				p.attempt.errorCode = paymentUnreachable
				c.closeAttempt(p, AttemptFailed, "the program ended before the gateway answered")
			}
			p.scheduleCheck(c.now)
			return nil
		})
		if err != nil || failure != nil || !p.attempt.status.moneyReceived() {
			return err
		}
		return closeDeferredWebhooks(tx, p.provider(), p.order.id)
	})
}
