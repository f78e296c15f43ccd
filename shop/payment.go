package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/money"
)

// Why a payment could not be started, as errorCode of an attempt.
const (
	paymentRefused     = "gateway_refused"     // the gateway said no: the shop has to look at its settings
	paymentUnreachable = "gateway_unavailable" // no answer: try again in a moment
)

// payment is one try to pay with all that it belongs to, read in one transaction.
type payment struct {
	order   *orderRow
	attempt *attemptRow
	check   *attemptCheck
}

func (p *payment) provider() Provider { return Provider(p.attempt.method) }

// statusQuery names the payment to its gateway.
func (p *payment) statusQuery(money money.Currency) StatusQuery {
	return StatusQuery{Ref: p.attempt.id, ExternalID: db.TextOf(p.attempt.externalID), Currency: money}
}

// startInitiatedAttempt hands an order's try to pay, if it has one that was only written down, over to its
// gateway and gives the order as it then is. The order stands whatever becomes of it.
func (s *Shop) startInitiatedAttempt(ctx context.Context, o *orderRow) (*orderRow, error) {
	for _, a := range o.attempts {
		if a.status == AttemptInitiated {
			p, err := s.startAtGateway(ctx, a.id)
			if err != nil {
				return nil, err
			}
			return p.order, nil
		}
	}
	return o, nil
}

// startAttempt hands a try to pay over to its gateway, if that was not done before, and gives it as it
// then is.
func (s *Shop) startAttempt(ctx context.Context, a *attemptRow) (*attemptRow, error) {
	if a.status != AttemptInitiated {
		return a, nil
	}
	p, err := s.startAtGateway(ctx, a.id)
	if err != nil {
		return nil, err
	}
	return p.attempt, nil
}

// startAtGateway hands a try to pay that was written down over to its gateway, and writes down what
// comes back. Who comes for the same try meanwhile waits for the same answer. A gateway that does not
// answer is no error: the try then says why.
func (s *Shop) startAtGateway(ctx context.Context, attemptID string) (*payment, error) {
	started, err, _ := s.starting.Do(attemptID, func() (any, error) {
		// Others wait too, and what the gateway did has to be written down: whoever goes away stops nothing.
		return s.startOnce(context.WithoutCancel(ctx), attemptID)
	})
	if err != nil {
		return nil, err
	}
	return started.(*payment), nil
}

func (s *Shop) startOnce(ctx context.Context, attemptID string) (*payment, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	p, claimed, err := s.claimStart(ctx, attemptID)
	if err != nil || !claimed {
		return p, err
	}
	plugin, access, ok, err := s.pluginFor(ctx, p.provider(), CanPay, p.attempt.mode)
	if err != nil {
		return nil, err
	}
	var started StartedPayment
	failure := fmt.Errorf("%w: it is not configured", ErrGatewayRefused)
	if ok && plugin.Gateway != nil {
		started, failure = plugin.Gateway.Start(ctx, access, s.paymentStart(p, set.money))
	}
	err = s.changeAttempt(ctx, attemptID, ByShop, func(c *orderChange, found *payment) error {
		p = found
		if p.attempt.status != AttemptInitiated { // it took too long, and the sweeper has given it up
			return nil
		}
		p.check.claimedAt = nil
		p.check.dueAt = new(c.now + firstCheck.Milliseconds())
		if failure != nil {
			p.attempt.errorCode, p.check.reason = paymentUnreachable, failure.Error()
			if errors.Is(failure, ErrGatewayRefused) {
				p.attempt.errorCode, p.check.dueAt = paymentRefused, nil
			}
			c.moveAttempt(p.attempt, AttemptFailed)
			return nil
		}
		p.attempt.externalID, p.attempt.redirectURL = db.NullText(started.ExternalID), started.RedirectURL
		p.check.signature = started.Signature
		c.moveAttempt(p.attempt, AttemptPending)
		return nil
	})
	return p, err
}

// claimStart makes this the one request that hands a try to pay over. One that was claimed long ago
// was left behind by a process that ended.
func (s *Shop) claimStart(ctx context.Context, attemptID string) (p *payment, claimed bool, err error) {
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if p, err = findPayment(tx, attemptID); err != nil {
			return fmt.Errorf("find payment: %w", err)
		}
		now := db.Millis(tx.Now())
		claimed = p.attempt.status == AttemptInitiated && (p.check.claimedAt == nil || now-*p.check.claimedAt >= claimTTL.Milliseconds())
		if !claimed {
			return nil
		}
		p.check.claimedAt, p.check.dueAt = &now, new(now+claimTTL.Milliseconds())
		return saveAttemptCheck(tx, p.check)
	})
	return p, claimed, err
}

// paymentStart is what the gateway is told.
func (s *Shop) paymentStart(p *payment, money money.Currency) PaymentStart {
	o := p.order
	start := PaymentStart{
		Ref: p.attempt.id, Invoice: o.id, Amount: p.attempt.amount, Currency: money, Title: fmt.Sprintf("Order %d", o.number),
		Name: o.name, Phone: o.phone, Email: db.TextOf(o.email), Line1: o.line1, City: o.city, Postcode: o.postcode, Country: o.country,
	}
	for _, item := range o.items {
		start.Items += item.quantity
	}
	switch p.attempt.method {
	case PayGatewayA:
		start.ReturnURL, start.WebhookURL = s.address(GatewayAReturnPath), s.address(GatewayAWebhookPath)
	case PayGatewayB:
		start.ReturnURL = s.address(GatewayBCallbackPath)
	}
	return start
}

func (s *Shop) loadPayment(ctx context.Context, attemptID string) (p *payment, err error) {
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		p, err = findPayment(tx, attemptID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load payment: %w", err)
	}
	return p, nil
}

// changeAttempt changes a try to pay with its order and its check, in one transaction.
func (s *Shop) changeAttempt(ctx context.Context, attemptID string, cause Cause, change func(c *orderChange, p *payment) error) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return fmt.Errorf("find payment: %w", err)
		}
		return s.changeLoadedAttempt(tx, p, cause, change)
	})
}

func (s *Shop) changeLoadedAttempt(tx *db.Tx, p *payment, cause Cause, change func(c *orderChange, p *payment) error) error {
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

// applyStatus moves a try to pay by what its gateway says of it. Money that came in counts whatever
// was said before; nothing else undoes or overtakes anything.
func (c *orderChange) applyStatus(p *payment, proof GatewayStatus, money money.Currency) {
	a := p.attempt
	switch proof.State {
	case GatewayPaid:
		if a.status.moneyReceived() {
			c.recordDuplicatePayment(p, proof)
			return
		}
		a.transactionID = proof.TransactionID
		p.check.dueAt = nil
		if reason := proof.reviewReason(a, money); reason != "" {
			p.check.reason = reason
			c.moveAttempt(a, AttemptNeedsReview)
			return
		}
		c.moveAttempt(a, AttemptSucceeded)
	case GatewayFailed:
		c.closeAttempt(p, AttemptFailed, proof.Reason)
	case GatewayCancelled:
		c.closeAttempt(p, AttemptCancelled, proof.Reason)
	case GatewayExpired:
		c.closeAttempt(p, AttemptExpired, proof.Reason)
	case GatewayOpen:
		if c.now-a.createdAt >= paymentWindow.Milliseconds() {
			c.closeAttempt(p, AttemptExpired, proof.Reason)
		}
	}
}

// recordDuplicatePayment records other money for a try to pay that has its money already, as when a buyer pays
// twice on one page: as a try of its own, which has to go back.
func (c *orderChange) recordDuplicatePayment(p *payment, proof GatewayStatus) {
	known := func(a *attemptRow) bool { return a.transactionID == proof.TransactionID }
	if proof.TransactionID == "" || p.attempt.transactionID == "" || slices.ContainsFunc(p.order.attempts, known) {
		return
	}
	second := &attemptRow{
		method: p.attempt.method, mode: p.attempt.mode, status: AttemptInitiated, amount: p.attempt.amount, transactionID: proof.TransactionID,
	}
	to := AttemptNeedsReview
	if proof.Readable && proof.ReviewReason == "" {
		second.amount, to = proof.Amount, AttemptSucceeded
	}
	c.addAttempt(second)
	c.moveAttempt(second, to)
	if c.err == nil {
		c.err = saveAttemptCheck(c.tx, &attemptCheck{attemptID: second.id, reason: "the gateway took a second payment for " + p.attempt.id})
	}
}

func (c *orderChange) closeAttempt(p *payment, to AttemptStatus, reason string) {
	if p.attempt.status.isOpen() {
		p.check.reason = reason
		c.moveAttempt(p.attempt, to)
	}
}

// moneyReceived reports whether money for the try has come in, or may have and a person decides.
func (s AttemptStatus) moneyReceived() bool {
	return s == AttemptSucceeded || s == AttemptRefundDue || s == AttemptRefunded || s == AttemptNeedsReview
}

// reviewReason says in words why money that came in has to be looked at; "": it is right.
func (proof GatewayStatus) reviewReason(a *attemptRow, money money.Currency) string {
	switch {
	case proof.Ref != "" && proof.Ref != a.id:
		return "the gateway's proof is of another payment"
	case proof.Currency != money.Code:
		return fmt.Sprintf("the gateway took another currency: %q", proof.Currency)
	case !proof.Readable:
		return "the gateway took an amount that can not be read"
	case proof.Amount != a.amount:
		return fmt.Sprintf("the gateway took %s, not %s", money.Format(proof.Amount), money.Format(a.amount))
	}
	return proof.ReviewReason
}

const (
	// firstCheck is how long a gateway's own notice is waited for.
	firstCheck = 2 * time.Minute
	// maxCheckInterval is the longest time between two questions about one payment.
	maxCheckInterval = time.Hour
	// maxChecks is how often a gateway is asked about one payment: with the pauses between them, for
	// a day and a little more.
	maxChecks = 28
)

// scheduleCheck says when to ask about a payment the next time: pauses grow, the end of the order's time is
// not missed, and after a day of them there is nothing more to come.
func (p *payment) scheduleCheck(now int64) {
	p.check.asked++
	pause := min(time.Minute<<min(p.check.asked, 10), maxCheckInterval).Milliseconds()
	at := now + pause
	if end := p.attempt.createdAt + paymentWindow.Milliseconds(); now < end && at > end {
		at = end
	}
	p.check.dueAt = &at
	if p.attempt.status.moneyReceived() || p.check.asked >= maxChecks {
		p.check.dueAt = nil
	}
}
