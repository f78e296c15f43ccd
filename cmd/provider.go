package cmd

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/tenants"
)

// providers reads how the operator has providers reached: --provider-url PROVIDER:MODE=ADDRESS.
func (a *app) providers() (tenants.Providers, error) {
	reach := tenants.Providers{Addresses: map[shop.Provider]map[shop.Mode]string{}, AllowPrivate: a.privateProviders}
	for _, text := range a.providerURLs {
		name, address, _ := strings.Cut(text, "=")
		provider, mode, _ := strings.Cut(name, ":")
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
			!slices.Contains(providers, provider) || mode != string(shop.Live) && mode != string(shop.Sandbox) {
			return reach, &usageError{
				err:     fmt.Errorf("--provider-url %q is not PROVIDER:MODE=ADDRESS, such as courier_a:sandbox=https://test.example", text),
				command: "storefront",
			}
		}
		if reach.Addresses[shop.Provider(provider)] == nil {
			reach.Addresses[shop.Provider(provider)] = map[shop.Mode]string{}
		}
		reach.Addresses[shop.Provider(provider)][shop.Mode(mode)] = strings.TrimSuffix(address, "/")
	}
	return reach, nil
}
