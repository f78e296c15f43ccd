package order_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// orderBy returns a guest's order of one gift card with this phone.
func (s *orderShop) orderBy(phone string) order.Input {
	in := guestOrder(wants(s.card, 1))
	in.Customer.PhoneNumber = &phone
	return in
}

func clientAddress(i int) string { return fmt.Sprintf("192.0.2.%d", i) }

func client(i int) access.Caller { return access.Caller{Client: clientAddress(i)} }

// A thousand buyers at once do not exceed the open orders of a phone or of a client.
func TestOpenOrders_Concurrent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings map[string]any
		order    func(s *orderShop, i int) (access.Caller, order.Input)
		want     int64
	}{
		"one phone": {map[string]any{}, func(s *orderShop, i int) (access.Caller, order.Input) {
			return client(i % 200), s.orderBy("01711000001")
		}, 5},
		"one client": {map[string]any{}, func(s *orderShop, i int) (access.Caller, order.Input) {
			return client(1), s.orderBy(fmt.Sprintf("01711%06d", i))
		}, 20},
		"one phone, by setting": {map[string]any{"openOrdersPerPhone": 2}, func(s *orderShop, i int) (access.Caller, order.Input) {
			return client(i % 200), s.orderBy("01711000001")
		}, 2},
		"one client, confirmed at once": {map[string]any{"autoConfirm": true, "openOrdersPerClient": 3},
			func(s *orderShop, i int) (access.Caller, order.Input) {
				return client(1), s.orderBy(fmt.Sprintf("01711%06d", i))
			}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOrderShop(t, tt.settings)
			var wg sync.WaitGroup
			for i := range 1000 {
				wg.Go(func() {
					caller, in := tt.order(s, i)
					if _, err := s.Orders.PlaceOrder(context.Background(), caller, in, ""); err != nil && !fault.HasCode(err, fault.CodeTooManyOpenOrders) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if n := s.number(t, `SELECT COUNT(*) FROM orders`); n != tt.want {
				t.Errorf("got %d orders, want %d", n, tt.want)
			}
		})
	}
}

// What makes room for another order of the same phone.
func TestOpenOrders_Released(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]func(t *testing.T, s *orderShop, uid string) error{
		"confirmed": func(t *testing.T, s *orderShop, uid string) error {
			_, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), uid)
			return err
		},
		"cancelled": func(t *testing.T, s *orderShop, uid string) error {
			_, err := s.Orders.CancelOrder(t.Context(), access.Operator(), uid, "")
			return err
		},
		"shipped": func(t *testing.T, s *orderShop, uid string) error {
			_, err := s.Orders.RecordShipment(t.Context(), access.Operator(), uid, order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C1"})
			return err
		},
		"expired": func(t *testing.T, s *orderShop, _ string) error {
			s.clock.Advance(73 * time.Hour)
			s.expire(t)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 1})
			placed := s.mustPlace(t, client(1), s.orderBy("01711000001"))
			if _, err := s.Orders.PlaceOrder(t.Context(), client(2), s.orderBy("+8801711-000001"), ""); !fault.HasCode(err, fault.CodeTooManyOpenOrders) {
				t.Fatalf("second order: got %v, want %s", err, fault.CodeTooManyOpenOrders)
			}
			if err := release(t, s, placed.ID); err != nil {
				t.Fatal(err)
			}
			s.mustPlace(t, client(2), s.orderBy("01711000001"))
		})
	}
}

// Buyers with a verified phone have no limit of open orders. Accounts without one count by client.
func TestOpenOrders_Accounts(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 1, "openOrdersPerClient": 2, "codProofAbove": 200_00})
	unproven := s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")})
	proven := s.mustRegister(t, account.RegisterInput{Name: "Rahima", PhoneNumber: new("01811000001")})
	s.exec(t, `UPDATE customers SET phone_verified_at = 1 WHERE phone = '+8801811000001'`)

	unproven.Client, proven.Client = "192.0.2.1", "192.0.2.1"
	for range 2 {
		s.mustPlace(t, unproven, s.orderBy("01811000000"))
	}
	if _, err := s.Orders.PlaceOrder(t.Context(), unproven, s.orderBy("01811000000"), ""); !fault.HasCode(err, fault.CodeTooManyOpenOrders) {
		t.Errorf("an account without a verified phone: got %v, want %s", err, fault.CodeTooManyOpenOrders)
	}
	for range 3 {
		s.mustPlace(t, proven, s.orderBy("01811000001"))
	}
	dear := s.orderBy("01811000001")
	dear.Items[0].Quantity = 2
	s.mustPlace(t, proven, dear)
	other := s.orderBy("01811000002")
	other.Items[0].Quantity = 2
	for name, caller := range map[string]access.Caller{"a guest": {}, "another phone": proven} {
		if _, err := s.Orders.PlaceOrder(t.Context(), caller, other, ""); !fault.HasCode(err, fault.CodePhoneProofRequired) {
			t.Errorf("%s: got %v, want %s", name, err, fault.CodePhoneProofRequired)
		}
	}
}

// Paying online first and changing to cash is no way around the limits.
func TestOpenOrders_ChangedToCash(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"openOrdersPerPhone": 1})
	online := s.mustPlace(t, client(1), s.orderBy("01711000001"))
	s.startOnlinePayment(t, online.ID)
	s.mustPlace(t, client(2), s.orderBy("01711000001"))
	_, err := s.Orders.SetPaymentMethod(t.Context(), access.Caller{OrderToken: online.OrderToken}, online.ID, inCash)
	if !fault.HasCode(err, fault.CodeTooManyOpenOrders) {
		t.Errorf("got %v, want %s", err, fault.CodeTooManyOpenOrders)
	}
	if o := s.mustFindAsStaff(t, online.ID); o.Payment.Method == status.PayCOD || o.Status != status.OrderPendingPayment {
		t.Errorf("got order %s by %s, want it unchanged", o.Status, o.Payment.Method)
	}
}

func TestExpireOrders_UnconfirmedCash(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{})
	proven := s.mustRegister(t, account.RegisterInput{Name: "Rahima", PhoneNumber: new("01811000001")})
	s.exec(t, `UPDATE customers SET phone_verified_at = 1`)
	guests := s.mustPlace(t, client(1), guestOrder(wants(s.mug, 3)))
	owners := s.mustPlace(t, proven, guestOrder(wants(s.mug, 1)))
	confirmed := s.mustPlace(t, client(1), guestOrder(wants(s.mug, 1)))
	booked := s.mustPlace(t, client(1), guestOrder(wants(s.mug, 1)))
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), confirmed.ID); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `
		INSERT INTO parcel_bookings (id, order_id, provider, ref, mode, cash, shipment_id, asked_at)
		VALUES ('b', ?, 'courier_a', 'r', 'live', 0, NULL, 0)`, booked.ID) // its courier may have the goods
	if next := s.expire(t); !next.Equal(guests.PlacedAt.Add(72 * time.Hour)) {
		t.Errorf("got next expiry %s, want 72 hours after the order", next)
	}
	s.clock.Advance(72*time.Hour - time.Second)
	s.expire(t)
	if o := s.mustFindAsStaff(t, guests.ID); o.Status != status.OrderPending {
		t.Errorf("before 72 hours: got order %s, want pending", o.Status)
	}
	s.clock.Advance(time.Second)
	s.expire(t)
	for name, tt := range map[string]struct {
		id   string
		want status.Order
	}{
		"a guest's": {guests.ID, status.OrderExpired}, "a proven customer's": {owners.ID, status.OrderPending},
		"confirmed": {confirmed.ID, status.OrderConfirmed}, "being booked": {booked.ID, status.OrderPending},
	} {
		if o := s.mustFindAsStaff(t, tt.id); o.Status != tt.want {
			t.Errorf("%s: got order %s, want %s", name, o.Status, tt.want)
		}
	}
	if got := s.stock(t, s.mug, 0); got != 10-3 {
		t.Errorf("got %d mugs, want 7: those of the expired order are back", got)
	}
	s.checkBooks(t)
}

func TestPlaceOrder_QuantityLimit(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"unitsPerOrder": 150})
	for name, tt := range map[string]struct {
		items []order.ItemInput
		want  string // fields with their codes
	}{
		"the limit":      {[]order.ItemInput{wants(s.card, 100)}, ""},
		"one line":       {[]order.ItemInput{wants(s.card, 101)}, "items[0].quantity: quantity_limit"},
		"two of one":     {[]order.ItemInput{wants(s.card, 51), wants(s.card, 50)}, "items[0].quantity: quantity_limit"},
		"the whole cart": {[]order.ItemInput{wants(s.card, 100), wants(s.lamp, 51)}, "items: quantity_limit"},
	} {
		_, err := s.Orders.QuoteOrder(t.Context(), access.Caller{}, guestOrder(tt.items...))
		if got := strings.Join(fieldsOf(err), ", "); got != tt.want || tt.want != "" && shoptest.ErrorCode(err) != fault.CodeQuantityLimit {
			t.Errorf("%s: got %v with %s, want %s", name, err, got, tt.want)
		}
	}
}
