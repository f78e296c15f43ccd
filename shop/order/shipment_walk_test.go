package order_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var (
	shipmentSteps = flag.Int("shipment.steps", 250, "steps of each random walk of TestShipments_RandomWalk")
	shipmentSeeds = flag.Int("shipment.seeds", 4, "random walks of TestShipments_RandomWalk")
)

// shipmentWalk is a shop whose couriers report at random: late, twice, contradictory, about
// shipments that were deleted, and with the consignment IDs of returns. Some of its orders are paid
// online, and refunded in parts.
type shipmentWalk struct {
	*courierShop
	t        *testing.T
	r        *rand.Rand
	gateway  *fakeGateway
	payments []string         // that succeeded
	byHand   map[string]int64 // refunds that were made in the gateway's panel, by payment
	orders   []string
	recorded map[string][]string // consignment IDs by order
	sent     []string            // bodies that were sent before
	second   int
	shares   int64 // lines of the ledger with a share of the courier, over all steps
	files    int
}

// walked are queries that count what the walks together must have come across.
var walked = map[string]string{
	"partial refund":                       `SELECT COUNT(*) FROM orders WHERE payment_status = 'partially_refunded'`,
	"deleted shipment":                     `SELECT COUNT(*) FROM shipments WHERE status = 'cancelled'`,
	"return barcode":                       `SELECT COUNT(*) FROM shipments WHERE return_id IS NOT NULL`,
	"late delivery":                        `SELECT COUNT(*) FROM order_flags WHERE code = 'delivered_after_cancel'`,
	"expired order":                        `SELECT COUNT(*) FROM orders WHERE status = 'expired'`,
	"delivered order that was paid online": `SELECT COUNT(*) FROM orders WHERE payment_method = 'gateway_b' AND fulfillment_status = 'delivered'`,
}

// TestShipments_RandomWalk runs random operations on shipments, and checks the sums of the shop and
// the balance of the COD ledger after each.
func TestShipments_RandomWalk(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	counts := map[string]int64{"share of the courier": 0}
	for what := range walked {
		counts[what] = 0
	}
	t.Cleanup(func() { // after all walks
		for what, n := range counts {
			if n == 0 && !t.Failed() {
				t.Errorf("no walk had a %s", what)
			}
		}
	})
	for seed := range *shipmentSeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			gateway := newFakeGateway(rand.New(rand.NewPCG(uint64(seed), 18)))
			w := &shipmentWalk{
				courierShop: newCourierShop(t, "", gateway.plugin()), t: t, r: rand.New(rand.NewPCG(uint64(seed), 17)),
				recorded: map[string][]string{}, gateway: gateway, byHand: map[string]int64{},
			}
			w.configure(t, plugin.GatewayB, map[string]any{"username": "acme"})
			unlimited := shoptest.Raw(t, map[string]any{"openOrdersPerPhone": 1_000_000})
			if err := w.SetSettings(t.Context(), access.Operator(), unlimited); err != nil {
				t.Fatal(err)
			}
			w.setStock(t, 20)
			for step := range *shipmentSteps {
				name := w.step()
				w.check()
				if t.Failed() {
					t.Fatalf("failed at step %d, %s", step, name)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for what, query := range walked {
				counts[what] += w.number(t, query)
			}
			counts["share of the courier"] += w.shares
		})
	}
}

// done fails the test unless err is nil or one that the operation may return.
func (w *shipmentWalk) done(err error) {
	w.t.Helper()
	for _, code := range []fault.Code{fault.CodeStateConflict, fault.CodeNotFound, fault.CodeNotCancellable, fault.CodeUnavailable} {
		if fault.HasCode(err, code) {
			return
		}
	}
	if err != nil {
		w.t.Error(err)
	}
}

func (w *shipmentWalk) step() string {
	ctx, staff := w.t.Context(), access.Operator()
	if len(w.orders) == 0 || w.r.IntN(8) == 0 {
		if w.number(w.t, `SELECT stock FROM variants`) < 2 {
			w.setStock(w.t, 20)
		}
		if w.r.IntN(3) == 0 {
			w.orders = append(w.orders, w.placePaid())
			return "place and pay"
		}
		w.orders = append(w.orders, w.place(w.t))
		return "place"
	}
	bought := pick(w.r, w.orders[max(0, len(w.orders)-5):])
	name := pick(w.r, []string{"ship", "ship", "event", "event", "event", "event", "event", "return", "again", "delete", "cancel", "share",
		"statement", "deliver", "return by hand", "checked", "time", "refund", "expire", "late"})
	var err error
	switch name {
	case "ship":
		consignment := fmt.Sprint("DL", 100+len(w.sent)+w.r.IntN(1000))
		_, err = w.Orders.RecordShipment(ctx, staff, bought, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: consignment})
		if err == nil {
			w.recorded[bought] = append(w.recorded[bought], consignment)
		}
	case "event", "return":
		w.event(bought, name == "return")
	case "again": // late, or twice
		if len(w.sent) > 0 {
			w.sendWebhook(w.t, plugin.CourierA, pick(w.r, w.sent)+pick(w.r, []string{"", " ", "  "}))
		}
	case "delete":
		if of := w.recorded[bought]; len(of) > 0 {
			_, err = w.Orders.CancelShipment(ctx, staff, bought, order.ShipmentSelection{Provider: plugin.CourierA, ConsignmentID: pick(w.r, of)})
		}
	case "cancel":
		_, err = w.Orders.CancelOrder(ctx, staff, bought, "")
	case "share":
		w.configure(w.t, plugin.CourierA, map[string]any{"cod_basis_points": w.r.IntN(3) * 100})
	case "late":
		if _, err = w.Orders.CancelOrder(ctx, staff, bought, ""); err == nil && len(w.recorded[bought]) > 0 {
			w.sendWebhook(w.t, plugin.CourierA, w.body(pick(w.r, w.recorded[bought]), "delivered", "collected_amount", "970"))
		}
	case "statement":
		err = w.statement()
	case "deliver":
		_, err = w.Orders.MarkDelivered(ctx, staff, bought, nil)
	case "return by hand":
		_, err = w.Orders.MarkReturned(ctx, staff, bought, nil)
	case "checked":
		_, err = w.Orders.ResolveFlags(ctx, staff, bought)
	case "time":
		w.clock.Advance(time.Duration(w.r.IntN(48)) * time.Hour)
	case "refund":
		err = w.refund()
	case "expire":
		if _, err = w.Orders.ExpireOrders(ctx); err == nil {
			_, err = w.Orders.SweepPayments(ctx)
		}
	}
	w.done(err)
	return name
}

// placePaid places an order for two mugs and pays it at the gateway.
func (w *shipmentWalk) placePaid() string {
	w.t.Helper()
	in := shoptest.GuestOrder(w.mug.ID, 2)
	in.PaymentMethod = new(status.PayGatewayB)
	bought, err := w.Orders.PlaceOrder(w.t.Context(), access.Caller{}, in, "")
	if err != nil {
		w.t.Fatal(err)
	}
	payment := bought.Payment.Attempts[0].ID
	back := order.ParseCallbackQuery("status=success&paymentID=" + payment)
	if _, _, err := w.Orders.HandleCallback(w.t.Context(), plugin.GatewayB, back); err != nil {
		w.t.Fatal(err)
	}
	w.payments = append(w.payments, payment)
	return bought.ID
}

// refund refunds a part of a payment, or all that is left of it, through the gateway or in its
// panel.
func (w *shipmentWalk) refund() error {
	if len(w.payments) == 0 {
		return nil
	}
	payment, amount := pick(w.r, w.payments), new(int64(1+w.r.IntN(400_00)))
	if w.r.IntN(6) == 0 {
		amount = nil
	}
	if w.r.IntN(3) > 0 {
		_, err := w.Orders.RefundPayment(w.t.Context(), access.Operator(), payment, order.RefundInput{Amount: amount})
		return err
	}
	before := w.refunded(payment)
	_, err := w.Orders.MarkRefunded(w.t.Context(), access.Operator(), payment, order.RefundInput{Amount: amount})
	w.byHand[payment] += w.refunded(payment) - before
	return err
}

// refunded returns how much of a payment is refunded by the shop's records.
func (w *shipmentWalk) refunded(payment string) int64 {
	w.t.Helper()
	record, err := w.Orders.FindPaymentAttempt(w.t.Context(), access.Operator(), payment)
	if err != nil {
		w.t.Fatal(err)
	}
	return record.RefundedAmount.Amount
}

// event sends an event of a shipment of the order, sometimes with an earlier time, and of a return
// with the return's own consignment ID.
func (w *shipmentWalk) event(order string, way bool) {
	of := w.recorded[order]
	if len(of) == 0 {
		return
	}
	consignment := pick(w.r, of)
	event := pick(w.r, []string{
		"picked", "in-transit", "assigned-for-delivery", "on-hold", "delivered", "delivered", "partial-delivery", "returned", "paid-return",
		"exchanged", "pickup-cancelled", "paid", "updated", "lost", "returned-to-merchant",
	})
	more := []string{}
	if w.r.IntN(2) == 0 {
		more = append(more, "collected_amount", pick(w.r, []string{"970", "970", "970", "0", "500", "-1", "1e99"}))
	}
	if w.r.IntN(3) == 0 {
		more = append(more, "delivery_fee", pick(w.r, []string{"60", "70.333333"}))
	}
	if way {
		event = pick(w.r, []string{"return-id-created", "return-in-transit", "returned-to-merchant"})
		more = append(more, "return_consignment_id", `"R`+consignment+`"`, "return_type", pick(w.r, []string{`"return"`, `"partial-delivery"`}))
		if w.r.IntN(2) == 0 && event != "return-id-created" {
			consignment = "R" + consignment
		}
	}
	body := w.body(consignment, event, more...)
	if w.r.IntN(6) > 0 { // otherwise it arrives later
		w.sendWebhook(w.t, plugin.CourierA, body)
	}
}

// body returns the next event of a shipment. It may be sent again later.
func (w *shipmentWalk) body(consignment, event string, more ...string) string {
	w.second++
	at := fmt.Sprintf("%02d:%02d", 5+w.second/3600, w.second/60%60)
	body := strings.NewReplacer("DL1", consignment, "05:00", at).Replace(step(w.second%60, "order."+event, more...))
	w.sent = append(w.sent, body)
	return body
}

// statement reconciles a statement of some shipments.
func (w *shipmentWalk) statement() error {
	w.files++
	text := fmt.Sprintf("consignment,collected,fee,payout,file%d\n", w.files)
	lines, err := w.Cash.ListLedger(w.t.Context(), access.Operator(), cash.LedgerFilter{Request: page.Request{Limit: new(page.NoLimit)}})
	if err != nil {
		return err
	}
	rows := 0
	for _, l := range lines.Nodes {
		if w.r.IntN(4) > 0 || l.ConsignmentID == nil {
			continue
		}
		rows++
		text += *l.ConsignmentID + pick(w.r, []string{",970,60,910,\n", ",970,60,900.30,\n", ",0,60,-60,\n", ",,,,\n", ",500,60,440,\n"})
	}
	if rows == 0 {
		return nil
	}
	_, err = w.Cash.ReconcileStatement(w.t.Context(), access.Operator(), cash.StatementFile{
		Courier: plugin.CourierA, File: strings.NewReader(text), DryRun: w.r.IntN(4) == 0,
	})
	return err
}

// check checks the shop's sums, and that the report is the sum of the ledger's lines.
func (w *shipmentWalk) check() {
	w.t.Helper()
	w.checkBooks(w.t)
	if n := w.number(w.t, `SELECT COUNT(*) FROM provider_webhooks WHERE verdict = 'failed'`); n != 0 {
		w.t.Errorf("got %d webhooks that failed, the last one: %s", n, w.lastWebhook(w.t).Reason)
	}
	for _, payment := range w.payments {
		if got, want := w.refunded(payment), w.gateway.refundedOf(payment)+w.byHand[payment]; got != want {
			w.t.Errorf("payment %s: got %d refunded, want %d", payment, got, want)
		}
	}
	lines, err := w.Cash.ListLedger(w.t.Context(), access.Operator(), cash.LedgerFilter{Request: page.Request{Limit: new(page.NoLimit)}})
	if err != nil {
		w.t.Fatal(err)
	}
	report, err := w.Cash.ReportCash(w.t.Context(), access.Operator())
	if err != nil {
		w.t.Fatal(err)
	}
	differs := map[string]bool{}
	for _, d := range report.Differences {
		differs[d.ConsignmentID] = true
	}
	var held, fees, paid int64
	shipments := map[string]int{}
	for _, l := range lines.Nodes {
		shipments[l.OrderID]++
		ended := l.Status == status.ShipmentDelivered || l.Status == status.ShipmentPartiallyDelivered || l.Status == status.ShipmentExchanged
		if l.Collected != nil && (ended && l.Collected.Amount != l.Due.Amount || !ended && l.Collected.Amount > 0) && !differs[*l.ConsignmentID] {
			w.t.Errorf("no difference for %+v", l)
		}
		if l.Status == status.ShipmentCancelled && l.Due.Amount != 0 {
			w.t.Errorf("cash is due with a cancelled shipment: %+v", l)
		}
		collected := l.Collected
		if collected == nil && l.Status == status.ShipmentDelivered && l.Due.Amount > 0 {
			collected = &l.Due
		}
		switch {
		case l.PaidOut != nil:
			paid += l.PaidOut.Amount
			if l.PaidOut.Amount < 0 && l.Source == "event" && !differs[*l.ConsignmentID] {
				w.t.Errorf("no difference for a negative payout: %+v", l)
			}
		case collected != nil:
			held += collected.Amount
			fees += l.CashShare.Amount
			w.shares += min(l.CashShare.Amount, 1)
			if l.Fee != nil {
				fees += l.Fee.Amount
			}
		}
	}
	c := report.Couriers[0]
	if c.Held.Amount != held || c.Fees.Amount != fees || c.Payable.Amount != held-fees || c.PaidOut.Amount != paid {
		w.t.Errorf("got report %+v, want held %d, fees %d, paid out %d", c, held, fees, paid)
	}
	for order, n := range shipments {
		if n > len(w.recorded[order]) {
			w.t.Errorf("got %d shipments of order %s, want at most the %d that exist", n, order, len(w.recorded[order]))
		}
	}
}
