package plugin

// Paths of the server's URLs for providers, each followed by a tenant's UID.
const (
	CourierAWebhookPath  = "/courier/webhook/courier_a/"
	CourierBWebhookPath  = "/courier/webhook/courier_b/"
	GatewayAWebhookPath  = "/payment/webhook/gateway_a/"
	GatewayAReturnPath   = "/payment/return/gateway_a/"
	GatewayBCallbackPath = "/payment/callback/gateway_b/"
)
