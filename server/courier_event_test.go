package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// eventCase is one webhook about a booked shipment, and its effect.
type eventCase struct {
	event, more string
	want        string // status of shipment, delivery and order
	ledger      string // collected, fee, remitted, in taka; "" without entries
}

const unchanged = "created unfulfilled processing"

var eventsOfA = []eventCase{
	{"order.created", `,"delivery_fee":60`, unchanged, "- 60 -"},
	{"order.updated", `,"delivery_fee":"70.00"`, unchanged, "- 70 -"},
	{"order.pickup-requested", `,"delivery_fee":60`, "pickup_requested unfulfilled processing", "- 60 -"},
	{"order.assigned-for-pickup", "", "pickup_requested unfulfilled processing", ""},
	{"order.picked", "", "picked in_progress processing", ""},
	{"order.pickup-failed", "", unchanged, ""},
	{"order.pickup-cancelled", "", "cancelled unfulfilled processing", ""},
	{"order.at-the-sorting-hub", "", "at_hub in_progress processing", ""},
	{"order.in-transit", "", "in_transit in_progress processing", ""},
	{"order.received-at-last-mile-hub", "", "at_hub in_progress processing", ""},
	{"order.assigned-for-delivery", "", "out_for_delivery in_progress processing", ""},
	{"order.delivered", `,"collected_amount":900`, "delivered delivered completed", "900 - -"},
	{"order.partial-delivery", `,"collected_amount":400,"reason":"Wrong size"`, "partially_delivered partially_delivered processing", "400 - -"},
	{"order.returned", `,"reason":"Refused"`, "returning returning processing", ""},
	{"order.delivery-failed", "", "delivery_failed in_progress processing", ""},
	{"order.on-hold", "", "on_hold in_progress processing", ""},
	{"order.paid", `,"invoice_id":"INV-1"`, unchanged, "- - 0"},
	{"order.paid-return", `,"collected_amount":60`, "returning returning processing", "60 - -"},
	{"order.exchanged", `,"collected_amount":900`, "exchanged delivered completed", "900 - -"},
	{"order.return-id-created", `,"return_type":"return"`, "returning returning processing", ""},
	{"order.return-in-transit", `,"return_type":"return"`, "returning returning processing", ""},
	{"order.returned-to-merchant", `,"return_type":"return"`, "returned returned returned", ""},
	{"Order_Status", `,"event":null,"order_status":"Delivery_Failed"`, "delivery_failed in_progress processing", ""}, // the older format
	{"ORDER.IN TRANSIT", "", "in_transit in_progress processing", ""},
	{"order.teleported", "", unchanged, ""},
}

var eventsOfB = []eventCase{
	{"in_review", "", unchanged, ""},
	{"pending", "", "in_transit in_progress processing", ""},
	{"hold", "", "on_hold in_progress processing", ""},
	{"Delivered", `,"cod_amount":"900.00","delivery_charge":"110"`, "delivered delivered completed", "900 110 -"},
	{"partial_delivered", `,"cod_amount":400`, "partially_delivered partially_delivered processing", "400 - -"},
	{"cancelled", `,"cod_amount":0`, "returning returning processing", ""},
	{"delivered_approval_pending", `,"cod_amount":900`, unchanged, ""},
	{"cancelled_approval_pending", "", unchanged, ""},
	{"unknown", "", unchanged, ""},
	{"exceptional", "", unchanged, ""},
	{"cancelled_return_received", "", "returned returned returned", ""},
	{"", `,"tracking_message":"At the hub."`, unchanged, ""}, // a tracking update
}

// Every event over HTTP, with the order's status, timeline and ledger after it.
func TestCourierWebhooks_EveryEvent(t *testing.T) {
	t.Parallel()
	c := newCouriers(t)
	mug, err := c.acme.Catalogue.CreateProduct(t.Context(), access.Operator(),
		catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 900_00}}})
	if err != nil {
		t.Fatal(err)
	}
	for courier, cases := range map[plugin.Provider][]eventCase{plugin.CourierA: eventsOfA, plugin.CourierB: eventsOfB} {
		for i, tt := range cases {
			t.Run(string(courier)+" "+tt.event, func(t *testing.T) {
				consignment := fmt.Sprint(5000 + i)
				invoice := c.ship(t, &mug.Product, courier, consignment)
				before := len(c.order(t, invoice).Timeline)
				body := `{"notification_type":"delivery_status","consignment_id":` + consignment + `,"updated_at":"2026-01-02 10:00:00"`
				switch {
				case courier == plugin.CourierA && tt.event == "Order_Status":
				case courier == plugin.CourierA:
					body += fmt.Sprintf(`,"event":%q`, tt.event)
				case tt.event == "":
					body = strings.Replace(body, "delivery_status", "tracking_update", 1)
				default:
					body += fmt.Sprintf(`,"status":%q`, tt.event)
				}
				c.sendEvent(t, courier, body+tt.more+"}")
				bought := c.order(t, invoice)
				if got := fmt.Sprint(bought.Shipments[0].Status, " ", bought.FulfillmentStatus, " ", bought.Status); got != tt.want {
					t.Errorf("got order %s, want %s", got, tt.want)
				}
				reported := slices.ContainsFunc(bought.Timeline, func(e order.TimelineEntry) bool {
					return strings.HasPrefix(string(e.Type), "shipment_") && e.At.Year() == 2026 && e.At.YearDay() == 2
				})
				accounting := tt.event == "order.updated" || tt.event == "order.paid" // of no interest to the buyer
				if accounting != (len(bought.Timeline) == before) || accounting == reported {
					t.Errorf("got timeline %+v, want an entry of the event: %t", bought.Timeline, !accounting)
				}
				if got := c.ledger(t, invoice); got != tt.ledger && tt.ledger != "" || tt.ledger == "" && got != "- - -" {
					t.Errorf("got ledger %s, want %q", got, tt.ledger)
				}
			})
		}
	}
}

// ship places an order of ৳900 and records its shipment.
func (c *couriers) ship(tb testing.TB, mug *catalogue.Product, courier plugin.Provider, consignment string) string {
	tb.Helper()
	bought, err := c.acme.Orders.PlaceOrder(tb.Context(), access.Caller{}, order.Input{
		Items:           []order.ItemInput{{ProductID: mug.ID, Quantity: 1}},
		Customer:        &order.CustomerInput{Name: new("Rahima Khatun"), PhoneNumber: new("01711-223344")},
		ShippingAddress: &account.Address{Line1: "House 12, Road 5", City: "Dhaka"},
	}, "")
	if err == nil {
		_, err = c.acme.Orders.RecordShipment(tb.Context(), access.Operator(), bought.InvoiceUID, order.ShipmentInput{
			Provider: courier, ConsignmentID: consignment,
		})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return bought.InvoiceUID
}

func (c *couriers) order(tb testing.TB, invoice string) *order.Order {
	tb.Helper()
	order, err := c.acme.Orders.FindOrderAsStaff(tb.Context(), access.Operator(), invoice)
	if err != nil {
		tb.Fatal(err)
	}
	return &order.Order
}

// ledger returns what was collected, the fee and what was remitted for an order's shipment, in
// taka.
func (c *couriers) ledger(tb testing.TB, invoice string) string {
	tb.Helper()
	list, err := c.acme.Cash.ListLedger(tb.Context(), access.Operator(), cash.LedgerFilter{})
	if err != nil {
		tb.Fatal(err)
	}
	show := func(m *money.Money) string {
		if m == nil {
			return "-"
		}
		return fmt.Sprint(m.Amount / 100)
	}
	for _, line := range list.Nodes {
		if line.OrderID == invoice {
			return show(line.Collected) + " " + show(line.Fee) + " " + show(line.PaidOut)
		}
	}
	return ""
}
