package tenants

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"storefront/provider/testwebhook"
	"storefront/shop"
)

// examinePlugins looks at the settings of a shop's plugins and, where the server was reached, at the
// addresses of its couriers.
func (t *Tenants) examinePlugins(ctx context.Context, found *findings, s *shop.Shop, reached bool) {
	plugins, err := s.ListPlugins(ctx, shop.Caller{Operator: true})
	if err != nil {
		found.addResult("plugins", "", err)
		return
	}
	for _, plugin := range plugins {
		name := string(plugin.Provider)
		if !plugin.Configured {
			found.add(name, StateOK, "Not configured.")
			continue
		}
		hears := false
		for _, can := range plugin.Capabilities {
			if can.Ready {
				hears = hears || can.Name == shop.CanReceiveWebhooks
				found.add(name+" "+string(can.Name), StateOK, "All its settings are there.")
				continue
			}
			found.add(name+" "+string(can.Name), StateWarning, "Not set: %s.", strings.Join(can.Missing, ", "))
		}
		if hears && reached && (plugin.Provider == shop.CourierA || plugin.Provider == shop.CourierB) {
			*found = append(*found, t.examineCourier(ctx, s, plugin.Provider))
		}
	}
}

// examineCourier makes a call that touches no order, and one that is to be refused.
func (t *Tenants) examineCourier(ctx context.Context, s *shop.Shop, courier shop.Provider) Finding {
	name := string(courier) + " address"
	trial, err := t.sendTestWebhook(ctx, s, courier, testwebhook.ConnectionEvent(courier), "", false)
	if err != nil {
		return Finding{name, StateFailing, err.Error()}
	}
	if trial.Status != http.StatusOK && trial.Status != http.StatusAccepted {
		return Finding{name, StateFailing, fmt.Sprintf("%s refuses the shop's own secret with %d: is it another server, or another data folder?", trial.URL, trial.Status)}
	}
	forged, err := t.sendTestWebhook(ctx, s, courier, testwebhook.ConnectionEvent(courier), "", true)
	if err != nil {
		return Finding{name, StateFailing, err.Error()}
	}
	if forged.Status != http.StatusUnauthorized {
		return Finding{name, StateFailing, fmt.Sprintf("%s takes a wrong secret, with %d.", trial.URL, forged.Status)}
	}
	return Finding{name, StateOK, trial.URL + " takes the shop's secret and refuses another."}
}
