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

// Providers configures the addresses of couriers and payment gateways. Only the operator sets it,
// never a shop. The zero value means the providers' own addresses.
type Providers struct {
	// Addresses are base URLs that replace the providers' own, without a trailing slash.
	Addresses map[shop.Provider]map[shop.Mode]string
	// Telegram is the base URL of Telegram's API, without a trailing slash; "" means its own.
	Telegram string
	// AllowPrivate allows requests to private and loopback addresses.
	AllowPrivate bool
}

// gatewayBTimeout bounds requests to gateway_b, which moves money before it responds.
const gatewayBTimeout = 30 * time.Second

// plugins returns the adapter of each provider. No other code chooses adapters.
func (p Providers) plugins(now func() time.Time) []shop.Plugin {
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate})
	slowClient := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate, Timeout: gatewayBTimeout})
	address := func(of shop.Provider, mode shop.Mode) string { return p.Addresses[of][mode] }
	return []shop.Plugin{
		couriera.New(couriera.Config{
			Client: client, Live: address(shop.CourierA, shop.Live), Sandbox: address(shop.CourierA, shop.Sandbox), Now: now,
		}),
		courierb.New(courierb.Config{
			Client: client, Live: address(shop.CourierB, shop.Live), Sandbox: address(shop.CourierB, shop.Sandbox),
		}),
		gatewaya.New(gatewaya.Config{
			Client: client, Live: address(shop.GatewayA, shop.Live), Sandbox: address(shop.GatewayA, shop.Sandbox),
		}).Plugin(),
		gatewayb.New(gatewayb.Config{
			Client: slowClient, Live: address(shop.GatewayB, shop.Live), Sandbox: address(shop.GatewayB, shop.Sandbox), Now: now,
		}).Plugin(),
	}
}
