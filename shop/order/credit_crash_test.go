package order_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// crashGateway refunds at once, and counts the requests for the same refund once.
type crashGateway struct {
	*fakeGateway
	seen map[string]bool
	fail bool // the gateway refuses
}

func (g *crashGateway) Refund(_ context.Context, _ plugin.Access, r plugin.RefundRequest) (plugin.RefundResult, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fail {
		return plugin.RefundResult{State: plugin.RefundFailed, Reason: "Insufficient Balance"}, nil
	}
	if !g.seen[r.Ref] {
		g.seen[r.Ref] = true
		g.refunded[r.PaymentRef] += r.Amount
	}
	return plugin.RefundResult{State: plugin.RefundDone, RefundID: "R" + r.Ref}, nil
}

// newCrashShop returns a shop with a gateway and an order that was paid there and delivered.
func newCrashShop(t *testing.T) (*shipmentWalk, *crashGateway) {
	t.Helper()
	gateway := &crashGateway{fakeGateway: newFakeGateway(rand.New(rand.NewPCG(1, 2))), seen: map[string]bool{}}
	definition := gateway.plugin()
	definition.Gateway = gateway
	w := &shipmentWalk{courierShop: newCourierShop(t, "", definition), t: t, gateway: gateway.fakeGateway}
	w.configure(t, plugin.GatewayB, map[string]any{"username": "acme"})
	return w, gateway
}

// placeDelivered places, pays and delivers an order.
func (w *shipmentWalk) placeDelivered() (invoice, payment string) {
	w.t.Helper()
	invoice = w.placePaid()
	if _, err := w.Orders.MarkDelivered(w.t.Context(), access.Operator(), invoice, nil); err != nil {
		w.t.Fatal(err)
	}
	return invoice, w.payments[len(w.payments)-1]
}

// The process ends at any call between the credit of a part and the result of its refund. The order
// then has both or neither: a refund on its way is shown, and the next query of the gateway
// completes it. The same request again changes nothing.
func TestRefundPayment_CrashBetweenCreditAndRefund(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{db.CallStatement, db.CallCommit, db.CallCommitted} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w, gateway := newCrashShop(t)
			f := &faults{}
			w.store.InjectFaults(f.next)
			key, _, err := w.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
			if err != nil {
				t.Fatal(err)
			}
			left := 0 // orders that a crash left with a refund on its way
			for at := 1; at < 400; at++ {
				invoice, payment := w.placeDelivered()
				refund := func(nonce string) error {
					caller := access.Caller{Bearer: key}
					caller.Request = access.Request{Operation: "refundPayment", Key: fmt.Sprint("credit", at), Fingerprint: "f", Nonce: nonce}
					in := order.RefundInput{Amount: new(int64(50_00)), ConfirmDuplicate: true}
					_, err := w.Orders.RefundPayment(t.Context(), caller, payment, in)
					return err
				}
				*f = faults{kind: kind, at: at}
				err := refund("first")
				hit := f.call >= at
				*f = faults{}
				before := w.findOrder(t, invoice).ReturnedAmount.Amount
				if before != 0 {
					w.wantRefund(payment, at)
					if w.refunded(payment) == 0 {
						left++
					}
				}
				again := refund("second")
				if (before != 0) != (again != nil) {
					t.Fatalf("call %d: got %v after a credit of %d", at, again, before)
				}
				w.clock.Advance(time.Hour)
				if _, err := w.Orders.SweepPayments(t.Context()); err != nil {
					t.Fatal(err)
				}
				o := w.findOrder(t, invoice)
				sent := gateway.refundedOf(payment)
				if o.ReturnedAmount.Amount != 50_00 || o.Refunded.Amount != 50_00 || o.Due.Amount != 0 || sent != 50_00 {
					t.Fatalf("call %d: got %d returned, %d refunded, %d due, %d sent", at,
						o.ReturnedAmount.Amount, o.Refunded.Amount, o.Due.Amount, sent)
				}
				if !hit {
					if err != nil {
						t.Errorf("without a fault: got %v", err)
					}
					break
				}
			}
			if left == 0 {
				t.Error("no crash left a refund on its way")
			}
		})
	}
}

// wantRefund checks that a credited payment shows its refund: done, or on its way.
func (w *shipmentWalk) wantRefund(payment string, at int) {
	w.t.Helper()
	record, err := w.Orders.FindPaymentAttempt(w.t.Context(), access.Operator(), payment)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(record.Refunds) != 1 || record.Refunds[0].Amount.Amount != 50_00 {
		w.t.Fatalf("call %d: got a credit with refunds %+v, want one", at, record.Refunds)
	}
}

// A credit whose refund the gateway refused can be removed: nothing was refunded for it.
func TestRemoveCredit_RefundFailed(t *testing.T) {
	t.Parallel()
	w, gateway := newCrashShop(t)
	gateway.fail = true
	invoice, payment := w.placeDelivered()
	in := order.RefundInput{Amount: new(int64(50_00))}
	if _, err := w.Orders.RefundPayment(t.Context(), access.Operator(), payment, in); err == nil {
		t.Fatal("got no error of the gateway")
	}
	o := w.findOrder(t, invoice)
	if o.Due.Amount != -50_00 || len(o.Credits) != 1 {
		t.Fatalf("got %d due, %d credits", o.Due.Amount, len(o.Credits))
	}
	after, err := w.Orders.RemoveCredit(t.Context(), access.Operator(), invoice, *o.Credits[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if after.Due.Amount != 0 || len(after.Credits) != 0 {
		t.Errorf("got %d due, %d credits, want none", after.Due.Amount, len(after.Credits))
	}
}

// Without its credit an order is to be checked again: for the cash that its courier did not
// collect, and for the part that came back.
func TestRemoveCredit_Flags(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
	s.sendWebhook(t, plugin.CourierA, step(2, "order.partial-delivery", "collected_amount", "520"))
	s.sendWebhook(t, plugin.CourierA, step(3, "order.returned-to-merchant", "return_type", `"partial-delivery"`))
	const open = "unpaid: collect 0, returned 0, paid 520, refunded 0, due 450 cash_differs courier_problem"
	check := func(when, want string) {
		t.Helper()
		if got := s.amounts(t, invoice); got != want {
			t.Errorf("%s: got %s\nwant %s", when, got, want)
		}
	}
	check("reported", open)
	back := []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Damaged: 1}}
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, back); err != nil {
		t.Fatal(err)
	}
	check("recorded", "paid: collect 0, returned 450, paid 520, refunded 0, due 0")
	s.sendWebhook(t, plugin.CourierA, step(4, "order.returned-to-merchant", "return_type", `"partial-delivery"`))
	check("reported again", "paid: collect 0, returned 450, paid 520, refunded 0, due 0")
	credit := *s.findOrder(t, invoice).Credits[0].ID
	if _, err := s.Orders.RemoveCredit(t.Context(), access.Operator(), invoice, credit); err != nil {
		t.Fatal(err)
	}
	check("removed", "paid: collect 0, returned 0, paid 520, refunded 0, due 450 cash_differs courier_problem")
}
