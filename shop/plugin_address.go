package shop

// Where providers reach the server, each followed by a tenant's UID.
const (
	CourierAWebhookPath  = "/courier/webhook/courier_a/"
	CourierBWebhookPath  = "/courier/webhook/courier_b/"
	GatewayAWebhookPath  = "/payment/webhook/gateway_a/"
	GatewayAReturnPath   = "/payment/return/gateway_a/"
	GatewayBCallbackPath = "/payment/callback/gateway_b/"
)

// WebhookURL is where one provider reaches the shop.
type WebhookURL struct {
	Provider Provider `json:"provider"`
	Kind     string   `json:"kind"` // webhook: called by the provider; callback: visited by the buyer's browser
	URL      string   `json:"url"`
}

// WebhookURLs gives where the providers reach the shop: always all four, configured or not.
func (s *Shop) WebhookURLs() []WebhookURL {
	return []WebhookURL{
		{CourierA, "webhook", s.providerURL(CourierAWebhookPath)},
		{CourierB, "webhook", s.providerURL(CourierBWebhookPath)},
		{GatewayA, "webhook", s.providerURL(GatewayAWebhookPath)},
		{GatewayB, "callback", s.providerURL(GatewayBCallbackPath)},
	}
}

func (s *Shop) providerURL(path string) string { return s.publicURL + path + s.UID() }
