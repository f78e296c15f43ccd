package courierb

import (
	"errors"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop"
)

// Names of the plugin's settings.
const (
	keyToken     = "webhook_token"
	keySignature = "require_signature"
	keyAPI       = "api_key"
	keySecret    = "secret_key"
)

// LiveURL is the courier's own address. It has no test world.
const LiveURL = "https://portal.packzy.com/api/v1"

// dhaka is where the courier's clock stands; the country has had no summer time since 2010.
var dhaka = time.FixedZone("Asia/Dhaka", 6*60*60)

// Config says how the courier is reached.
type Config struct {
	Client  *provider.Client // must be set
	Live    string           // base address, without a slash at the end; "": the courier's own
	Sandbox string           // "": there is none, and nothing is booked in sandbox mode
}

// New gives the courier's plugin.
func New(cfg Config) shop.Plugin {
	if cfg.Live == "" {
		cfg.Live = LiveURL
	}
	api := &api{client: cfg.Client, base: map[shop.Mode]string{shop.Live: cfg.Live, shop.Sandbox: cfg.Sandbox}}
	return shop.Plugin{Provider: shop.CourierB, Keys: keys(), Checker: api, Courier: api, CourierWebhooks: reader{}}
}

func keys() []shop.PluginKey {
	hear, book := []shop.Capability{shop.CanReceiveWebhooks}, []shop.Capability{shop.CanBook}
	return []shop.PluginKey{
		{Name: keyToken, Secret: true, For: hear, Check: checkToken, Meaning: "The Auth Token that you typed into the courier's panel."},
		{Name: keySignature, Check: checkFlag, Meaning: "true: refuse calls whose body is not signed with the token as well."},
		{Name: keyAPI, Secret: true, PerMode: true, For: book, Meaning: "API key of the courier's panel."},
		{Name: keySecret, Secret: true, PerMode: true, For: book, Meaning: "Secret key of the courier's panel."},
	}
}

func checkToken(value string) error {
	if strings.ContainsAny(value, " \t") {
		return errors.New("expected the token alone, without the word Bearer and without spaces")
	}
	return nil
}

func checkFlag(value string) error {
	if value != "true" && value != "false" {
		return errors.New("expected true or false")
	}
	return nil
}
