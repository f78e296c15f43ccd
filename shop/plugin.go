package shop

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

// maxPluginValue limits the value of a plugin's setting, in bytes.
const maxPluginValue = 2000

// pluginFor returns the plugin of a provider with the shop's access in a mode; "" means the active
// one. ok is false if the shop has no such plugin or a setting of the capability is missing.
func (s *Shop) pluginFor(
	ctx context.Context, provider plugin.Provider, can plugin.Capability, mode plugin.Mode,
) (adapter *plugin.Plugin, access plugin.Access, ok bool, err error) {
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, plugin.Access{}, false, err
	}
	adapter = plugin.Find(s.plugins, provider)
	if adapter == nil {
		return nil, plugin.Access{}, false, nil
	}
	if mode == "" {
		mode = set.ActiveMode
	}
	if adapter.Practises(can, mode, values[provider]) {
		return adapter.Practice, plugin.Access{Mode: mode}, true, nil
	}
	missing, has := adapter.Missing(can, mode, values[provider])
	return adapter, s.accessOf(adapter, mode, values), has && len(missing) == 0, nil
}

// accessOf returns the shop's account at a provider in a mode.
func (s *Shop) accessOf(p *plugin.Plugin, mode plugin.Mode, values pluginValues) plugin.Access {
	return plugin.Access{
		Mode: mode, Settings: p.SettingsIn(mode, values[p.Provider]), State: pluginState{s, p.Provider, mode},
	}
}

// missingSettings returns the names of the settings that a plugin lacks for a capability.
func (s *Shop) missingSettings(
	ctx context.Context, provider plugin.Provider, can plugin.Capability, mode plugin.Mode,
) ([]string, error) {
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	adapter := plugin.Find(s.plugins, provider)
	if adapter == nil {
		return nil, nil
	}
	missing, _ := adapter.Missing(can, cmp.Or(mode, set.ActiveMode), values[provider])
	return missing, nil
}

// PluginStatus is a plugin as the merchant sees it.
type PluginStatus struct {
	Provider     plugin.Provider    `json:"provider"`
	Mode         plugin.Mode        `json:"mode"` // mode whose settings are in use
	Configured   bool               `json:"configured"`
	Settings     []PluginSetting    `json:"settings" nullable:"false"`
	Capabilities []PluginCapability `json:"capabilities" nullable:"false"`
	Connection   Connection         `json:"connection"` // in this mode
	// Practice reports whether the orders of sandbox mode use a practice of the provider, because the
	// account is not complete. It sends nothing and moves no money.
	Practice bool `json:"practice"`
	// Refused are the inauthentic webhooks of the last day, newest first.
	Refused []inbox.RefusedWebhook `json:"refusedWebhooks" nullable:"false"`
}

// PluginSetting is one setting of a plugin. Value is null if it is not set or a secret.
type PluginSetting struct {
	Name    string  `json:"name"`
	Meaning string  `json:"meaning"`
	Secret  bool    `json:"secret"`
	Set     bool    `json:"set"`
	Value   *string `json:"value"`
}

// PluginCapability is a capability of a plugin, and whether it is ready in the active mode.
type PluginCapability struct {
	Name    plugin.Capability `json:"name"`
	Ready   bool              `json:"ready"`
	Missing []string          `json:"missing" nullable:"false"` // names of the missing settings
}

// ListPlugins returns every plugin with its settings. Codes: unauthenticated, forbidden.
func (s *Shop) ListPlugins(ctx context.Context, caller access.Caller) ([]PluginStatus, error) {
	if err := access.Permit(ctx, s.data, caller, access.ToListPlugins); err != nil {
		return nil, err
	}
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := s.Inbox.ListRefusedWebhooks(ctx, caller, "")
	if err != nil {
		return nil, err
	}
	connections, err := s.loadConnections(ctx)
	if err != nil {
		return nil, err
	}
	since := s.now().Add(-refusedShown)
	refused = slices.DeleteFunc(refused, func(r inbox.RefusedWebhook) bool { return r.At.Before(since) })
	all := make([]PluginStatus, len(s.plugins))
	for i := range s.plugins {
		all[i] = pluginStatus(&s.plugins[i], set.ActiveMode, values[s.plugins[i].Provider])
		all[i].Connection = connections[connectionKey{string(all[i].Provider), set.ActiveMode}].view()
		for _, r := range refused {
			if r.Provider == all[i].Provider {
				all[i].Refused = append(all[i].Refused, r)
			}
		}
	}
	return all, nil
}

// refusedShown is the time for which a refused webhook is shown with its plugin.
const refusedShown = 24 * time.Hour

// FindPlugin returns one plugin with its settings. Codes: unauthenticated, forbidden, not_found.
func (s *Shop) FindPlugin(ctx context.Context, caller access.Caller, provider plugin.Provider) (*PluginStatus, error) {
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

// pluginStatus returns a plugin with its values in a mode, for staff.
func pluginStatus(p *plugin.Plugin, mode plugin.Mode, values map[string]string) PluginStatus {
	status := PluginStatus{
		Provider: p.Provider, Mode: mode, Configured: len(values) > 0,
		Practice:   p.Practises(plugin.CanBook, mode, values) || p.Practises(plugin.CanPay, mode, values),
		Connection: Connection{State: ConnectionUnchecked},
		Settings:   []PluginSetting{}, Capabilities: []PluginCapability{}, Refused: []inbox.RefusedWebhook{},
	}
	for _, key := range p.Keys {
		for _, name := range key.Names() {
			setting := PluginSetting{Name: name, Meaning: key.Meaning, Secret: key.Secret}
			value, ok := values[name]
			if setting.Set = ok; ok && !key.Secret {
				setting.Value = &value
			}
			status.Settings = append(status.Settings, setting)
		}
	}
	for _, can := range []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanBook, plugin.CanPay} {
		if missing, ok := p.Missing(can, mode, values); ok {
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
