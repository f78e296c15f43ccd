package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// AttemptRecord is a payment attempt as staff members see it.
type AttemptRecord struct {
	PaymentAttempt
	OrderID       string   `json:"orderId"`
	OrderNumber   int64    `json:"orderNumber"`
	Mode          Mode     `json:"mode"`
	ExternalID    *string  `json:"externalId"`    // the gateway's ID of the payment
	TransactionID *string  `json:"transactionId"` // of the captured money
	Reason        *string  `json:"reason"`        // why it or its last refund failed or needs review, in the gateway's words
	RefundID      *string  `json:"refundId"`      // the gateway's ID of the last refund
	Refunds       []Refund `json:"refunds"`       // oldest first
}

// Refund is a refund of a payment attempt, in full or in part, as staff members see it.
type Refund struct {
	ID        string      `json:"_id"`
	Amount    money.Money `json:"amount"`
	Status    RefundState `json:"status"`
	ByHand    bool        `json:"byHand"`   // made outside of the program, and recorded
	RefundID  *string     `json:"refundId"` // the gateway's ID
	Reason    *string     `json:"reason"`   // why it failed or is unclear
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
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

// FindPaymentAttempt returns a payment attempt with its refunds. Codes: not_found.
func (s *Shop) FindPaymentAttempt(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.loadPayment(ctx, attemptID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoPayment()
	}
	if err != nil {
		return nil, err
	}
	record := p.record(set.money)
	return &record, nil
}

func errNoPayment() error { return fault.Errorf(fault.CodeNotFound, "There is no such payment.") }

func (p *payment) record(currency money.Currency) AttemptRecord {
	record := AttemptRecord{
		PaymentAttempt: p.attempt.view(currency), OrderID: p.order.id, OrderNumber: p.order.number, Mode: p.attempt.mode,
		ExternalID: p.attempt.externalID, TransactionID: db.NullText(p.attempt.transactionID),
		Reason: db.NullText(p.check.reason), Refunds: make([]Refund, len(p.refunds)),
	}
	for i, r := range p.refunds {
		record.Refunds[i] = Refund{
			ID: r.id, Amount: currency.Money(r.amount), Status: r.state, ByHand: r.byHand, RefundID: db.NullText(r.externalID),
			Reason: db.NullText(r.reason), CreatedAt: db.FromMillis(r.createdAt), UpdatedAt: db.FromMillis(r.updatedAt),
		}
		record.RefundID = db.NullText(r.externalID)
		if r.reason != "" {
			record.Reason = db.NullText(r.reason)
		}
	}
	return record
}

// ResolvePayment decides a payment that needs review, or a refund whose result is open; id is that of the
// payment attempt or of the refund. A payment that is accepted pays its order, or is due to be refunded if
// the order no longer awaits it; otherwise it becomes failed. A refund that is accepted counts as made,
// otherwise as failed. Codes: not_found, state_conflict.
func (s *Shop) ResolvePayment(ctx context.Context, caller access.Caller, id string, accept bool) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	to := AttemptFailed
	if accept {
		to = AttemptSucceeded
	}
	record, err := s.changeAttemptFrom(ctx, id, AttemptNeedsReview, ByStaff, func(c *orderChange, p *payment) error {
		c.setAttemptStatus(p.attempt, to)
		return nil
	})
	if fault.HasCode(err, fault.CodeNotFound) {
		return s.resolveRefund(ctx, id, accept)
	}
	return record, err
}

// MarkRefunded records that a payment was refunded outside of the gateway's API, such as in its panel. A nil
// amount means all that is left of a payment that is due to be refunded. While the result of a refund
// through the gateway is open, its amount cannot be recorded, so that no buyer is refunded twice. Codes:
// validation_failed, not_found, state_conflict.
func (s *Shop) MarkRefunded(ctx context.Context, caller access.Caller, attemptID string, amount *int64) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return s.changeAttemptRecord(ctx, attemptID, ByStaff, func(c *orderChange, p *payment) error {
		n, err := p.checkRefund(amount, set.money)
		if err != nil {
			return err
		}
		r, err := c.addRefund(p, n)
		if err != nil {
			return err
		}
		r.byHand = true
		return c.completeRefund(p, r)
	})
}

// RefundPayment sends an amount of a payment back through its gateway. A nil amount continues a refund in
// progress, or else refunds all that is left of a payment that is due to be refunded. The amount is
// reserved before the gateway is called, so that refunds never exceed the payment. The gateway may need
// days: the sweep then queries the result. Codes: validation_failed, not_found, state_conflict,
// unavailable (the gateway does not respond or refuses; the message contains the reason).
func (s *Shop) RefundPayment(ctx context.Context, caller access.Caller, attemptID string, amount *int64) (*AttemptRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	return s.requestRefund(ctx, ByStaff, func(tx *db.Tx, currency money.Currency) (*payment, *refundRow, error) {
		p, err := findPayment(tx, attemptID)
		if errors.Is(err, db.ErrNotFound) {
			return nil, nil, errNoPayment()
		}
		if err != nil {
			return nil, nil, err
		}
		if amount == nil {
			if i := slices.IndexFunc(p.refunds, (*refundRow).isSent); i >= 0 {
				return p, p.refunds[i], nil
			}
		}
		n, err := p.checkRefund(amount, currency)
		if err != nil {
			return nil, nil, err
		}
		r, err := s.changeOrder(tx, p.order, ByStaff).addRefund(p, n)
		return p, r, err
	})
}

// changeAttemptFrom changes an attempt that has the status from. Codes: not_found, state_conflict.
func (s *Shop) changeAttemptFrom(
	ctx context.Context, attemptID string, from AttemptStatus, cause Cause, change func(c *orderChange, p *payment) error,
) (*AttemptRecord, error) {
	return s.changeAttemptRecord(ctx, attemptID, cause, func(c *orderChange, p *payment) error {
		if p.attempt.status != from {
			return fault.Errorf(fault.CodeStateConflict, "The payment is %s. It must be %s.", p.attempt.status, from)
		}
		return change(c, p)
	})
}

// changeAttemptRecord changes an attempt and returns it as it then is. Codes: not_found.
func (s *Shop) changeAttemptRecord(
	ctx context.Context, attemptID string, cause Cause, change func(c *orderChange, p *payment) error,
) (*AttemptRecord, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var record AttemptRecord
	err = s.changeAttempt(ctx, attemptID, cause, func(c *orderChange, p *payment) error {
		if err := change(c, p); err != nil {
			return err
		}
		record = p.record(set.money)
		return nil
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoPayment()
	}
	if err != nil {
		return nil, err
	}
	return &record, nil
}
