package order

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// AttemptRecord is a payment attempt as staff members see it.
type AttemptRecord struct {
	PaymentAttempt
	OrderID       string      `json:"orderId"`
	OrderNumber   int64       `json:"orderNumber"`
	Mode          plugin.Mode `json:"mode"`
	ExternalID    *string     `json:"externalId"`    // the gateway's ID of the payment
	TransactionID *string     `json:"transactionId"` // of the captured money
	// the reason why it or its last refund failed or needs review, in the gateway's words
	Reason   *string  `json:"reason"`
	RefundID *string  `json:"refundId"`                 // the gateway's ID of the last refund
	Refunds  []Refund `json:"refunds" nullable:"false"` // oldest first
	// what can still be refunded; 0 while the result of a refund is unknown
	Refundable money.Money `json:"refundable"`
}

// Refund is a refund of a payment attempt, in full or in part, as staff members see it.
type Refund struct {
	ID        string             `json:"_id"`
	Amount    money.Money        `json:"amount"`
	Status    plugin.RefundState `json:"status"`
	ByHand    bool               `json:"byHand"`   // whether made outside of the program, and recorded
	RefundID  *string            `json:"refundId"` // the gateway's ID
	Reason    *string            `json:"reason"`   // the reason why it failed or is unclear
	CreatedAt time.Time          `json:"createdAt"`
	UpdatedAt time.Time          `json:"updatedAt"`
}

// AttemptFilter selects payment attempts. The zero value is the first page of all.
type AttemptFilter struct {
	page.Request
	Status []status.Attempt       `query:"status,explode" doc:"Only attempts with one of these statuses" example:"needs_review"`
	Method []status.PaymentMethod `query:"method,explode" doc:"Only attempts at one of these gateways"`
	Search string                 `query:"search" doc:"An order number, or the gateway's ID or transaction ID of an attempt"`
	Sort   string                 `query:"sort" enum:"asc,desc" doc:"By time. Defaults to desc, for needs_review and refund_due to asc"`
}

// ListPaymentAttempts returns one page of the payment attempts, newest first. A list of only
// attempts that wait for a decision or a refund begins with the oldest: it has waited longest.
// Codes: validation_failed, unauthenticated, forbidden.
func (s *Orders) ListPaymentAttempts(ctx context.Context, caller access.Caller, filter AttemptFilter) (*page.List[AttemptRecord], error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToListPaymentAttempts,
		func(tx *db.Tx, _ access.Staff) (*page.List[AttemptRecord], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			input.CheckValues(&bad, "status", filter.Status, slices.Sorted(maps.Keys(status.AttemptTransitions)))
			input.CheckValues(&bad, "method", filter.Method, []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB})
			if err := bad.Err(); err != nil {
				return nil, err
			}
			ids, count, err := findAttemptIDs(tx, &filter, w)
			if err != nil {
				return nil, err
			}
			list := &page.List[AttemptRecord]{Nodes: make([]AttemptRecord, len(ids)), Meta: w.ListMetaFor(count, len(ids))}
			for i, id := range ids {
				p, err := findPayment(tx, id)
				if err != nil {
					return nil, fmt.Errorf("find payment: %w", err)
				}
				list.Nodes[i] = p.record(set.Currency)
			}
			return list, nil
		})
}

// AttemptWaits is the condition of payment_attempts_waiting. A statement must contain it to use
// that index.
const AttemptWaits = "status IN ('needs_review', 'refund_due')"

// attemptListQuery returns the condition and the order of a list of payment attempts.
func attemptListQuery(filter *AttemptFilter) (where, order string, args []any) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "status", filter.Status)
	conditions, args = db.WhereIn(conditions, args, "method", filter.Method)
	if text := input.Clean(strings.TrimPrefix(strings.TrimSpace(filter.Search), "#")); text != "" {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			number = 0 // no order has it
		}
		conditions = append(conditions, `(order_id IN (SELECT id FROM orders WHERE number = ?)
			OR lower(transaction_id) = lower(?) OR lower(external_id) = lower(?))`)
		args = append(args, number, text, text)
	}
	order, usual := "id DESC", page.Descending
	if len(filter.Status) > 0 && !slices.ContainsFunc(filter.Status, func(status status.Attempt) bool { return !status.Waits() }) {
		conditions, usual = append(conditions, AttemptWaits), page.Ascending
	}
	if page.IsAscending(filter.Sort, usual) {
		order = "id"
	}
	return strings.Join(conditions, " AND "), order, args
}

func findAttemptIDs(tx *db.Tx, filter *AttemptFilter, w page.Window) (ids []string, count page.Count, err error) {
	where, order, args := attemptListQuery(filter)
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM payment_attempts WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count payment attempts: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	query := `
		SELECT id
		FROM payment_attempts
		WHERE ` + where + `
		ORDER BY ` + order
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	if ids, err = db.Query(tx, db.ScanText, query, args...); err != nil {
		return nil, count, fmt.Errorf("find payment attempts: %w", err)
	}
	return ids, count, nil
}

// FindPaymentAttempt returns a payment attempt with its refunds. Codes: not_found.
func (s *Orders) FindPaymentAttempt(ctx context.Context, caller access.Caller, attemptID string) (*AttemptRecord, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindPaymentAttempt,
		func(tx *db.Tx, _ access.Staff) (*AttemptRecord, error) {
			p, err := requirePayment(tx, attemptID)
			if err != nil {
				return nil, err
			}
			return new(p.record(set.Currency)), nil
		})
}

// requirePayment returns the payment with this attempt. Codes: not_found.
func requirePayment(tx *db.Tx, attemptID string) (*payment, error) {
	p, err := findPayment(tx, attemptID)
	if errors.Is(err, db.ErrNotFound) {
		err = errNoPayment()
	}
	return p, err
}

func errNoPayment() error { return fault.Errorf(fault.CodeNotFound, "There is no such payment.") }

func (p *payment) record(currency money.Currency) AttemptRecord {
	record := AttemptRecord{
		PaymentAttempt: p.attempt.view(currency), OrderID: p.order.id, OrderNumber: p.order.number, Mode: p.attempt.mode,
		ExternalID: p.attempt.externalID, TransactionID: db.NullText(p.attempt.transactionID),
		Reason: db.NullText(p.check.reason), Refunds: make([]Refund, len(p.refunds)), Refundable: currency.Money(p.refundable()),
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

// ResolvePayment decides a payment that needs review, or a refund with an open result. id is the ID
// of the payment attempt or the refund. An accepted payment pays its order, or is due for refund if
// the order no longer awaits it; otherwise it becomes failed. An accepted refund counts as made,
// otherwise as failed. Codes: not_found, state_conflict.
func (s *Orders) ResolvePayment(ctx context.Context, caller access.Caller, id string, accept bool) (*AttemptRecord, error) {
	return s.changePayment(ctx, caller, access.ToResolvePayment, id,
		func(c *orderChange, _ access.Staff, p *payment, _ money.Currency) error {
			if r := p.findRefund(id); r != nil {
				return c.resolveRefund(p, r, accept)
			}
			if p.attempt.status != status.AttemptNeedsReview {
				return fault.StatusConflict(p.attempt.status, "The payment is %s. It must be %s.", p.attempt.status, status.AttemptNeedsReview)
			}
			if accept {
				c.setAttemptStatus(p.attempt, status.AttemptSucceeded)
			} else {
				c.setAttemptStatus(p.attempt, status.AttemptFailed)
			}
			return nil
		})
}

// MarkRefunded records that a payment was refunded outside of the gateway's API, such as in its
// panel. A zero input means the whole rest of a payment that is due for refund. While the result of
// a refund through the gateway is open, its amount cannot be recorded, so that no buyer is refunded
// twice. Codes: validation_failed, not_found, state_conflict.
func (s *Orders) MarkRefunded(ctx context.Context, caller access.Caller, attemptID string, in RefundInput) (*AttemptRecord, error) {
	return s.changePayment(ctx, caller, access.ToMarkRefunded, attemptID,
		func(c *orderChange, who access.Staff, p *payment, currency money.Currency) error {
			if p.attempt.id != attemptID { // a refund
				return errNoPayment()
			}
			r, err := c.createRefund(who, p, in, currency)
			if err != nil {
				return err
			}
			r.byHand = true
			return c.completeRefund(p, r)
		})
}

// RefundPayment sends an amount of a payment back through its gateway. A zero input continues a
// refund in progress, or else refunds the whole rest of a payment that is due for refund. Units and
// money that was not due for refund reduce the order by credits. The
// amount is reserved before the gateway is called, so that refunds never exceed the payment. The
// gateway may need days: the sweep then queries the result. Codes: validation_failed, not_found,
// state_conflict, unavailable (the gateway does not respond or refuses; the message contains the
// reason).
func (s *Orders) RefundPayment(ctx context.Context, caller access.Caller, attemptID string, in RefundInput) (*AttemptRecord, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	call, err := access.Write(ctx, s.data, caller, access.ToRefundPayment,
		func(tx *db.Tx, who access.Staff) (*refundCall, error) {
			p, r, err := s.findOrAddRefund(tx, who, attemptID, in, set.Currency)
			if err != nil {
				return nil, err
			}
			call, err := p.claimRefund(tx, r)
			if err != nil {
				return nil, err
			}
			if call.by, err = actorText(who); err != nil {
				return nil, err
			}
			return call, who.Audit(tx, p.subject(), access.Set("amount", r.amount), access.Set("refund", r.id))
		})
	if err != nil {
		return nil, err
	}
	return s.requestRefund(ctx, ByStaff, call, set.Currency)
}

// findOrAddRefund returns the refund of a payment that is in progress if the input is zero, and
// otherwise a new one. Codes: as for RefundPayment.
func (s *Orders) findOrAddRefund(
	tx *db.Tx, who access.Staff, attemptID string, in RefundInput, currency money.Currency,
) (*payment, *refundRow, error) {
	p, err := requirePayment(tx, attemptID)
	if err != nil {
		return nil, nil, err
	}
	if in.isWhole() {
		if i := slices.IndexFunc(p.refunds, (*refundRow).isSent); i >= 0 {
			return p, p.refunds[i], nil
		}
	}
	c := s.changeAsStaff(tx, p.order, who)
	r, err := c.createRefund(who, p, in, currency)
	if err == nil && c.wrote.credits {
		err = c.save()
	}
	return p, r, err
}

// changePayment executes a use case of staff on the payment with this attempt or refund, and
// returns the result. Codes: not_found, and change's.
func (s *Orders) changePayment(
	ctx context.Context, caller access.Caller, use access.UseCase, id string,
	change func(c *orderChange, who access.Staff, p *payment, currency money.Currency) error,
) (*AttemptRecord, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, use,
		func(tx *db.Tx, who access.Staff) (record *AttemptRecord, err error) {
			p, err := findPayment(tx, id)
			if errors.Is(err, db.ErrNotFound) {
				p, err = findPaymentOfRefund(tx, id)
			}
			switch {
			case errors.Is(err, db.ErrNotFound):
				return nil, errNoPayment()
			case err != nil:
				return nil, fmt.Errorf("find payment: %w", err)
			}
			err = s.changeAsStaff(tx, p.order, who).apply(p, func(c *orderChange, p *payment) error {
				status, refunded := p.attempt.status, p.attempt.refunded
				if err := change(c, who, p, set.Currency); err != nil {
					return withDetails(err, map[string]any{"status": status})
				}
				record = new(p.record(set.Currency))
				return who.Audit(tx, p.subject(), append(
					access.Changed("status", status, p.attempt.status), access.Changed("refunded", refunded, p.attempt.refunded)...)...)
			})
			return record, err
		})
}
