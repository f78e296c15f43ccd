package shop

import (
	"context"
	"maps"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
)

// Provider is one of the four slots for companies that a shop works with.
type Provider string

// The providers.
const (
	CourierA Provider = "courier_a"
	CourierB Provider = "courier_b"
	GatewayA Provider = "gateway_a"
	GatewayB Provider = "gateway_b"
)

// Providers lists them.
func Providers() []Provider { return []Provider{CourierA, CourierB, GatewayA, GatewayB} }

// Capability is something that a shop can do with a provider once it is configured.
type Capability string

// The capabilities.
const (
	CanReceiveWebhooks Capability = "webhook" // believe the provider's calls
	CanBook            Capability = "booking" // hand parcels over
	CanPay             Capability = "payment" // take payments
)

// Plugin is what stands for one provider: its declared settings and what speaks its protocol.
type Plugin struct {
	Provider Provider
	Keys     []PluginKey
	Checker  Checker // nil: there are no credentials to check
	Gateway  Gateway // nil: takes no payments
	// Accepts reports whether the gateway takes an amount, in minor units; nil: any.
	Accepts         func(amount int64, money money.Currency) bool
	PaymentWebhooks PaymentWebhookReader // nil: sends no payment notices
	Courier         Courier              // nil: carries no parcels
	CourierWebhooks CourierReader        // nil: tells nothing of parcels
}

// Checker asks a provider something harmless that needs the credentials.
type Checker interface {
	// Check gives nil where the provider takes the credentials. Its error's text is for the shop's
	// staff and holds no secret.
	Check(ctx context.Context, access PluginAccess) error
}

// PluginAccess is whose account at the provider is used, and in which of its worlds.
type PluginAccess struct {
	Mode     Mode
	Settings PluginSettings
	State    PluginState
}

// PluginState keeps what a plugin must still know after a restart, such as an access token of the
// provider: one value for each plugin and mode, sealed. Configuring the plugin forgets it.
type PluginState interface {
	// Load gives what was saved, nil where nothing was.
	Load(ctx context.Context) ([]byte, error)
	Save(ctx context.Context, value []byte) error
}

// PluginKey is one setting that a plugin knows.
type PluginKey struct {
	Name    string
	Meaning string // for the reference: where the merchant finds it
	Secret  bool   // never shown again
	// PerMode keys exist twice: Name for live and sandbox_Name for the provider's test world.
	PerMode bool
	For     []Capability             // what can not be done without it
	Check   func(value string) error // nil: any text; its error says what is expected and repeats nothing
}

const sandboxPrefix = "sandbox_"

// maxPluginValue is the longest value of a plugin's setting, in bytes.
const maxPluginValue = 2000

// PluginSettings are the settings of one plugin for one mode, under the names that it declares,
// without the prefix of the sandbox. What is not set is missing.
type PluginSettings map[string]string

// names gives the names under which the key's values are kept.
func (k PluginKey) names() []string {
	if k.PerMode {
		return []string{k.Name, sandboxPrefix + k.Name}
	}
	return []string{k.Name}
}

// nameIn gives the name under which the key's value for a mode is kept.
func (k PluginKey) nameIn(mode Mode) string {
	if k.PerMode && mode == Sandbox {
		return sandboxPrefix + k.Name
	}
	return k.Name
}

// in picks the values of one mode.
func (p *Plugin) settingsIn(mode Mode, values map[string]string) PluginSettings {
	settings := PluginSettings{}
	for _, key := range p.Keys {
		if value, ok := values[key.nameIn(mode)]; ok {
			settings[key.Name] = value
		}
	}
	return settings
}

// missing names the settings that a capability lacks in a mode. ok is false where the plugin does
// not have the capability at all.
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

// plugin gives the plugin of a provider, or nil.
func (s *Shop) plugin(provider Provider) *Plugin {
	for i := range s.plugins {
		if s.plugins[i].Provider == provider {
			return &s.plugins[i]
		}
	}
	return nil
}

// pluginFor gives the plugin of a provider and what it needs to work in a mode, "" being the active
// one. ok is false where there is no such plugin or the capability lacks a setting.
func (s *Shop) pluginFor(ctx context.Context, provider Provider, can Capability, mode Mode) (plugin *Plugin, access PluginAccess, ok bool, err error) {
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
	Mode         Mode               `json:"mode"` // which of the settings are in use
	Configured   bool               `json:"configured"`
	Settings     []PluginSetting    `json:"settings"`
	Capabilities []PluginCapability `json:"capabilities"`
}

// PluginSetting is one setting of a plugin. The value of a secret is never given back.
type PluginSetting struct {
	Name    string  `json:"name"`
	Meaning string  `json:"meaning"`
	Secret  bool    `json:"secret"`
	Set     bool    `json:"set"`
	Value   *string `json:"value"`
}

// PluginCapability says whether the shop can do something with the provider in its active mode.
type PluginCapability struct {
	Name    Capability `json:"name"`
	Ready   bool       `json:"ready"`
	Missing []string   `json:"missing"` // settings that it lacks
}

// ListPlugins gives every plugin with its settings, for staff and administrators.
// Codes: unauthenticated, forbidden.
func (s *Shop) ListPlugins(ctx context.Context, caller access.Caller) ([]PluginStatus, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]PluginStatus, len(s.plugins))
	for i := range s.plugins {
		all[i] = s.plugins[i].status(set.ActiveMode, values[s.plugins[i].Provider])
	}
	return all, nil
}

func (p *Plugin) status(mode Mode, values map[string]string) PluginStatus {
	status := PluginStatus{Provider: p.Provider, Mode: mode, Configured: len(values) > 0, Settings: []PluginSetting{}, Capabilities: []PluginCapability{}}
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
			status.Capabilities = append(status.Capabilities, PluginCapability{Name: can, Ready: len(missing) == 0, Missing: db.OrEmpty(missing)})
		}
	}
	return status
}

// providers lists the providers that the shop has plugins for, in words.
func (s *Shop) providerNames() string {
	names := map[string]bool{}
	for _, plugin := range s.plugins {
		names[string(plugin.Provider)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
