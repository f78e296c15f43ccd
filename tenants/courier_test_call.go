package tenants

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"storefront/provider"
	"storefront/provider/testwebhook"
	"storefront/shop"
)

// CourierTestResult is what a simulated call of a courier brought.
type CourierTestResult struct {
	Provider shop.Provider `json:"provider"`
	Event    string        `json:"event"`
	URL      string        `json:"url"`
	Status   int           `json:"status"` // the server's answer
}

// SimulateCourier makes a call as the courier would make it, with the shop's own secret, at the
// shop's public address. event "journey" is a parcel's whole way; invoiceUID may be "" for events
// that touch no order. Codes: tenant_not_found, not_found, state_conflict (not configured).
func (t *Tenants) SimulateCourier(ctx context.Context, uid string, courier shop.Provider, event, invoiceUID string) ([]CourierTestResult, error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	events := []string{event}
	if event == "journey" {
		events = testwebhook.DeliveryEvents(courier)
	}
	trials := make([]CourierTestResult, 0, len(events))
	for _, event := range events {
		trial, err := t.sendTestWebhook(ctx, s, courier, event, invoiceUID, false)
		if err != nil {
			return trials, err
		}
		trials = append(trials, trial)
	}
	return trials, nil
}

// sendTestWebhook makes one call. forged makes it with a secret that is not the shop's.
func (t *Tenants) sendTestWebhook(ctx context.Context, s *shop.Shop, courier shop.Provider, event, invoiceUID string, forged bool) (CourierTestResult, error) {
	settings, parcel, err := s.CourierTestCall(ctx, courier, invoiceUID)
	if err != nil {
		return CourierTestResult{}, err
	}
	if forged {
		for _, name := range []string{"webhook_secret", "webhook_token"} {
			settings[name] += "x"
		}
	}
	call, err := testwebhook.New(courier, event, parcel, settings, t.now())
	if err != nil {
		return CourierTestResult{}, err
	}
	trial := CourierTestResult{Provider: courier, Event: event, URL: webhookURL(s, courier)}
	answer, err := t.callPublicURL(ctx, http.MethodPost, trial.URL, call.Header, call.Body)
	if err != nil {
		return CourierTestResult{}, fmt.Errorf("call the shop as %s does: %w", courier, err)
	}
	trial.Status = answer.Status
	return trial, nil
}

func webhookURL(s *shop.Shop, of shop.Provider) string {
	for _, u := range s.WebhookURLs() {
		if u.Provider == of {
			return u.URL
		}
	}
	return ""
}

// callPublicURL calls one of the server's own public addresses, wherever it is.
func (t *Tenants) callPublicURL(ctx context.Context, method, address string, header map[string]string, body []byte) (*provider.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the public address is none: %w", err)
	}
	for name, value := range header {
		req.Header[name] = []string{value}
	}
	return provider.NewClient(provider.ClientConfig{AllowPrivate: true}).Do(req)
}
