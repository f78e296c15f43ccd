package plugin

import (
	"context"
	"slices"

	"storefront/shop/money"
)

// Capability is what a shop can use a provider for.
//
//api:enum Capability
type Capability string

// The capabilities.
const (
	CanReceiveWebhooks Capability = "webhook" // receiving the provider's webhooks
	CanBook            Capability = "booking" // booking shipments
	CanPay             Capability = "payment" // receiving payments
)

// Plugin is the adapter of one provider: its declared settings and the implementations of its
// protocol.
type Plugin struct {
	Provider Provider
	Keys     []Key
	Checker  Checker // nil if there are no credentials to check
	Gateway  Gateway // nil if it receives no payments
	// Accepts reports whether the gateway accepts an amount, in minor units; nil means any.
	Accepts         func(amount int64, currency money.Currency) bool
	PaymentWebhooks PaymentWebhookReader // nil if it sends no webhooks about payments
	Courier         Courier              // nil if it carries no shipments
	CourierWebhooks CourierReader        // nil if it sends no webhooks about shipments
	Places          PlaceDirectory       // nil if it has no lists of places
	Account         CourierAccount       // nil if it does not report its debts
	Records         PhoneRecords         // nil if it does not report what it knows of phone numbers
	// Practice replaces the provider in sandbox mode as long as the account is not complete. It has no
	// settings. nil means that there is no practice.
	Practice *Plugin
}

// Find returns the plugin of a provider; nil if there is none.
func Find(plugins []Plugin, provider Provider) *Plugin {
	for i := range plugins {
		if plugins[i].Provider == provider {
			return &plugins[i]
		}
	}
	return nil
}

// Checker checks the credentials for a provider.
type Checker interface {
	// Check sends a request without effect that needs the credentials, and returns nil if the provider
	// accepts them. The error's text is for staff members and contains no secret.
	Check(ctx context.Context, access Access) error
}

// Access is the shop's account at a provider in one mode.
type Access struct {
	Mode     Mode
	Settings Settings
	State    State
}

// State stores what a plugin needs after a restart, such as an access token of the provider:
// one sealed value for each plugin and mode. Configuring the plugin clears it.
type State interface {
	// Load returns the saved value; nil means none.
	Load(ctx context.Context) ([]byte, error)
	// Load returns the saved value; nil if there is none.
	Save(ctx context.Context, value []byte) error
}

// Key declares one setting of a plugin.
type Key struct {
	Name    string
	Meaning string // for the reference: its meaning, and where the merchant finds it
	Secret  bool   // not shown after it is saved
	// PerMode keys exist twice: Name for live mode and sandbox_Name for sandbox mode.
	PerMode bool
	For     []Capability             // capabilities that require it
	Check   func(value string) error // nil accepts any text; its error states the rule without the value
}

const sandboxPrefix = "sandbox_"

// Settings are the settings of one plugin for one mode by their declared names, without the
// prefix sandbox_. A setting that is not set is absent.
type Settings map[string]string

// HasPlaces reports whether a courier has a list.
func (p *Plugin) HasPlaces(kind PlaceKind) bool {
	return p.Places != nil && slices.Contains(p.Places.PlaceKinds(), kind)
}

// names returns the names of the key's stored values.
func (k Key) Names() []string {
	if k.PerMode {
		return []string{k.Name, sandboxPrefix + k.Name}
	}
	return []string{k.Name}
}

// nameIn returns the name of the key's stored value for a mode.
func (k Key) nameIn(mode Mode) string {
	if k.PerMode && mode == Sandbox {
		return sandboxPrefix + k.Name
	}
	return k.Name
}

// SettingsIn returns the settings for one mode.
func (p *Plugin) SettingsIn(mode Mode, values map[string]string) Settings {
	settings := Settings{}
	for _, key := range p.Keys {
		if value, ok := values[key.nameIn(mode)]; ok {
			settings[key.Name] = value
		}
	}
	return settings
}

// Practises reports whether a capability is practised in a mode, because its settings are missing.
func (p *Plugin) Practises(can Capability, mode Mode, values map[string]string) bool {
	if mode != Sandbox || p.Practice == nil || can == CanReceiveWebhooks && p.Courier != nil {
		return false
	}
	missing, has := p.Missing(can, mode, values)
	return has && len(missing) > 0
}

// Missing returns the names of a capability's missing settings in a mode. ok is false if the plugin
// does not have the capability. A plugin without settings is ready for all that it implements.
func (p *Plugin) Missing(can Capability, mode Mode, values map[string]string) (names []string, ok bool) {
	ok = len(p.Keys) == 0
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
