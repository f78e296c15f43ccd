package plugin

import "storefront/shop/locale"

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

// CourierName returns the name by which buyers know a courier, in a language.
func CourierName(courier Provider, language locale.Language) string {
	names, ok := map[Provider][2]string{
		CourierA: {"Pathao", "পাঠাও"}, CourierB: {"Steadfast", "স্টেডফাস্ট"},
	}[courier]
	switch {
	case !ok:
		return string(courier)
	case language == locale.Bangla:
		return names[1]
	}
	return names[0]
}
