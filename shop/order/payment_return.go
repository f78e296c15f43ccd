package order

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/url"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// ReturnResult is the result that is shown to a buyer who returns from a gateway.
type ReturnResult string

// The results, as they appear in the query of the storefront's URL.
const (
	ReturnSuccess   ReturnResult = "success"
	ReturnFailed    ReturnResult = "failed"
	ReturnCancelled ReturnResult = "cancelled"
	ReturnPending   ReturnResult = "pending" // not decided yet; the order will show the result
)

// ReturnTarget is the page to which a buyer is redirected on return from a gateway.
type ReturnTarget struct {
	OrderID string // "" if the callback names no order
	Result  ReturnResult
	// URL is the storefront's URL with both in its query, or "" if the shop has no storefrontUrl.
	URL string
}

const (
	// claimTTL is the time for which a claim excludes other requests. It is longer than any gateway
	// needs to start or to capture a payment.
	claimTTL = 2 * time.Minute
	// retryDelay is the time until the next status query after a gateway did not respond.
	retryDelay = 30 * time.Second
)

// HandleReturn handles a buyer who returns from a gateway that reports results by webhook only. It
// changes nothing. The request names the attempt ref and claims the result hint. configured is
// false if the gateway is not configured.
func (s *Orders) HandleReturn(
	ctx context.Context, provider plugin.Provider, ref, hint string,
) (target ReturnTarget, configured bool, err error) {
	_, access, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanReceiveWebhooks, "")
	if err != nil {
		return ReturnTarget{}, false, err
	}
	if !ok {
		return ReturnTarget{}, false, nil
	}
	p, err := s.loadPayment(ctx, ref)
	switch {
	case errors.Is(err, db.ErrNotFound) || err == nil && (p.provider() != provider || p.attempt.mode != access.Mode):
		target, err = s.returnTarget(ctx, "", ReturnFailed)
	case err == nil:
		result := p.result()
		if result == ReturnPending && (hint == string(ReturnFailed) || hint == string(ReturnCancelled)) {
			result = ReturnResult(hint)
		}
		target, err = s.returnTarget(ctx, p.order.id, result)
	}
	return target, true, err
}

// CallbackQuery is the query that a gateway adds to the URL for the buyer's return.
type CallbackQuery struct {
	PaymentID, Status, Signature string
	Query                        string // the whole query, as received
}

// ParseCallbackQuery parses the query of a callback. It omits malformed pairs.
func ParseCallbackQuery(query string) CallbackQuery {
	values, _ := url.ParseQuery(query)
	return CallbackQuery{PaymentID: values.Get("paymentID"), Status: values.Get("status"), Signature: values.Get("signature"), Query: query}
}

// HandleCallback handles a buyer who returns from a gateway at which the shop then captures the
// payment. The status in the query is only a hint. The payment is captured once, and only if its
// order awaits it; the gateway's response decides the result. configured is false if the gateway is
// not configured.
func (s *Orders) HandleCallback(
	ctx context.Context, provider plugin.Provider, callback CallbackQuery,
) (target ReturnTarget, configured bool, err error) {
	_, access, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanReceiveWebhooks, "")
	if err != nil {
		return ReturnTarget{}, false, err
	}
	if !ok {
		return ReturnTarget{}, false, s.cfg.Inbox.RecordRefused(ctx, provider, "not configured in "+s.modeName(ctx)+" mode")
	}
	p, err := s.findCallbackAttempt(ctx, provider, access.Mode, callback)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return ReturnTarget{}, true, err
	}
	if err != nil {
		if err := s.cfg.Inbox.RecordRefused(ctx, provider, "names no payment of this shop, or the signature does not match"); err != nil {
			return ReturnTarget{}, true, err
		}
		target, err = s.returnTarget(ctx, "", ReturnFailed)
		return target, true, err
	}
	webhook := &inbox.Incoming{
		Provider: provider, ContentType: "application/x-www-form-urlencoded", Body: []byte(callback.Query),
		Key: p.attempt.id + " " + callback.event(),
	}
	if _, err := s.cfg.Inbox.StoreForOrder(ctx, webhook, p.order.id); err != nil {
		return ReturnTarget{}, true, err
	}
	// The gateway's result must be stored even if the buyer disconnects.
	ctx = context.WithoutCancel(ctx)
	if err := s.processCallback(ctx, webhook, p.attempt.id, callback.event()); err != nil {
		return ReturnTarget{}, true, err
	}
	if p, err = s.loadPayment(ctx, p.attempt.id); err != nil {
		return ReturnTarget{}, true, err
	}
	target, err = s.returnTarget(ctx, p.order.id, p.result())
	return target, true, err
}

// event returns the status in the query, or "other" for a status that gateways do not send.
func (q CallbackQuery) event() string {
	switch q.Status {
	case "success", "failure", "cancel":
		return q.Status
	}
	return "other"
}

// findCallbackAttempt returns the payment that a callback belongs to. The error is db.ErrNotFound
// if there is none or the signature does not match.
func (s *Orders) findCallbackAttempt(
	ctx context.Context, provider plugin.Provider, mode plugin.Mode, callback CallbackQuery,
) (p *payment, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		id, err := findAttemptByExternal(tx, status.PaymentMethod(provider), mode, callback.PaymentID)
		if err == nil {
			p, err = findPayment(tx, id)
		}
		return err
	})
	if err == nil && p.check.signature != "" && !equalSecrets(p.check.signature, callback.Signature) {
		err = db.ErrNotFound
	}
	return p, err
}

// equalSecrets compares two texts in a time that does not depend on where they differ.
func equalSecrets(a, b string) bool {
	hashA, hashB := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(hashA[:], hashB[:]) == 1
}

// processCallback applies a callback and saves its verdict.
func (s *Orders) processCallback(ctx context.Context, webhook *inbox.Incoming, attemptID, event string) error {
	outcome := inbox.Outcome{Verdict: inbox.VerdictApplied, Event: event}
	if event == "success" {
		return s.capturePayment(ctx, webhook, attemptID, outcome)
	}
	to := map[string]status.Attempt{"failure": status.AttemptFailed, "cancel": status.AttemptCancelled}[event]
	return s.changeAttemptByWebhook(ctx, webhook, &outcome, attemptID, func(c *orderChange, p *payment) {
		if to != "" {
			c.closeAttempt(p, to, "")
		}
	})
}

// replayCallback processes a stored callback again.
func (s *Orders) replayCallback(ctx context.Context, webhook inbox.Incoming, mode plugin.Mode) error {
	callback := ParseCallbackQuery(string(webhook.Body))
	p, err := s.findCallbackAttempt(ctx, webhook.Provider, mode, callback)
	if errors.Is(err, db.ErrNotFound) {
		return fault.Errorf(fault.CodeStateConflict,
			"The callback's payment was not made in %s mode. Switch the shop's mode, then replay the webhook.", mode)
	}
	if err != nil {
		return err
	}
	return s.processCallback(ctx, &webhook, p.attempt.id, callback.event())
}

// capturePayment captures a payment that its buyer has approved. A claim is committed first, so
// that concurrent and later requests do not capture the payment again.
func (s *Orders) capturePayment(ctx context.Context, webhook *inbox.Incoming, attemptID string, outcome inbox.Outcome) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	var query plugin.StatusQuery
	var p *payment
	claimed, capture := false, false
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		capture = false
		if p, err = findPayment(tx, attemptID); err != nil {
			return err
		}
		query, outcome.OrderID = p.statusQuery(set.Currency), p.order.id
		claimed = !p.attempt.status.MoneyReceived() && p.awaitsCapture()
		if !claimed {
			return s.cfg.Inbox.SaveVerdict(tx, webhook, outcome)
		}
		now := db.Millis(tx.Now())
		since := now - claimTTL.Milliseconds()
		if p.check.claimedAt != nil {
			// Another request has begun to capture it. Within claimTTL this one does nothing; afterwards it
			// only queries the status.
			claimed = *p.check.claimedAt <= since
			return s.cfg.Inbox.SaveVerdict(tx, webhook, outcome)
		}
		// A payment that the buyer approved in another tab is being captured: this one would be a
		// duplicate.
		other, err := isCapturing(tx, p.order.id, since)
		if err != nil {
			return err
		}
		if other {
			claimed, outcome.Reason = false, "another payment of the order is being captured"
			return s.cfg.Inbox.SaveVerdict(tx, webhook, outcome)
		}
		capture = true
		p.check.claimedAt, p.check.dueAt = &now, new(now+claimTTL.Milliseconds())
		return saveAttemptCheck(tx, p.check)
	})
	if err != nil {
		return err
	}
	if !claimed {
		return nil
	}
	request := s.queryStatus
	if capture {
		request = s.captureAtGateway
	}
	reported, failure := request(ctx, p, query)
	return s.changeAttemptByWebhook(ctx, webhook, &outcome, attemptID, func(c *orderChange, p *payment) {
		if failure != nil {
			p.check.reason = fault.Reason(failure)
			p.check.scheduleCheckNow(c.now)
		}
		// Nothing was captured: the buyer may still approve the payment and return again.
		refused := errors.Is(failure, plugin.ErrGatewayRefused) || errors.Is(failure, plugin.ErrGatewayUnavailable)
		if refused || failure == nil && reported.State == plugin.GatewayOpen {
			p.check.claimedAt = nil
		}
		if failure == nil {
			c.applyStatus(p, reported, set.Currency)
		}
	})
}

// awaitsCapture reports whether the order awaits the money of the attempt.
func (p *payment) awaitsCapture() bool {
	if p.attempt.advance {
		return p.attempt.amount <= p.order.advanceDue()
	}
	return p.order.status == status.OrderPendingPayment
}

// result returns the result for the buyer. Once the order is paid, all of its attempts show that.
func (p *payment) result() ReturnResult {
	if p.order.payment == status.PaymentPaid || p.order.payment == status.PaymentPartiallyRefunded {
		return ReturnSuccess
	}
	switch p.attempt.status {
	case status.AttemptSucceeded, status.AttemptRefundDue, status.AttemptRefunded:
		return ReturnSuccess
	case status.AttemptFailed, status.AttemptExpired:
		return ReturnFailed
	case status.AttemptCancelled:
		return ReturnCancelled
	}
	return ReturnPending
}

// returnTarget returns the storefront's URL with the order and the result in its query. It contains
// neither the order token nor personal data.
func (s *Orders) returnTarget(ctx context.Context, orderID string, result ReturnResult) (ReturnTarget, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return ReturnTarget{}, err
	}
	target := ReturnTarget{OrderID: orderID, Result: result}
	if set.StorefrontURL == "" {
		return target, nil
	}
	address, err := url.Parse(set.StorefrontURL)
	if err != nil {
		return target, nil // the server's plain page is shown instead
	}
	query := address.Query()
	if orderID != "" {
		query.Set("order", orderID)
	}
	query.Set("payment", string(result))
	address.RawQuery = query.Encode()
	target.URL = address.String()
	return target, nil
}
