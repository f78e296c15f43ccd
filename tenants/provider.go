package tenants

import (
	"time"

	"storefront/provider"
	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/provider/gatewaya"
	"storefront/provider/gatewayb"
	"storefront/provider/meta"
	"storefront/provider/practice"
	"storefront/provider/tiktok"
	"storefront/shop/conversion"
	"storefront/shop/plugin"
)

// Providers configures the addresses of couriers and payment gateways. Only the operator sets it,
// never a shop. The zero value means the providers' own addresses.
type Providers struct {
	// Addresses are base URLs that replace the providers' own, without a trailing slash.
	Addresses map[plugin.Provider]map[plugin.Mode]string
	// Telegram is the base URL of Telegram's API, without a trailing slash; "" means its own.
	Telegram string
	// Meta and TikTok are the base URLs of their APIs for events, without a trailing slash; "" means
	// their own.
	Meta, TikTok string
	// AllowPrivate allows requests to private and loopback addresses.
	AllowPrivate bool
}

// advertisers returns the senders of events. No other code chooses them.
func (p Providers) advertisers() map[conversion.Receiver]conversion.Sender {
	client := provider.ClientConfig{AllowPrivate: p.AllowPrivate}
	return map[conversion.Receiver]conversion.Sender{
		conversion.Meta: meta.New(client, p.Meta), conversion.TikTok: tiktok.New(client, p.TikTok),
	}
}

// gatewayBTimeout bounds requests to gateway_b, which moves money before responding.
const gatewayBTimeout = 30 * time.Second

// plugins returns the adapter of each provider. No other code chooses adapters.
func (p Providers) plugins(now func() time.Time) []plugin.Plugin {
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate})
	slowClient := provider.NewClient(provider.ClientConfig{AllowPrivate: p.AllowPrivate, Timeout: gatewayBTimeout})
	address := func(of plugin.Provider, mode plugin.Mode) string { return p.Addresses[of][mode] }
	all := []plugin.Plugin{
		couriera.New(couriera.Config{
			Client: client, Live: address(plugin.CourierA, plugin.Live), Sandbox: address(plugin.CourierA, plugin.Sandbox), Now: now,
		}),
		courierb.New(courierb.Config{
			Client: client, Live: address(plugin.CourierB, plugin.Live), Sandbox: address(plugin.CourierB, plugin.Sandbox),
		}),
		gatewaya.New(gatewaya.Config{
			Client: client, Live: address(plugin.GatewayA, plugin.Live), Sandbox: address(plugin.GatewayA, plugin.Sandbox),
		}).Plugin(),
		gatewayb.New(gatewayb.Config{
			Client: slowClient, Live: address(plugin.GatewayB, plugin.Live), Sandbox: address(plugin.GatewayB, plugin.Sandbox), Now: now,
		}).Plugin(),
	}
	for i := range all {
		practice.Join(&all[i], now)
	}
	return all
}
