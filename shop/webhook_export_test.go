package shop

import (
	"context"

	"storefront/db"
)

// TakeCall gives tests of this package a provider's call without a provider's adapter.
func (s *Shop) ReceiveWebhook(ctx context.Context, provider Provider, key, body string, apply func() (Verdict, error)) (Verdict, error) {
	call := incomingWebhook{provider: provider, key: key, contentType: "application/json", body: []byte(body)}
	outcome, err := s.receiveWebhook(ctx, call, func(*db.Tx, incomingWebhook) (webhookOutcome, error) {
		verdict, err := apply()
		return webhookOutcome{verdict: verdict, event: "test"}, err
	})
	return outcome.verdict, err
}

// RefuseCall notes a refused call.
func (s *Shop) RecordRefused(ctx context.Context, provider Provider, reason string) error {
	return s.recordRefused(ctx, provider, reason)
}

// MaskBody is what staff sees of a body.
func MaskBody(contentType, body string) string { return maskBody(contentType, []byte(body)) }
