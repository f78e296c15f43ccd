package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// ProviderPath has a provider in the path.
type ProviderPath struct {
	Provider plugin.Provider `path:"provider" doc:"The courier or gateway" example:"courier_a"`
}

// Providers are the providers of a shop with their settings.
type Providers struct {
	Nodes []shop.PluginStatus `json:"nodes" nullable:"false"`
}

// ProviderURLs are the URLs of a shop for its providers.
type ProviderURLs struct {
	Nodes []shop.WebhookURL `json:"nodes" nullable:"false"`
}

func providerOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listProviderUrls", Path: "provider-urls", Tag: tagProviders, Use: access.ToListWebhookURLs,
			Summary:     "The URLs to enter in the providers' panels",
			Description: "Each courier and gateway has one, whether it is configured or not.",
		}, func(ctx context.Context, in *struct{ request }) (*ProviderURLs, error) {
			urls, err := in.shop().ListWebhookURLs(ctx, in.caller())
			return &ProviderURLs{urls}, err
		}),

		define(Operation{
			ID: "listProviders", Path: "providers", Tag: tagProviders, Use: access.ToListPlugins,
			Summary: "The couriers and gateways with their settings",
			Description: "Secrets are never returned: set reports whether there is one. " +
				"capabilities lists the missing settings.",
		}, func(ctx context.Context, in *struct{ request }) (*Providers, error) {
			plugins, err := in.shop().ListPlugins(ctx, in.caller())
			return &Providers{plugins}, err
		}),

		define(Operation{
			ID: "configureProvider", Method: http.MethodPatch, Path: "providers/{provider}",
			Tag: tagProviders, Use: access.ToConfigurePlugin,
			Summary:     "Change settings of a courier or a gateway",
			Description: "Settings that are left out are unchanged; null removes one.",
			Codes:       []fault.Code{fault.CodeNotFound},
			Example:     map[string]any{"secret": "the secret from the courier's panel"},
		}, func(ctx context.Context, in *struct {
			request
			ProviderPath
			Body map[string]any
		}) (*shop.PluginStatus, error) {
			changes, err := rawValues(in.Body)
			if err != nil {
				return nil, err
			}
			return in.shop().ConfigurePlugin(ctx, in.caller(), in.Provider, changes)
		}),

		define(Operation{
			ID: "validateProvider", Method: http.MethodPost, Path: "providers/{provider}/validate",
			Tag: tagProviders, Use: access.ToValidatePlugin, Provider: true, BodyOptional: true,
			Summary: "Check a provider's settings and credentials",
			Description: "Sends a request without effect to the provider. A failed check is a " +
				"result, not an error.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ProviderPath
			NoBody
		}) (*shop.PluginReport, error) {
			return in.shop().ValidatePlugin(ctx, in.caller(), in.Provider)
		}),

		define(Operation{
			ID: "listCourierPlaces", Path: "providers/{provider}/places",
			Tag: tagProviders, Use: access.ToListCourierPlaces, Provider: true,
			Summary: "The stores of a courier's account, and the places that it delivers to",
			Description: "Entries have the courier's own numbers and names, in the shop's mode: " +
				"stores for the setting store_id of courier_a, cities, zones and areas or police " +
				"stations for a booking. The courier is queried at most once a day for places and " +
				"every five minutes for stores; while it does not respond, its last list is " +
				"returned.",
			Codes: []fault.Code{fault.CodeStateConflict, fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			ProviderPath
			order.PlaceFilter
		}) (*order.CourierPlaces, error) {
			in.PlaceFilter.Provider = in.ProviderPath.Provider
			return in.shop().Orders.ListCourierPlaces(ctx, in.caller(), in.PlaceFilter)
		}),
	}
}

// rawValues returns the values of an object as JSON.
func rawValues(object map[string]any) (map[string]json.RawMessage, error) {
	raw := make(map[string]json.RawMessage, len(object))
	for name, value := range object {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		raw[name] = text
	}
	return raw, nil
}
