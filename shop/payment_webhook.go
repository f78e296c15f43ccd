package shop

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// HandlePaymentWebhook takes a payment notice of a gateway, as it was received. authentic is false where it
// is not the gateway's, or the shop has not configured it: nothing has then changed. An error means
// that an authentic notice could not be kept. What can not be decided now is decided later by
// [Shop.SweepPayments].
func (s *Shop) HandlePaymentWebhook(ctx context.Context, provider Provider, contentType string, body []byte) (authentic bool, err error) {
	plugin, access, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return false, err
	}
	if !ok || plugin.PaymentWebhooks == nil {
		return false, s.recordRefused(ctx, provider, "not configured in "+s.modeName(ctx)+" mode")
	}
	notice, ok := plugin.PaymentWebhooks.ReadWebhook(access.Settings, body)
	if !ok {
		return false, s.recordRefused(ctx, provider, "the signature differs")
	}
	call := &incomingWebhook{provider: provider, contentType: contentType, body: body}
	outcome, err := s.storePaymentWebhook(ctx, call, notice.Ref)
	if err != nil || outcome.verdict.isFinal() {
		return true, err
	}
	_, failure := s.processPaymentEvent(context.WithoutCancel(ctx), call, access.Mode, notice)
	if failure != nil {
		// It is kept: the gateway need not send it again, and staff sees what is wrong.
		return true, s.commitVerdict(ctx, call, webhookOutcome{verdict: VerdictFailed, event: notice.Event, reason: failure.Error()})
	}
	return true, nil
}

// storePaymentWebhook stores a notice and has the sweeper ask about its payment soon: whatever ends the program
// from here on, what the notice tells is not lost.
func (s *Shop) storePaymentWebhook(ctx context.Context, call *incomingWebhook, attemptID string) (outcome webhookOutcome, err error) {
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		if outcome, err = s.storeWebhook(tx, call); err != nil || outcome.verdict.isFinal() {
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
		if err := saveOutcome(tx, call.id, outcome); err != nil || p.attempt.status.moneyReceived() {
			return err
		}
		p.check.scheduleCheckNow(db.Millis(tx.Now()))
		return saveAttemptCheck(tx, p.check)
	})
	return outcome, err
}

func (s *Shop) modeName(ctx context.Context) string {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "this"
	}
	return string(set.ActiveMode)
}

func (s *Shop) commitVerdict(ctx context.Context, call *incomingWebhook, outcome webhookOutcome) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error { return s.saveVerdict(tx, call, outcome) })
}

// processPaymentEvent applies a notice that is kept: one of a payment is believed only after the gateway
// was asked, which happens outside of any transaction.
func (s *Shop) processPaymentEvent(ctx context.Context, call *incomingWebhook, mode Mode, notice PaymentEvent) (webhookOutcome, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return webhookOutcome{}, err
	}
	outcome := webhookOutcome{verdict: VerdictApplied, event: notice.Event}
	p, err := s.loadPayment(ctx, notice.Ref)
	switch {
	case errors.Is(err, db.ErrNotFound):
		outcome.verdict, outcome.reason = VerdictUnmatched, "names no payment of this shop"
		return outcome, s.commitVerdict(ctx, call, outcome)
	case err != nil:
		return webhookOutcome{}, err
	case p.provider() != call.provider || p.attempt.mode != mode:
		outcome.verdict, outcome.reason, outcome.orderID = VerdictIgnored, "the payment is of another gateway or mode", p.order.id
		return outcome, s.commitVerdict(ctx, call, outcome)
	}
	outcome.orderID = p.order.id
	proof := GatewayStatus{State: notice.State}
	if notice.State == GatewayPaid {
		question := p.statusQuery(set.money)
		question.ValidationID = notice.ValidationID
		if proof, err = s.queryStatus(ctx, p, question); err != nil || proof.State == GatewayOpen {
			outcome.verdict, outcome.reason = VerdictStored, "the gateway does not confirm it yet"
			return outcome, s.deferWebhook(ctx, call, p.attempt.id, outcome)
		}
	}
	err = s.changeAttemptByWebhook(ctx, call, &outcome, p.attempt.id, func(c *orderChange, p *payment) {
		c.applyStatus(p, proof, set.money)
	})
	return outcome, err
}

// queryStatus asks the payment's gateway with the settings of the payment's own mode.
func (s *Shop) queryStatus(ctx context.Context, p *payment, question StatusQuery) (GatewayStatus, error) {
	plugin, access, ok, err := s.pluginFor(ctx, p.provider(), CanPay, p.attempt.mode)
	if err != nil {
		return GatewayStatus{}, err
	}
	if !ok || plugin.Gateway == nil {
		return GatewayStatus{}, ErrGatewayRefused
	}
	return plugin.Gateway.QueryStatus(ctx, access, question)
}

// deferWebhook leaves a call stored and has the sweeper ask about its payment next.
func (s *Shop) deferWebhook(ctx context.Context, call *incomingWebhook, attemptID string, outcome webhookOutcome) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		check, err := findAttemptCheck(tx, attemptID)
		if err != nil {
			return err
		}
		check.scheduleCheckNow(db.Millis(tx.Now()))
		if err := saveAttemptCheck(tx, check); err != nil {
			return err
		}
		return s.saveVerdict(tx, call, outcome)
	})
}

// changeAttemptByWebhook changes a payment by what a call tells, and settles the call with the outcome
// as change leaves it.
func (s *Shop) changeAttemptByWebhook(ctx context.Context, call *incomingWebhook, outcome *webhookOutcome, attemptID string, change func(c *orderChange, p *payment)) error {
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return err
		}
		outcome.orderID = p.order.id
		err = s.changeLoadedAttempt(tx, p, Cause(call.provider), func(c *orderChange, p *payment) error {
			change(c, p)
			return nil
		})
		if err != nil {
			return err
		}
		return s.saveVerdict(tx, call, *outcome)
	})
}

// ReplayWebhook applies a kept call again, as if it had just come; one that was applied stays as it is.
// It is for the shop's staff. Codes: not_found, state_conflict (it can not be applied again).
func (s *Shop) ReplayWebhook(ctx context.Context, caller access.Caller, id string) (*Webhook, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	shown, call, err := s.loadWebhook(ctx, id)
	if err != nil {
		return nil, err
	}
	if shown.Verdict == VerdictApplied {
		return nil, fault.Errorf(fault.CodeStateConflict, "The call was applied; a second time would change nothing.")
	}
	if err := s.replay(ctx, call); err != nil {
		return nil, err
	}
	return s.FindWebhook(ctx, caller, id)
}

func (s *Shop) replay(ctx context.Context, call incomingWebhook) error {
	plugin, access, ok, err := s.pluginFor(ctx, call.provider, CanReceiveWebhooks, "")
	switch {
	case err != nil:
		return err
	case !ok:
		return fault.Errorf(fault.CodeStateConflict, "%s is not configured in %s mode.", call.provider, s.modeName(ctx))
	case plugin.CourierWebhooks != nil:
		return s.replayShipmentWebhook(ctx, call, plugin.CourierWebhooks)
	case plugin.PaymentWebhooks == nil:
		return s.replayCallback(ctx, call, access.Mode)
	}
	notice, ok := plugin.PaymentWebhooks.ReadWebhook(access.Settings, call.body)
	if !ok {
		return fault.Errorf(fault.CodeStateConflict, "The call's signature is not one of the present settings: it can not be applied again.")
	}
	_, err = s.processPaymentEvent(ctx, &call, access.Mode, notice)
	return err
}
