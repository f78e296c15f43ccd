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

// refundPause is the time between the request of a refund and the query of its result, and between
// queries.
const refundPause = 30 * time.Minute

// AttemptRecord is a payment attempt as staff members see it.
type AttemptRecord struct {
	PaymentAttempt
	OrderID       string  `json:"orderId"`
	OrderNumber   int64   `json:"orderNumber"`
	Mode          Mode    `json:"mode"`
	ExternalID    *string `json:"externalId"`    // the gateway's ID of the payment
	TransactionID *string `json:"transactionId"` // of the captured money
	Reason        *string `json:"reason"`        // why it failed or needs review
	RefundID      *string `json:"refundId"`      // the gateway's ID of the refund
}

// ListPaymentAttempts returns the payment attempts with a status, oldest first, such as those that
// need review or are due to be refunded. Codes: validation_failed.
func (s *Shop) ListPaymentAttempts(
	ctx context.Context, caller access.Caller, status AttemptStatus,
) (list []AttemptRecord, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	if _, ok := attemptTransitions[status]; !ok {
		var bad fault.Invalid
		bad.Add("status", fault.CodeInvalidValue, "Unknown payment status %q. Must be one of: %s.", status, attemptTransitions.statuses())
		return nil, bad.Err()
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		list = []AttemptRecord{}
		ids, err := findAttemptIDs(tx, status)
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

func findAttemptIDs(tx *db.Tx, status AttemptStatus) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM payment_attempts
		WHERE status = ?
		ORDER BY id`, status)
	if err != nil {
		return nil, fmt.Errorf("find payment attempts: %w", err)
	}
	return ids, nil
}

func (p *payment) record(currency money.Currency) AttemptRecord {
	return AttemptRecord{
		PaymentAttempt: p.attempt.view(currency), OrderID: p.order.id, OrderNumber: p.order.number, Mode: p.attempt.mode,
		ExternalID: p.attempt.externalID, TransactionID: db.NullText(p.attempt.transactionID),
		Reason: db.NullText(p.check.reason), RefundID: db.NullText(p.check.refundID),
	}
}

// ResolvePayment decides a payment that needs review. If it is accepted, it pays its order, or is
// due to be refunded if the order no longer awaits it; otherwise it becomes failed. Codes:
// not_found, state_conflict.
func (s *Shop) ResolvePayment(ctx context.Context, caller access.Caller, attemptID string, accept bool) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	to := AttemptFailed
	if accept {
		to = AttemptSucceeded
	}
	return s.changeAttemptFrom(ctx, attemptID, AttemptNeedsReview, ByStaff, func(c *orderChange, p *payment) error {
		c.setAttemptStatus(p.attempt, to)
		return nil
	})
}

// MarkRefunded records that a payment which was due to be refunded has been refunded outside of the
// gateway. It is refused while a refund through the gateway is in progress, so that no buyer is
// refunded twice. Codes: not_found, state_conflict.
func (s *Shop) MarkRefunded(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.changeAttemptFrom(ctx, attemptID, AttemptRefundDue, ByStaff, func(c *orderChange, p *payment) error {
		if p.check.refunding {
			return fault.Errorf(fault.CodeStateConflict,
				"A refund through the gateway is in progress. Wait until it is complete or has failed; "+
					"otherwise the buyer could be refunded twice.")
		}
		p.check.dueAt = nil
		c.setAttemptStatus(p.attempt, AttemptRefunded)
		return nil
	})
}

// RefundPayment refunds a payment that is due to be refunded through its gateway. The gateway may
// need days: the status is then still refund_due, and the sweep queries the result. Codes:
// not_found, state_conflict, unavailable (the gateway does not respond or refuses; the message
// contains the reason).
func (s *Shop) RefundPayment(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.requestRefund(ctx, attemptID, ByStaff)
}

// requestRefund requests a refund from the gateway, or queries one in progress. The request is
// committed before it is sent, so that after a lost response the gateway is queried before the
// refund is repeated.
func (s *Shop) requestRefund(ctx context.Context, attemptID string, cause Cause) (*AttemptRecord, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var requested bool
	var refundID string
	var p *payment
	_, err = s.changeAttemptFrom(ctx, attemptID, AttemptRefundDue, cause, func(c *orderChange, found *payment) error {
		p, requested, refundID = found, found.check.refunding, found.check.refundID
		p.check.refunding, p.check.dueAt = true, new(c.now+refundPause.Milliseconds())
		return nil
	})
	if err != nil {
		return nil, err
	}
	result, failure := s.refund(ctx, p, RefundRequest{
		Ref: p.attempt.id, RefundID: refundID, Requested: requested,
		PaymentRef: p.attempt.id, ExternalID: db.TextOf(p.attempt.externalID), TransactionID: p.attempt.transactionID,
		Amount: p.attempt.amount, Currency: set.money, Reason: fmt.Sprintf("Order %d", p.order.number),
	})
	failed := ""
	ctx = context.WithoutCancel(ctx) // the result must be stored
	record, err := s.changeAttemptFrom(ctx, attemptID, AttemptRefundDue, cause, func(c *orderChange, p *payment) error {
		switch {
		case failure != nil:
			failed = failure.Error()
			p.check.refunding = requested || errors.Is(failure, ErrGatewayUnknown)
		case result.State == RefundFailed:
			failed = result.Reason
			p.check.refunding, p.check.refundID = false, ""
		case result.State == RefundDone:
			p.check.refundID = result.RefundID
			c.setAttemptStatus(p.attempt, AttemptRefunded)
		default:
			p.check.refundID = result.RefundID
		}
		p.check.reason = failed
		if !p.check.refunding || p.attempt.status == AttemptRefunded {
			p.check.dueAt = nil
		}
		return nil
	})
	if err == nil && failed != "" {
		return nil, fault.Errorf(fault.CodeUnavailable, "The refund is not complete: %s.", failed)
	}
	return record, err
}

func (s *Shop) refund(ctx context.Context, p *payment, request RefundRequest) (RefundResult, error) {
	plugin, access, ok, err := s.pluginFor(ctx, p.provider(), CanPay, p.attempt.mode)
	if err != nil {
		return RefundResult{}, err
	}
	if !ok || plugin.Gateway == nil {
		return RefundResult{}, fmt.Errorf("%w: not configured", ErrGatewayRefused)
	}
	return plugin.Gateway.Refund(ctx, access, request)
}

// changeAttemptFrom changes an attempt that has the status from. Codes: not_found, state_conflict.
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
			return fault.Errorf(fault.CodeStateConflict, "The payment is %s. It must be %s.", p.attempt.status, from)
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
