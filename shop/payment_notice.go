package shop

import (
	"context"
	"errors"

	"storefront/db"
)

// ReceiveNotice takes a payment notice of a gateway, as it was received. authentic is false where it
// is not the gateway's, or the shop has not configured it: nothing has then changed. An error means
// that an authentic notice could not be kept. What can not be decided now is decided later by
// [Shop.SweepPayments].
func (s *Shop) ReceiveNotice(ctx context.Context, provider Provider, contentType string, body []byte) (authentic bool, err error) {
	plugin, access, ok, err := s.pluginFor(ctx, provider, CanHear, "")
	if err != nil {
		return false, err
	}
	if !ok || plugin.Notices == nil {
		return false, s.refuseCall(ctx, provider, "not configured in "+s.modeWord(ctx)+" mode")
	}
	notice, ok := plugin.Notices.ReadNotice(access.Settings, body)
	if !ok {
		return false, s.refuseCall(ctx, provider, "the signature differs")
	}
	call := &providerCall{provider: provider, contentType: contentType, body: body}
	outcome, err := s.keepNotice(ctx, call, notice.Ref)
	if err != nil || outcome.verdict.isFinal() {
		return true, err
	}
	_, fault := s.processNotice(context.WithoutCancel(ctx), call, access.Mode, notice)
	if fault != nil {
		// It is kept: the gateway need not send it again, and staff sees what is wrong.
		return true, s.settle(ctx, call, callOutcome{verdict: VerdictFailed, event: notice.Event, reason: fault.Error()})
	}
	return true, nil
}

// keepNotice stores a notice and has the sweeper ask about its payment soon: whatever ends the program
// from here on, what the notice tells is not lost.
func (s *Shop) keepNotice(ctx context.Context, call *providerCall, attemptID string) (outcome callOutcome, err error) {
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		if outcome, err = s.storeCall(tx, call); err != nil || outcome.verdict.isFinal() {
			return err
		}
		p, err := findPayment(tx, attemptID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil || p.provider() != call.provider {
			return err
		}
		outcome.orderID = p.order.id // by which the sweeper finds the call
		if err := saveOutcome(tx, call.id, outcome); err != nil || p.attempt.status.hasMoney() {
			return err
		}
		p.check.askSoon(millis(tx.Now()))
		return savePaymentCheck(tx, p.check)
	})
	return outcome, err
}

func (s *Shop) modeWord(ctx context.Context) string {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "this"
	}
	return string(set.ActiveMode)
}

func (s *Shop) settle(ctx context.Context, call *providerCall, outcome callOutcome) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error { return s.settleCall(tx, call, outcome) })
}

// processNotice applies a notice that is kept: one of a payment is believed only after the gateway
// was asked, which happens outside of any transaction.
func (s *Shop) processNotice(ctx context.Context, call *providerCall, mode Mode, notice PaymentNotice) (callOutcome, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return callOutcome{}, err
	}
	outcome := callOutcome{verdict: VerdictApplied, event: notice.Event}
	p, err := s.loadPayment(ctx, notice.Ref)
	switch {
	case errors.Is(err, db.ErrNotFound):
		outcome.verdict, outcome.reason = VerdictUnmatched, "names no payment of this shop"
		return outcome, s.settle(ctx, call, outcome)
	case err != nil:
		return callOutcome{}, err
	case p.provider() != call.provider || p.attempt.mode != mode:
		outcome.verdict, outcome.reason, outcome.orderID = VerdictIgnored, "the payment is of another gateway or mode", p.order.id
		return outcome, s.settle(ctx, call, outcome)
	}
	outcome.orderID = p.order.id
	proof := PaymentProof{State: notice.State}
	if notice.State == ProofPaid {
		question := p.question(set.money)
		question.ValidationID = notice.ValidationID
		if proof, err = s.prove(ctx, p, question); err != nil || proof.State == ProofOpen {
			outcome.verdict, outcome.reason = VerdictStored, "the gateway does not confirm it yet"
			return outcome, s.leaveStored(ctx, call, p.attempt.id, outcome)
		}
	}
	err = s.changePaymentWithCall(ctx, call, &outcome, p.attempt.id, func(c *orderChange, p *payment) {
		c.applyProof(p, proof, set.money)
	})
	return outcome, err
}

// prove asks the payment's gateway with the settings of the payment's own mode.
func (s *Shop) prove(ctx context.Context, p *payment, question PaymentQuestion) (PaymentProof, error) {
	plugin, access, ok, err := s.pluginFor(ctx, p.provider(), CanPay, p.attempt.mode)
	if err != nil {
		return PaymentProof{}, err
	}
	if !ok || plugin.Gateway == nil {
		return PaymentProof{}, ErrGatewayRefused
	}
	return plugin.Gateway.Prove(ctx, access, question)
}

// leaveStored leaves a call stored and has the sweeper ask about its payment next.
func (s *Shop) leaveStored(ctx context.Context, call *providerCall, attemptID string, outcome callOutcome) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		check, err := findPaymentCheck(tx, attemptID)
		if err != nil {
			return err
		}
		check.askSoon(millis(tx.Now()))
		if err := savePaymentCheck(tx, check); err != nil {
			return err
		}
		return s.settleCall(tx, call, outcome)
	})
}

// changePaymentWithCall changes a payment by what a call tells, and settles the call with the outcome
// as change leaves it.
func (s *Shop) changePaymentWithCall(ctx context.Context, call *providerCall, outcome *callOutcome, attemptID string, change func(c *orderChange, p *payment)) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return err
		}
		outcome.orderID = p.order.id
		err = s.changeFound(tx, p, Cause(call.provider), func(c *orderChange, p *payment) error {
			change(c, p)
			return nil
		})
		if err != nil {
			return err
		}
		return s.settleCall(tx, call, *outcome)
	})
}

// ReplayCall applies a kept call again, as if it had just come; one that was applied stays as it is.
// It is for the shop's staff. Codes: not_found, state_conflict (it can not be applied again).
func (s *Shop) ReplayCall(ctx context.Context, id string) (*ProviderCall, error) {
	shown, call, err := s.loadCall(ctx, id)
	if err != nil {
		return nil, err
	}
	if shown.Verdict == VerdictApplied {
		return nil, errorf(CodeStateConflict, "The call was applied; a second time would change nothing.")
	}
	if err := s.replay(ctx, call); err != nil {
		return nil, err
	}
	return s.FindCall(ctx, id)
}

func (s *Shop) replay(ctx context.Context, call providerCall) error {
	plugin, access, ok, err := s.pluginFor(ctx, call.provider, CanHear, "")
	switch {
	case err != nil:
		return err
	case !ok:
		return errorf(CodeStateConflict, "%s is not configured in %s mode.", call.provider, s.modeWord(ctx))
	case plugin.Parcels != nil:
		return s.replayParcelCall(ctx, call, plugin.Parcels)
	case plugin.Notices == nil:
		return s.replayVisit(ctx, call, access.Mode)
	}
	notice, ok := plugin.Notices.ReadNotice(access.Settings, call.body)
	if !ok {
		return errorf(CodeStateConflict, "The call's signature is not one of the present settings: it can not be applied again.")
	}
	_, err = s.processNotice(ctx, &call, access.Mode, notice)
	return err
}
