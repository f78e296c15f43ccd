package order

import (
	"context"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// HandleCourierWebhook authenticates a webhook, stores it and applies it once. A body that is not
// read yet is read after the secret in the headers, so that a forged webhook costs little. It
// returns the response that the courier expects to every authentic webhook, even if it cannot be
// applied. Codes: unauthenticated (not configured, or not authentic). Any other error means that
// the webhook was not stored and that the courier should send it again.
func (s *Orders) HandleCourierWebhook(
	ctx context.Context,
	provider plugin.Provider,
	contentType string,
	webhook plugin.WebhookRequest,
) (plugin.WebhookResponse, error) {
	adapter, pluginAccess, ok, err := s.cfg.Plugin(ctx, provider, plugin.CanReceiveWebhooks, "")
	if err != nil {
		return plugin.WebhookResponse{}, err
	}
	if !ok || adapter.CourierWebhooks == nil {
		return plugin.WebhookResponse{}, s.rejectCourierWebhook(ctx, provider, "the plugin is not configured")
	}
	reader := adapter.CourierWebhooks
	if webhook.ReadBody != nil {
		auth := reader.AuthenticateHeader(pluginAccess.Settings, webhook.Header)
		if err := s.checkCourierAuth(ctx, provider, auth); err != nil {
			return plugin.WebhookResponse{}, err
		}
		if webhook.Body, err = webhook.ReadBody(); err != nil {
			return plugin.WebhookResponse{}, err
		}
	}
	auth := reader.Authenticate(pluginAccess.Settings, webhook)
	if err := s.checkCourierAuth(ctx, provider, auth); err != nil {
		return plugin.WebhookResponse{}, err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return plugin.WebhookResponse{}, err
	}
	stored := inbox.Incoming{Provider: provider, Key: auth.Key, ContentType: contentType, Body: webhook.Body}
	_, err = s.cfg.Inbox.Receive(ctx, stored, func(tx *db.Tx, webhook inbox.Incoming) (inbox.Outcome, error) {
		outcome, err := s.applyShipmentWebhook(tx, webhook, reader, set.Currency)
		outcome.Reason = strings.TrimSpace(auth.Flag + " " + outcome.Reason)
		return outcome, err
	})
	if err != nil {
		return plugin.WebhookResponse{}, err
	}
	return reader.Respond(pluginAccess.Settings, webhook), nil
}

// checkCourierAuth returns the error of a webhook that is not authentic, and records it.
func (s *Orders) checkCourierAuth(ctx context.Context, provider plugin.Provider, auth plugin.WebhookAuth) error {
	switch {
	case auth.Probe:
		return errNotAuthentic()
	case !auth.OK:
		return s.rejectCourierWebhook(ctx, provider, auth.Reason)
	}
	return nil
}

// rejectCourierWebhook records a webhook that is not authentic. The reason is shown to staff only.
func (s *Orders) rejectCourierWebhook(ctx context.Context, provider plugin.Provider, reason string) error {
	if err := s.cfg.Inbox.RecordRefused(ctx, provider, "401: "+reason); err != nil {
		return err
	}
	return errNotAuthentic()
}

func errNotAuthentic() error {
	return fault.Errorf(fault.CodeUnauthenticated, "The webhook is not authentic. Check the secret in the courier's settings.")
}

// applyShipmentWebhook parses a stored webhook and applies its event.
func (s *Orders) applyShipmentWebhook(
	tx *db.Tx,
	webhook inbox.Incoming,
	reader plugin.CourierReader,
	currency money.Currency,
) (inbox.Outcome, error) {
	event := reader.Read(webhook.Body, currency)
	if !event.Clean() {
		return inbox.Outcome{Verdict: inbox.VerdictMalformed, Reason: "An identifier in the body is too long."}, nil
	}
	switch event.Kind {
	case plugin.EventHandshake, plugin.EventOther:
		return inbox.Outcome{Verdict: inbox.VerdictIgnored, Event: event.Event, Reason: event.Reason}, nil
	case plugin.EventMalformed:
		return inbox.Outcome{Verdict: inbox.VerdictMalformed, Event: event.Event, Reason: event.Reason}, nil
	}
	return s.applyCourierEvent(tx, webhook, event)
}
