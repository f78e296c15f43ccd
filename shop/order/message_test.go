package order_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// After its gateway was down, a message is not sent if what it says no longer holds: it would send
// somebody to the door for an order that was cancelled, or thank for one that came back.
func TestOrderMessages_Outdated(t *testing.T) {
	t.Parallel()
	all := []string{
		"placed",
		"confirmed",
		"booked",
		"shipped",
		"out_for_delivery",
		"delivered",
		"cancelled",
	}
	cancel := func(m *shoptest.Messenger, uid string) error {
		_, err := m.Orders.CancelOrder(t.Context(), access.Operator(), uid, "")
		return err
	}
	to := func(statuses ...status.Shipment) func(m *shoptest.Messenger, uid string) error {
		return func(m *shoptest.Messenger, uid string) error {
			for _, status := range statuses {
				if _, err := m.Orders.SetShipmentStatus(t.Context(), uid, 0, status); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		before, after func(m *shoptest.Messenger, uid string) error // while the gateway is down, and until it is up
		isBooked      bool
		want          []string
	}{
		"cancelled":         {nil, cancel, false, []string{"placed skipped", "confirmed skipped", "cancelled sent"}},
		"booking cancelled": {nil, to(status.ShipmentCancelled), true, []string{"placed sent", "confirmed sent", "booked skipped"}},
		"came back": {to(status.ShipmentPicked), to(status.ShipmentReturning, status.ShipmentReturned), true,
			[]string{"placed skipped", "confirmed skipped", "booked skipped", "shipped skipped"}},
		"not brought": {to(status.ShipmentPicked, status.ShipmentOutForDelivery), to(status.ShipmentDeliveryFailed), true,
			[]string{"placed sent", "confirmed sent", "booked sent", "shipped sent", "out_for_delivery skipped"}},
		"delivered": {to(status.ShipmentPicked, status.ShipmentOutForDelivery), to(status.ShipmentDelivered), true,
			[]string{"placed sent", "confirmed sent", "booked skipped", "shipped skipped", "out_for_delivery skipped", "delivered sent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := shoptest.NewMessenger(t, map[string]any{"sms": all})
			m.SMS.Answer(func(string, string) error { return sender.ErrSMSRefused })
			placed := m.Order()
			if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
				t.Fatal(err)
			}
			if test.isBooked {
				mustShip(t, m.Orders, placed.InvoiceUID, plugin.CourierA, "1")
			}
			for _, change := range []func(m *shoptest.Messenger, uid string) error{test.before, test.after} {
				if change == nil {
					continue
				}
				if err := change(m, placed.InvoiceUID); err != nil {
					t.Fatal(err)
				}
				m.Send()
			}
			m.SMS.Answer(nil)
			m.Clock.Advance(time.Hour)
			m.Send()
			if got := m.SentEvents(placed.OrderNumber); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A shipment is announced when it is booked, when the courier has picked it up and when it is
// brought, once each also if a second shipment follows. Of what a courier reports late only the
// last is sent, if the shop sends both.
func TestOrderMessages_OnTheWay(t *testing.T) {
	t.Parallel()
	all := []string{"booked", "shipped", "out_for_delivery", "delivered"}
	late := []status.Shipment{
		status.ShipmentOutForDelivery,
		status.ShipmentDeliveryFailed,
		status.ShipmentInTransit,
		status.ShipmentOutForDelivery,
		status.ShipmentDelivered,
	}
	for name, test := range map[string]struct {
		on, want []string
		statuses []status.Shipment
	}{
		"each": {all, []string{"booked sent", "shipped sent", "out_for_delivery sent", "delivered sent"}, []status.Shipment{
			status.ShipmentPicked, status.ShipmentAtHub, status.ShipmentOutForDelivery, status.ShipmentDelivered}},
		"late":              {all, []string{"booked sent", "shipped skipped", "out_for_delivery sent", "delivered sent"}, late},
		"late, picked up":   {all[1:2], []string{"shipped sent"}, late},
		"late, brought":     {all[2:3], []string{"out_for_delivery sent"}, late},
		"cancelled booking": {all, []string{"booked sent"}, []status.Shipment{status.ShipmentCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := shoptest.NewMessenger(t, map[string]any{"sms": test.on})
			placed := m.Order()
			if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
				t.Fatal(err)
			}
			record := func(consignment string) {
				t.Helper()
				in := order.ShipmentInput{
					Provider:      plugin.CourierA,
					ConsignmentID: consignment,
					TrackingCode:  "DT" + consignment,
				}
				if _, err := m.Orders.RecordShipment(t.Context(), access.Operator(), placed.InvoiceUID, in); err != nil {
					t.Fatal(err)
				}
				m.Send()
			}
			record("1")
			for _, status := range test.statuses {
				if _, err := m.Orders.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status); err != nil {
					t.Fatal(err)
				}
				m.Send()
			}
			if test.statuses[0] == status.ShipmentCancelled {
				record("2")
			}
			if got := m.SentEvents(placed.OrderNumber); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			booked := fmt.Sprintf(
				"Acme: Pathao will deliver your order %d. DT1 https://shop.example/?lang=en&order=%s",
				placed.OrderNumber,
				placed.InvoiceUID,
			)
			if got := m.Texts(); slices.Contains(test.on, "booked") && got[0] != booked {
				t.Errorf("got %q, want %q", got[0], booked)
			}
		})
	}
}

// Turning a message on announces nothing that happened before.
func TestOrderMessages_TurnedOnLater(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{})
	placed := m.Order()
	if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	mustShip(t, m.Orders, placed.InvoiceUID, plugin.CourierA, "1")
	for i, status := range []status.Shipment{status.ShipmentOutForDelivery, status.ShipmentInTransit} {
		if i == 1 {
			on := map[string]any{
				"buyerMessages": map[string]any{
					"sms": []string{"booked", "shipped", "out_for_delivery"},
				},
			}
			if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, on)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Orders.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status); err != nil {
			t.Fatal(err)
		}
	}
	m.Send()
	if got := m.SentEvents(placed.OrderNumber); len(got) != 0 {
		t.Errorf("got %q, want none", got)
	}
}

// A refund of long ago is not reported when messages about refunds are turned on, or when what was
// sent about it is no longer stored.
func TestOrderMessages_RefundedBefore(t *testing.T) {
	t.Parallel()
	m := shoptest.NewMessenger(t, map[string]any{})
	placed := m.Order()
	if _, err := m.Orders.ConfirmOrder(t.Context(), access.Operator(), placed.InvoiceUID); err != nil {
		t.Fatal(err)
	}
	mustShip(t, m.Orders, placed.InvoiceUID, plugin.CourierA, "1")
	m.Exec(`UPDATE orders SET payment_status = 'refunded', cash_paid = total, cash_refunded = total, paid = total, refunded = total`)
	on := map[string]any{"buyerMessages": map[string]any{"sms": []string{"refunded"}}}
	if err := m.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, on)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Orders.SetShipmentStatus(t.Context(), placed.InvoiceUID, 0, status.ShipmentInTransit); err != nil {
		t.Fatal(err)
	}
	m.Send()
	if got := m.Texts(); len(got) != 0 {
		t.Errorf("got %q, want none", got)
	}
}
