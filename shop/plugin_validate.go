package shop

import (
	"context"
	"strings"

	"storefront/shop/access"
)

// PluginReport is the result of validating a plugin in the shop's active mode.
type PluginReport struct {
	Provider Provider      `json:"provider"`
	Mode     Mode          `json:"mode"`
	Valid    bool          `json:"valid"` // all checks passed
	Checks   []PluginCheck `json:"checks"`
}

// PluginCheck is the result of one check.
type PluginCheck struct {
	Name    string `json:"name"` // a capability, or "credentials"
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// ValidatePlugin checks that a plugin has the settings that its capabilities require, and checks its
// credentials with a request to the provider that has no effect. A failed check is not an error.
// Codes: unauthenticated, forbidden, not_found (no such provider).
func (s *Shop) ValidatePlugin(ctx context.Context, caller access.Caller, provider Provider) (*PluginReport, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	plugin, access, _, err := s.pluginFor(ctx, provider, CanReceiveWebhooks, "")
	if err != nil {
		return nil, err
	}
	if plugin == nil {
		return nil, s.errNoProvider()
	}
	_, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	report := &PluginReport{Provider: provider, Mode: access.Mode, Valid: true, Checks: []PluginCheck{}}
	usable := false
	for _, can := range []Capability{CanReceiveWebhooks, CanBook, CanPay} {
		missing, has := plugin.missing(can, access.Mode, values[provider])
		if !has {
			continue
		}
		if len(missing) > 0 {
			report.add(string(can), false, "Not set: "+strings.Join(missing, ", ")+".")
			continue
		}
		usable = usable || can != CanReceiveWebhooks
		report.add(string(can), true, "All required settings are set.")
	}
	if plugin.Checker != nil && usable {
		if err := plugin.Checker.Check(ctx, access); err != nil {
			report.add("credentials", false, err.Error())
		} else {
			report.add("credentials", true, "The provider accepts the credentials.")
		}
	}
	return report, nil
}

func (r *PluginReport) add(name string, ok bool, message string) {
	r.Valid = r.Valid && ok
	r.Checks = append(r.Checks, PluginCheck{Name: name, OK: ok, Message: message})
}
