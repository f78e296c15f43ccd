package shoptest

import (
	"context"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

// ReceiveWebhook receives a provider's webhook without the provider's adapter.
func ReceiveWebhook(
	ctx context.Context, s *shop.Shop, provider plugin.Provider, key, body string, apply func() (inbox.Verdict, error),
) (inbox.Verdict, error) {
	webhook := inbox.Incoming{Provider: provider, Key: key, ContentType: "application/json", Body: []byte(body)}
	outcome, err := s.Inbox.Receive(ctx, webhook, func(*db.Tx, inbox.Incoming) (inbox.Outcome, error) {
		verdict, err := apply()
		return inbox.Outcome{Verdict: verdict, Event: "test"}, err
	})
	return outcome.Verdict, err
}
