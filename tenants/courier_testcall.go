package tenants

import (
	"context"
	"fmt"
	"net/http"

	"storefront/provider"
	"storefront/provider/testwebhook"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plugin"
)

// CourierTestResult is the result of a test webhook.
type CourierTestResult struct {
	Provider plugin.Provider `json:"provider"`
	Event    string          `json:"event"`
	URL      string          `json:"url"`
	Status   int             `json:"status"` // HTTP status of the response
}

// CourierSimulation is a courier's report in a simulation.
type CourierSimulation struct {
	Event      string // "journey" means all events of a delivery, in order
	InvoiceUID string // "" for events without an order
	Collected  *int64 // cash that the courier collects, in minor units; nil means the amount due
	// Move is called before each event is sent, so that a simulated courier responds to look-ups
	// accordingly; nil if there is none.
	Move func(ctx context.Context, consignmentID, event string) error
	Lost bool // the webhooks are not sent
}

// SimulateCourier sends webhooks to the shop's public address as the courier would, with the shop's
// own secret. Codes: tenant_not_found, not_found, state_conflict (the courier is not configured).
func (t *Tenants) SimulateCourier(ctx context.Context, uid string, courier plugin.Provider, in CourierSimulation) ([]CourierTestResult, error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	events := []string{in.Event}
	if in.Event == "journey" {
		events = testwebhook.DeliveryEvents(courier)
	}
	results := make([]CourierTestResult, 0, len(events))
	for _, event := range events {
		result, err := t.simulateEvent(ctx, s, courier, event, in)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

// simulateEvent moves the shipment at the simulated courier and sends one webhook.
func (t *Tenants) simulateEvent(
	ctx context.Context, s *shop.Shop, courier plugin.Provider, event string, in CourierSimulation,
) (CourierTestResult, error) {
	settings, shipment, err := s.Orders.CourierTestCall(ctx, access.Operator(), courier, in.InvoiceUID)
	if err != nil {
		return CourierTestResult{}, err
	}
	if in.Collected != nil {
		shipment.Cash = *in.Collected
	}
	if in.Move != nil && in.InvoiceUID != "" {
		if err := in.Move(ctx, shipment.ConsignmentID, event); err != nil {
			return CourierTestResult{}, err
		}
	}
	if in.Lost {
		return CourierTestResult{Provider: courier, Event: event}, nil
	}
	return t.postTestWebhook(ctx, s, courier, event, shipment, settings)
}

// SendTestWebhook sends one webhook without an order. If forged is set it is authenticated with a
// wrong secret.
func (t *Tenants) SendTestWebhook(
	ctx context.Context, s *shop.Shop, courier plugin.Provider, event string, forged bool,
) (CourierTestResult, error) {
	settings, shipment, err := s.Orders.CourierTestCall(ctx, access.Operator(), courier, "")
	if err != nil {
		return CourierTestResult{}, err
	}
	if forged {
		for _, name := range []string{"webhook_secret", "webhook_token"} {
			settings[name] = provider.ForgedSecret(settings[name])
		}
	}
	return t.postTestWebhook(ctx, s, courier, event, shipment, settings)
}

// postTestWebhook posts a webhook to the shop's public address.
func (t *Tenants) postTestWebhook(
	ctx context.Context, s *shop.Shop, courier plugin.Provider, event string, shipment plugin.SampleShipment, settings plugin.Settings,
) (CourierTestResult, error) {
	webhook, err := testwebhook.New(courier, event, shipment, settings, t.now())
	if err != nil {
		return CourierTestResult{}, err
	}
	result := CourierTestResult{Provider: courier, Event: event, URL: webhookURL(s, courier)}
	response, err := t.CallPublicURL(ctx, http.MethodPost, result.URL, webhook.Header, webhook.Body)
	if err != nil {
		return CourierTestResult{}, fmt.Errorf("send test webhook of %s: %w", courier, err)
	}
	result.Status = response.Status
	return result, nil
}

func webhookURL(s *shop.Shop, of plugin.Provider) string {
	for _, u := range s.WebhookURLs() {
		if u.Provider == of {
			return u.URL
		}
	}
	return ""
}
