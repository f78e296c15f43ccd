package shop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/plugin"
)

// PluginReport is the result of validating a plugin in the shop's active mode.
type PluginReport struct {
	Provider plugin.Provider `json:"provider"`
	Mode     plugin.Mode     `json:"mode"`
	Valid    bool            `json:"valid"` // all checks passed
	Checks   []PluginCheck   `json:"checks" nullable:"false"`
}

// PluginCheckName is the subject of a check: the settings of a [plugin.Capability], or the
// credentials.
type PluginCheckName string

// CheckCredentials is the check of the credentials, by a request to the provider.
const CheckCredentials PluginCheckName = "credentials"

// PluginCheck is the result of one check.
type PluginCheck struct {
	Name    PluginCheckName `json:"name"`
	OK      bool            `json:"ok"`
	Message string          `json:"message"`
}

// ValidatePlugin checks that a plugin has the settings that its capabilities require, and checks
// its credentials with a request to the provider that has no effect. A failed check is not an
// error. Codes: unauthenticated, forbidden, not_found (no such provider).
func (s *Shop) ValidatePlugin(ctx context.Context, caller access.Caller, provider plugin.Provider) (*PluginReport, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToValidatePlugin)
	if err != nil {
		return nil, err
	}
	adapter := plugin.Find(s.plugins, provider)
	if adapter == nil {
		return nil, s.errNoProvider()
	}
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	pluginAccess := s.accessOf(adapter, set.ActiveMode, values)
	// The values are cached: the caller is checked again before the provider is called.
	if err := s.data.ViewAs(ctx, who, func(context.Context, *db.Tx) error { return nil }); err != nil {
		return nil, err
	}
	report := &PluginReport{Provider: provider, Mode: pluginAccess.Mode, Valid: true, Checks: []PluginCheck{}}
	usable := false
	for _, can := range []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanBook, plugin.CanPay} {
		missing, has := adapter.Missing(can, pluginAccess.Mode, values[provider])
		if !has {
			continue
		}
		if len(missing) > 0 {
			report.add(PluginCheckName(can), false, "Not set: "+strings.Join(missing, ", ")+".")
			continue
		}
		usable = usable || can != plugin.CanReceiveWebhooks
		report.add(PluginCheckName(can), true, "All required settings are set.")
	}
	if adapter.Checker != nil && usable {
		if err := s.checkConnection(ctx, adapter, pluginAccess, caller.RequestID); err != nil {
			s.log.WarnContext(ctx, "check of a provider's credentials failed", "provider", string(provider), "error", err)
			report.add(CheckCredentials, false, checkMessage(err))
		} else {
			report.add(CheckCredentials, true, "The provider accepts the credentials.")
		}
	}
	return report, nil
}

// checkMessage returns the reason why the check of a provider's credentials failed, for staff
// members, with the provider's own words if there are any; the rest is for the log.
func checkMessage(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "The provider did not respond in time. Check again in a few minutes."
	}
	_, isUnreached := errors.AsType[plugin.Unreached](err)
	if _, isNetwork := errors.AsType[net.Error](err); isNetwork || isUnreached {
		return "The provider cannot be reached. Check again in a few minutes."
	}
	refused := errors.Is(err, plugin.ErrCourierRefused) || errors.Is(err, plugin.ErrGatewayRefused) || errors.Is(err, plugin.ErrCourierNotFound)
	if refusal, ok := errors.AsType[*plugin.Refusal](err); ok {
		if message := refusalMessage(refusal, refused); message != "" {
			return message
		}
	}
	if refused {
		return "The provider has refused. Check the credentials, and that they belong to this mode."
	}
	return "The provider's response is not as its API describes it. Check the credentials, then again in a few minutes."
}

// refusalMessage returns the message with the words of a refusal, or its status; "" if it has
// neither.
func refusalMessage(refusal *plugin.Refusal, refused bool) string {
	words := strings.TrimRight(refusal.Words, ". ")
	switch {
	case words != "" && refusal.Status == 0 && refusal.Operation == "": // found by the check itself
		return strings.ToUpper(words[:1]) + words[1:] + "."
	case words != "" && refused:
		return "The provider has refused: " + words + "."
	case words != "":
		return "The provider has returned an error: " + words + ". Check the credentials, then again in a few minutes."
	case refused && refusal.Status != 0:
		return fmt.Sprintf("The provider has refused with status %d. Check the credentials.", refusal.Status)
	}
	return ""
}

func (r *PluginReport) add(name PluginCheckName, ok bool, message string) {
	r.Valid = r.Valid && ok
	r.Checks = append(r.Checks, PluginCheck{Name: name, OK: ok, Message: message})
}
