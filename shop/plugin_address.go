package shop

// Paths of the server's URLs for providers, each followed by a tenant's UID.
const (
	CourierAWebhookPath  = "/courier/webhook/courier_a/"
	CourierBWebhookPath  = "/courier/webhook/courier_b/"
	GatewayAWebhookPath  = "/payment/webhook/gateway_a/"
	GatewayAReturnPath   = "/payment/return/gateway_a/"
	GatewayBCallbackPath = "/payment/callback/gateway_b/"
)

// WebhookURL is a URL of the shop for one provider.
type WebhookURL struct {
	Provider Provider `json:"provider"`
	Kind     string   `json:"kind"` // "webhook" if the provider requests it, "callback" if the buyer's browser does
	URL      string   `json:"url"`
}

// WebhookURLs returns the shop's URLs for all four providers, whether they are configured or not.
func (s *Shop) WebhookURLs() []WebhookURL {
	return []WebhookURL{
		{CourierA, "webhook", s.providerURL(CourierAWebhookPath)},
		{CourierB, "webhook", s.providerURL(CourierBWebhookPath)},
		{GatewayA, "webhook", s.providerURL(GatewayAWebhookPath)},
		{GatewayB, "callback", s.providerURL(GatewayBCallbackPath)},
	}
}

func (s *Shop) providerURL(path string) string { return s.publicURL + path + s.UID() }
