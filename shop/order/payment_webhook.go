package order

import (
	"context"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

// HandlePaymentWebhook handles a gateway's webhook about a payment; body is as received. authentic
// is false if the webhook is not the gateway's or the gateway is not configured; nothing has then
// changed. An error means that an authentic webhook could not be stored. [Orders.SweepPayments]
// later resolves a payment that the gateway does not confirm yet.
func (s *Orders) HandlePaymentWebhook(
	ctx context.Context, provider plugin.Provider, contentType string, body []byte,
) (authentic bool, err error) {
	plugin, access, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanReceiveWebhooks, "")
	if err != nil {
		return false, err
	}
	if !ok || plugin.PaymentWebhooks == nil {
		return false, s.cfg.Inbox.RecordRefused(ctx, provider, "not configured in "+s.modeName(ctx)+" mode")
	}
	event, ok := plugin.PaymentWebhooks.ReadWebhook(access.Settings, body)
	if !ok {
		return false, s.cfg.Inbox.RecordRefused(ctx, provider, "the signature does not match")
	}
	webhook := &inbox.Incoming{Provider: provider, ContentType: contentType, Body: body}
	outcome, err := s.storePaymentWebhook(ctx, webhook, event.Ref)
	if err != nil {
		return true, err
	}
	if outcome.Verdict.IsFinal() {
		return true, nil
	}
	_, failure := s.processPaymentEvent(context.WithoutCancel(ctx), webhook, access.Mode, event)
	if failure != nil {
		// The webhook is stored: the gateway need not send it again, and staff members see the
		// reason.
		outcome := inbox.Outcome{Verdict: inbox.VerdictFailed, Event: event.Event, Reason: fault.Reason(failure)}
		return true, s.commitVerdict(ctx, webhook, outcome)
	}
	return true, nil
}

// storePaymentWebhook stores a webhook and schedules a status query of its payment, so that a crash
// of the program after the commit does not lose the event.
func (s *Orders) storePaymentWebhook(
	ctx context.Context, webhook *inbox.Incoming, attemptID string,
) (outcome inbox.Outcome, err error) {
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if outcome, err = s.cfg.Inbox.Store(tx, webhook); err != nil {
			return err
		}
		if outcome.Verdict.IsFinal() {
			return nil
		}
		p, err := findPayment(tx, attemptID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.provider() != webhook.Provider {
			return nil
		}
		outcome.OrderID = p.order.id // the sweep finds the webhook by it
		if err := inbox.SaveOutcome(tx, webhook.ID, outcome); err != nil {
			return err
		}
		if p.attempt.status.MoneyReceived() {
			return nil
		}
		p.check.scheduleCheckNow(db.Millis(tx.Now()))
		return saveAttemptCheck(tx, p.check)
	})
	return outcome, err
}

func (s *Orders) modeName(ctx context.Context) string {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return "this"
	}
	return string(set.ActiveMode)
}

func (s *Orders) commitVerdict(ctx context.Context, webhook *inbox.Incoming, outcome inbox.Outcome) error {
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return s.cfg.Inbox.SaveVerdict(tx, webhook, outcome) })
}

// processPaymentEvent applies the event of a stored webhook. A payment counts as received only
// after the gateway has confirmed it in a status query, outside of any transaction.
func (s *Orders) processPaymentEvent(
	ctx context.Context, webhook *inbox.Incoming, mode plugin.Mode, event plugin.PaymentEvent,
) (inbox.Outcome, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return inbox.Outcome{}, err
	}
	outcome := inbox.Outcome{Verdict: inbox.VerdictApplied, Event: event.Event}
	p, err := s.loadPayment(ctx, event.Ref)
	switch {
	case errors.Is(err, db.ErrNotFound):
		outcome.Verdict, outcome.Reason = inbox.VerdictUnmatched, "names no payment of this shop"
		return outcome, s.commitVerdict(ctx, webhook, outcome)
	case err != nil:
		return inbox.Outcome{}, err
	case p.provider() != webhook.Provider || p.attempt.mode != mode:
		outcome.Verdict, outcome.OrderID = inbox.VerdictIgnored, p.order.id
		outcome.Reason = "the payment is of another gateway or mode"
		return outcome, s.commitVerdict(ctx, webhook, outcome)
	}
	outcome.OrderID = p.order.id
	reported := plugin.GatewayStatus{State: event.State, Reason: event.Reason}
	if event.State == plugin.GatewayPaid {
		query := p.statusQuery(set.Currency)
		query.ValidationID = event.ValidationID
		if reported, err = s.queryStatus(ctx, p, query); err != nil || reported.State == plugin.GatewayOpen {
			outcome.Verdict, outcome.Reason = inbox.VerdictStored, "the gateway has not confirmed it yet"
			return outcome, s.deferWebhook(ctx, webhook, p.attempt.id, outcome)
		}
	}
	err = s.changeAttemptByWebhook(ctx, webhook, &outcome, p.attempt.id, func(c *orderChange, p *payment) {
		c.applyStatus(p, reported, set.Currency)
	})
	return outcome, err
}

// queryStatus queries the payment's gateway for its status.
func (s *Orders) queryStatus(ctx context.Context, p *payment, query plugin.StatusQuery) (plugin.GatewayStatus, error) {
	gateway, access, err := s.gatewayOf(ctx, p)
	if err != nil {
		return plugin.GatewayStatus{}, err
	}
	return gateway.QueryStatus(ctx, access, query)
}

// captureAtGateway captures the payment at its gateway.
func (s *Orders) captureAtGateway(ctx context.Context, p *payment, query plugin.StatusQuery) (plugin.GatewayStatus, error) {
	gateway, access, err := s.gatewayOf(ctx, p)
	if err != nil {
		return plugin.GatewayStatus{}, err
	}
	return gateway.Capture(ctx, access, query)
}

// gatewayOf returns the payment's gateway and its settings in the payment's own mode. The error
// wraps [plugin.ErrGatewayRefused] if the shop does not have it.
func (s *Orders) gatewayOf(ctx context.Context, p *payment) (plugin.Gateway, plugin.Access, error) {
	adapter, access, ok, err := s.cfg.Plugin(ctx, p.provider(), plugin.CanPay, p.attempt.mode)
	if err != nil {
		return nil, plugin.Access{}, err
	}
	if !ok || adapter.Gateway == nil {
		return nil, plugin.Access{}, fmt.Errorf("%w: not configured", plugin.ErrGatewayRefused)
	}
	return adapter.Gateway, access, nil
}

// deferWebhook saves the outcome of a webhook that is to be applied later, and schedules a status
// query of its payment.
func (s *Orders) deferWebhook(ctx context.Context, webhook *inbox.Incoming, attemptID string, outcome inbox.Outcome) error {
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		check, err := findAttemptCheck(tx, attemptID)
		if err != nil {
			return err
		}
		check.scheduleCheckNow(db.Millis(tx.Now()))
		if err := saveAttemptCheck(tx, check); err != nil {
			return err
		}
		return s.cfg.Inbox.SaveVerdict(tx, webhook, outcome)
	})
}

// changeAttemptByWebhook changes a payment as its provider's webhook reports, and saves the
// outcome, which change may modify.
func (s *Orders) changeAttemptByWebhook(
	ctx context.Context, webhook *inbox.Incoming, outcome *inbox.Outcome, attemptID string,
	change func(c *orderChange, p *payment),
) error {
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		p, err := findPayment(tx, attemptID)
		if err != nil {
			return err
		}
		outcome.OrderID = p.order.id
		err = s.changeOrder(tx, p.order, Cause(webhook.Provider)).apply(p, func(c *orderChange, p *payment) error {
			change(c, p)
			return nil
		})
		if err != nil {
			return err
		}
		return s.cfg.Inbox.SaveVerdict(tx, webhook, *outcome)
	})
}
