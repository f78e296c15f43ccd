package order_test

import (
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// earned returns the parts and the total of what the shop has earned with an order; – means that a
// part is unknown.
func (s *courierShop) earned(tb testing.TB, invoice string) string {
	tb.Helper()
	o, err := s.Orders.FindOrderAsStaff(tb.Context(), access.Operator(), invoice)
	if err != nil {
		tb.Fatal(err)
	}
	checkEarned(tb, o)
	e := o.Earned
	if e == nil {
		return "open"
	}
	var texts []string
	for _, part := range []*money.Money{
		&e.Goods, &e.Delivery, &e.Unpaid, e.Cost, e.Lost, e.CourierFees, e.CashFees, e.Total,
	} {
		if part == nil {
			texts = append(texts, "–")
			continue
		}
		texts = append(texts, part.Text())
	}
	return strings.Join(texts, " ")
}

// checkEarned checks that what was earned with an order adds up, and begins with what it costs.
func checkEarned(tb testing.TB, o *order.StaffOrder) {
	tb.Helper()
	e := o.Earned
	if e == nil {
		return
	}
	income := e.Goods.Amount + e.Delivery.Amount - e.Rounding.Amount
	if want := o.Total.Amount - o.ReturnedAmount.Amount; income != want {
		tb.Errorf("order %d: earned from %d, and it costs %d", o.OrderNumber, income, want)
	}
	if want := max(0, o.Due.Amount); e.Unpaid.Amount != want {
		tb.Errorf("order %d: %d not paid, and %d due", o.OrderNumber, e.Unpaid.Amount, want)
	}
	total, known := income-e.Unpaid.Amount, true
	for _, part := range []*money.Money{e.Cost, e.Lost, e.CourierFees, e.CashFees} {
		if part == nil {
			known = false
			continue
		}
		total -= part.Amount
	}
	if known != (e.Total != nil) || known && e.Total.Amount != total {
		tb.Errorf("order %d: earned %+v, want %d", o.OrderNumber, e.Total, total)
	}
}

// What the shop earns with an order is known once its goods have costs and its courier has reported
// the fee, and never before.
func TestOrder_Earned(t *testing.T) {
	t.Parallel()
	restock := func(units, damaged int) func(t *testing.T, s *courierShop, invoice string) {
		return func(t *testing.T, s *courierShop, invoice string) {
			t.Helper()
			back := []order.RestockInput{{VariantID: s.mug.Variants[0].ID, Quantity: units, Damaged: damaged}}
			if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), invoice, back); err != nil {
				t.Fatal(err)
			}
		}
	}
	reports := func(event string, more ...string) func(t *testing.T, s *courierShop, invoice string) {
		return func(t *testing.T, s *courierShop, _ string) {
			t.Helper()
			s.sendWebhook(t, plugin.CourierA, step(2, event, more...))
		}
	}
	refund := func(t *testing.T, s *courierShop, invoice string) {
		t.Helper()
		in := order.RefundInput{Amount: new(int64(50_00))}
		if _, err := s.Orders.MarkCashRefunded(t.Context(), access.Operator(), invoice, in); err != nil {
			t.Fatal(err)
		}
	}
	all := reports("order.delivered", "collected_amount", "970", "delivery_fee", "60")
	part := reports("order.partial-delivery", "collected_amount", "520", "delivery_fee", "60")
	type steps []func(t *testing.T, s *courierShop, invoice string)
	tests := map[string]struct {
		cost  int64
		steps steps
		want  string
	}{
		"under way":            {300_00, nil, "open"},
		"delivered":            {300_00, steps{all}, "৳900 ৳70 ৳0 ৳600 ৳0 ৳60 ৳9.70 ৳300.30"},
		"without a cost":       {0, steps{all}, "৳900 ৳70 ৳0 – ৳0 ৳60 ৳9.70 –"},
		"without a fee":        {300_00, steps{reports("order.delivered", "collected_amount", "970")}, "৳900 ৳70 ৳0 ৳600 ৳0 – – –"},
		"one unit came back":   {300_00, steps{part, restock(1, 0)}, "৳450 ৳70 ৳0 ৳300 ৳0 ৳60 ৳5.20 ৳154.80"},
		"one unit was damaged": {300_00, steps{part, restock(0, 1)}, "৳450 ৳70 ৳0 ৳300 ৳300 ৳60 ৳5.20 −৳145.20"},
		"refunded in part":     {300_00, steps{all, refund}, "৳850 ৳70 ৳0 ৳600 ৳0 ৳60 ৳9.70 ৳250.30"},
		"all came back":        {300_00, steps{reports("order.returned-to-merchant", "delivery_fee", "60")}, "৳0 ৳0 ৳0 ৳0 ৳0 ৳60 ৳0 −৳60"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCourierShop(t, "")
			s.configure(t, plugin.CourierA, map[string]any{plugin.CashRateKey: 100})
			if tt.cost > 0 {
				change := catalogue.VariantChange{Variant: s.mug.Variants[0].ID, Cost: &tt.cost}
				_, err := s.Catalogue.UpdateProduct(t.Context(), access.Operator(), s.mug.ID,
					catalogue.ProductChange{Variants: []catalogue.VariantChange{change}})
				if err != nil {
					t.Fatal(err)
				}
			}
			invoice := s.place(t)
			s.recordShipment(t, invoice, plugin.CourierA, "DL1")
			s.sendWebhook(t, plugin.CourierA, step(1, "order.picked"))
			for _, step := range tt.steps {
				step(t, s, invoice)
			}
			if got := s.earned(t, invoice); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}
