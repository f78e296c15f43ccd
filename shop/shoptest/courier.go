package shoptest

import (
	"context"
	"encoding/json"
	"testing"

	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// NewCouriers is [NewOrders] for a shop that has two couriers, whose events [Orders.Report] reports
// and whose shares of the cash can be set.
func NewCouriers(tb testing.TB, settings map[string]any) *Stocked {
	tb.Helper()
	opts := &Options{Settings: settings}
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		opts.Plugins = append(opts.Plugins, plugin.Plugin{
			Provider: courier, CourierWebhooks: eventReader{},
			Keys: []plugin.Key{
				{Name: plugin.CashRateKey, Check: plugin.CheckCashRate, For: []plugin.Capability{plugin.CanBook}},
				{Name: "secret", For: []plugin.Capability{plugin.CanReceiveWebhooks}},
			},
		})
	}
	s := NewStocked(tb, opts)
	for _, p := range opts.Plugins {
		ConfigurePlugin(tb, s.Shop, p.Provider, map[string]any{"secret": "any"})
	}
	return s
}

// Report reports an event of a courier, which is applied if the shipment's state permits it.
func (s *Stocked) Report(tb testing.TB, courier plugin.Provider, event plugin.CourierEvent) {
	tb.Helper()
	body, err := json.Marshal(event)
	if err != nil {
		tb.Fatal(err)
	}
	webhook := plugin.WebhookRequest{Body: body}
	_, err = s.Orders.HandleCourierWebhook(context.Background(), courier, "application/json", webhook)
	if err != nil {
		tb.Fatalf("event %s of %s: %v", event.Event, courier, err)
	}
}

// Move reports that a shipment has a status.
func (s *Stocked) Move(tb testing.TB, courier plugin.Provider, consignment string, to status.Shipment) {
	tb.Helper()
	s.Report(tb, courier, plugin.CourierEvent{
		Event: "moved to " + string(to), ConsignmentID: consignment, Status: to, At: s.Clock.Now(),
	})
}

// eventReader reads the events of [Orders.Report].
type eventReader struct{}

func (eventReader) AuthenticateHeader(plugin.Settings, func(string) string) plugin.WebhookAuth {
	return plugin.WebhookAuth{OK: true}
}

func (eventReader) Authenticate(plugin.Settings, plugin.WebhookRequest) plugin.WebhookAuth {
	return plugin.WebhookAuth{OK: true}
}

func (eventReader) Read(body []byte, _ money.Currency) (event plugin.CourierEvent) {
	if err := json.Unmarshal(body, &event); err != nil {
		event.Kind = plugin.EventMalformed
	}
	return event
}

func (eventReader) Respond(plugin.Settings, plugin.WebhookRequest) plugin.WebhookResponse {
	return plugin.WebhookResponse{Status: 200}
}
