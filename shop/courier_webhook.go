package shop

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/money"
)

// HandleCourierWebhook takes a call that may be a courier's: it is recognized, stored, and applied once. A
// call that is the courier's is always answered as the courier expects, also where nothing can be
// done with it. Codes: unauthenticated (not configured, or not the courier's); any other error
// means that the call could not be stored, and should come again.
func (s *Shop) HandleCourierWebhook(ctx context.Context, provider Provider, contentType string, call WebhookRequest) (WebhookResponse, error) {
	plugin, access, ok, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return WebhookResponse{}, err
	}
	if !ok || plugin.CourierWebhooks == nil {
		return WebhookResponse{}, s.rejectCourierWebhook(ctx, provider, "the plugin is not configured")
	}
	proof := plugin.CourierWebhooks.Authenticate(access.Settings, call)
	if !proof.OK {
		return WebhookResponse{}, s.rejectCourierWebhook(ctx, provider, proof.Reason)
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return WebhookResponse{}, err
	}
	stored := incomingWebhook{provider: provider, key: proof.Key, contentType: contentType, body: call.Body}
	_, err = s.receiveWebhook(ctx, stored, func(tx *db.Tx, call incomingWebhook) (webhookOutcome, error) {
		outcome, err := s.applyShipmentWebhook(tx, call, plugin.CourierWebhooks, set.money)
		outcome.reason = strings.TrimSpace(proof.Flag + " " + outcome.reason)
		return outcome, err
	})
	if err != nil {
		return WebhookResponse{}, err
	}
	return plugin.CourierWebhooks.Respond(access.Settings, call), nil
}

// rejectCourierWebhook notes a call that is not the courier's. What is wrong with it stays in the shop.
func (s *Shop) rejectCourierWebhook(ctx context.Context, provider Provider, reason string) error {
	if err := s.recordRefused(ctx, provider, "401: "+reason); err != nil {
		return err
	}
	return fault.Errorf(fault.CodeUnauthenticated, "This is not the courier's call.")
}

// applyShipmentWebhook reads a stored call and applies it.
func (s *Shop) applyShipmentWebhook(tx *db.Tx, call incomingWebhook, reader CourierReader, money money.Currency) (webhookOutcome, error) {
	notice := reader.Read(call.body, money)
	if !notice.clean() {
		return webhookOutcome{verdict: VerdictMalformed, reason: "A name in it is too long to be one."}, nil
	}
	switch notice.Kind {
	case EventHandshake, EventOther:
		return webhookOutcome{verdict: VerdictIgnored, event: notice.Event, reason: notice.Reason}, nil
	case EventMalformed:
		return webhookOutcome{verdict: VerdictMalformed, event: notice.Event, reason: notice.Reason}, nil
	}
	return s.applyCourierEvent(tx, call, notice)
}

// replayShipmentWebhook applies a stored call again.
func (s *Shop) replayShipmentWebhook(ctx context.Context, call incomingWebhook, reader CourierReader) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		outcome, err := s.applyShipmentWebhook(tx, call, reader, set.money)
		if err != nil {
			return err
		}
		return s.saveVerdict(tx, &call, outcome)
	})
}
