package shop

import (
	"context"

	"storefront/db"
	"storefront/shop/plugin"
)

// ReceiveWebhook receives a provider's webhook without the provider's adapter.
func (s *Shop) ReceiveWebhook(
	ctx context.Context, provider plugin.Provider, key, body string, apply func() (Verdict, error),
) (Verdict, error) {
	webhook := incomingWebhook{provider: provider, key: key, contentType: "application/json", body: []byte(body)}
	outcome, err := s.Inbox.receiveWebhook(ctx, webhook, func(*db.Tx, incomingWebhook) (webhookOutcome, error) {
		verdict, err := apply()
		return webhookOutcome{verdict: verdict, event: "test"}, err
	})
	return outcome.verdict, err
}

// RecordRefused records a refused webhook.
func (s *Shop) RecordRefused(ctx context.Context, provider plugin.Provider, reason string) error {
	return s.Inbox.recordRefused(ctx, provider, reason)
}

// MaskBody returns a webhook's body as staff members see it.
func MaskBody(contentType, body string) string { return maskBody(contentType, []byte(body)) }

// IsShownField reports whether staff members see the value of a webhook's field.
func IsShownField(name string) bool { return shownFields[name] }
