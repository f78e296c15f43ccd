package shop

import (
	"context"
	"errors"

	"storefront/shop/access"
	"storefront/shop/endpoint"
)

// newEndpoints returns the webhook endpoints of a new shop.
func newEndpoints(s *Shop, cfg Config) *endpoint.Endpoints {
	runner, sender := cfg.Webhooks, cfg.WebhookSender
	if runner == nil {
		runner = endpoint.NewRunner()
	}
	if sender == nil {
		sender = noWebhooks{}
	}
	return endpoint.New(endpoint.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Log: s.log, Secrets: s.secrets,
		Runner: runner, Sender: sender, IsWorking: s.isWorking, AllowHTTP: cfg.InsecureWebhooks,
		Order: func(ctx context.Context, by access.Actor, id string) (any, error) {
			return s.Orders.FindOrderAsStaff(ctx, access.OnBehalfOf(by), id)
		},
	})
}

// noWebhooks is the sender of a shop without webhooks.
type noWebhooks struct{}

func (noWebhooks) Send(context.Context, endpoint.Webhook) (endpoint.Response, error) {
	return endpoint.Response{}, errors.New("this program sends no webhooks")
}
