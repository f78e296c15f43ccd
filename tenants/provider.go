package tenants

import (
	"time"

	"storefront/provider"
	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/provider/gatewaya"
	"storefront/provider/gatewayb"
	"storefront/shop"
)

// Providers says how the providers are reached; the operator decides it, never a shop. The zero
// value is right for the real ones.
type Providers struct {
	// Addresses are base addresses instead of the providers' own, without a slash at the end.
	Addresses map[shop.Provider]map[shop.Mode]string
	// AllowPrivate lets calls go to private and loopback addresses.
	AllowPrivate bool
}

// gatewayBTimeout is how long gateway_b may take to move money.
const gatewayBTimeout = 30 * time.Second

// plugins gives what stands for each provider: the one place that chooses.
func (p Providers) plugins(now func() time.Time) []shop.Plugin {
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate})
	patient := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate, Timeout: gatewayBTimeout})
	at := func(of shop.Provider, mode shop.Mode) string { return p.Addresses[of][mode] }
	return []shop.Plugin{
		couriera.New(couriera.Config{Client: client, Live: at(shop.CourierA, shop.Live), Sandbox: at(shop.CourierA, shop.Sandbox), Now: now}),
		courierb.New(courierb.Config{Client: client, Live: at(shop.CourierB, shop.Live), Sandbox: at(shop.CourierB, shop.Sandbox)}),
		gatewaya.New(gatewaya.Config{Client: client, Live: at(shop.GatewayA, shop.Live), Sandbox: at(shop.GatewayA, shop.Sandbox)}).Plugin(),
		gatewayb.New(gatewayb.Config{Client: patient, Live: at(shop.GatewayB, shop.Live), Sandbox: at(shop.GatewayB, shop.Sandbox), Now: now}).Plugin(),
	}
}
