package shop

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/url"
	"time"

	"storefront/db"
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

// BuyerReturn is where a buyer who comes back from a gateway goes on.
type BuyerReturn struct {
	OrderID string // "": none is known
	Result  ReturnResult
	// URL is the storefront's address with both in its query; "": the shop has none.
	URL string
}

const (
	// claimLife is longer than any gateway takes to move money: until then nobody else tries.
	claimLife = 2 * time.Minute
	// soon is when a gateway is asked again that has just given no answer.
	soon = 30 * time.Second
)

// VisitReturn receives a buyer's browser from a gateway that tells its result by notices only: it
// decides nothing. ref is the payment that the visit names, hint what it claims. configured is
// false where the shop has not configured the gateway.
func (s *Shop) VisitReturn(ctx context.Context, provider Provider, ref, hint string) (back BuyerReturn, configured bool, err error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanHear, "")
	if err != nil || !ok {
		return BuyerReturn{}, false, err
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

// CallbackVisit is what a gateway adds to the address by which it sends a buyer back.
type CallbackVisit struct {
	PaymentID, Status, Signature string
	Query                        string // all of it, as received
}

// ReadCallbackVisit reads the query of a visit; what can not be read of it is left out.
func ReadCallbackVisit(query string) CallbackVisit {
	values, _ := url.ParseQuery(query)
	return CallbackVisit{PaymentID: values.Get("paymentID"), Status: values.Get("status"), Signature: values.Get("signature"), Query: query}
}

// VisitCallback receives a buyer's browser from a gateway that lets the shop take the money then.
// The status of the visit is a hint: money is taken, once, and only for an order that waits for it,
// and the gateway's own answer decides. configured is false where the shop has not configured the
// gateway.
func (s *Shop) VisitCallback(ctx context.Context, provider Provider, visit CallbackVisit) (back BuyerReturn, configured bool, err error) {
	_, access, ok, err := s.pluginFor(ctx, provider, CanHear, "")
	if err != nil {
		return BuyerReturn{}, false, err
	}
	if !ok {
		return BuyerReturn{}, false, s.refuseCall(ctx, provider, "not configured in "+s.modeWord(ctx)+" mode")
	}
	p, err := s.findVisited(ctx, provider, access.Mode, visit)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return BuyerReturn{}, true, err
	}
	if err != nil {
		if err := s.refuseCall(ctx, provider, "names no payment of this shop, or the signature differs"); err != nil {
			return BuyerReturn{}, true, err
		}
		back, err = s.buyerReturn(ctx, "", ReturnFailed)
		return back, true, err
	}
	call := &providerCall{
		provider: provider, contentType: "application/x-www-form-urlencoded", body: []byte(visit.Query),
		key: p.attempt.id + " " + visit.word(),
	}
	if _, err := s.keepCall(ctx, call, p.order.id); err != nil {
		return BuyerReturn{}, true, err
	}
	// What the gateway does has to be written down even if the buyer goes away meanwhile.
	ctx = context.WithoutCancel(ctx)
	if err := s.processVisit(ctx, call, p.attempt.id, visit.word()); err != nil {
		return BuyerReturn{}, true, err
	}
	if p, err = s.loadPayment(ctx, p.attempt.id); err != nil {
		return BuyerReturn{}, true, err
	}
	back, err = s.buyerReturn(ctx, p.order.id, p.attempt.result())
	return back, true, err
}

// word is the visit's status among those that a gateway sends.
func (v CallbackVisit) word() string {
	switch v.Status {
	case "success", "failure", "cancel":
		return v.Status
	}
	return "other"
}

// findVisited gives the payment that a visit belongs to. The error is db.ErrNotFound where it belongs
// to none.
func (s *Shop) findVisited(ctx context.Context, provider Provider, mode Mode, visit CallbackVisit) (p *payment, err error) {
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

// processVisit does what a visit asks for and settles its call.
func (s *Shop) processVisit(ctx context.Context, call *providerCall, attemptID, word string) error {
	outcome := callOutcome{verdict: VerdictApplied, event: word}
	if word == "success" {
		return s.takePayment(ctx, call, attemptID, outcome)
	}
	to := map[string]AttemptStatus{"failure": AttemptFailed, "cancel": AttemptCancelled}[word]
	return s.changePaymentWithCall(ctx, call, &outcome, attemptID, func(c *orderChange, p *payment) {
		if to != "" {
			c.endTry(p, to, "")
		}
	})
}

// replayVisit does again what a kept visit asks for.
func (s *Shop) replayVisit(ctx context.Context, call providerCall, mode Mode) error {
	visit := ReadCallbackVisit(string(call.body))
	p, err := s.findVisited(ctx, call.provider, mode, visit)
	if errors.Is(err, db.ErrNotFound) {
		return errorf(CodeStateConflict, "The visit's payment is of the shop's other mode: it can not be applied again.")
	}
	if err != nil {
		return err
	}
	return s.processVisit(ctx, &call, p.attempt.id, visit.word())
}

// takePayment takes the money of a payment that its buyer has agreed to. It is claimed in a
// transaction first, so that whatever happens at once or afterwards, it is taken once.
func (s *Shop) takePayment(ctx context.Context, call *providerCall, attemptID string, outcome callOutcome) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	var question PaymentQuestion
	var p *payment
	claimed := false
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if p, err = findPayment(tx, attemptID); err != nil {
			return err
		}
		question, outcome.orderID = p.question(set.money), p.order.id
		claimed = !p.attempt.status.hasMoney() && p.order.status == OrderPendingPayment
		if !claimed {
			return s.settleCall(tx, call, outcome)
		}
		now := millis(tx.Now())
		since := now - claimLife.Milliseconds()
		if p.check.claimedAt != nil {
			// Someone has begun to take it: whoever comes in that time waits, later ones only ask.
			claimed = *p.check.claimedAt <= since
			return s.settleCall(tx, call, outcome)
		}
		// Another payment of the order is being taken, in another tab: this one would be a second.
		other, err := isTaking(tx, p.order.id, since)
		if err != nil {
			return err
		}
		if other {
			claimed, outcome.reason = false, "another payment of the order is being taken"
			return s.settleCall(tx, call, outcome)
		}
		question.Take = true
		p.check.claimedAt, p.check.dueAt = &now, new(now+claimLife.Milliseconds())
		return savePaymentCheck(tx, p.check)
	})
	if err != nil || !claimed {
		return err
	}
	proof, fault := s.prove(ctx, p, question)
	return s.changePaymentWithCall(ctx, call, &outcome, attemptID, func(c *orderChange, p *payment) {
		if fault != nil {
			p.check.reason = fault.Error()
			p.check.askSoon(c.now)
		}
		// Surely nothing was taken: the buyer may agree later and come back again.
		if errors.Is(fault, ErrGatewayRefused) || fault == nil && proof.State == ProofOpen {
			p.check.claimedAt = nil
		}
		if fault == nil {
			c.applyProof(p, proof, set.money)
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
func (s *Shop) buyerReturn(ctx context.Context, orderID string, result ReturnResult) (BuyerReturn, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return BuyerReturn{}, err
	}
	back := BuyerReturn{OrderID: orderID, Result: result}
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
