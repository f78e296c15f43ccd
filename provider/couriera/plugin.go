package couriera

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop"
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

// The courier's own addresses.
const (
	LiveURL    = "https://api-hermes.pathao.com"
	SandboxURL = "https://courier-api-sandbox.pathao.com"
)

// dhaka is where the courier's clock stands; the country has had no summer time since 2010.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

// Config says how the courier is reached. The zero value of an address is the courier's own.
type Config struct {
	Client        *provider.Client // must be set
	Live, Sandbox string           // base addresses, without a slash at the end
	Now           func() time.Time // nil: time.Now
}

// New gives the courier's plugin.
func New(cfg Config) shop.Plugin {
	if cfg.Live == "" {
		cfg.Live = LiveURL
	}
	if cfg.Sandbox == "" {
		cfg.Sandbox = SandboxURL
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	api := &api{client: cfg.Client, base: map[shop.Mode]string{shop.Live: cfg.Live, shop.Sandbox: cfg.Sandbox}, now: cfg.Now}
	return shop.Plugin{Provider: shop.CourierA, Keys: keys(), Checker: api, Courier: api, CourierWebhooks: reader{}}
}

func keys() []shop.PluginKey {
	hear, book := []shop.Capability{shop.CanReceiveWebhooks}, []shop.Capability{shop.CanBook}
	return []shop.PluginKey{
		{Name: keySecret, Secret: true, For: hear, Meaning: "The webhook secret that you typed into the courier's panel."},
		{Name: keyPrefix, Check: checkPrefix, Meaning: "The word in the courier's header names; CourierA where it is not set."},
		{Name: keyIntegration, Secret: true, Meaning: "What the courier's panel asks for in the answer's header, where that is not the webhook secret."},
		{Name: keyClientID, PerMode: true, For: book, Meaning: "Client ID of the courier's developer page."},
		{Name: keyClientSecret, Secret: true, PerMode: true, For: book, Meaning: "Client secret of the courier's developer page."},
		{Name: keyUser, PerMode: true, For: book, Meaning: "The e-mail address that signs in to the courier's panel."},
		{Name: keyPassword, Secret: true, PerMode: true, For: book, Meaning: "The password that signs in to the courier's panel."},
		{Name: keyStore, PerMode: true, For: book, Check: checkStore, Meaning: "The number of the store that parcels are picked up from."},
	}
}

var prefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,39}$`)

func checkPrefix(value string) error {
	if !prefixPattern.MatchString(value) {
		return errors.New("expected one word of letters and digits, such as CourierA")
	}
	return nil
}

func checkStore(value string) error {
	if len(value) > 18 || strings.Trim(value, "0123456789") != "" {
		return errors.New("expected a number")
	}
	return nil
}
