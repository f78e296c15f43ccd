package simulator_test

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"storefront/provider/simulator"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

var interleavings = flag.Int("interleavings", 20, "number of random event sequences in the payment test")

// scenario is one random sequence of events of an order with up to two payment attempts.
type scenario struct {
	*site
	random    *rand.Rand
	order     *order.Placed
	refs      []string
	callbacks []string         // callback URLs
	byHand    map[string]int64 // refunds recorded by hand, by payment
}

// TestPayment_RandomInterleavings runs payments, webhooks, sweeps, cancellations, changes to cash,
// shipments, changes of mode and expiry in random order, lets everything complete, and checks where
// the money is.
func TestPayment_RandomInterleavings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	left := int64(stock)
	for seed := range *interleavings {
		p := &scenario{site: s, random: rand.New(rand.NewPCG(7, uint64(seed))), byHand: map[string]int64{}}
		p.run()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if !isClosed(p.finalOrder().Status) {
			left -= 2
		}
		products, err := s.Catalogue.FindProduct(t.Context(), s.mug.ID)
		s.must(err)
		if got := *products.Variants[0].AvailableQuantity; int64(got) != left {
			t.Fatalf("seed %d: got %d mugs in stock, want %d", seed, got, left)
		}
	}
}

func (p *scenario) run() {
	p.order = p.place(gateways[p.random.IntN(2)])
	p.refs = []string{ref(p.order)}
	for range 8 + p.random.IntN(8) {
		p.step()
		p.checkInvariants()
	}
	// Let everything complete: no faults, the right mode and enough time.
	for _, fault := range faults {
		p.sim.Switch(fault, false)
	}
	p.mode(plugin.Live)
	for range 30 {
		p.sweep(time.Hour)
		_, err := p.Orders.ExpireOrders(p.tb.Context())
		p.must(err)
	}
	p.check()
}

func (p *scenario) step() {
	id := p.refs[p.random.IntN(len(p.refs))]
	switch p.random.IntN(14) {
	case 0, 1, 2:
		results := []simulator.Result{simulator.Pays, simulator.Pays, simulator.Fails, simulator.Cancels}
		ret, err := p.sim.Finish(p.tb.Context(), id, results[p.random.IntN(4)])
		p.must(err)
		if ret.Method == http.MethodGet {
			p.callbacks = append(p.callbacks, ret.URL)
			if p.random.IntN(3) > 0 { // otherwise the tab is closed
				p.openCallback(ret.URL)
			}
		}
	case 3:
		if len(p.callbacks) > 0 {
			p.openCallback(p.callbacks[p.random.IntN(len(p.callbacks))])
		}
	case 4:
		if len(p.refs) < 2 {
			again, err := p.Orders.StartPayment(p.tb.Context(), access.Caller{OrderToken: p.order.OrderToken}, p.order.ID,
				order.PaymentInput{PaymentMethod: gateways[p.random.IntN(2)]})
			if err == nil && again.ID != p.refs[0] {
				p.refs = append(p.refs, again.ID)
			}
		}
	case 5:
		p.sweep(time.Duration(p.random.IntN(20)) * time.Minute)
	case 6:
		_, err := p.Orders.ExpireOrders(p.tb.Context())
		p.must(err)
	case 7:
		if p.random.IntN(3) == 0 {
			_, err := p.Orders.CancelOrder(p.tb.Context(), access.Caller{Operator: true}, p.order.ID, "")
			if err != nil && !fault.HasCode(err, fault.CodeNotCancellable) {
				p.tb.Error(err)
			}
		}
	case 8:
		p.mode([]plugin.Mode{plugin.Live, plugin.Sandbox}[p.random.IntN(2)])
	case 9:
		fault := faults[p.random.IntN(len(faults))]
		p.sim.Switch(fault, p.random.IntN(2) == 0)
	case 10:
		if p.random.IntN(3) == 0 {
			_, err := p.Orders.SetPaymentMethod(p.tb.Context(), p.buyer(), p.order.ID, order.PaymentMethodInput{PaymentMethod: status.PayCOD})
			if err != nil && !fault.HasCode(err, fault.CodeStateConflict) {
				p.tb.Error(err)
			}
		}
	case 11:
		var err error
		if o := p.finalOrder(); p.random.IntN(3) > 0 && o.Payment.Method == status.PayCOD {
			_, err = p.Orders.RecordShipment(p.tb.Context(), access.Operator(), o.ID, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: o.ID})
		} else if p.random.IntN(4) == 0 {
			_, err = p.Orders.CancelOrder(p.tb.Context(), p.buyer(), p.order.ID, "")
		}
		if err != nil && !fault.HasCode(err, fault.CodeNotCancellable) && !fault.HasCode(err, fault.CodeStateConflict) {
			p.tb.Error(err)
		}
	case 12, 13:
		p.refundPart(id)
	}
}

// buyer returns the buyer of the order, who is a guest.
func (p *scenario) buyer() access.Caller { return access.Caller{OrderToken: p.order.OrderToken} }

// faults are switched on and off.
var faults = []simulator.Fault{
	simulator.WebhookLost, simulator.WebhookTwice, simulator.ValidationDown, simulator.ExecuteLost, simulator.RefundLost, simulator.RefundRefused,
}

// refundPart refunds a random part of a payment, through the gateway or, recorded, in its panel.
func (p *scenario) refundPart(id string) {
	amount := new(int64(1 + p.random.IntN(600_00)))
	if p.random.IntN(5) == 0 {
		amount = nil
	}
	refund := p.Orders.RefundPayment
	byHand := p.random.IntN(4) == 0
	if byHand {
		refund = p.Orders.MarkRefunded
	}
	before := p.refunded(id)
	_, err := refund(p.tb.Context(), access.Operator(), id, refundInput{Amount: amount})
	if err != nil && !fault.HasCode(err, fault.CodeStateConflict) && !fault.HasCode(err, fault.CodeUnavailable) {
		p.tb.Error(err)
	}
	if byHand && err == nil {
		p.byHand[id] += p.refunded(id) - before
	}
}

// refunded returns how much of a payment is refunded by the shop's records.
func (p *scenario) refunded(id string) int64 {
	record, err := p.Orders.FindPaymentAttempt(p.tb.Context(), access.Operator(), id)
	p.must(err)
	return record.RefundedAmount.Amount
}

func isClosed(st status.Order) bool {
	return st == status.OrderCancelled || st == status.OrderExpired
}

func (p *scenario) finalOrder() *order.Order { return p.site.order(p.order.ID) }

// check compares the shop's records with the gateways'.
func (p *scenario) check() {
	o := p.finalOrder()
	paid, due, refunded, part := 0, 0, 0, false
	for _, a := range o.Payment.Attempts {
		captured := p.sim.HasMoney(a.ID)
		recorded := a.Status == status.AttemptSucceeded || a.Status == status.AttemptRefundDue || a.Status == status.AttemptRefunded
		if got, want := a.RefundedAmount.Amount, p.sim.Refunded(a.ID)+p.byHand[a.ID]; got != want || got > a.Amount.Amount {
			p.tb.Errorf("attempt %s: got %d refunded, want %d of %d", a.ID, got, want, a.Amount.Amount)
		}
		if captured != recorded {
			p.tb.Errorf("attempt %s is %s, but captured: %v", a.ID, a.Status, captured)
		}
		switch a.Status {
		case status.AttemptSucceeded:
			paid++
			part = part || a.RefundedAmount.Amount > 0
		case status.AttemptRefunded:
			refunded++
		case status.AttemptRefundDue:
			due++
		case status.AttemptInitiated, status.AttemptPending:
			p.tb.Errorf("attempt %s is still %s", a.ID, a.Status)
		}
	}
	cash := o.Payment.Method == status.PayCOD
	switch {
	case paid > 1:
		p.tb.Errorf("got %d successful attempts, want at most 1", paid)
	case isClosed(o.Status) && paid > 0:
		p.tb.Errorf("a closed order has money that is not due for refund")
	case cash && paid > 0:
		p.tb.Errorf("paid online, but the order is paid in cash")
	case cash && due > 0 && len(o.Shipments) == 0:
		p.tb.Errorf("a refund is due for an order that needs the money")
	case cash && (o.PaymentStatus != status.PaymentUnpaid && !isClosed(o.Status)):
		p.tb.Errorf("nothing was paid in cash, but the payment is %s", o.PaymentStatus)
	case paid == 1 && o.Status == status.OrderProcessing && len(o.Shipments) > 0 && (o.PaymentStatus == status.PaymentPaid || part):
	case paid == 1 && part != (o.PaymentStatus == status.PaymentPartiallyRefunded):
		p.tb.Errorf("partly refunded: %v, but the payment is %s", part, o.PaymentStatus)
	case paid == 1 && (o.PaymentStatus != status.PaymentPaid && !part || o.Status != status.OrderConfirmed):
		p.tb.Errorf("paid, but the order is %s, payment %s", o.Status, o.PaymentStatus)
	case paid == 0 && due > 0 && !cash && o.PaymentStatus != status.PaymentRefundDue:
		p.tb.Errorf("a refund is due, but the payment is %s", o.PaymentStatus)
	case paid == 0 && due == 0 && refunded > 0 && !cash && o.PaymentStatus != status.PaymentRefunded:
		p.tb.Errorf("all is refunded, but the payment is %s", o.PaymentStatus)
	case paid == 0 && refunded == 0 && !isClosed(o.Status) && !cash:
		p.tb.Errorf("nothing was paid, but the order is %s", o.Status)
	}
}
