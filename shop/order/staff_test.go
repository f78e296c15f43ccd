package order_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// kinds returns the types of an order's timeline entries.
func kinds(o *order.Order) []string {
	all := []string{}
	for _, e := range o.Timeline {
		all = append(all, string(e.Type)+" by "+string(e.Cause))
	}
	return all
}

// TestStaffOrders_CashLifecycle moves a cash order from confirmation to return.
func TestStaffOrders_CashLifecycle(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	uid := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 3), wants(s.card, 1))).ID
	must := func(order *order.Order, err error) *order.Order {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return order
	}
	states := func(o *order.Order) []string {
		return []string{string(o.Status), string(o.PaymentStatus), string(o.FulfillmentStatus)}
	}
	shipment := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "DD1234", TrackingCode: "TR-1"}
	for _, step := range []struct {
		name  string
		do    func() (*order.Order, error)
		want  []string
		mugs  int64
		again bool // repeating the step changes nothing
	}{
		{"confirm", func() (*order.Order, error) { return s.Orders.ConfirmOrder(t.Context(), access.Operator(), uid) }, []string{"confirmed", "unpaid",
			"unfulfilled"}, 7, true},
		{"ship", func() (*order.Order, error) {
			return orderOf(s.Orders.RecordShipment(t.Context(), access.Operator(), uid, shipment))
		}, []string{"processing", "unpaid",
			"unfulfilled"}, 7, true},
		{"picked", func() (*order.Order, error) {
			return s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentPicked)
		}, []string{"processing", "unpaid",
			"in_progress"}, 7, true},
		{"deliver", func() (*order.Order, error) { return s.Orders.MarkDelivered(t.Context(), access.Operator(), uid, nil) }, []string{"completed", "paid",
			"delivered"}, 7, true},
		{"return", func() (*order.Order, error) { return s.Orders.MarkReturned(t.Context(), access.Operator(), uid, nil) },
			[]string{"returned", "refund_due", "returned"}, 10, true},
		{"refund", func() (*order.Order, error) {
			return s.Orders.MarkCashRefunded(t.Context(), access.Operator(), uid, order.RefundInput{})
		}, []string{"returned", "refunded",
			"returned"}, 10, true},
	} {
		order := must(step.do())
		if diff := cmp.Diff(step.want, states(order)); diff != "" {
			t.Errorf("%s: statuses (-want +got):\n%s", step.name, diff)
		}
		if again := must(step.do()); !slices.Equal(kinds(again), kinds(order)) {
			t.Errorf("%s repeated: got timeline %v, want no new entry", step.name, kinds(again))
		}
		if mugs := s.stock(t, s.mug, 0); mugs != step.mugs {
			t.Errorf("%s: got stock %d, want %d", step.name, mugs, step.mugs)
		}
		s.checkBooks(t)
	}
	order := s.mustFindAsStaff(t, uid)
	want := []string{
		"placed by buyer", "confirmed by staff", "shipment_created by staff", "processing by staff", "shipment_picked by courier_a",
		"shipment_delivered by staff", "payment_paid by staff", "completed by staff",
		"fulfillment_returned by staff", "returned by staff", "payment_refund_due by staff",
		"payment_refunded by staff",
	}
	if diff := cmp.Diff(want, kinds(order)); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	if shipment := order.Shipments[0]; shipment.Provider != plugin.CourierA || *shipment.ConsignmentID != "DD1234" ||
		*shipment.TrackingCode != "TR-1" ||
		shipment.Status != status.ShipmentDelivered {
		t.Errorf("got shipment %+v", shipment)
	}
	masked, err := s.Orders.FindOrder(t.Context(), access.Caller{}, uid)
	if err != nil || masked.Shipments[0].ConsignmentID != nil || masked.Shipments[0].TrackingCode != nil {
		t.Errorf("masked shipment: got %+v, %v", masked.Shipments[0], err)
	}
}

func TestStaffOrders_Rejected(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func() string { return s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1))).ID }
	fresh, shipped, cancelled, delivered := place(), place(), place(), place()
	online := s.placeOnline(t, access.Caller{}, guestOrder(wants(s.card, 1))).ID
	shipment := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "1"}
	if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), shipped, shipment); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.CancelOrder(t.Context(), access.Caller{Operator: true}, cancelled, ""); err != nil {
		t.Fatal(err)
	}
	_, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), delivered, nil)
	shoptest.WantCode(t, err, fault.CodeStateConflict) // nobody has confirmed it
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), delivered); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), delivered, nil); err != nil { // delivered by the shop itself
		t.Fatal(err)
	}
	ship := func(uid string, in order.ShipmentInput) error {
		_, err := orderOf(s.Orders.RecordShipment(t.Context(), access.Operator(), uid, in))
		return err
	}
	does := func(do func(uid string) (*order.Order, error), uid string) error {
		_, err := do(uid)
		return err
	}
	confirm := func(uid string) (*order.Order, error) {
		return s.Orders.ConfirmOrder(t.Context(), access.Operator(), uid)
	}
	deliver := func(uid string) (*order.Order, error) {
		return s.Orders.MarkDelivered(t.Context(), access.Operator(), uid, nil)
	}
	markReturned := func(uid string) (*order.Order, error) {
		return s.Orders.MarkReturned(t.Context(), access.Operator(), uid, nil)
	}
	two := order.ShipmentInput{Provider: plugin.CourierB, ConsignmentID: "2"}
	for name, tc := range map[string]struct {
		err  error
		want fault.Code
	}{
		"confirm unknown":           {does(confirm, "0000000000000000"), fault.CodeNotFound},
		"confirm cancelled":         {does(confirm, cancelled), fault.CodeStateConflict},
		"confirm unpaid online":     {does(confirm, online), fault.CodeStateConflict},
		"confirm shipped":           {does(confirm, shipped), fault.CodeStateConflict},
		"ship unpaid online":        {ship(online, two), fault.CodeStateConflict},
		"ship cancelled":            {ship(cancelled, two), fault.CodeStateConflict},
		"ship delivered":            {ship(delivered, two), fault.CodeStateConflict},
		"shipment of another order": {ship(fresh, shipment), fault.CodeStateConflict},
		"unknown courier":           {ship(fresh, order.ShipmentInput{Provider: plugin.GatewayA, ConsignmentID: "2"}), fault.CodeValidationFailed},
		"no consignment":            {ship(fresh, order.ShipmentInput{Provider: plugin.CourierA}), fault.CodeValidationFailed},
		"deliver cancelled":         {does(deliver, cancelled), fault.CodeStateConflict},
		"deliver unpaid online":     {does(deliver, online), fault.CodeStateConflict},
		"return fresh":              {does(markReturned, fresh), fault.CodeStateConflict},
		"return cancelled":          {does(markReturned, cancelled), fault.CodeStateConflict},
	} {
		if shoptest.ErrorCode(tc.err) != tc.want {
			t.Errorf("%s: got %v, want %s", name, tc.err, tc.want)
		}
	}
	if n := s.number(t, `SELECT COUNT(*) FROM shipments`); n != 1 {
		t.Errorf("got %d shipments, want 1", n)
	}
}

// TestShipmentStatus_CancelledByCourier checks that a cancelled shipment does not end its order.
func TestShipmentStatus_CancelledByCourier(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	owner := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	uid := s.mustPlace(t, owner, guestOrder(wants(s.mug, 1))).ID
	mustShip(t, s.Orders, uid, plugin.CourierA, "1")
	if order, err := s.Orders.FindOrder(t.Context(), owner, uid); err != nil || !order.Cancellable {
		t.Errorf("before pickup: got %+v, %v; want a cancellable order", order, err)
	}
	if _, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentInTransit); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.CancelOrder(t.Context(), owner, uid, ""); shoptest.ErrorCode(err) != fault.CodeNotCancellable {
		t.Errorf("in transit: got %v, want not_cancellable", err)
	}
	bought, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentCancelled)
	if err != nil || bought.Status != status.OrderProcessing || bought.FulfillmentStatus != status.Unfulfilled {
		t.Errorf("shipment cancelled: got %+v, %v", bought, err)
	}
	if bought, err = orderOf(s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{Provider: plugin.CourierA,
		ConsignmentID: "2"})); err != nil || len(bought.Shipments) != 2 {
		t.Errorf("second shipment: got %+v, %v", bought, err)
	}
	if _, err = s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentDelivered); shoptest.ErrorCode(err) != fault.CodeStateConflict {
		t.Errorf("delivery of the cancelled shipment: got %v, want state_conflict", err)
	}
	if bought, err = s.Orders.SetShipmentStatus(t.Context(), uid, 1, status.ShipmentReturned); err != nil || bought.Status != status.OrderReturned ||
		s.stock(t, s.mug, 0) != 10 {
		t.Errorf("returned: got %+v, %v", bought, err)
	}
	s.checkBooks(t)
}

// TestMarkDelivered_SecondShipment checks that an order whose first shipment is returned can be
// marked as delivered by the second one, and is paid then.
func TestMarkDelivered_SecondShipment(t *testing.T) {
	t.Parallel()
	for _, first := range []status.Shipment{status.ShipmentReturning, status.ShipmentReturned} {
		s := newOrderShop(t, nil)
		uid := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 3))).ID
		for _, consignment := range []string{"1", "2"} {
			if _, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{Provider: plugin.CourierA,
				ConsignmentID: consignment}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentReturning); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, first); err != nil {
			t.Fatal(err)
		}
		order, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), uid, nil)
		if err != nil || order.Status != status.OrderCompleted || order.PaymentStatus != status.PaymentPaid ||
			order.FulfillmentStatus != status.Delivered {
			t.Fatalf("with a shipment %s: got %+v, %v", first, order, err)
		}
		if a, b := order.Shipments[0].Status, order.Shipments[1].Status; a != first || b != status.ShipmentDelivered {
			t.Errorf("got shipments %s and %s", a, b)
		}
		if mugs := s.stock(t, s.mug, 0); mugs != 7 {
			t.Errorf("got stock %d, want 7", mugs)
		}
		s.checkBooks(t)
	}
}

// TestShipmentStatus_DeliveredUnpaidOnline checks that a courier's delivery event marks only cash
// orders as paid.
func TestShipmentStatus_DeliveredUnpaidOnline(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	uid := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1))).ID
	mustShip(t, s.Orders, uid, plugin.CourierA, "1")
	s.startOnlinePayment(t, uid)
	s.mustSetAttemptStatus(t, uid, 0, status.AttemptFailed)
	order, err := s.Orders.SetShipmentStatus(t.Context(), uid, 0, status.ShipmentDelivered)
	if err != nil || order.FulfillmentStatus != status.Delivered || order.PaymentStatus != status.PaymentUnpaid ||
		order.Status == status.OrderCompleted {
		t.Errorf("delivered: got %+v, %v", order, err)
	}
}
