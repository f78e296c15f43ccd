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

// refundPause is the time between the request of a refund and the query of its result, and between
// queries.
const refundPause = 30 * time.Minute

// refundRow is a row of refunds.
type refundRow struct {
	id         string // our reference at the gateway
	attemptID  string
	amount     int64
	state      plugin.RefundState
	byHand     bool   // made outside of the program
	externalID string // the gateway's ID; "" until it has returned one
	reason     string // for staff: the reason why it failed or is unclear
	// claimedAt is the time of the last request with an unknown result; nil if there is none.
	claimedAt *int64
	dueAt     *int64 // when its result is queried; nil means never
	createdAt int64
	updatedAt int64
}

// isSent reports whether the gateway may still complete the refund.
func (r *refundRow) isSent() bool {
	return r.state == plugin.RefundRequested || r.state == plugin.RefundProcessing
}

// isUncertain reports whether it is unknown if the gateway has received the refund.
func (r *refundRow) isUncertain() bool {
	return r.state == plugin.RefundRequested || r.state == plugin.RefundUnclear
}

// conflict returns the error of a request that the state of a payment's refund does not allow.
func (r *refundRow) conflict(p *payment, format string, args ...any) error {
	e := fault.StatusConflict(p.attempt.status, format, args...)
	e.Details["refundStatus"] = r.state
	return e
}

// isClaimed reports whether a request for the refund may still be in progress.
func (r *refundRow) isClaimed(now int64) bool {
	return r.claimedAt != nil && now-*r.claimedAt < claimTTL.Milliseconds()
}

// findRefund returns the payment's refund with an ID, or nil.
func (p *payment) findRefund(id string) *refundRow {
	for _, r := range p.refunds {
		if r.id == id {
			return r
		}
	}
	return nil
}

// checkRefund returns the amount that can be refunded: amount, or the whole rest if it is nil.
// Codes: validation_failed, state_conflict.
func (p *payment) checkRefund(amount *int64, currency money.Currency) (int64, error) {
	a := p.attempt
	switch {
	case amount != nil && *amount <= 0:
		var bad fault.Invalid
		bad.Add("amount", fault.CodeInvalidValue, "The amount must be greater than zero.")
		return 0, bad.Err()
	case a.status != status.AttemptSucceeded && a.status != status.AttemptRefundDue:
		return 0, fault.StatusConflict(a.status, "The payment is %s. It must be %s or %s.", a.status, status.AttemptSucceeded, status.AttemptRefundDue)
	case a.status == status.AttemptSucceeded && amount == nil:
		return 0, fault.StatusConflict(a.status,
			"The payment is not due for refund. Cancel or return its order first, or name the amount to refund.")
	}
	left := a.amount - a.refunded
	for _, r := range p.refunds {
		if r.isUncertain() {
			return 0, fault.StatusConflict(a.status, "The result of refund %s of %s is open; another refund could pay the buyer twice. "+
				"Wait until it is complete or has failed, or resolve it.", r.id, currency.Text(r.amount))
		}
		if r.state == plugin.RefundProcessing {
			left -= r.amount
		}
	}
	if amount == nil {
		amount = &left
	}
	if *amount > left || left == 0 {
		return 0, fault.StatusConflict(a.status, "At most %s of the payment can still be refunded; %s was refunded or is being refunded.",
			currency.Text(left), currency.Text(a.amount-left))
	}
	return *amount, nil
}

// addRefund inserts a refund, which reserves its amount.
func (c *orderChange) addRefund(p *payment, amount int64) (*refundRow, error) {
	r := &refundRow{
		id: c.s.ids.Next(db.FromMillis(c.now)), attemptID: p.attempt.id, amount: amount, state: plugin.RefundRequested,
		createdAt: c.now, updatedAt: c.now,
	}
	p.refunds = append(p.refunds, r)
	return r, saveRefund(c.tx, r)
}

// completeRefund records that the buyer has received a refund.
func (c *orderChange) completeRefund(p *payment, r *refundRow) error {
	r.state, r.reason, r.claimedAt, r.dueAt, r.updatedAt = plugin.RefundDone, "", nil, nil, c.now
	if err := saveRefund(c.tx, r); err != nil {
		return err
	}
	p.attempt.refunded += r.amount
	if p.attempt.refunded == p.attempt.amount {
		p.check.dueAt = nil
		c.setAttemptStatus(p.attempt, status.AttemptRefunded)
		return nil
	}
	p.attempt.updatedAt, c.wrote.attempts = c.now, true
	c.addTimeline(c.now, attemptTimeline+TimelineType(status.PaymentPartiallyRefunded), partlyRefundedMessage)
	return nil
}

// refundCall is a claimed refund that is about to be requested from the gateway.
type refundCall struct {
	payment  *payment
	refund   *refundRow
	repeated bool   // an earlier request may have reached the gateway
	by       string // the staff member or program, as stored; "" means a sweep
}

// claimRefund claims a refund for one request, in the transaction that commits it before sending.
// Codes: state_conflict.
func (p *payment) claimRefund(tx *db.Tx, r *refundRow) (*refundCall, error) {
	now := db.Millis(tx.Now())
	if !r.isSent() {
		return nil, r.conflict(p, "The refund is %s.", r.state)
	}
	if r.isClaimed(now) {
		return nil, r.conflict(p, "A request for this refund was sent less than %d minutes ago. Retry later.", int(claimTTL.Minutes()))
	}
	call := &refundCall{payment: p, refund: r, repeated: r.claimedAt != nil}
	r.claimedAt, r.dueAt, r.updatedAt = &now, new(now+refundPause.Milliseconds()), now
	return call, saveRefund(tx, r)
}

// requestRefund requests a claimed refund from the gateway, or queries one in progress, and stores
// the result. After a lost response, the gateway is queried before the refund is repeated. Codes:
// unavailable.
func (s *Orders) requestRefund(
	ctx context.Context, cause Cause, call *refundCall, currency money.Currency,
) (*AttemptRecord, error) {
	p, id := call.payment, call.refund.id
	result, failure := s.refundAtGateway(ctx, p, p.refundRequest(call.refund, call.repeated, currency))
	failed := ""
	var refused error
	var record AttemptRecord
	ctx = context.WithoutCancel(ctx) // the result must be stored
	err := s.changeAttempt(ctx, p.attempt.id, cause,
		func(c *orderChange, found *payment) (err error) {
			c.by = call.by
			r := found.findRefund(id)
			failed, err = c.applyRefund(found, r, call.repeated, result, failure)
			if r.state == plugin.RefundFailed {
				refused = ErrNothingDone
			}
			record = found.record(currency)
			return err
		})
	if err != nil {
		return nil, err
	}
	if failed != "" {
		return nil, &fault.Error{Code: fault.CodeUnavailable, Message: fmt.Sprintf("The refund is not complete: %s.", failed), Err: refused}
	}
	return &record, nil
}

// refundRequest returns the request of a refund at the payment's gateway.
func (p *payment) refundRequest(r *refundRow, repeated bool, currency money.Currency) plugin.RefundRequest {
	request := plugin.RefundRequest{
		Ref: r.id, RefundID: r.externalID, Requested: repeated,
		PaymentRef: p.attempt.id, ExternalID: db.TextOf(p.attempt.externalID), TransactionID: p.attempt.transactionID,
		Amount: r.amount, Currency: currency, Reason: fmt.Sprintf("Order %d", p.order.number),
	}
	for _, other := range p.refunds {
		if other.id != r.id && other.externalID != "" {
			request.OtherIDs = append(request.OtherIDs, other.externalID)
		}
	}
	return request
}

// applyRefund stores the gateway's answer to a refund. failed is the reason why the refund is not
// complete, or "".
func (c *orderChange) applyRefund(
	p *payment, r *refundRow, repeated bool, result plugin.RefundResult, failure error,
) (failed string, err error) {
	if !r.isSent() { // a staff member has resolved it in the meantime
		return "", nil
	}
	if result.RefundID != "" {
		r.externalID = result.RefundID
	}
	switch {
	case failure != nil && (repeated || r.state == plugin.RefundProcessing || errors.Is(failure, plugin.ErrGatewayUnknown)):
		failed = fault.Reason(failure) // the sweep queries it again
	case failure != nil:
		r.state, r.claimedAt, r.dueAt, failed = plugin.RefundFailed, nil, nil, fault.Reason(failure)
	case result.State == plugin.RefundDone:
		return "", c.completeRefund(p, r)
	case result.State == plugin.RefundProcessing:
		r.state, r.claimedAt = plugin.RefundProcessing, nil
	default:
		r.state, r.claimedAt, r.dueAt, failed = result.State, nil, nil, result.Reason
	}
	r.reason, r.updatedAt = failed, c.now
	return failed, saveRefund(c.tx, r)
}

func (s *Orders) refundAtGateway(ctx context.Context, p *payment, request plugin.RefundRequest) (plugin.RefundResult, error) {
	gateway, pluginAccess, err := s.gatewayOf(ctx, p)
	if err != nil {
		return plugin.RefundResult{}, err
	}
	return gateway.Refund(ctx, pluginAccess, request)
}

// sweepRefund queries a refund in progress. If the gateway does not complete it, it stays due, or
// staff members see the reason.
func (s *Orders) sweepRefund(ctx context.Context, refundID string) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	var call *refundCall
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPaymentOfRefund(tx, refundID)
		if err != nil {
			return err
		}
		call, err = p.claimRefund(tx, p.findRefund(refundID))
		return err
	})
	if err == nil {
		_, err = s.requestRefund(ctx, ByShop, call, set.Currency)
	}
	if fault.HasCode(err, fault.CodeUnavailable) || fault.HasCode(err, fault.CodeStateConflict) {
		return nil
	}
	return err
}

// resolveRefund records the result of a refund that a staff member has looked up. Codes:
// state_conflict.
func (c *orderChange) resolveRefund(p *payment, r *refundRow, done bool) error {
	switch {
	case !r.isSent() && r.state != plugin.RefundUnclear:
		return r.conflict(p, "The refund is %s: there is nothing to resolve.", r.state)
	case r.isClaimed(c.now):
		return r.conflict(p, "A request for this refund was sent less than %d minutes ago. Retry later.", int(claimTTL.Minutes()))
	case done:
		return c.completeRefund(p, r)
	}
	r.state, r.claimedAt, r.dueAt, r.updatedAt = plugin.RefundFailed, nil, nil, c.now
	return saveRefund(c.tx, r)
}
