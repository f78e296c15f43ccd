package shop

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/money"
)

// Provider is one of the four external services that a shop can use: two couriers and two gateways.
type Provider string

// The providers.
const (
	CourierA Provider = "courier_a"
	CourierB Provider = "courier_b"
	GatewayA Provider = "gateway_a"
	GatewayB Provider = "gateway_b"
)

// Providers returns all providers.
func Providers() []Provider { return []Provider{CourierA, CourierB, GatewayA, GatewayB} }

// CourierName returns the name by which buyers know a courier, in a language.
func CourierName(courier Provider, language account.Language) string {
	names, ok := map[Provider][2]string{CourierA: {"Pathao", "পাঠাও"}, CourierB: {"Steadfast", "স্টেডফাস্ট"}}[courier]
	switch {
	case !ok:
		return string(courier)
	case language == account.Bangla:
		return names[1]
	}
	return names[0]
}

// Capability is what a shop can do with a provider once it is configured.
type Capability string

// The capabilities.
const (
	CanReceiveWebhooks Capability = "webhook" // authenticate the provider's webhooks
	CanBook            Capability = "booking" // book shipments
	CanPay             Capability = "payment" // receive payments
)

// Plugin is the adapter of one provider: its declared settings and the implementations of its
// protocol.
type Plugin struct {
	Provider Provider
	Keys     []PluginKey
	Checker  Checker // nil if there are no credentials to check
	Gateway  Gateway // nil if it receives no payments
	// Accepts reports whether the gateway accepts an amount, in minor units; nil means any.
	Accepts         func(amount int64, currency money.Currency) bool
	PaymentWebhooks PaymentWebhookReader // nil if it sends no webhooks about payments
	Courier         Courier              // nil if it carries no shipments
	CourierWebhooks CourierReader        // nil if it sends no webhooks about shipments
	Places          PlaceDirectory       // nil if it has no lists of places
	Account         CourierAccount       // nil if it does not report what it owes
}

// Checker checks the credentials for a provider.
type Checker interface {
	// Check sends a request without effect that needs the credentials, and returns nil if the provider
	// accepts them. The error's text is for staff members and contains no secret.
	Check(ctx context.Context, access PluginAccess) error
}

// PluginAccess is the shop's account at a provider in one mode.
type PluginAccess struct {
	Mode     Mode
	Settings PluginSettings
	State    PluginState
}

// PluginState stores what a plugin needs after a restart, such as an access token of the provider:
// one sealed value for each plugin and mode. Configuring the plugin clears it.
type PluginState interface {
	// Load returns the saved value; nil means none.
	Load(ctx context.Context) ([]byte, error)
	// Save replaces the saved value.
	Save(ctx context.Context, value []byte) error
}

// PluginKey declares one setting of a plugin.
type PluginKey struct {
	Name    string
	Meaning string // for the reference: what it is and where the merchant finds it
	Secret  bool   // not shown after it is saved
	// PerMode keys exist twice: Name for live mode and sandbox_Name for sandbox mode.
	PerMode bool
	For     []Capability             // capabilities that require it
	Check   func(value string) error // nil accepts any text; its error states the rule without the value
}

const sandboxPrefix = "sandbox_"

// maxPluginValue limits the value of a plugin's setting, in bytes.
const maxPluginValue = 2000

// PluginSettings are the settings of one plugin for one mode by their declared names, without the
// prefix sandbox_. A setting that is not set is absent.
type PluginSettings map[string]string

// names returns the names under which the key's values are stored.
func (k PluginKey) names() []string {
	if k.PerMode {
		return []string{k.Name, sandboxPrefix + k.Name}
	}
	return []string{k.Name}
}

// nameIn returns the name under which the key's value for a mode is stored.
func (k PluginKey) nameIn(mode Mode) string {
	if k.PerMode && mode == Sandbox {
		return sandboxPrefix + k.Name
	}
	return k.Name
}

// settingsIn returns the settings for one mode.
func (p *Plugin) settingsIn(mode Mode, values map[string]string) PluginSettings {
	settings := PluginSettings{}
	for _, key := range p.Keys {
		if value, ok := values[key.nameIn(mode)]; ok {
			settings[key.Name] = value
		}
	}
	return settings
}

// missing returns the names of the settings that a capability lacks in a mode. ok is false if the
// plugin does not have the capability.
func (p *Plugin) missing(can Capability, mode Mode, values map[string]string) (names []string, ok bool) {
	for _, key := range p.Keys {
		if !slices.Contains(key.For, can) {
			continue
		}
		ok = true
		if name := key.nameIn(mode); values[name] == "" {
			names = append(names, name)
		}
	}
	return names, ok
}

// plugin returns the plugin of a provider, or nil.
func (s *Shop) plugin(provider Provider) *Plugin {
	for i := range s.plugins {
		if s.plugins[i].Provider == provider {
			return &s.plugins[i]
		}
	}
	return nil
}

// pluginFor returns the plugin of a provider with the shop's access in a mode; "" means the active
// one. ok is false if the shop has no such plugin or a setting of the capability is missing.
func (s *Shop) pluginFor(
	ctx context.Context, provider Provider, can Capability, mode Mode,
) (plugin *Plugin, access PluginAccess, ok bool, err error) {
	set, values, err := s.loadPluginValues(ctx)
	plugin = s.plugin(provider)
	if err != nil || plugin == nil {
		return nil, PluginAccess{}, false, err
	}
	if mode == "" {
		mode = set.ActiveMode
	}
	access = PluginAccess{Mode: mode, Settings: plugin.settingsIn(mode, values[provider]), State: pluginState{s, provider, mode}}
	missing, has := plugin.missing(can, mode, values[provider])
	return plugin, access, has && len(missing) == 0, nil
}

// PluginStatus is a plugin as the merchant sees it.
type PluginStatus struct {
	Provider     Provider           `json:"provider"`
	Mode         Mode               `json:"mode"` // whose settings are in use
	Configured   bool               `json:"configured"`
	Settings     []PluginSetting    `json:"settings" nullable:"false"`
	Capabilities []PluginCapability `json:"capabilities" nullable:"false"`
	// Refused are the webhooks that were not authentic in the last day, newest first.
	Refused []RefusedWebhook `json:"refusedWebhooks" nullable:"false"`
}

// PluginSetting is one setting of a plugin. Value is null if it is not set or a secret.
type PluginSetting struct {
	Name    string  `json:"name"`
	Meaning string  `json:"meaning"`
	Secret  bool    `json:"secret"`
	Set     bool    `json:"set"`
	Value   *string `json:"value"`
}

// PluginCapability reports whether a capability is ready in the shop's active mode.
type PluginCapability struct {
	Name    Capability `json:"name"`
	Ready   bool       `json:"ready"`
	Missing []string   `json:"missing" nullable:"false"` // names of the settings that it lacks
}

// ListPlugins returns every plugin with its settings. Codes: unauthenticated, forbidden.
func (s *Shop) ListPlugins(ctx context.Context, caller access.Caller) ([]PluginStatus, error) {
	if _, err := s.requireStaff(ctx, caller, access.ToListPlugins); err != nil {
		return nil, err
	}
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := s.ListRefusedWebhooks(ctx, caller, "")
	if err != nil {
		return nil, err
	}
	since := s.now().Add(-refusedShown)
	refused = slices.DeleteFunc(refused, func(r RefusedWebhook) bool { return r.At.Before(since) })
	all := make([]PluginStatus, len(s.plugins))
	for i := range s.plugins {
		all[i] = pluginStatus(&s.plugins[i], set.ActiveMode, values[s.plugins[i].Provider])
		for _, r := range refused {
			if r.Provider == all[i].Provider {
				all[i].Refused = append(all[i].Refused, r)
			}
		}
	}
	return all, nil
}

// refusedShown is how long a refused webhook is shown with its plugin.
const refusedShown = 24 * time.Hour

// FindPlugin returns one plugin with its settings. Codes: unauthenticated, forbidden, not_found.
func (s *Shop) FindPlugin(ctx context.Context, caller access.Caller, provider Provider) (*PluginStatus, error) {
	all, err := s.ListPlugins(ctx, caller)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Provider == provider {
			return &all[i], nil
		}
	}
	return nil, s.errNoProvider()
}

// pluginStatus returns what staff see of a plugin with its values in a mode.
func pluginStatus(p *Plugin, mode Mode, values map[string]string) PluginStatus {
	status := PluginStatus{
		Provider: p.Provider, Mode: mode, Configured: len(values) > 0,
		Settings: []PluginSetting{}, Capabilities: []PluginCapability{}, Refused: []RefusedWebhook{},
	}
	for _, key := range p.Keys {
		for _, name := range key.names() {
			setting := PluginSetting{Name: name, Meaning: key.Meaning, Secret: key.Secret}
			value, ok := values[name]
			if setting.Set = ok; ok && !key.Secret {
				setting.Value = &value
			}
			status.Settings = append(status.Settings, setting)
		}
	}
	for _, can := range []Capability{CanReceiveWebhooks, CanBook, CanPay} {
		if missing, ok := p.missing(can, mode, values); ok {
			status.Capabilities = append(status.Capabilities,
				PluginCapability{Name: can, Ready: len(missing) == 0, Missing: db.OrEmpty(missing)})
		}
	}
	return status
}

// providerNames returns the names of the providers that the shop has plugins for, separated by
// commas.
func (s *Shop) providerNames() string {
	names := map[string]bool{}
	for _, plugin := range s.plugins {
		names[string(plugin.Provider)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
