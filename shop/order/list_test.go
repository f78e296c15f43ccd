package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func TestListOrderRows(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func(quantity int, change func(in *order.Input), product catalogue.Product) *order.Placed {
		s.clock.Advance(time.Hour)
		in := guestOrder(wants(product, quantity))
		change(&in)
		return s.mustPlace(t, access.Caller{}, in)
	}
	as := func(name, phone, city string) func(in *order.Input) {
		return func(in *order.Input) {
			in.Customer.Name, in.Customer.PhoneNumber, in.ShippingAddress.City = &name, &phone, city
		}
	}
	first := place(1, as("Rahima", "01711000001", "Dhaka"), s.card)
	second := place(3, func(in *order.Input) {
		as("Karim", "01711000002", "Sylhet")(in)
		in.Items = append(in.Items, wants(s.lamp, 1))
	}, s.card)
	third := place(2, as("Rahima", "01711000001", "Dhaka"), s.lamp)
	confirmed, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), second.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustShip(t, s.Orders, second.ID, plugin.CourierB, "C-1")
	s.clock.Advance(time.Hour)
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), third.ID, "twice"); err != nil {
		t.Fatal(err)
	}
	list := func(filter order.ListFilter) *page.List[order.Row] {
		t.Helper()
		rows, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatalf("%+v: %v", filter, err)
		}
		return rows
	}
	all := []string{third.ID, second.ID, first.ID}
	for name, tc := range map[string]struct {
		filter order.ListFilter
		want   []string
	}{
		"all":               {order.ListFilter{}, all},
		"oldest first":      {order.ListFilter{Sort: page.Ascending}, []string{first.ID, second.ID, third.ID}},
		"by total":          {order.ListFilter{SortBy: order.SortTotal, Sort: page.Ascending}, []string{first.ID, second.ID, third.ID}},
		"by update":         {order.ListFilter{SortBy: order.SortUpdated}, []string{third.ID, second.ID, first.ID}},
		"statuses":          {order.ListFilter{Status: []status.Order{status.OrderPending, status.OrderCancelled}}, []string{third.ID, first.ID}},
		"payment":           {order.ListFilter{PaymentStatus: []status.Payment{status.PaymentPaid}}, nil},
		"method":            {order.ListFilter{PaymentMethod: []status.PaymentMethod{status.PayCOD}}, all},
		"fulfilment":        {order.ListFilter{FulfillmentStatus: []status.Fulfillment{status.InProgress}}, nil},
		"courier":           {order.ListFilter{Courier: []plugin.Provider{plugin.CourierB}}, []string{second.ID}},
		"shipment":          {order.ListFilter{ShipmentStatus: []status.Shipment{status.ShipmentCreated}}, []string{second.ID}},
		"city":              {order.ListFilter{City: "Dhaka"}, []string{third.ID, first.ID}},
		"city and status":   {order.ListFilter{City: "Dhaka", Status: []status.Order{status.OrderPending}}, []string{first.ID}},
		"product":           {order.ListFilter{ProductID: s.lamp.ID}, []string{third.ID, second.ID}},
		"total":             {order.ListFilter{MinTotal: page.Some(second.Total.Amount), MaxTotal: page.Some(second.Total.Amount)}, []string{second.ID}},
		"placed":            {order.ListFilter{PlacedFrom: second.PlacedAt, PlacedBefore: third.PlacedAt}, []string{second.ID}},
		"test":              {order.ListFilter{Test: page.Some(true)}, nil},
		"live":              {order.ListFilter{Test: page.Some(false)}, all},
		"search":            {order.ListFilter{Search: "rahima"}, []string{third.ID, first.ID}},
		"search by number":  {order.ListFilter{Search: fmt.Sprint(second.OrderNumber)}, []string{second.ID}},
		"search, by total":  {order.ListFilter{Search: "rahima", SortBy: order.SortTotal, Sort: page.Ascending}, []string{first.ID, third.ID}},
		"search and city":   {order.ListFilter{Search: "karim", City: "Dhaka"}, nil},
		"search of a view":  {order.ListFilter{Search: "rahima", View: order.ViewClosed}, []string{third.ID}},
		"view":              {order.ListFilter{View: order.ViewToHandOver}, []string{second.ID}},
		"view in test mode": {order.ListFilter{View: order.ViewToHandOver, Test: page.Some(true)}, nil},
	} {
		rows := list(tc.filter)
		var ids []string
		for _, row := range rows.Nodes {
			ids = append(ids, row.ID)
		}
		if diff := cmp.Diff(tc.want, ids); diff != "" || rows.Meta.TotalCount != len(ids) || rows.Meta.Bounded {
			t.Errorf("%s: got %+v, orders (-want +got):\n%s", name, rows.Meta, diff)
		}
		whole, err := s.Orders.ListOrders(t.Context(), access.Operator(), tc.filter)
		if err != nil || len(whole.Nodes) != len(ids) || whole.Meta != rows.Meta {
			t.Errorf("%s: got %+v (%v), want whole orders as in the rows", name, whole, err)
		}
	}
	paged := list(order.ListFilter{Request: page.Request{Page: new(2), Limit: new(2)}})
	if len(paged.Nodes) != 1 || paged.Nodes[0].ID != first.ID || paged.Meta.TotalCount != 3 || paged.Meta.HasNextPage {
		t.Errorf("second page: got %+v", paged)
	}

	got := list(order.ListFilter{View: order.ViewToHandOver}).Nodes[0]
	want := order.Row{
		ID: second.ID, OrderNumber: second.OrderNumber, PlacedAt: second.PlacedAt, UpdatedAt: got.UpdatedAt,
		Status: status.OrderProcessing, PaymentStatus: status.PaymentUnpaid, FulfillmentStatus: status.Unfulfilled, PaymentMethod: status.PayCOD,
		Total: confirmed.Total, CashToCollect: confirmed.Total,
		Customer: order.RowCustomer{Name: "Karim", PhoneNumber: "+8801711000002"}, City: "Sylhet", Area: confirmed.ShippingAddress.Area,
		Units: 4, FirstItem: &order.RowItem{Title: s.card.Title, ImageURL: confirmed.Items[0].ImageURL},
		Shipment: &order.RowShipment{Provider: plugin.CourierB, ConsignmentID: new("C-1"), Status: status.ShipmentCreated},
		Record:   order.Record{Orders: 1, Open: 1, FirstAt: &second.PlacedAt, Level: order.RecordNew}, Flags: got.Flags,
		Duplicates: []order.Duplicate{},
		Tags:       []string{}, Source: status.SourceStorefront, Lines: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	cancelled := list(order.ListFilter{View: order.ViewClosed}).Nodes[0]
	record := cancelled.Record
	if cancelled.CashToCollect.Amount != 0 || record.Cancelled != 1 || record.Open != 1 || record.Level != order.RecordGood {
		t.Errorf("cancelled: got %+v, want nothing to collect and the record of two orders", cancelled)
	}
}

// Orders that came back today do not include those that came back before and were changed since.
func TestListOrderRows_ReturnedFrom(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	zone, err := s.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, 62)
	for i := range ids {
		bought := guestOrder(wants(s.card, 1))
		bought.Customer.PhoneNumber = new(fmt.Sprintf("0171100%04d", i))
		ids[i] = s.mustPlace(t, access.Caller{}, bought).ID
		if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), ids[i]); err != nil {
			t.Fatal(err)
		}
		mustShip(t, s.Orders, ids[i], plugin.CourierB, fmt.Sprint("C-", i))
	}
	back := func(id string) {
		t.Helper()
		if _, err := s.Orders.MarkReturned(t.Context(), access.Operator(), id, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range ids[:2] { // their money is refunded later
		if _, err := s.Orders.MarkDelivered(t.Context(), access.Operator(), id, nil); err != nil {
			t.Fatal(err)
		}
	}
	back(ids[0])
	now := s.clock.Now().In(zone)
	midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, zone)
	s.clock.Advance(midnight.Sub(now) - time.Millisecond)
	back(ids[1])
	s.clock.Advance(time.Millisecond)
	for _, id := range ids[2:] {
		back(id)
	}
	for _, id := range ids[:2] {
		if _, err := s.Orders.MarkCashRefunded(t.Context(), access.Operator(), id, order.RefundInput{}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{ReturnedFrom: midnight})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if today := summary.Todo.ReturnedToday; today == nil || *today != 60 || rows.Meta.TotalCount != 60 || rows.Meta.Bounded {
		t.Errorf("got %v and %+v, want 60 returns today", today, rows.Meta)
	}
}

func TestListOrderRows_Duplicate(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	flags := map[string][]order.RowFlag{}
	place := func(note, line1 string) string {
		in := guestOrder(wants(s.card, 1))
		in.Note, in.ShippingAddress.Line1, in.ShippingAddress.Line2, in.ShippingAddress.Area = &note, line1, nil, nil
		return s.mustPlace(t, access.Caller{}, in).ID
	}
	old := place("", "House 12, Road 5")
	s.clock.Advance(25 * time.Hour)
	one := place("Ring twice", "House 12, Road 5")
	two := place("", "Road 5")
	list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range list.Nodes {
		flags[row.ID] = row.Flags
	}
	want := map[string][]order.RowFlag{
		old: {}, one: {order.RowDuplicate, order.RowNote}, two: {order.RowDuplicate, order.RowAddressShort},
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestListOrderRows_InvalidFilter(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	for field, filter := range map[string]order.ListFilter{
		"status":            {Status: []status.Order{"lost"}},
		"paymentStatus":     {PaymentStatus: []status.Payment{"lost"}},
		"fulfillmentStatus": {FulfillmentStatus: []status.Fulfillment{status.Delivered, "lost"}},
		"paymentMethod":     {PaymentMethod: []status.PaymentMethod{"lost"}},
		"courier":           {Courier: []plugin.Provider{"gateway_a"}},
		"shipmentStatus":    {ShipmentStatus: make([]status.Shipment, 51)},
		"view":              {View: "lost"},
		"sortBy":            {SortBy: "lost"},
		"limit":             {Request: page.Request{Limit: new(101)}},
	} {
		_, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if diff := cmp.Diff([]string{field + ": invalid_value"}, fieldsOf(err)); shoptest.ErrorCode(err) != fault.CodeValidationFailed || diff != "" {
			t.Errorf("%s: got %v, fields (-want +got):\n%s", field, err, diff)
		}
	}
}
