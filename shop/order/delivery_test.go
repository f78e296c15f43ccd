package order_test

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// amounts returns the sums of an order in one line, in whole units, with its open flags.
func (s *courierShop) amounts(tb testing.TB, invoice string) string {
	tb.Helper()
	o, err := s.Orders.FindOrderAsStaff(tb.Context(), access.Operator(), invoice)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(
		fmt.Sprintf("%s: collect %d, returned %d, paid %d, refunded %d, due %d %s", o.PaymentStatus,
			o.CashToCollect.Amount/100, o.ReturnedAmount.Amount/100, o.Paid.Amount/100,
			o.Refunded.Amount/100, o.Due.Amount/100, s.flags(tb, invoice)),
	)
}

// What came back of an order reduces it, whenever its courier reports the cash, and the ledger, the
// flags and the buyer's spending follow.
func TestDelivery_InPart(t *testing.T) {
	t.Parallel()
	back := func(units int) func(t *testing.T, s *courierShop, invoice string) {
		return func(t *testing.T, s *courierShop, invoice string) {
			t.Helper()
			restock := []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Quantity: units}}
			if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, restock); err != nil {
				t.Fatal(err)
			}
		}
	}
	damaged := func(t *testing.T, s *courierShop, invoice string) {
		t.Helper()
		restock := []order.RestockInput{
			{VariantID: s.mug.Variants[0].ID, Damaged: 1, Amount: new(int64(470_00))},
		}
		if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, restock); err != nil {
			t.Fatal(err)
		}
	}
	reports := func(second int, event string, collected ...string) func(t *testing.T, s *courierShop, invoice string) {
		return func(t *testing.T, s *courierShop, _ string) {
			t.Helper()
			s.sendWebhook(t, plugin.CourierA, step(second, event, collected...))
		}
	}
	part := func(collected string) func(t *testing.T, s *courierShop, invoice string) {
		return reports(2, "order.partial-delivery", "collected_amount", collected)
	}
	const none, all = "paid: collect 0, returned 450, paid 520, refunded 0, due 0", "expected 0, held 520, fees 0, payable 520, paid out 0"
	tests := map[string]struct {
		steps []func(t *testing.T, s *courierShop, invoice string)
		want  string
		cash  string
	}{
		"not reported": {
			nil,
			"unpaid: collect 970, returned 0, paid 0, refunded 0, due 970",
			"expected 970, held 0, fees 0, payable 0, paid out 0",
		},
		"reported alone": {
			[]func(*testing.T, *courierShop, string){part("520")},
			"unpaid: collect 0, returned 0, paid 520, refunded 0, due 450 cash_differs",
			all,
		},
		"without a report": {[]func(*testing.T, *courierShop, string){back(1)}, none, all},
		"explained": {
			[]func(*testing.T, *courierShop, string){part("520"), back(1)},
			none,
			all,
		},
		"explained twice": {
			[]func(*testing.T, *courierShop, string){part("520"), back(1), back(1)},
			none,
			all,
		},
		"reported twice": {
			[]func(*testing.T, *courierShop, string){part("520"), back(1), part("520")},
			none,
			all,
		},
		"reported afterwards": {
			[]func(*testing.T, *courierShop, string){
				back(1),
				reports(9, "order.delivered", "collected_amount", "520"),
			},
			none,
			all,
		},
		"corrected": {
			[]func(*testing.T, *courierShop, string){part("970"), back(1), back(0)},
			"paid: collect 0, returned 0, paid 970, refunded 0, due 0",
			"expected 0, held 970, fees 0, payable 970, paid out 0",
		},
		"collected less": {
			[]func(*testing.T, *courierShop, string){part("500"), back(1)},
			"paid: collect 0, returned 450, paid 500, refunded 0, due 20 cash_differs",
			"expected 0, held 500, fees 0, payable 500, paid out 0",
		},
		"with an agreed amount": {
			[]func(*testing.T, *courierShop, string){part("500"), damaged},
			"paid: collect 0, returned 470, paid 500, refunded 0, due 0",
			"expected 0, held 500, fees 0, payable 500, paid out 0",
		},
		"collected more": {
			[]func(*testing.T, *courierShop, string){part("600"), back(1)},
			"paid: collect 0, returned 450, paid 600, refunded 0, due -80 cash_differs",
			"expected 0, held 600, fees 0, payable 600, paid out 0",
		},
		"a clock ahead": {
			[]func(*testing.T, *courierShop, string){
				reports(55, "order.partial-delivery", "collected_amount", "520"),
				back(1),
			}, none, all,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			invoice := s.place(t)
			s.recordShipment(t, invoice, plugin.CourierA, "DL1")
			s.ledgerTotals(t, plugin.CourierA) // from now on the cash of shipments is stored
			s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
			for _, step := range tt.steps {
				step(t, s, invoice)
			}
			if got := s.amounts(t, invoice); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if got := s.ledgerTotals(t, plugin.CourierA); got != tt.cash {
				t.Errorf("got %s\nwant %s", got, tt.cash)
			}
			s.checkBooks(t)
		})
	}
}
