package order_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// What the actions of an order promise is what the use cases do.
func TestOrderActions(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	operator := access.Operator()
	type step = func(id string) error
	steps := map[string]step{
		"confirm": func(id string) error { _, err := s.Orders.ConfirmOrder(t.Context(), operator, id); return err },
		"cancel": func(id string) error {
			_, err := s.Orders.CancelOrderAsStaff(t.Context(), operator, id, "")
			return err
		},
		"enter": func(id string) error {
			_, err := s.Orders.RecordShipment(t.Context(), operator, id, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C" + id})
			return err
		},
		"deliver": func(id string) error { _, err := s.Orders.MarkDelivered(t.Context(), operator, id, nil); return err },
		"return":  func(id string) error { _, err := s.Orders.MarkReturned(t.Context(), operator, id, nil); return err },
		"refund": func(id string) error {
			_, err := s.Orders.MarkCashRefunded(t.Context(), operator, id, order.RefundInput{})
			return err
		},
	}
	of := func(a order.Actions, name string) order.Action {
		return map[string]order.Action{
			"confirm": a.Confirm, "cancel": a.Cancel, "enter": a.Enter, "deliver": a.Deliver, "return": a.Return, "refund": a.Refund, "book": a.Book,
		}[name]
	}
	for _, path := range [][]string{
		{}, {"confirm"}, {"cancel"}, {"enter"}, {"confirm", "enter"}, {"confirm", "deliver"}, {"enter", "deliver"}, {"enter", "deliver", "return"},
		{"enter", "return"}, {"enter", "deliver", "return", "refund"},
	} {
		for name, run := range steps {
			order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
			for _, before := range path {
				if err := steps[before](order.ID); err != nil {
					t.Fatalf("%v: %v", path, err)
				}
			}
			before, err := s.Orders.FindOrderAsStaff(t.Context(), operator, order.ID)
			if err != nil {
				t.Fatal(err)
			}
			promised := of(before.Actions, name)
			err = run(order.ID)
			after, findErr := s.Orders.FindOrderAsStaff(t.Context(), operator, order.ID)
			if findErr != nil {
				t.Fatal(findErr)
			}
			changed := err == nil && len(after.Timeline) > len(before.Timeline)
			if promised.Allowed != changed && !(name == "enter" && len(path) > 0 && path[len(path)-1] == "enter") {
				t.Errorf("%v, then %s: got %+v, but the use case returned %v and changed it: %v", path, name, promised, err, changed)
			}
			if err != nil && (promised.Code == nil || *promised.Code != shoptest.ErrorCode(err)) {
				t.Errorf("%v, then %s: got %+v, want the code of %v", path, name, promised, err)
			}
		}
	}
}
