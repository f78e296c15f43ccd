package shop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/outbox"
	"storefront/shop/shoptest"
)

// poisonedSender sends webhooks, except of one event, of which it panics.
type poisonedSender struct{ sent chan string }

func (s poisonedSender) Send(_ context.Context, w endpoint.Webhook) (endpoint.Response, error) {
	if strings.Contains(string(w.Body), `"order.placed"`) {
		panic("a poison event")
	}
	s.sent <- w.ID
	return endpoint.Response{Status: 200}, nil
}

// A fault of the program while it sends an event ends neither the process nor the deliveries of
// other events, and does not count against the endpoint, however long it lasts.
func TestWebhookEndpoint_InternalFault(t *testing.T) {
	t.Parallel()
	s := shoptest.NewAccounts(t)
	id := "0000000000000001"
	s.InsertOrder(t, id, shoptest.RahimsPhone)
	sender := poisonedSender{make(chan string, 10)}
	s.Config.WebhookSender, s.Config.InsecureWebhooks = sender, true
	reopened := s.Reopened()
	in := endpoint.Input{URL: "https://erp.example/hook", Types: []outbox.Type{outbox.OrderPlaced, outbox.OrderConfirmed}}
	to, _, err := reopened.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Store.Update(t.Context(), s.Config.ID, func(_ context.Context, tx *db.Tx) error {
		return outbox.Append(tx, outbox.Event{Type: outbox.OrderPlaced, Subject: id}, outbox.Event{Type: outbox.OrderConfirmed, Subject: id})
	})
	if err != nil {
		t.Fatal(err)
	}
	list := func() []endpoint.Delivery {
		page, err := reopened.Endpoints.ListDeliveries(t.Context(), access.Operator(), to.ID, endpoint.DeliveryFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return page.Nodes
	}
	for attempt := 1; attempt <= 10; attempt++ {
		next, err := reopened.Endpoints.Continue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Eventually(t, "the attempt ends", func() bool {
			for _, d := range list() {
				if d.Type == outbox.OrderPlaced && d.Attempts == attempt {
					return true
				}
			}
			return false
		})
		if next.IsZero() {
			next = s.Clock.Now().Add(30 * time.Hour)
		}
		s.Clock.Advance(next.Sub(s.Clock.Now()) + 30*time.Hour)
	}
	select {
	case <-sender.sent:
	default:
		t.Error("the event after the poison one was not sent")
	}
	for _, d := range list() {
		isPoison := d.Type == outbox.OrderPlaced
		if isPoison != (d.Status == endpoint.DeliveryFailed) || isPoison && (d.Error == nil || strings.Contains(*d.Error, "poison")) {
			t.Errorf("got delivery %+v, want only the poison one failed, without the program's reason", d)
		}
	}
	found, err := reopened.Endpoints.FindEndpoint(t.Context(), access.Operator(), to.ID)
	if err != nil || !found.Active || found.FailingSince != nil || found.LastDelivery == nil || found.LastDelivery.ResponseStatus == nil {
		t.Errorf("got %+v, %v, want an active endpoint whose last delivery was accepted", found, err)
	}
}
