package order_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// about returns a webhook about another consignment than DL1.
func about(consignment, body string) string { return strings.Replace(body, "DL1", consignment, 1) }

// An order whose shipment was entered twice collects its cash once, however staff deliver it.
func TestMarkDelivered_CollectsCashOnce(t *testing.T) {
	t.Parallel()
	entered := func(consignment, invoice string, n int) string {
		return about(consignment, step(n, "order.created", "merchant_order_id", `"`+invoice+`"`, "amount_to_collect", "970"))
	}
	tests := map[string]struct {
		events    []string // after both were entered
		shipments string   // in the order of their statuses
		cancelled string
		held      int
	}{
		"the newer one":        {nil, "[cancelled delivered]", "DL1", 970},
		"the one that came on": {[]string{step(3, "order.in-transit")}, "[cancelled delivered]", "DL2", 970},
		"with reported cash": {
			[]string{step(3, "order.partial-delivery", "collected_amount", "500"), about("DL2", step(4, "order.in-transit"))},
			"[cancelled delivered]", "DL2", 500,
		},
		"one is on its way back": {[]string{step(3, "order.returned")}, "[delivered returning]", "", 970},
		"the other collects nothing": {
			[]string{about("DL2", step(4, "order.updated", "amount_to_collect", "0"))}, "[delivered delivered]", "", 970,
		},
		"the cash is divided": {
			[]string{step(3, "order.updated", "amount_to_collect", "470"), about("DL2", step(4, "order.updated", "amount_to_collect", "500"))},
			"[delivered delivered]", "", 970,
		},
	}
	deliveries := map[string]func(s *courierShop, invoice string) error{
		"alone": func(s *courierShop, invoice string) error {
			_, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, nil)
			return err
		},
		"again": func(s *courierShop, invoice string) error {
			for range 2 {
				if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, nil); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, tt := range tests {
		for how, deliver := range deliveries {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newCourierShop(t, "")
				invoice := s.place(t)
				for n, consignment := range []string{"DL1", "DL2"} {
					s.sendWebhook(t, plugin.CourierA, entered(consignment, invoice, n+1))
				}
				for _, body := range tt.events {
					s.sendWebhook(t, plugin.CourierA, body)
				}
				if err := deliver(s, invoice); err != nil {
					t.Fatal(err)
				}
				got := s.findOrder(t, invoice)
				if want := tt.shipments + " delivered completed paid"; state(got) != want {
					t.Errorf("got %s, want %s", state(got), want)
				}
				want := fmt.Sprintf("expected 0, held %d, fees 0, payable %d, paid out 0", tt.held, tt.held)
				if totals := s.ledgerTotals(t, plugin.CourierA); totals != want {
					t.Errorf("got %s, want %s", totals, want)
				}
				cancelled := ""
				for _, shipment := range got.Shipments {
					if shipment.Status == status.ShipmentCancelled {
						cancelled += *shipment.ConsignmentID
					}
				}
				flagged := strings.Contains(s.flags(t, invoice), string(order.FlagCourierProblem))
				if cancelled != tt.cancelled || flagged != (cancelled != "") {
					t.Errorf("got %q cancelled, flagged %v, want %q", cancelled, flagged, tt.cancelled)
				}
				s.checkBooks(t)
			})
		}
	}
}

// Cash that a courier collects with one shipment replaces what counted as collected with another
// when staff delivered the order.
func TestMarkDelivered_CashOfTheOtherShipment(t *testing.T) {
	t.Parallel()
	collected := func(event string, amount ...string) string { return step(5, event, amount...) }
	statement := func(text string) func(*courierShop) {
		return func(s *courierShop) {
			_, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
				Courier: plugin.CourierA, File: strings.NewReader(text),
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
	event := func(body string) func(*courierShop) {
		return func(s *courierShop) { s.sendWebhook(t, plugin.CourierA, body) }
	}
	tests := map[string]struct {
		report func(*courierShop)
		held   int
		paid   int
	}{
		"none":         {func(*courierShop) {}, 970, 0},
		"all":          {event(collected("order.delivered", "collected_amount", "970")), 970, 0},
		"a part":       {event(collected("order.delivered", "collected_amount", "500")), 970, 0},
		"more":         {event(collected("order.delivered", "collected_amount", "1000")), 1000, 0},
		"in part":      {event(collected("order.partial-delivery", "collected_amount", "970")), 970, 0},
		"nothing":      {event(collected("order.delivered", "collected_amount", "0")), 970, 0},
		"the same one": {event(about("DL2", step(5, "order.delivered", "collected_amount", "500"))), 500, 0},
		"both": {func(s *courierShop) {
			event(collected("order.delivered", "collected_amount", "970"))(s)
			event(about("DL2", step(6, "order.delivered", "collected_amount", "0")))(s)
		}, 970, 0},
		"by statement": {statement("consignment_id,collected,fee,paid out\nDL1,970,0,970\n"), 0, 970},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			invoice := s.place(t)
			for n, consignment := range []string{"DL1", "DL2"} {
				s.sendWebhook(t, plugin.CourierA, about(consignment,
					step(n+1, "order.created", "merchant_order_id", `"`+invoice+`"`, "amount_to_collect", "970")))
			}
			s.ledgerTotals(t, plugin.CourierA) // from now on the cash of shipments is stored
			if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, nil); err != nil {
				t.Fatal(err)
			}
			tt.report(s)
			want := fmt.Sprintf("expected 0, held %d, fees 0, payable %d, paid out %d", tt.held, tt.held, tt.paid)
			if got := s.ledgerTotals(t, plugin.CourierA); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			s.checkBooks(t)
		})
	}
}

// The cash of an exchange without an amount is expected until the courier or a statement says more.
func TestCODLedger_ExchangeWithoutAmount(t *testing.T) {
	t.Parallel()
	s := newCourierShop(t, "")
	s.recordShipment(t, s.place(t), plugin.CourierA, "DL1")
	s.ledgerTotals(t, plugin.CourierA)
	for _, step := range []struct{ body, want string }{
		{step(1, "order.picked"), "expected 970, held 0, fees 0, payable 0, paid out 0"},
		{step(2, "order.exchanged"), "expected 970, held 0, fees 0, payable 0, paid out 0"},
		{step(3, "order.exchanged", "collected_amount", "970"), "expected 0, held 970, fees 0, payable 970, paid out 0"},
	} {
		s.sendWebhook(t, plugin.CourierA, step.body)
		if got := s.ledgerTotals(t, plugin.CourierA); got != step.want {
			t.Errorf("after %s: got %s, want %s", step.body, got, step.want)
		}
		s.checkBooks(t)
	}
}

// What a courier reports after the end of a shipment does not change its status, is a difference
// with a flag, and its cash counts once.
func TestShipments_ReportsAfterTheEnd(t *testing.T) {
	t.Parallel()
	cash := []string{"collected_amount", "970"}
	tests := map[string]struct {
		end, later string
		status     string
		held       int
	}{
		"cancelled, then delivered": {step(2, "order.pickup-cancelled"), step(3, "order.delivered", cash...), "[cancelled]", 970},
		"delivered, then cancelled": {step(2, "order.delivered", cash...), step(3, "order.pickup-cancelled"), "[delivered]", 970},
		"delivered, then returned":  {step(2, "order.delivered", cash...), step(3, "order.returned"), "[delivered]", 970},
		"delivered, then exchanged": {
			step(2, "order.delivered", cash...), step(3, "order.exchanged", cash...), "[delivered]", 970,
		},
		"exchanged, then delivered": {
			step(2, "order.exchanged", cash...), step(3, "order.delivered", cash...), "[exchanged]", 970,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			invoice := s.place(t)
			s.recordShipment(t, invoice, plugin.CourierA, "DL1")
			for _, body := range []string{step(1, "order.picked"), tt.end, tt.later, tt.later} {
				s.sendWebhook(t, plugin.CourierA, body)
			}
			if got := state(s.findOrder(t, invoice)); !strings.HasPrefix(got, tt.status+" ") {
				t.Errorf("got %s, want the status %s", got, tt.status)
			}
			if got := s.flags(t, invoice); !strings.Contains(got, string(order.FlagContradicted)) {
				t.Errorf("got flags %q, want one for the contradiction", got)
			}
			if got := s.differences(t); len(got) == 0 {
				t.Error("got no difference")
			}
			want := fmt.Sprintf("expected 0, held %d, fees 0, payable %d, paid out 0", tt.held, tt.held)
			if got := s.ledgerTotals(t, plugin.CourierA); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			s.checkBooks(t)
		})
	}
}
