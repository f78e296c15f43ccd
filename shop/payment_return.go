package shop

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/url"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// ReturnResult is what a buyer who comes back from a gateway is told.
type ReturnResult string

// The results, as the storefront reads them in its address.
const (
	ReturnSuccess   ReturnResult = "success"
	ReturnFailed    ReturnResult = "failed"
	ReturnCancelled ReturnResult = "cancelled"
	ReturnPending   ReturnResult = "pending" // not decided yet: the order tells later
)

// ReturnTarget is where a buyer who comes back from a gateway goes on.
type ReturnTarget struct {
	OrderID string // "": none is known
	Result  ReturnResult
	// URL is the storefront's address with both in its query; "": the shop has none.
	URL string
}

const (
	// claimTTL is longer than any gateway takes to move money: until then nobody else tries.
	claimTTL = 2 * time.Minute
	// retryDelay is when a gateway is asked again that has just given no answer.
	retryDelay = 30 * time.Second
)

// HandleReturn receives a buyer's browser from a gateway that tells its result by notices only: it
// decides nothing. ref is the payment that the visit names, hint what it claims. configured is
// false where the shop has not configured the gateway.
func (s *Shop) HandleReturn(ctx context.Context, provider Provider, ref, hint string) (back ReturnTarget, configured bool, err error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil || !ok {
		return ReturnTarget{}, false, err
	}
	p, err := s.loadPayment(ctx, ref)
	switch {
	case errors.Is(err, db.ErrNotFound) || err == nil && (p.provider() != provider || p.attempt.mode != access.Mode):
		back, err = s.buyerReturn(ctx, "", ReturnFailed)
	case err == nil:
		result := p.attempt.result()
		if result == ReturnPending && (hint == string(ReturnFailed) || hint == string(ReturnCancelled)) {
			result = ReturnResult(hint)
		}
		back, err = s.buyerReturn(ctx, p.order.id, result)
	}
	return back, true, err
}

// CallbackQuery is what a gateway adds to the address by which it sends a buyer back.
type CallbackQuery struct {
	PaymentID, Status, Signature string
	Query                        string // all of it, as received
}

// ParseCallbackQuery reads the query of a visit; what can not be read of it is left out.
func ParseCallbackQuery(query string) CallbackQuery {
	values, _ := url.ParseQuery(query)
	return CallbackQuery{PaymentID: values.Get("paymentID"), Status: values.Get("status"), Signature: values.Get("signature"), Query: query}
}

// HandleCallback receives a buyer's browser from a gateway that lets the shop take the money then.
// The status of the visit is a hint: money is taken, once, and only for an order that waits for it,
// and the gateway's own answer decides. configured is false where the shop has not configured the
// gateway.
func (s *Shop) HandleCallback(ctx context.Context, provider Provider, visit CallbackQuery) (back ReturnTarget, configured bool, err error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return ReturnTarget{}, false, err
	}
	if !ok {
		return ReturnTarget{}, false, s.recordRefused(ctx, provider, "not configured in "+s.modeName(ctx)+" mode")
	}
	p, err := s.findCallbackAttempt(ctx, provider, access.Mode, visit)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return ReturnTarget{}, true, err
	}
	if err != nil {
		if err := s.recordRefused(ctx, provider, "names no payment of this shop, or the signature differs"); err != nil {
			return ReturnTarget{}, true, err
		}
		back, err = s.buyerReturn(ctx, "", ReturnFailed)
		return back, true, err
	}
	call := &incomingWebhook{
		provider: provider, contentType: "application/x-www-form-urlencoded", body: []byte(visit.Query),
		key: p.attempt.id + " " + visit.word(),
	}
	if _, err := s.storeOrderWebhook(ctx, call, p.order.id); err != nil {
		return ReturnTarget{}, true, err
	}
	// What the gateway does has to be written down even if the buyer goes away meanwhile.
	ctx = context.WithoutCancel(ctx)
	if err := s.processCallback(ctx, call, p.attempt.id, visit.word()); err != nil {
		return ReturnTarget{}, true, err
	}
	if p, err = s.loadPayment(ctx, p.attempt.id); err != nil {
		return ReturnTarget{}, true, err
	}
	back, err = s.buyerReturn(ctx, p.order.id, p.attempt.result())
	return back, true, err
}

// word is the visit's status among those that a gateway sends.
func (v CallbackQuery) word() string {
	switch v.Status {
	case "success", "failure", "cancel":
		return v.Status
	}
	return "other"
}

// findCallbackAttempt gives the payment that a visit belongs to. The error is db.ErrNotFound where it belongs
// to none.
func (s *Shop) findCallbackAttempt(ctx context.Context, provider Provider, mode Mode, visit CallbackQuery) (p *payment, err error) {
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) error {
		id, err := findAttemptByExternal(tx, PaymentMethod(provider), mode, visit.PaymentID)
		if err == nil {
			p, err = findPayment(tx, id)
		}
		return err
	})
	if err == nil && p.check.signature != "" && !sameSecret(p.check.signature, visit.Signature) {
		err = db.ErrNotFound
	}
	return p, err
}

// sameSecret takes the same time wherever two texts differ.
func sameSecret(a, b string) bool {
	hashA, hashB := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(hashA[:], hashB[:]) == 1
}

// processCallback does what a visit asks for and settles its call.
func (s *Shop) processCallback(ctx context.Context, call *incomingWebhook, attemptID, word string) error {
	outcome := webhookOutcome{verdict: VerdictApplied, event: word}
	if word == "success" {
		return s.capturePayment(ctx, call, attemptID, outcome)
	}
	to := map[string]AttemptStatus{"failure": AttemptFailed, "cancel": AttemptCancelled}[word]
	return s.changeAttemptByWebhook(ctx, call, &outcome, attemptID, func(c *orderChange, p *payment) {
		if to != "" {
			c.closeAttempt(p, to, "")
		}
	})
}

// replayCallback does again what a kept visit asks for.
func (s *Shop) replayCallback(ctx context.Context, call incomingWebhook, mode Mode) error {
	visit := ParseCallbackQuery(string(call.body))
	p, err := s.findCallbackAttempt(ctx, call.provider, mode, visit)
	if errors.Is(err, db.ErrNotFound) {
		return fault.Errorf(fault.CodeStateConflict, "The visit's payment is of the shop's other mode: it can not be applied again.")
	}
	if err != nil {
		return err
	}
	return s.processCallback(ctx, &call, p.attempt.id, visit.word())
}

// capturePayment takes the money of a payment that its buyer has agreed to. It is claimed in a
// transaction first, so that whatever happens at once or afterwards, it is taken once.
func (s *Shop) capturePayment(ctx context.Context, call *incomingWebhook, attemptID string, outcome webhookOutcome) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	var question StatusQuery
	var p *payment
	claimed := false
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if p, err = findPayment(tx, attemptID); err != nil {
			return err
		}
		question, outcome.orderID = p.statusQuery(set.money), p.order.id
		claimed = !p.attempt.status.moneyReceived() && p.order.status == OrderPendingPayment
		if !claimed {
			return s.saveVerdict(tx, call, outcome)
		}
		now := db.Millis(tx.Now())
		since := now - claimTTL.Milliseconds()
		if p.check.claimedAt != nil {
			// Someone has begun to take it: whoever comes in that time waits, later ones only ask.
			claimed = *p.check.claimedAt <= since
			return s.saveVerdict(tx, call, outcome)
		}
		// Another payment of the order is being taken, in another tab: this one would be a second.
		other, err := isCapturing(tx, p.order.id, since)
		if err != nil {
			return err
		}
		if other {
			claimed, outcome.reason = false, "another payment of the order is being taken"
			return s.saveVerdict(tx, call, outcome)
		}
		question.Capture = true
		p.check.claimedAt, p.check.dueAt = &now, new(now+claimTTL.Milliseconds())
		return saveAttemptCheck(tx, p.check)
	})
	if err != nil || !claimed {
		return err
	}
	proof, failure := s.queryStatus(ctx, p, question)
	return s.changeAttemptByWebhook(ctx, call, &outcome, attemptID, func(c *orderChange, p *payment) {
		if failure != nil {
			p.check.reason = failure.Error()
			p.check.scheduleCheckNow(c.now)
		}
		// Surely nothing was taken: the buyer may agree later and come back again.
		if errors.Is(failure, ErrGatewayRefused) || failure == nil && proof.State == GatewayOpen {
			p.check.claimedAt = nil
		}
		if failure == nil {
			c.applyStatus(p, proof, set.money)
		}
	})
}

// result is what the buyer is told of a try to pay.
func (a *attemptRow) result() ReturnResult {
	switch a.status {
	case AttemptSucceeded, AttemptRefundDue, AttemptRefunded:
		return ReturnSuccess
	case AttemptFailed, AttemptExpired:
		return ReturnFailed
	case AttemptCancelled:
		return ReturnCancelled
	}
	return ReturnPending
}

// buyerReturn gives the storefront's address with what the buyer is told. It goes nowhere else,
// and carries neither proof nor person.
func (s *Shop) buyerReturn(ctx context.Context, orderID string, result ReturnResult) (ReturnTarget, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return ReturnTarget{}, err
	}
	back := ReturnTarget{OrderID: orderID, Result: result}
	if set.StorefrontURL == "" {
		return back, nil
	}
	address, err := url.Parse(set.StorefrontURL)
	if err != nil {
		return back, nil // the plain page will do
	}
	query := address.Query()
	if orderID != "" {
		query.Set("order", orderID)
	}
	query.Set("payment", string(result))
	address.RawQuery = query.Encode()
	back.URL = address.String()
	return back, nil
}
