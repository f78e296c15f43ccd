package endpoint_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/shoptest"
)

// counting accepts all webhooks, and counts them by their ID. It holds them until open is closed.
type counting struct {
	open    chan struct{}
	started chan string
	mu      sync.Mutex
	sent    map[string]int
}

func newCounting() *counting {
	return &counting{
		open:    make(chan struct{}),
		started: make(chan string, 1000),
		sent:    map[string]int{},
	}
}

func (s *counting) Send(ctx context.Context, w endpoint.Webhook) (endpoint.Response, error) {
	s.mu.Lock()
	s.sent[w.ID]++
	s.mu.Unlock()
	s.started <- w.ID
	select {
	case <-s.open:
		return endpoint.Response{Status: 200}, nil
	case <-ctx.Done():
		return endpoint.Response{}, ctx.Err()
	}
}

// serveTwice returns a shop with waiting webhooks as two servers have it, and their sender. Every
// other event is of the same order.
func serveTwice(t *testing.T, webhooks int) (first, second *shoptest.Accounts, sender *counting) {
	t.Helper()
	a, sender := shoptest.NewAccounts(t), newCounting()
	a.Config.WebhookSender = sender
	first, second = a.Reopened(), a.Reopened()
	in := endpoint.Input{URL: "https://example.com/"}
	if _, _, err := first.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	for i := range webhooks {
		a.Exec(t, `
			INSERT INTO outbox (seq, at, type, subject, data)
			VALUES ((SELECT COALESCE(MAX(seq), 0) FROM outbox) + 1, ?, 'order.placed', ?, '{}')`,
			db.Millis(a.Clock.Now()), [...]string{"ONE", "ORDER" + string(rune('A'+i))}[i%2])
	}
	return first, second, sender
}

func continueSending(t *testing.T, a *shoptest.Accounts) {
	t.Helper()
	if _, err := a.Endpoints.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const waitingDeliveries = `SELECT COUNT(*) FROM webhook_deliveries WHERE due_at IS NOT NULL`

// Two servers that both do the work, as after a failover, send each webhook once. The webhooks of
// an order that the first is sending wait for it.
func TestEndpoints_TwoServers(t *testing.T) {
	t.Parallel()
	first, second, sender := serveTwice(t, 20)
	continueSending(t, first)
	for range 8 {
		<-sender.started // the first is sending them
	}
	continueSending(t, second)
	<-sender.started // the second too
	claimed := first.Number(
		t,
		`SELECT COUNT(*) FROM webhook_deliveries WHERE claimed_until > ?`,
		db.Millis(first.Clock.Now()),
	)
	if claimed != 8+3 { // one of the order, and ten of others
		t.Errorf("got %d webhooks being sent, want one of each order", claimed)
	}
	close(sender.open)
	dbtest.Eventually(t, "all webhooks are sent", func() bool {
		continueSending(t, first)
		continueSending(t, second)
		return first.Number(t, waitingDeliveries) == 0
	})
	for id, times := range sender.sent {
		if times != 1 {
			t.Errorf("%s: sent %d times, want once", id, times)
		}
	}
	if len(sender.sent) != 20 {
		t.Errorf("got %d webhooks, want 20", len(sender.sent))
	}
}

// A server that does not do the work any more ends its queue after the webhooks being sent.
func TestEndpoints_LeaseLost(t *testing.T) {
	t.Parallel()
	first, second, sender := serveTwice(t, 20)
	other := newCounting()
	close(other.open)
	second.Config.WebhookSender = other
	second = second.Reopened()
	var lost atomic.Bool
	first.Config.IsWorking = func(context.Context) bool { return !lost.Load() }
	first = first.Reopened()
	continueSending(t, first)
	<-sender.started
	lost.Store(true)
	close(sender.open)
	dbtest.Eventually(t, "what was being sent is recorded", func() bool {
		return first.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE status = 'sent'`) > 0
	})
	dbtest.Eventually(t, "the other server sends the rest", func() bool {
		continueSending(t, first)
		continueSending(t, second)
		return first.Number(t, waitingDeliveries) == 0
	})
	if len(sender.sent) != 8 || len(other.sent) != 12 {
		t.Errorf("got %d and %d webhooks, want 8 and 12", len(sender.sent), len(other.sent))
	}
}

// The failure of a server that was too slow does not replace what another one has recorded since,
// and the webhook is not sent a third time.
func TestEndpoints_LateResult(t *testing.T) {
	t.Parallel()
	first, second, _ := serveTwice(t, 1)
	slow, other := newCounting(), newCounting()
	close(other.open)
	first.Config.WebhookSender, second.Config.WebhookSender = failing{slow}, other
	runner := endpoint.NewRunner()
	first.Config.Webhooks = runner
	first, second = first.Reopened(), second.Reopened()
	continueSending(t, first)
	<-slow.started
	first.Clock.Advance(time.Minute)
	dbtest.Eventually(t, "the other server sends it", func() bool {
		continueSending(t, second)
		return first.Number(t, waitingDeliveries) == 0
	})
	close(slow.open)
	runner.Close(t.Context()) // waits for the slow attempt
	const sent = `SELECT COUNT(*) FROM webhook_deliveries WHERE status = 'sent' AND attempts = 1 AND due_at IS NULL`
	if first.Number(t, sent) != 1 {
		t.Error("got another result, want one successful attempt")
	}
}

// failing sends webhooks that are not accepted.
type failing struct{ *counting }

func (s failing) Send(ctx context.Context, w endpoint.Webhook) (endpoint.Response, error) {
	_, err := s.counting.Send(ctx, w)
	return endpoint.Response{Status: 500}, err
}
