package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// PaymentErrorCode is why a payment attempt could not be started at its gateway.
//
//api:enum PaymentErrorCode
type PaymentErrorCode string

// The reasons why an attempt could not be started.
const (
	// The gateway refused it. Another payment method may work.
	PaymentRefused PaymentErrorCode = "gateway_refused"
	// The gateway did not respond. Start the payment again later.
	PaymentUnreachable PaymentErrorCode = "gateway_unavailable"
)

// null returns nil if there is no error.
func (c PaymentErrorCode) null() *PaymentErrorCode {
	if c == "" {
		return nil
	}
	return &c
}

// payment is a payment attempt with its order, its check and its refunds, read in one transaction.
type payment struct {
	order   *orderRow
	attempt *attemptRow
	check   *attemptCheck
	refunds []*refundRow // oldest first
}

func (p *payment) provider() plugin.Provider { return plugin.Provider(p.attempt.method) }

// statusQuery returns the query of the attempt's status at its gateway.
func (p *payment) statusQuery(currency money.Currency) plugin.StatusQuery {
	return plugin.StatusQuery{Ref: p.attempt.id, ExternalID: db.TextOf(p.attempt.externalID), Currency: currency}
}

func (s *Orders) loadPayment(ctx context.Context, attemptID string) (p *payment, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		p, err = findPayment(tx, attemptID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load payment: %w", err)
	}
	return p, nil
}

// changeAttempt changes a payment attempt with its order and its check, in one transaction.
func (s *Orders) changeAttempt(
	ctx context.Context, attemptID string, cause Cause, change func(c *orderChange, p *payment) error,
) error {
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return fmt.Errorf("find payment: %w", err)
		}
		return s.changeOrder(tx, p.order, cause).apply(p, change)
	})
}

// apply changes a payment attempt of the order with its check, and saves the change.
func (c *orderChange) apply(p *payment, change func(c *orderChange, p *payment) error) error {
	if err := change(c, p); err != nil {
		return err
	}
	if err := updateAttempt(c.tx, p.attempt); err != nil {
		return err
	}
	if err := c.save(); err != nil {
		return err
	}
	return saveAttemptCheck(c.tx, p.check)
}

// applyStatus changes an attempt to the status that its gateway reports. Received money counts in
// every status of the attempt; any other report only closes an open attempt.
func (c *orderChange) applyStatus(p *payment, reported plugin.GatewayStatus, currency money.Currency) {
	a := p.attempt
	switch reported.State {
	case plugin.GatewayPaid:
		if a.status.MoneyReceived() {
			c.recordDuplicatePayment(p, reported)
			return
		}
		a.transactionID = reported.TransactionID
		p.check.dueAt = nil
		if reason := reviewReason(reported, a, currency); reason != "" {
			p.check.reason = reason
			c.setAttemptStatus(a, status.AttemptNeedsReview)
			return
		}
		c.setAttemptStatus(a, status.AttemptSucceeded)
	case plugin.GatewayFailed:
		c.closeAttempt(p, status.AttemptFailed, reported.Reason)
	case plugin.GatewayCancelled:
		c.closeAttempt(p, status.AttemptCancelled, reported.Reason)
	case plugin.GatewayExpired:
		c.closeAttempt(p, status.AttemptExpired, reported.Reason)
	case plugin.GatewayOpen:
		if c.now-a.createdAt >= paymentWindow.Milliseconds() {
			c.closeAttempt(p, status.AttemptExpired, reported.Reason)
		}
	}
}

// recordDuplicatePayment records a second payment for a paid attempt, as when a buyer pays twice on
// one page. It becomes a separate attempt, due for refund.
func (c *orderChange) recordDuplicatePayment(p *payment, reported plugin.GatewayStatus) {
	recorded := func(a *attemptRow) bool { return a.transactionID == reported.TransactionID }
	if reported.TransactionID == "" || p.attempt.transactionID == "" || slices.ContainsFunc(p.order.attempts, recorded) {
		return
	}
	second := &attemptRow{
		method: p.attempt.method, mode: p.attempt.mode, status: status.AttemptInitiated,
		amount: p.attempt.amount, transactionID: reported.TransactionID,
	}
	to := status.AttemptNeedsReview
	if reported.Readable && reported.ReviewReason == "" {
		second.amount, to = reported.Amount, status.AttemptSucceeded
	}
	c.addAttempt(second)
	c.setAttemptStatus(second, to)
	if c.err == nil {
		c.err = saveAttemptCheck(c.tx, &attemptCheck{attemptID: second.id, reason: "the gateway captured a second payment for " + p.attempt.id})
	}
}

func (c *orderChange) closeAttempt(p *payment, to status.Attempt, reason string) {
	if p.attempt.status.IsOpen() {
		p.check.reason = reason
		c.setAttemptStatus(p.attempt, to)
	}
}

// reviewReason returns the reason why a staff member must review received money; "" if it is as
// expected.
func reviewReason(g plugin.GatewayStatus, a *attemptRow, currency money.Currency) string {
	switch {
	case g.Ref != "" && g.Ref != a.id:
		return "the gateway reports another payment"
	case g.Currency != currency.Code:
		return fmt.Sprintf("the gateway captured another currency: %q", g.Currency)
	case !g.Readable:
		return "the gateway captured an unreadable amount"
	case g.Amount != a.amount:
		return fmt.Sprintf("the gateway captured %s, not %s", currency.Text(g.Amount), currency.Text(a.amount))
	}
	return g.ReviewReason
}

const (
	// firstCheck is the time until an attempt's status is first queried, unless the gateway's webhook
	// arrives before.
	firstCheck = 2 * time.Minute
	// maxCheckInterval is the longest time between two status queries for one attempt.
	maxCheckInterval = time.Hour
	// maxChecks limits the status queries for one attempt. With the pauses between them they last
	// slightly more than a day.
	maxChecks = 28
)

// scheduleCheck schedules the next status query: pauses grow up to maxCheckInterval, one query
// falls on the end of the payment window, and after maxChecks there are no more.
func (p *payment) scheduleCheck(now int64) {
	p.check.checks++
	pause := min(time.Minute<<min(p.check.checks, 10), maxCheckInterval).Milliseconds()
	at := now + pause
	if end := p.attempt.createdAt + paymentWindow.Milliseconds(); now < end && at > end {
		at = end
	}
	p.check.dueAt = &at
	if p.attempt.status.MoneyReceived() || p.check.checks >= maxChecks {
		p.check.dueAt = nil
	}
}

// loadDetached is loadPayment also after the client has disconnected.
func (s *Orders) loadDetached(ctx context.Context, attemptID string) (*payment, error) {
	ctx, cancel := db.Detach(ctx)
	defer cancel()
	return s.loadPayment(ctx, attemptID)
}
