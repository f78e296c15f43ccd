package simulator_test

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop"
)

var interleavings = flag.Int("interleavings", 60, "how many random orders of events the payment test plays")

// scenario is one random story of an order with two tries to pay.
type scenario struct {
	*site
	random    *rand.Rand
	order     *shop.PlacedOrder
	refs      []string
	callbacks []string // addresses that browsers have come back by
}

// TestPayment_RandomInterleavings plays payments, notices, sweeps, cancellations, changes of mode and
// expiry in random order, then lets everything come to rest, and looks where the money is.
func TestPayment_RandomInterleavings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	left := int64(stock)
	for seed := range *interleavings {
		p := &scenario{site: s, random: rand.New(rand.NewPCG(7, uint64(seed)))}
		p.run()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if !isClosed(p.finalOrder().Status) {
			left -= 2
		}
		products, err := s.FindProduct(t.Context(), s.mug.ID)
		s.must(err)
		if got := *products.Variants[0].AvailableQuantity; int64(got) != left {
			t.Fatalf("seed %d: %d mugs left, want %d", seed, got, left)
		}
	}
}

func (p *scenario) run() {
	p.order = p.place(gateways[p.random.IntN(2)])
	p.refs = []string{ref(p.order)}
	for range 8 + p.random.IntN(8) {
		p.step()
	}
	// Everything comes to rest: right mode, no fault, and time.
	for _, fault := range []simulator.Fault{simulator.WebhookLost, simulator.WebhookTwice, simulator.ValidationDown, simulator.ExecuteLost} {
		p.sim.Switch(fault, false)
	}
	p.mode(shop.Live)
	for range 30 {
		p.sweep(time.Hour)
		_, err := p.ExpireOrders(p.tb.Context())
		p.must(err)
	}
	p.check()
}

func (p *scenario) step() {
	name := p.refs[p.random.IntN(len(p.refs))]
	switch p.random.IntN(10) {
	case 0, 1, 2:
		back, err := p.sim.Finish(p.tb.Context(), name, []simulator.Result{simulator.Pays, simulator.Pays, simulator.Fails, simulator.Cancels}[p.random.IntN(4)])
		p.must(err)
		if back.Method == http.MethodGet {
			p.callbacks = append(p.callbacks, back.URL)
			if p.random.IntN(3) > 0 { // else the tab is closed
				p.openCallback(back.URL)
			}
		}
	case 3:
		if len(p.callbacks) > 0 {
			p.openCallback(p.callbacks[p.random.IntN(len(p.callbacks))])
		}
	case 4:
		if len(p.refs) < 2 {
			again, err := p.StartPayment(p.tb.Context(), shop.Caller{OrderToken: p.order.OrderToken}, p.order.ID,
				shop.PaymentInput{PaymentMethod: gateways[p.random.IntN(2)]})
			if err == nil && again.ID != p.refs[0] {
				p.refs = append(p.refs, again.ID)
			}
		}
	case 5:
		p.sweep(time.Duration(p.random.IntN(20)) * time.Minute)
	case 6:
		_, err := p.ExpireOrders(p.tb.Context())
		p.must(err)
	case 7:
		if p.random.IntN(3) == 0 {
			_, err := p.CancelOrder(p.tb.Context(), shop.Caller{Operator: true}, p.order.ID, "")
			if err != nil && !shop.HasCode(err, shop.CodeNotCancellable) {
				p.tb.Error(err)
			}
		}
	case 8:
		p.mode([]shop.Mode{shop.Live, shop.Sandbox}[p.random.IntN(2)])
	case 9:
		fault := []simulator.Fault{simulator.WebhookLost, simulator.WebhookTwice, simulator.ValidationDown, simulator.ExecuteLost}[p.random.IntN(4)]
		p.sim.Switch(fault, p.random.IntN(2) == 0)
	}
}

func isClosed(status shop.OrderStatus) bool {
	return status == shop.OrderCancelled || status == shop.OrderExpired
}

func (p *scenario) finalOrder() *shop.Order { return p.site.order(p.order.ID) }

// check holds what the shop believes against where the money is.
func (p *scenario) check() {
	o := p.finalOrder()
	kept, due := 0, 0
	for _, a := range o.Payment.Attempts {
		took := p.sim.HasMoney(a.ID)
		has := a.Status == shop.AttemptSucceeded || a.Status == shop.AttemptRefundDue
		if took != has {
			p.tb.Errorf("attempt %s is %s, and money was taken: %v", a.ID, a.Status, took)
		}
		switch a.Status {
		case shop.AttemptSucceeded:
			kept++
		case shop.AttemptRefundDue:
			due++
		case shop.AttemptInitiated, shop.AttemptPending:
			p.tb.Errorf("attempt %s is still %s", a.ID, a.Status)
		}
	}
	switch {
	case kept > 1:
		p.tb.Errorf("the order was paid %d times", kept)
	case isClosed(o.Status) && kept > 0:
		p.tb.Errorf("a dead order keeps money")
	case kept == 1 && (o.PaymentStatus != shop.PaymentPaid || o.Status != shop.OrderConfirmed):
		p.tb.Errorf("paid, and the order is %s, payment %s", o.Status, o.PaymentStatus)
	case kept == 0 && due > 0 && o.PaymentStatus != shop.PaymentRefundDue:
		p.tb.Errorf("money has to go back, and the payment is %s", o.PaymentStatus)
	case kept == 0 && !isClosed(o.Status):
		p.tb.Errorf("nothing was paid, and the order is %s", o.Status)
	}
}
