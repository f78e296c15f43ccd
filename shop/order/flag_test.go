package order_test

import (
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// flags returns the codes of an order's open flags, sorted.
func (s *courierShop) flags(tb testing.TB, invoice string) string {
	tb.Helper()
	list, err := s.Orders.ListFlags(tb.Context(), access.Operator(), order.FlagFilter{OrderID: invoice})
	if err != nil {
		tb.Fatal(err)
	}
	codes := []string{}
	for _, f := range list.Nodes {
		codes = append(codes, string(f.Code))
	}
	slices.Sort(codes)
	return strings.Join(codes, " ")
}

// differences returns the problems of the COD report.
func (s *courierShop) differences(tb testing.TB) (problems []string) {
	tb.Helper()
	report, err := s.Cash.ReportCash(tb.Context(), access.Operator())
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range report.Differences {
		problems = append(problems, d.Problem)
	}
	return problems
}

// Whatever the courier reports about cash that is not as due, it has a flag, a difference in the
// report, and a reason in the list of webhooks, whatever the order of the events.
func TestFlags_Cash(t *testing.T) {
	t.Parallel()
	picked := step(1, "order.picked")
	tests := map[string]struct {
		bodies      []string
		end, flags  string
		differences int
	}{
		"as due": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "970")}, "[delivered] delivered completed paid", "", 0,
		},
		"less than due": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "900")}, "[delivered] delivered completed paid", "cash_differs", 1,
		},
		"nothing": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "0")}, "[delivered] delivered processing unpaid", "cash_differs", 1,
		},
		"delivered after the return began": {
			[]string{picked, step(2, "order.returned"), step(3, "order.delivered", "collected_amount", "970")},
			"[delivered] delivered completed paid", "", 0,
		},
		"delivered after the pick-up was cancelled": {
			[]string{step(1, "order.pickup-cancelled"), step(2, "order.delivered", "collected_amount", "970")},
			"[cancelled] unfulfilled processing unpaid", "cash_undelivered contradicted", 2,
		},
		"cancelled after the delivery": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "970"), step(3, "order.pickup-cancelled")},
			"[delivered] delivered completed paid", "contradicted", 1,
		},
		"exchange without cash": {
			[]string{picked, step(2, "order.exchanged", "collected_amount", "0")}, "[exchanged] delivered processing unpaid", "cash_differs", 1,
		},
		"exchange without an amount": {
			[]string{picked, step(2, "order.exchanged")}, "[exchanged] delivered processing unpaid", "cash_unreported", 1,
		},
		"exchange": {
			[]string{picked, step(2, "order.exchanged", "collected_amount", "970")}, "[exchanged] delivered completed paid", "", 0,
		},
		"paid return": {
			[]string{picked, step(2, "order.paid-return", "collected_amount", "60")}, "[returning] returning processing unpaid", "cash_undelivered", 1,
		},
		"lost":    {[]string{picked, step(2, "order.lost")}, "[on_hold] in_progress processing unpaid", "courier_problem", 0},
		"damaged": {[]string{picked, step(2, "order.damaged")}, "[on_hold] in_progress processing unpaid", "courier_problem", 0},
		"payout without delivery": {
			[]string{picked, step(2, "order.paid", "invoice_id", `"I1"`)}, "[picked] in_progress processing unpaid", "paid_out_undelivered", 1,
		},
		"negative payout": {
			[]string{picked, step(2, "order.paid", "invoice_id", `"I1"`, "delivery_fee", "60")},
			"[picked] in_progress processing unpaid", "paid_out_undelivered payout_negative", 2,
		},
		"never handed over": {
			[]string{step(2, "order.delivered", "collected_amount", "970")}, "[delivered] delivered completed paid", "never_handed_over", 0,
		},
		"changed amount": {
			[]string{picked, step(2, "order.updated", "amount_to_collect", "500.0000001"), step(3, "order.delivered", "collected_amount", "500")},
			"[delivered] delivered completed paid", "due_changed", 0,
		},
		"absurd amount": {
			[]string{picked, step(2, "order.delivered", "collected_amount", "99999999999999999999")},
			"[delivered] delivered completed paid", "courier_problem", 0,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, backwards := range []bool{false, true} {
				s := newCourierShop(t, "")
				invoice := s.place(t)
				s.recordShipment(t, invoice, plugin.CourierA, "DL1")
				bodies := slices.Clone(tt.bodies)
				if backwards {
					slices.Reverse(bodies)
				}
				reasons := ""
				for _, body := range bodies {
					s.sendWebhook(t, plugin.CourierA, body)
					reasons += s.lastWebhook(t).Reason
				}
				// An order never goes back from delivered, so that here the order of the events counts.
				oneWay := backwards && strings.HasPrefix(tt.end, "[cancelled]")
				if got := state(s.findOrder(t, invoice)); got != tt.end && !oneWay {
					t.Errorf("backwards %v: got %s, want %s", backwards, got, tt.end)
				}
				if got := s.flags(t, invoice); got != tt.flags {
					t.Errorf("backwards %v: got flags %q, want %q", backwards, got, tt.flags)
				}
				if got := s.differences(t); len(got) != tt.differences {
					t.Errorf("backwards %v: got differences %q, want %d", backwards, got, tt.differences)
				}
				if tt.flags != "" && reasons == "" {
					t.Errorf("backwards %v: got no reason in the list of webhooks", backwards)
				}
				s.checkBooks(t)
			}
		})
	}
}

// A resolved flag stays resolved until what it says changes.
func TestFlags_Resolved(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierA, "DL1")
	s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
	s.sendWebhook(t, plugin.CourierA, step(2, "order.delivered", "collected_amount", "0"))
	if _, err := s.Orders.ResolveFlags(t.Context(), access.Operator(), invoice); err != nil {
		t.Fatal(err)
	}
	s.sendWebhook(t, plugin.CourierA, step(3, "order.updated", "delivery_fee", "60"))
	if got := s.flags(t, invoice); got != "" {
		t.Errorf("after an unrelated event: got flags %q, want none", got)
	}
	s.sendWebhook(t, plugin.CourierA, step(4, "order.updated", "collected_amount", "900"))
	if got := s.flags(t, invoice); got != "cash_differs" {
		t.Errorf("after another amount: got flags %q, want cash_differs", got)
	}
}

// The courier changes the amount to collect; what it then collects is compared with that.
func TestFlags_ConsignmentUpdate(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	invoice := s.place(t)
	s.recordShipment(t, invoice, plugin.CourierB, "77")
	s.sendWebhook(t, plugin.CourierB, shipmentStatus(1, "pending"))
	s.sendWebhook(t, plugin.CourierB,
		`{"notification_type":"consignment_update","consignment_id":77,"cod_amount":"500","updated_at":"2026-03-01 11:00:02"}`)
	if got, want := s.ledgerTotals(t, plugin.CourierB), "expected 500, held 0, fees 0, payable 0, paid out 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.sendWebhook(t, plugin.CourierB, strings.Replace(shipmentStatus(3, "delivered"), "970", "500", 1))
	if got, want := s.flags(t, invoice), "due_changed"; got != want || len(s.differences(t)) != 0 {
		t.Errorf("got flags %q and differences %q, want %q and none", got, s.differences(t), want)
	}
}
