package doctor

import (
	"context"
	"net/http"
	"strings"
	"time"

	"storefront/provider/testwebhook"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plugin"
)

// examinePlugins checks the settings of a shop's plugins and, if the server was reached, its
// couriers' webhook addresses.
func (t *examiner) examinePlugins(
	ctx context.Context, found *findings, s *shop.Shop, reached bool,
) {
	plugins, err := s.ListPlugins(ctx, access.Caller{Operator: true})
	if err != nil {
		found.addResult(CodePlugins, "", err)
		return
	}
	for _, adapter := range plugins {
		name := string(adapter.Provider)
		if !adapter.Configured {
			found.addNamed(CodePluginSettings, name, StateOK, "Not configured.")
			continue
		}
		receives := false
		for _, can := range adapter.Capabilities {
			if can.Ready {
				receives = receives || can.Name == plugin.CanReceiveWebhooks
				found.addNamed(CodePluginSettings, name+" "+string(can.Name), StateOK, "All settings are set.")
				continue
			}
			found.addNamed(CodePluginSettings, name+" "+string(can.Name), StateWarning,
				"Missing settings: %s.", strings.Join(can.Missing, ", "))
		}
		examineConnection(found, s, adapter)
		examineRefused(found, s, adapter)
		isCourier := adapter.Provider == plugin.CourierA || adapter.Provider == plugin.CourierB
		if receives && reached && isCourier {
			*found = append(*found, t.examineCourier(ctx, s, adapter.Provider))
		}
	}
}

// examineCourier sends two test webhooks that change no order: one with the shop's secret, which
// must be accepted, and a forged one, which must be rejected.
func (t *examiner) examineCourier(
	ctx context.Context, s *shop.Shop, courier plugin.Provider,
) Finding {
	name, event := string(courier)+" address", testwebhook.ConnectionEvent(courier)
	genuine, err := t.SendTestWebhook(ctx, s, courier, event, false)
	if err != nil {
		return newNamedFinding(CodeCourierAddress, name, StateFailing, "%v", err)
	}
	if genuine.Status != http.StatusOK && genuine.Status != http.StatusAccepted {
		return newNamedFinding(CodeCourierAddress, name, StateFailing, "%s rejects the shop's own "+
			"secret with status %d: "+
			"check that this server and data folder are behind it.", genuine.URL, genuine.Status)
	}
	forged, err := t.SendTestWebhook(ctx, s, courier, event, true)
	if err != nil {
		return newNamedFinding(CodeCourierAddress, name, StateFailing, "%v", err)
	}
	if forged.Status != http.StatusUnauthorized {
		return newNamedFinding(CodeCourierAddress, name, StateFailing, "%s accepts a wrong secret with "+
			"status %d: check that it leads to this server.",
			forged.URL, forged.Status)
	}
	return newNamedFinding(CodeCourierAddress, name, StateOK, "%s accepts the shop's secret and "+
		"rejects another.", genuine.URL)
}

// examineConnection reports a plugin with an account that the provider refuses, or that was not
// reached.
func examineConnection(found *findings, s *shop.Shop, plugin shop.PluginStatus) {
	c, reason := plugin.Connection, ""
	if c.Words != nil {
		reason = ": " + *c.Words
	}
	switch c.State {
	case shop.ConnectionRefused:
		found.addNamed(CodePluginSettings, string(plugin.Provider)+" account", StateWarning,
			"The provider refuses the account%s. Run `storefront plugin validate %s %s` after a correction.",
			reason, s.UID(), plugin.Provider)
	case shop.ConnectionUnreached:
		found.addNamed(CodePluginSettings, string(plugin.Provider)+" account", StateWarning,
			"The provider did not respond%s. It is checked again by itself for three days.", reason)
	case shop.ConnectionWorks:
		found.addNamed(CodePluginSettings, string(plugin.Provider)+" account", StateOK, "The provider accepts the account.")
	}
}

// examineRefused reports the webhooks that a plugin refused in the last day.
func examineRefused(found *findings, s *shop.Shop, plugin shop.PluginStatus) {
	refused := 0
	for _, r := range plugin.Refused {
		refused += r.Received
	}
	if refused == 0 {
		return
	}
	last := plugin.Refused[0]
	found.addNamed(CodePluginRefused, string(plugin.Provider)+" refused", StateWarning,
		"Webhooks refused in the last day: %d, the last one at %s (%s). If they are the provider's, "+
			"set the secret of its panel with `storefront plugin configure %s %s`.",
		refused, last.At.UTC().Format(time.RFC3339), last.Reason, s.UID(), plugin.Provider)
}
