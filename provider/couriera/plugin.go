package couriera

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

// Names of the plugin's settings.
const (
	keySecret       = "webhook_secret"
	keyPrefix       = "header_prefix"
	keyIntegration  = "integration_secret"
	keyClientID     = "client_id"
	keyClientSecret = "client_secret"
	keyUser         = "username"
	keyPassword     = "password"
	keyStore        = "store_id"
)

// Pathao's base URLs.
const (
	LiveURL    = "https://api-hermes.pathao.com"
	SandboxURL = "https://courier-api-sandbox.pathao.com"
)

// dhaka is the time zone of the courier's timestamps. Bangladesh has had no daylight saving time
// since 2010.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

// Config configures the adapter. An empty URL means the courier's own.
type Config struct {
	Client        *provider.Client // must be set
	Live, Sandbox string           // base URLs without a trailing slash
	Now           func() time.Time // nil means time.Now
}

// New returns the plugin of courier_a.
func New(cfg Config) plugin.Plugin {
	if cfg.Live == "" {
		cfg.Live = LiveURL
	}
	if cfg.Sandbox == "" {
		cfg.Sandbox = SandboxURL
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	api := &api{client: cfg.Client, base: map[plugin.Mode]string{plugin.Live: cfg.Live, plugin.Sandbox: cfg.Sandbox}, now: cfg.Now}
	return plugin.Plugin{Provider: plugin.CourierA, Keys: keys(), Checker: api, Courier: api, CourierWebhooks: reader{}, Places: api}
}

func keys() []plugin.Key {
	receive, book := []plugin.Capability{plugin.CanReceiveWebhooks}, []plugin.Capability{plugin.CanBook}
	return []plugin.Key{
		{Name: keySecret, Secret: true, For: receive, Meaning: "Webhook secret, as entered in the courier's panel."},
		{
			Name: keyPrefix, Check: checkPrefix,
			Meaning: "Prefix in the names of the courier's HTTP headers; if not set, CourierA and the vendor's PATHAO are accepted.",
		},
		{
			Name: keyIntegration, Secret: true,
			Meaning: "Integration secret that the courier's panel expects in the response header, if it differs from the webhook secret.",
		},
		{Name: keyClientID, PerMode: true, For: book, Meaning: "Client ID from the courier's developer page."},
		{Name: keyClientSecret, Secret: true, PerMode: true, For: book, Meaning: "Client secret from the courier's developer page."},
		{Name: keyUser, PerMode: true, For: book, Meaning: "E-mail address of the account in the courier's panel."},
		{Name: keyPassword, Secret: true, PerMode: true, For: book, Meaning: "Password of the account in the courier's panel."},
		{Name: keyStore, PerMode: true, For: book, Check: checkStore, Meaning: "ID of the store where the courier picks up shipments."},
		{
			Name: plugin.CashRateKey, Check: plugin.CheckCashRate,
			Meaning: "The courier's share of the collected cash, in basis points (100 is 1 %); statements are checked with it. 0 if not set.",
		},
	}
}

var prefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,39}$`)

func checkPrefix(value string) error {
	if !prefixPattern.MatchString(value) {
		return errors.New("must be 1 to 40 letters and digits and begin with a letter, such as CourierA")
	}
	return nil
}

func checkStore(value string) error {
	if len(value) > 18 || strings.Trim(value, "0123456789") != "" {
		return errors.New("must be a number of at most 18 digits")
	}
	return nil
}
