package graphql_test

import (
	"strings"
	"testing"

	"storefront/graphql"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// newPluginClient returns a client of a shop with one plugin.
func newPluginClient(t *testing.T) *client {
	t.Helper()
	c := newClient(t, graphql.Config{})
	key := plugin.Key{Name: "webhook_secret", Meaning: "As typed into the panel", Secret: true, For: []plugin.Capability{plugin.CanReceiveWebhooks}}
	c.shop = shoptest.New(t, &shoptest.Options{UID: "plugged", Plugins: []plugin.Plugin{{Provider: plugin.CourierA, Keys: []plugin.Key{key}}}})
	return c
}

const configureDocument = `mutation($s: JSON!) {
	plugin__configure(provider: courier_a, settings: $s) { configured capabilities { name ready missing } settings { name set value } }
}`

func TestWebhookURLs_Unauthenticated(t *testing.T) {
	t.Parallel()
	got := newPluginClient(t).must(`{ plugin__webhookUrls { provider kind url } }`, nil)
	for i, want := range []string{"courier_a webhook", "courier_b webhook", "gateway_a webhook", "gateway_b callback"} {
		provider, kind, _ := strings.Cut(want, " ")
		url, _ := got.at("plugin__webhookUrls", i, "url").(string)
		if got.at("plugin__webhookUrls", i, "provider") != provider || got.at("plugin__webhookUrls", i, "kind") != kind ||
			!strings.HasSuffix(url, provider+"/plugged") {
			t.Errorf("entry %d: got %s, want %s", i, got.body, want)
		}
	}
}

func TestPluginConfigure(t *testing.T) {
	t.Parallel()
	guest := newPluginClient(t)
	apiKey, _, err := guest.shop.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: ""})
	if err != nil {
		t.Fatal(err)
	}
	admin := guest.as(access.Caller{Bearer: apiKey})
	const secret = "hunter2-hunter2"

	if got := guest.run(configureDocument, map[string]any{"s": map[string]any{"webhook_secret": secret}}); got.codes() != "unauthenticated" {
		t.Errorf("guest: got %s, want unauthenticated", got.body)
	}
	got := admin.must(configureDocument, map[string]any{"s": map[string]any{"webhook_secret": secret}})
	if got.at("plugin__configure", "capabilities", 0, "ready") != true || got.at("plugin__configure", "settings", 0, "value") != nil {
		t.Errorf("got %s, want the capability ready and no secret", got.body)
	}
	for name, settings := range map[string]map[string]any{
		"unknown_field": {"webhook_secrets": secret}, "validation_failed": {"webhook_secret": []string{secret}},
	} {
		got := admin.run(configureDocument, map[string]any{"s": settings})
		if got.codes() != name || strings.Contains(got.body, secret) {
			t.Errorf("got %s, want %s without the secret", got.body, name)
		}
	}
	got = admin.must(`mutation { plugin__validateCourier(provider: courier_a) { valid checks { name ok } } }`, nil)
	if got.at("plugin__validateCourier", "valid") != true {
		t.Errorf("got %s, want a valid plugin", got.body)
	}
	got = admin.must(`{ plugins { connection { state checkedAt requestId } practice } }`, nil)
	if got.at("plugins", 0, "connection", "state") != "unchecked" || got.at("plugins", 0, "connection", "checkedAt") != nil ||
		got.at("plugins", 0, "practice") == nil {
		t.Errorf("got %s, want a connection that was not checked", got.body)
	}
	if got := admin.must(`{ plugins { provider configured } }`, nil); strings.Contains(got.body, secret) || got.at("plugins", 0, "configured") != true {
		t.Errorf("got %s, want a configured plugin and no secret", got.body)
	}
}
