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
	p.attempt.errorCode, p.check.reason = PaymentUnreachable, fault.Reason(failure)
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
