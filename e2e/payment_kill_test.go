package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/provider/simulator"
)

const (
	unitsInStock = 5
	// instants is how many times a day's server is killed by the clock: between some steps no call
	// goes.
	instants = 6
)

// The server is killed between each pair of steps of a payment, and whatever was lost: in the end
// the shop's books are those of the gateway. An order is paid exactly if money was taken for it,
// which is never taken twice; the sweeper has closed the rest; and a buyer who comes back has paid.
func TestPayment_KilledServer(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", unitsInStock)
	run(t, "plugin", "configure", "acme", "gateway_a", "store_id=acme", "store_password=hush", "--data", data)
	run(t, "plugin", "configure", "acme", "gateway_b", "username=acme", "password=hush", "app_key=hush", "app_secret=hush", "--data", data)
	for name, way := range map[string]paymentScenario{
		"gateway_a":                             {gateway: "gateway_a", end: "confirmed paid"},
		"gateway_a, its notice lost":            {gateway: "gateway_a", fault: simulator.WebhookLost, end: "confirmed paid"},
		"gateway_a, given back":                 {gateway: "gateway_a", refund: true, end: "cancelled refunded"},
		"gateway_b":                             {gateway: "gateway_b", end: "confirmed paid"},
		"gateway_b, the answer to execute lost": {gateway: "gateway_b", fault: simulator.ExecuteLost, end: "confirmed paid"},
		"gateway_b, given back":                 {gateway: "gateway_b", refund: true, end: "cancelled refunded"},
		"gateway_a, a part given back":          {gateway: "gateway_a", refund: true, part: "1.50", end: "confirmed partially_refunded"},
		"gateway_b, a part given back":          {gateway: "gateway_b", refund: true, part: "1.50", end: "confirmed partially_refunded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killDuringPayment(t, data, way)
		})
	}
}

// killDuringPayment completes a scenario to record its moments, then kills the server at each of
// them.
func killDuringPayment(t *testing.T, data string, way paymentScenario) {
	t.Helper()
	whole := newPaymentRun(t, data, way, -1)
	took := whole.perform()
	whole.finish(false)
	moments, _ := whole.records()
	if end := whole.check(); end != way.end {
		t.Fatalf("without a kill the order ends %s after %q", end, moments)
	}
	every := 8
	if *all {
		every = 1
	}
	for i, moment := range moments {
		if i >= whole.own && i%every == 0 {
			killDuring(t, i/every, moment, func(t *testing.T) *paymentRun {
				d := newPaymentRun(t, data, way, i)
				d.perform()
				return d
			})
		}
	}
	if way.fault != "" {
		return // the instants are those of the way without
	}
	for i := every / 2 % instants; i < instants; i += every {
		killDuring(t, i/every, fmt.Sprint("instant ", i), func(t *testing.T) *paymentRun {
			d := newPaymentRun(t, data, way, -1)
			d.actUntil(took * time.Duration(i) / instants)
			return d
		})
	}
}

// killDuring brings what begin begins to its end, where buyer and staff come back after the kill
// and where they stay away; with a part of the moments, the nth for one of the two.
func killDuring(t *testing.T, n int, when string, begin func(t *testing.T) *paymentRun) {
	t.Helper()
	for _, who := range some([]string{"comes back", "stays away"}, n%2, 2) {
		t.Run(when+", who "+who, func(t *testing.T) {
			t.Parallel()
			d := begin(t)
			_, killed := d.records() // or it is the sweeper that will be
			comesBack := killed && who == "comes back"
			d.finish(comesBack)
			end := d.check()
			moments, killed := d.records()
			if !killed || comesBack && end != d.scenario.end {
				t.Errorf("killed: %v, the order ends %q after %q", killed, end, moments)
			}
			if strings.HasPrefix(end, "confirmed ") && !comesBack { // else another attempt may have paid
				calls := run(t, d.args("webhook", "list", "acme", "--verdict", "stored")...)
				if !strings.HasPrefix(calls, "No webhooks found.") {
					t.Errorf("the sweeper leaves calls open:\n%s", calls)
				}
			}
		})
	}
}

// finish lets the time pass that the sweeper needs for all that may be open.
func (d *paymentRun) finish(comeBack bool) {
	d.t.Helper()
	if comeBack {
		d.start()
		d.perform()
	}
	d.advance(20 * time.Minute)
	if comeBack {
		d.perform()
	}
	d.advance(time.Hour)
	if d.scenario.refund { // a gateway takes its time for that
		d.advance(time.Hour)
	}
}

// perform is what buyer and staff do on a day, and how long it took.
func (d *paymentRun) perform() (took time.Duration) {
	d.t.Helper()
	began := time.Now()
	d.buy()
	if d.scenario.refund {
		d.setOwn()
		d.refund()
	}
	return time.Since(began)
}

// actUntil is a day that ends by the clock.
func (d *paymentRun) actUntil(end time.Duration) {
	d.t.Helper()
	killed := make(chan struct{})
	time.AfterFunc(end, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.kill()
		close(killed)
	})
	d.perform()
	<-killed
}

// books maps the end of an order to the number of captures and refunds.
var books = map[string][2]int{
	"expired unpaid": {0, 0}, "confirmed paid": {1, 0}, "cancelled refund_due": {1, 0}, "cancelled refunded": {1, 1},
	"confirmed partially_refunded": {1, 1},
}

// check compares the shop's books with the gateway's and returns the order's end; "" if none was
// placed.
func (d *paymentRun) check() (end string) {
	d.t.Helper()
	d.server.kill()
	units, attempts := unitsInStock, 0
	for i, o := range d.orders() {
		end = o.Status + " " + o.PaymentStatus
		taken, returned := d.sim.CountTransactions(o.ID)
		if want, known := books[end]; i > 0 || !known || want != [2]int{taken, returned} {
			d.t.Errorf("order %d is %s; money was taken %d times and given back %d times", i+1, end, taken, returned)
		}
		for _, a := range o.Payment.Attempts {
			if refunded := d.sim.Refunded(a.ID); a.RefundedAmount.Amount != refunded {
				d.t.Errorf("attempt %s: got %d refunded, want %d", a.ID, a.RefundedAmount.Amount, refunded)
			}
			if attempts++; a.Status == "initiated" || a.Status == "pending" {
				d.t.Errorf("an attempt is %s for good", a.Status)
			}
		}
		if o.Status == "confirmed" {
			units--
		}
	}
	d.checkInvariants()
	executed := 0 // by the shop: a gateway that has executed a payment refuses to do it again
	moments, _ := d.records()
	for _, moment := range moments {
		if strings.HasPrefix(moment, "before ") && strings.HasSuffix(moment, " execute") {
			executed++
		}
	}
	if executed > attempts {
		d.t.Errorf("got %d captures of %d attempts, want at most one each", executed, attempts)
	}
	if _, left := soldAndMoved(d.t, d.data, "acme"); left != units {
		d.t.Errorf("%d units are left, want %d", left, units)
	}
	return end
}
