package cmd

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"storefront/shop/plugin"
	"storefront/tenants"
)

// providers parses the --provider-url flags, each PROVIDER:MODE=ADDRESS, or for a provider without
// modes telegram=ADDRESS, meta=ADDRESS or tiktok=ADDRESS.
func (a *app) providers() (tenants.Providers, error) {
	parsed := tenants.Providers{Addresses: map[plugin.Provider]map[plugin.Mode]string{}, AllowPrivate: a.privateProviders}
	for _, text := range a.providerURLs {
		name, address, _ := strings.Cut(text, "=")
		provider, mode, _ := strings.Cut(name, ":")
		u, err := url.Parse(address)
		if own := map[string]*string{"telegram": &parsed.Telegram, "meta": &parsed.Meta, "tiktok": &parsed.TikTok}[name]; own != nil &&
			err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			*own = strings.TrimSuffix(address, "/")
			continue
		}
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
			!slices.Contains(providers, provider) || mode != string(plugin.Live) && mode != string(plugin.Sandbox) {
			return parsed, &usageError{
				err:     fmt.Errorf("invalid --provider-url %q: must be PROVIDER:MODE=ADDRESS, such as courier_a:sandbox=https://test.example", text),
				command: "storefront",
			}
		}
		if parsed.Addresses[plugin.Provider(provider)] == nil {
			parsed.Addresses[plugin.Provider(provider)] = map[plugin.Mode]string{}
		}
		parsed.Addresses[plugin.Provider(provider)][plugin.Mode(mode)] = strings.TrimSuffix(address, "/")
	}
	return parsed, nil
}
