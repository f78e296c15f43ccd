package plugin

import "storefront/shop/locale"

// Provider is one of the four external services that a shop can use: two couriers and two gateways.
//
//api:enum Provider
type Provider string

// The providers.
const (
	CourierA Provider = "courier_a" // the first courier
	CourierB Provider = "courier_b" // the second courier
	GatewayA Provider = "gateway_a" // the first payment gateway
	GatewayB Provider = "gateway_b" // the second payment gateway
)

// Providers returns all providers.
func Providers() []Provider { return []Provider{CourierA, CourierB, GatewayA, GatewayB} }

// Name returns the provider's name, in English.
func (p Provider) Name() string { return ProviderName(p, locale.English) }

// ProviderName returns a provider's name for people, in a language.
func ProviderName(provider Provider, language locale.Language) string {
	names, ok := map[Provider][2]string{
		CourierA: {"Pathao", "পাঠাও"}, CourierB: {"Steadfast", "স্টেডফাস্ট"},
		GatewayA: {"SSLCommerz", "SSLCommerz"}, GatewayB: {"bKash", "বিকাশ"},
	}[provider]
	switch {
	case !ok:
		return string(provider)
	case language == locale.Bangla:
		return names[1]
	}
	return names[0]
}
