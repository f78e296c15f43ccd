package order

import (
	"context"
	"errors"
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

// startInitiatedAttempt starts the order's attempt that has not been sent to its gateway, if there
// is one, and returns the resulting order. The order remains placed if the start fails.
func (s *Orders) startInitiatedAttempt(ctx context.Context, o *orderRow, back returnPlace) (*orderRow, error) {
	for _, a := range o.attempts {
		if a.status == status.AttemptInitiated {
			p, err := s.startAtGateway(ctx, a.id, back)
			if err != nil {
				return nil, err
			}
			return p.order, nil
		}
	}
	return o, nil
}

// startAttempt sends an attempt to its gateway unless that has been done, and returns the resulting
// attempt.
func (s *Orders) startAttempt(ctx context.Context, a *attemptRow, back returnPlace) (*attemptRow, error) {
	if a.status != status.AttemptInitiated {
		return a, nil
	}
	p, err := s.startAtGateway(ctx, a.id, back)
	if err != nil {
		return nil, err
	}
	return p.attempt, nil
}

const (
	// startWait is the longest wait, from the claim on, for the result of a start at another server.
	// Most gateways respond sooner.
	startWait = 5 * time.Second
	// startPoll is the interval of checks for that result.
	startPoll = 100 * time.Millisecond
)

// startAtGateway sends a stored attempt to its gateway and stores the result. Concurrent calls for
// the same attempt, at all servers of the shop, share one request: the claim in the shop's data
// decides who sends it. A gateway that does not respond is not an error: the attempt then has an
// errorCode.
func (s *Orders) startAtGateway(ctx context.Context, attemptID string, back returnPlace) (*payment, error) {
	started, err, _ := s.starting.Do(attemptID, func() (any, error) {
		// Other callers may wait for the result, which must be stored even if this client disconnects.
		return s.startOnce(context.WithoutCancel(ctx), attemptID, back)
	})
	if err != nil {
		return nil, err
	}
	return started.(*payment), nil
}

func (s *Orders) startOnce(ctx context.Context, attemptID string, back returnPlace) (*payment, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	p, claimed, err := s.claimStart(ctx, attemptID)
	if err != nil {
		return nil, err
	}
	if !claimed {
		return s.awaitStart(ctx, p)
	}
	claim := *p.check.claimedAt
	adapter, access, ok, err := s.cfg.Plugin(ctx, p.provider(), plugin.CanPay, p.attempt.mode)
	if err != nil {
		return nil, err
	}
	var started plugin.StartedPayment
	failure := fmt.Errorf("%w: not configured", plugin.ErrGatewayRefused)
	if ok && adapter.Gateway != nil {
		started, failure = adapter.Gateway.Start(ctx, access, s.paymentStart(p, set.Currency, back))
	}
	err = s.changeAttempt(ctx, attemptID, ByShop, func(c *orderChange, found *payment) error {
		p = found
		// It took too long: the sweep has closed the attempt, or another server has claimed it.
		if p.attempt.status != status.AttemptInitiated || p.check.claimedAt == nil || *p.check.claimedAt != claim {
			return nil
		}
		failed := failure
		if failed == nil {
			if failed, err = c.checkExternalID(p.attempt, started.ExternalID); err != nil {
				return err
			}
		}
		p.check.claimedAt = nil
		p.check.dueAt = new(c.now + firstCheck.Milliseconds())
		if failed != nil {
			c.recordFailedStart(p, failed)
			return nil
		}
		p.attempt.externalID, p.attempt.redirectURL = db.NullText(started.ExternalID), started.RedirectURL
		p.check.signature = started.Signature
		c.setAttemptStatus(p.attempt, status.AttemptPending)
		return nil
	})
	return p, err
}

// checkExternalID returns a refusal if the gateway has returned the ID of another attempt: one of
// the two buyers would pay for the other.
func (c *orderChange) checkExternalID(a *attemptRow, externalID string) (refusal, err error) {
	if externalID == "" {
		return nil, nil
	}
	other, err := findAttemptByExternal(c.tx, a.method, a.mode, externalID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return fmt.Errorf("%w: start: it returned the ID of payment %s again", plugin.ErrGatewayRefused, other), nil
}

// recordFailedStart records and logs the reason why an attempt could not be started.
func (c *orderChange) recordFailedStart(p *payment, failure error) {
	p.attempt.errorCode, p.check.reason = PaymentUnreachable, failure.Error()
	if errors.Is(failure, plugin.ErrGatewayRefused) {
		p.attempt.errorCode, p.check.dueAt = PaymentRefused, nil
	}
	c.setAttemptStatus(p.attempt, status.AttemptFailed)
	method, id, code, number := p.attempt.method, p.attempt.id, p.attempt.errorCode, p.order.number
	c.tx.AfterCommit(func() {
		c.s.cfg.Log.Warn("payment not started", "provider", method, "order", number, "payment", id, "errorCode", code, "reason", failure.Error())
	})
}

// awaitStart waits for the result of another server's claim to start an attempt, and returns the
// resulting attempt. The wait ends startWait after the claim, because that server may have ended.
func (s *Orders) awaitStart(ctx context.Context, p *payment) (*payment, error) {
	if p.attempt.status != status.AttemptInitiated {
		return p, nil
	}
	left := startWait - s.now().Sub(db.FromMillis(*p.check.claimedAt))
	ctx, cancel := context.WithTimeout(ctx, min(left, startWait))
	defer cancel()
	poll := time.NewTicker(startPoll)
	defer poll.Stop()
	for p.attempt.status == status.AttemptInitiated {
		select {
		case <-ctx.Done():
			return p, nil
		case <-poll.C:
		}
		next, err := s.loadDetached(ctx, p.attempt.id)
		if err != nil {
			return nil, err
		}
		p = next
	}
	return p, nil
}

// claimStart reports whether the calling request is to send the attempt to its gateway. It replaces
// a claim older than claimTTL, which an ended process has left.
func (s *Orders) claimStart(ctx context.Context, attemptID string) (p *payment, claimed bool, err error) {
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if p, err = findPayment(tx, attemptID); err != nil {
			return fmt.Errorf("find payment: %w", err)
		}
		now := db.Millis(tx.Now())
		claimed = p.attempt.status == status.AttemptInitiated &&
			(p.check.claimedAt == nil || now-*p.check.claimedAt >= claimTTL.Milliseconds())
		if !claimed {
			return nil
		}
		p.check.claimedAt, p.check.dueAt = &now, new(now+claimTTL.Milliseconds())
		return saveAttemptCheck(tx, p.check)
	})
	return p, claimed, err
}

// paymentStart returns the request that starts an attempt at its gateway.
func (s *Orders) paymentStart(p *payment, currency money.Currency, back returnPlace) plugin.PaymentStart {
	o := p.order
	start := plugin.PaymentStart{
		Ref: p.attempt.id, Invoice: o.id, Amount: p.attempt.amount, Currency: currency, Title: fmt.Sprintf("Order %d", o.number),
		Name: o.name, Phone: o.phone, Email: db.TextOf(o.email), Line1: o.line1, City: o.city, Postcode: o.postcode, Country: o.country,
	}
	for _, item := range o.items {
		start.Items += item.quantity
	}
	switch p.attempt.method {
	case status.PayGatewayA:
		start.ReturnURL, start.WebhookURL = s.providerURL(plugin.GatewayAReturnPath)+string(back), s.providerURL(plugin.GatewayAWebhookPath)
	case status.PayGatewayB:
		start.ReturnURL = s.providerURL(plugin.GatewayBCallbackPath) + string(back)
	}
	return start
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
		return s.changeLoadedAttempt(tx, p, cause, change)
	})
}

func (s *Orders) changeLoadedAttempt(
	tx *db.Tx, p *payment, cause Cause, change func(c *orderChange, p *payment) error,
) error {
	c := s.changeOrder(tx, p.order, cause)
	if err := change(c, p); err != nil {
		return err
	}
	if err := updateAttempt(tx, p.attempt); err != nil {
		return err
	}
	if err := c.save(); err != nil {
		return err
	}
	return saveAttemptCheck(tx, p.check)
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
		return fmt.Sprintf("the gateway captured %s, not %s", currency.Format(g.Amount), currency.Format(a.amount))
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
