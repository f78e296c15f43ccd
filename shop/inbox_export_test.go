package shop

import (
	"context"

	"storefront/db"
)

// TakeCall gives tests of this package a provider's call without a provider's adapter.
func (s *Shop) TakeCall(ctx context.Context, provider Provider, key, body string, apply func() (Verdict, error)) (Verdict, error) {
	call := providerCall{provider: provider, key: key, contentType: "application/json", body: []byte(body)}
	outcome, err := s.takeCall(ctx, call, func(*db.Tx, providerCall) (callOutcome, error) {
		verdict, err := apply()
		return callOutcome{verdict: verdict, event: "test"}, err
	})
	return outcome.verdict, err
}

// RefuseCall notes a refused call.
func (s *Shop) RefuseCall(ctx context.Context, provider Provider, reason string) error {
	return s.refuseCall(ctx, provider, reason)
}

// MaskBody is what staff sees of a body.
func MaskBody(contentType, body string) string { return maskBody(contentType, []byte(body)) }
