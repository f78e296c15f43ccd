package courierb

import (
	"errors"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

// Names of the plugin's settings.
const (
	keyToken     = "webhook_token"
	keySignature = "require_signature"
	keyAPI       = "api_key"
	keySecret    = "secret_key"
)

// LiveURL is Steadfast's base URL. Steadfast has no sandbox.
const LiveURL = "https://portal.packzy.com/api/v1"

// dhaka is the time zone of the courier's timestamps, an assumption: they have no offset, and the
// courier's documents do not state one. Bangladesh has had no daylight saving time since 2010.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

// Config configures the adapter.
type Config struct {
	Client  *provider.Client // must be set
	Live    string           // base URL without a trailing slash; "" means the courier's own
	Sandbox string           // likewise; "" disables the API in sandbox mode
}

// New returns the plugin of courier_b.
func New(cfg Config) plugin.Plugin {
	if cfg.Live == "" {
		cfg.Live = LiveURL
	}
	api := &api{client: cfg.Client, base: map[plugin.Mode]string{plugin.Live: cfg.Live, plugin.Sandbox: cfg.Sandbox}}
	return plugin.Plugin{
		Provider: plugin.CourierB, Keys: keys(), Checker: api, Courier: api, CourierWebhooks: reader{}, Places: api, Account: api,
		Records: api,
	}
}

func keys() []plugin.Key {
	receive, book := []plugin.Capability{plugin.CanReceiveWebhooks}, []plugin.Capability{plugin.CanBook}
	return []plugin.Key{
		{Name: keyToken, Secret: true, For: receive, Check: checkToken, Meaning: "Auth Token, as entered in the courier's panel."},
		{Name: keySignature, Check: checkFlag, Meaning: "If true, reject webhooks whose body is not signed with the token."},
		{Name: keyAPI, Secret: true, PerMode: true, For: book, Meaning: "API key from the courier's panel."},
		{Name: keySecret, Secret: true, PerMode: true, For: book, Meaning: "Secret key from the courier's panel."},
		{
			Name: plugin.CashRateKey, Check: plugin.CheckCashRate,
			Meaning: "The courier's share of the collected cash, in basis points (100 is 1 %); statements are checked with it. 0 if not set.",
		},
	}
}

func checkToken(value string) error {
	if strings.ContainsAny(value, " \t") {
		return errors.New("must be the token alone, without \"Bearer\" and without spaces")
	}
	return nil
}

func checkFlag(value string) error {
	if value != "true" && value != "false" {
		return errors.New("must be true or false")
	}
	return nil
}
