package order_test

import (
	"context"
	"math/rand/v2"
	"sync"

	"storefront/shop/plugin"
)

// fakeGateway is a gateway in memory whose buyers pay at once, and whose refunds are done, still in
// progress or refused at random.
type fakeGateway struct {
	mu       sync.Mutex
	r        *rand.Rand
	started  map[string]plugin.PaymentStart  // by our reference
	open     map[string]plugin.RefundRequest // refunds in progress, by our reference
	refunded map[string]int64                // by our reference of the payment
}

func newFakeGateway(r *rand.Rand) *fakeGateway {
	return &fakeGateway{
		r: r, started: map[string]plugin.PaymentStart{}, open: map[string]plugin.RefundRequest{}, refunded: map[string]int64{},
	}
}

// plugin returns the gateway as gateway_b, which captures when the buyer returns. It needs no
// settings.
func (g *fakeGateway) plugin() plugin.Plugin {
	return plugin.Plugin{
		Provider: plugin.GatewayB, Gateway: g,
		Keys: []plugin.Key{{Name: "username", Meaning: "Any", For: []plugin.Capability{plugin.CanReceiveWebhooks, plugin.CanPay}}},
	}
}

func (g *fakeGateway) Start(_ context.Context, _ plugin.Access, p plugin.PaymentStart) (plugin.StartedPayment, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.started[p.Ref] = p
	return plugin.StartedPayment{ExternalID: p.Ref, RedirectURL: "https://pay.example/" + p.Ref}, nil
}

func (g *fakeGateway) QueryStatus(_ context.Context, _ plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.started[q.Ref]
	return plugin.GatewayStatus{
		State: plugin.GatewayPaid, Ref: p.Ref, Amount: p.Amount, Currency: p.Currency.Code, Readable: true, TransactionID: "T" + p.Ref,
	}, nil
}

func (g *fakeGateway) Capture(ctx context.Context, access plugin.Access, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	return g.QueryStatus(ctx, access, q)
}

func (g *fakeGateway) Refund(_ context.Context, _ plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch result := g.r.IntN(3); {
	case !r.Requested && result == 0:
		return plugin.RefundResult{State: plugin.RefundFailed, Reason: "Insufficient Balance"}, nil
	case result == 1:
		g.open[r.Ref] = r
		return plugin.RefundResult{State: plugin.RefundProcessing, RefundID: "R" + r.Ref}, nil
	}
	delete(g.open, r.Ref)
	g.refunded[r.PaymentRef] += r.Amount
	return plugin.RefundResult{State: plugin.RefundDone, RefundID: "R" + r.Ref}, nil
}

// refundedOf returns how much of a payment was refunded.
func (g *fakeGateway) refundedOf(payment string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refunded[payment]
}
