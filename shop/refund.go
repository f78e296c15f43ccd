package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// refundPause is how long after its beginning a refund is asked about, each time.
const refundPause = 30 * time.Minute

// AttemptRecord is a try to pay as the shop's staff sees it.
type AttemptRecord struct {
	PaymentAttempt
	OrderID       string  `json:"orderId"`
	OrderNumber   int64   `json:"orderNumber"`
	Mode          Mode    `json:"mode"`
	ExternalID    *string `json:"externalId"`    // the gateway's name for it
	TransactionID *string `json:"transactionId"` // of the money
	Reason        *string `json:"reason"`        // why it failed or has to be looked at
	RefundID      *string `json:"refundId"`      // the gateway's name for the refund
}

// ListPaymentAttempts lists tries to pay in a state, oldest first: what has to be looked at or given back.
// Codes: validation_failed.
func (s *Shop) ListPaymentAttempts(ctx context.Context, caller access.Caller, status AttemptStatus) (list []AttemptRecord, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	if _, known := attemptMoves[status]; !known {
		var bad fault.Invalid
		bad.Add("status", fault.CodeInvalidValue, "There is no such state of a payment: %s. It is one of %s.", status, attemptMoves.states())
		return nil, bad.Err()
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		list = []AttemptRecord{}
		ids, err := findAttemptsIn(tx, status)
		if err != nil {
			return err
		}
		for _, id := range ids {
			p, err := findPayment(tx, id)
			if err != nil {
				return fmt.Errorf("find payment: %w", err)
			}
			list = append(list, p.record(set.money))
		}
		return nil
	})
	return list, err
}

func findAttemptsIn(tx *db.Tx, status AttemptStatus) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM payment_attempts
		WHERE status = ?
		ORDER BY id`, status)
	if err != nil {
		return nil, fmt.Errorf("find payments: %w", err)
	}
	return ids, nil
}

func (p *payment) record(money money.Currency) AttemptRecord {
	return AttemptRecord{
		PaymentAttempt: p.attempt.view(money), OrderID: p.order.id, OrderNumber: p.order.number, Mode: p.attempt.mode,
		ExternalID: p.attempt.externalID, TransactionID: db.NullText(p.attempt.transactionID), Reason: db.NullText(p.check.reason),
		RefundID: db.NullText(p.check.refundID),
	}
}

// ResolvePayment decides about a payment that needs a look: accepted, it pays its order, or is due to
// be refunded where the order no longer waits for it; else it counts as failed. It is for the
// shop's staff. Codes: not_found, state_conflict.
func (s *Shop) ResolvePayment(ctx context.Context, caller access.Caller, attemptID string, accept bool) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	to := AttemptFailed
	if accept {
		to = AttemptSucceeded
	}
	return s.changeAttemptFrom(ctx, attemptID, AttemptNeedsReview, ByStaff, func(c *orderChange, p *payment) error {
		c.moveAttempt(p.attempt, to)
		return nil
	})
}

// MarkRefunded notes that a payment which is due to be refunded was given back outside of the
// gateway. It refuses while the gateway is refunding it, so that no buyer is refunded twice.
// Codes: not_found, state_conflict.
func (s *Shop) MarkRefunded(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeAttemptFrom(ctx, attemptID, AttemptRefundDue, ByStaff, func(c *orderChange, p *payment) error {
		if p.check.refunding {
			return fault.Errorf(fault.CodeStateConflict,
				"A refund through the gateway is in progress. Wait until it is complete or has failed; otherwise the buyer could be refunded twice.")
		}
		p.check.dueAt = nil
		c.moveAttempt(p.attempt, AttemptRefunded)
		return nil
	})
}

// RefundPayment gives a payment back that is due to be refunded. The gateway may take days: the
// record then still says refund_due, and the sweeper asks on. It is for the shop's staff.
// Codes: not_found, state_conflict, unavailable (the gateway gives no answer, or refuses: the
// message says why).
func (s *Shop) RefundPayment(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.requestRefund(ctx, attemptID, ByStaff)
}

// requestRefund asks the gateway for a refund, or about one under way. That it is asked is written down
// first, so that after a lost answer the gateway is asked what it did before it is asked to do it.
func (s *Shop) requestRefund(ctx context.Context, attemptID string, cause Cause) (*AttemptRecord, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var asked bool
	var refundID string
	var p *payment
	_, err = s.changeAttemptFrom(ctx, attemptID, AttemptRefundDue, cause, func(c *orderChange, found *payment) error {
		p, asked, refundID = found, found.check.refunding, found.check.refundID
		p.check.refunding, p.check.dueAt = true, new(c.now+refundPause.Milliseconds())
		return nil
	})
	if err != nil {
		return nil, err
	}
	answer, failure := s.refund(ctx, p, RefundRequest{
		Ref: p.attempt.id, RefundID: refundID, Asked: asked, PaymentRef: p.attempt.id, ExternalID: db.TextOf(p.attempt.externalID),
		TransactionID: p.attempt.transactionID, Amount: p.attempt.amount, Currency: set.money, Reason: fmt.Sprintf("Order %d", p.order.number),
	})
	failed := ""
	record, err := s.changeAttemptFrom(context.WithoutCancel(ctx), attemptID, AttemptRefundDue, cause, func(c *orderChange, p *payment) error {
		switch {
		case failure != nil:
			failed = failure.Error()
			p.check.refunding = asked || errors.Is(failure, ErrGatewayUnknown)
		case answer.State == RefundFailed:
			failed = answer.Reason
			p.check.refunding, p.check.refundID = false, ""
		case answer.State == RefundDone:
			p.check.refundID = answer.RefundID
			c.moveAttempt(p.attempt, AttemptRefunded)
		default:
			p.check.refundID = answer.RefundID
		}
		p.check.reason = failed
		if !p.check.refunding || p.attempt.status == AttemptRefunded {
			p.check.dueAt = nil
		}
		return nil
	})
	if err == nil && failed != "" {
		return nil, fault.Errorf(fault.CodeUnavailable, "The payment was not given back: %s.", failed)
	}
	return record, err
}

func (s *Shop) refund(ctx context.Context, p *payment, request RefundRequest) (RefundResult, error) {
	plugin, access, ok, err := s.pluginFor(ctx, p.provider(), CanPay, p.attempt.mode)
	if err != nil {
		return RefundResult{}, err
	}
	if !ok || plugin.Gateway == nil {
		return RefundResult{}, fmt.Errorf("%w: it is not configured", ErrGatewayRefused)
	}
	return plugin.Gateway.Refund(ctx, access, request)
}

// changeAttemptFrom changes a try to pay that is in a state.
func (s *Shop) changeAttemptFrom(
	ctx context.Context, attemptID string, from AttemptStatus, cause Cause, change func(c *orderChange, p *payment) error,
) (*AttemptRecord, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var record AttemptRecord
	err = s.changeAttempt(ctx, attemptID, cause, func(c *orderChange, p *payment) error {
		if p.attempt.status != from {
			return fault.Errorf(fault.CodeStateConflict, "The payment is %s, not %s.", p.attempt.status, from)
		}
		if err := change(c, p); err != nil {
			return err
		}
		record = p.record(set.money)
		return nil
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "There is no such payment.")
	}
	if err != nil {
		return nil, err
	}
	return &record, nil
}
