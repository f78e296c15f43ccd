package shop

import (
	"context"

	"storefront/shop/access"
	"storefront/shop/plugin"
)

// WebhookKind is the kind of client that requests a provider's URL.
//
//api:enum WebhookKind
type WebhookKind string

// The kinds of URLs.
const (
	KindWebhook  WebhookKind = "webhook"  // by the provider
	KindCallback WebhookKind = "callback" // by the buyer's browser, which the provider redirects
)

// WebhookURL is a URL of the shop for one provider.
type WebhookURL struct {
	Provider plugin.Provider `json:"provider"`
	Kind     WebhookKind     `json:"kind"`
	URL      string          `json:"url"`
}

// WebhookURLs returns the shop's URLs for all four providers, configured or not.
func (s *Shop) WebhookURLs() []WebhookURL {
	return []WebhookURL{
		{plugin.CourierA, KindWebhook, s.providerURL(plugin.CourierAWebhookPath)},
		{plugin.CourierB, KindWebhook, s.providerURL(plugin.CourierBWebhookPath)},
		{plugin.GatewayA, KindWebhook, s.providerURL(plugin.GatewayAWebhookPath)},
		{plugin.GatewayB, KindCallback, s.providerURL(plugin.GatewayBCallbackPath)},
	}
}

// ListWebhookURLs is [Shop.WebhookURLs] for staff, who enter them in the providers' panels. Codes:
// unauthenticated, forbidden.
func (s *Shop) ListWebhookURLs(ctx context.Context, caller access.Caller) ([]WebhookURL, error) {
	if err := access.Permit(ctx, s.data, caller, access.ToListWebhookURLs); err != nil {
		return nil, err
	}
	return s.WebhookURLs(), nil
}

func (s *Shop) providerURL(path string) string { return s.publicURL + path + s.UID() }
