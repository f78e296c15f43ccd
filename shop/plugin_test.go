package shop_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// courierPlugin is a plugin as an adapter declares it.
var courierPlugin = plugin.Plugin{Provider: plugin.CourierA, Keys: []plugin.Key{
	{Name: "webhook_secret", Secret: true, For: []plugin.Capability{plugin.CanReceiveWebhooks}},
	{Name: "client_id", PerMode: true, For: []plugin.Capability{plugin.CanBook}},
	{Name: "store_number", Check: func(value string) error {
		if strings.Trim(value, "0123456789") != "" {
			return errors.New("must be a number")
		}
		return nil
	}},
}}

func pluginShop(t *testing.T) *shop.Shop {
	t.Helper()
	return shoptest.New(t, &shoptest.Options{Plugins: []plugin.Plugin{courierPlugin}})
}

var operator = access.Caller{Operator: true}

func configure(t *testing.T, s *shop.Shop, settings string) (*shop.PluginStatus, error) {
	t.Helper()
	var changes map[string]json.RawMessage
	if err := json.Unmarshal([]byte(settings), &changes); err != nil {
		t.Fatal(err)
	}
	return s.ConfigurePlugin(t.Context(), operator, plugin.CourierA, changes)
}

func TestConfigurePlugin_PartialChange(t *testing.T) {
	t.Parallel()
	s := pluginShop(t)
	if _, err := configure(t, s, `{"webhook_secret":"hush","client_id":"live-1","store_number":7}`); err != nil {
		t.Fatal(err)
	}
	status, err := configure(t, s, `{"client_id":null}`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, setting := range status.Settings {
		switch {
		case setting.Value != nil:
			got[setting.Name] = *setting.Value
		case setting.Set:
			got[setting.Name] = "hidden"
		}
	}
	want := map[string]string{"webhook_secret": "hidden", "store_number": "7"}
	if len(got) != len(want) || got["webhook_secret"] != "hidden" || got["store_number"] != "7" {
		t.Errorf("got settings %v, want %v", got, want)
	}
	ready := map[plugin.Capability]bool{}
	for _, can := range status.Capabilities {
		ready[can.Name] = can.Ready
	}
	if !ready[plugin.CanReceiveWebhooks] || ready[plugin.CanBook] || !status.Configured {
		t.Errorf("got capabilities %+v, want webhooks ready and booking not ready", status.Capabilities)
	}
}

func TestConfigurePlugin_CapabilitiesByMode(t *testing.T) {
	t.Parallel()
	s := pluginShop(t)
	if _, err := configure(t, s, `{"sandbox_client_id":"test-1"}`); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"live", "sandbox"} {
		if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"activeMode": mode})); err != nil {
			t.Fatal(err)
		}
		plugins, err := s.ListPlugins(t.Context(), operator)
		if err != nil {
			t.Fatal(err)
		}
		booking := plugins[0].Capabilities[1]
		if booking.Name != plugin.CanBook || booking.Ready != (mode == "sandbox") {
			t.Errorf("%s: got %+v, want ready in sandbox mode only", mode, booking)
		}
	}
}

func TestConfigurePlugin_Invalid(t *testing.T) {
	t.Parallel()
	s := pluginShop(t)
	const secret = "very-secret-value"
	tests := []struct {
		name, settings string
		code           fault.Code
	}{
		{"unknown key", `{"webhook_secrets":"` + secret + `"}`, fault.CodeUnknownField},
		{"blank secret", `{"webhook_secret":""}`, fault.CodeValidationFailed},
		{"spaces", `{"webhook_secret":"   "}`, fault.CodeValidationFailed},
		{"list", `{"webhook_secret":["` + secret + `"]}`, fault.CodeValidationFailed},
		{"two lines", `{"webhook_secret":"` + secret + `\nmore"}`, fault.CodeValidationFailed},
		{"invalid by its check", `{"store_number":"` + secret + `"}`, fault.CodeValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := configure(t, s, tt.settings)
			if !fault.HasCode(err, tt.code) {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want an error without the value", err)
			}
		})
	}
	if _, err := s.ConfigurePlugin(t.Context(), operator, "courier_c", nil); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("unknown provider: got %v, want not_found", err)
	}
}

func TestListPlugins_Caller(t *testing.T) {
	t.Parallel()
	s := pluginShop(t)
	customer, err := s.Accounts.Register(t.Context(), access.Caller{},
		account.RegisterInput{Name: "Rahima", Email: new("rahima@example.com"), Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	apiKey, record, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "dashboard"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		caller access.Caller
		code   fault.Code // "": allowed
	}{
		{"administrator", access.Caller{Bearer: apiKey}, ""},
		{"guest", access.Caller{}, fault.CodeUnauthenticated},
		{"wrong API key", access.Caller{Bearer: apiKey[:len(apiKey)-1] + "x"}, fault.CodeUnauthenticated},
		{"other scheme", access.Caller{BadAuthorization: true}, fault.CodeUnauthenticated},
		{"customer", access.Caller{Bearer: customer.AccessToken}, fault.CodeForbidden},
	}
	for _, tt := range tests {
		_, err := s.ListPlugins(t.Context(), tt.caller)
		if tt.code == "" && err != nil || tt.code != "" && !fault.HasCode(err, tt.code) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.code)
		}
	}
	list, err := s.Staff.ListAPIKeys(t.Context(), access.Operator())
	if err != nil || len(list) != 1 || list[0].Label != "dashboard" {
		t.Errorf("got %+v, %v; want the API key named dashboard", list, err)
	}
	if err := s.Staff.RevokeAPIKey(t.Context(), access.Operator(), record.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ListPlugins(t.Context(), access.Caller{Bearer: apiKey}); !fault.HasCode(err, fault.CodeUnauthenticated) {
		t.Errorf("revoked API key: got %v, want unauthenticated", err)
	}
	if err := s.Staff.RevokeAPIKey(t.Context(), access.Operator(), record.ID); !fault.HasCode(err, fault.CodeNotFound) {
		t.Errorf("revoked twice: got %v, want not_found", err)
	}
}
