package plugin

// Provider is one of the four external services that a shop can use: two couriers and two gateways.
type Provider string

// The providers.
const (
	CourierA Provider = "courier_a"
	CourierB Provider = "courier_b"
	GatewayA Provider = "gateway_a"
	GatewayB Provider = "gateway_b"
)

// Providers returns all providers.
func Providers() []Provider { return []Provider{CourierA, CourierB, GatewayA, GatewayB} }
