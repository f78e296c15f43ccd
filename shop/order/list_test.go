package order_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
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
		Tags: []string{}, Source: status.SourceStorefront, Lines: 2,
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
		if _, err := s.Orders.MarkCashRefunded(t.Context(), access.Operator(), id); err != nil {
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

// A long list is counted to 10,000 if it is filtered, and has its later pages all the same.
func TestListOrderRows_BoundedCount(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	const orders = 10_300
	s.Fill(t, orders)
	for name, tc := range map[string]struct {
		filter order.ListFilter
		count  int
		more   bool // than the count
	}{
		"all":       {order.ListFilter{}, orders, false},
		"open view": {order.ListFilter{View: order.ViewToConfirm, Request: page.Request{Limit: new(2)}}, 206, false},
		"filtered":  {order.ListFilter{MinTotal: page.Some[int64](1)}, 10_000, true},
		"beyond":    {order.ListFilter{MinTotal: page.Some[int64](1), Request: page.Request{Page: new(102), Limit: new(100)}}, 10_000, true},
		"sorted":    {order.ListFilter{MinTotal: page.Some[int64](1), SortBy: order.SortTotal}, 10_000, true},
		"narrow":    {order.ListFilter{ProductID: "product-7"}, 11, false},
	} {
		list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		if list.Meta.TotalCount != tc.count || list.Meta.Bounded != tc.more || list.Meta.HasNextPage != (tc.count > len(list.Nodes)) {
			t.Errorf("%s: got %d orders and %+v, want count %d, bounded %v", name, len(list.Nodes), list.Meta, tc.count, tc.more)
		}
	}
	last, err := s.Orders.ListOrderRows(t.Context(), access.Operator(),
		order.ListFilter{MinTotal: page.Some[int64](1), Request: page.Request{Page: new(104), Limit: new(100)}})
	if err != nil || len(last.Nodes) != 0 || last.Meta.HasNextPage {
		t.Errorf("after the last page: got %+v (%v), want none", last, err)
	}
	// Every order is on one page, whatever the sort and the filter.
	for _, filter := range []order.ListFilter{{}, {City: "Sylhet"}, {View: order.ViewDone}} {
		for _, filter.SortBy = range order.Sorts() {
			seen := map[string]bool{}
			last := int64(-1)
			for number := 1; number <= 3; number++ {
				filter.Request, filter.Sort = page.Request{Page: &number, Limit: new(100)}, page.Ascending
				list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range list.Nodes {
					seen[row.ID] = true
					if filter.SortBy == order.SortTotal && row.Total.Amount < last {
						t.Fatalf("%+v: got a total of %d after %d", filter, row.Total.Amount, last)
					}
					last = row.Total.Amount
				}
			}
			if len(seen) != 300 {
				t.Errorf("%s: got %d orders on three pages, want 300", filter.SortBy, len(seen))
			}
		}
	}
	s.exec(t, `UPDATE orders SET status = 'pending', payment_status = 'unpaid', fulfillment_status = 'unfulfilled', test = 0, work = 1`)
	open, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{View: order.ViewToConfirm})
	if err != nil || open.Meta.TotalCount != orders || open.Meta.Bounded {
		t.Errorf("long open view: got %v, want the exact count %d", err, orders)
	}
}

// The views of ended orders are counted to 10,000 until the days are counted, and then exactly:
// with what has just changed, and with the orders of today.
func TestCountOrders_Many(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, map[string]any{"autoConfirm": true})
	s.Fill(t, 13_000)
	check := func(when string, bounded bool) {
		t.Helper()
		counts, err := s.Orders.CountOrders(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range counts {
			statuses, ok := map[order.WorkView]string{
				order.ViewDone: "'completed'", order.ViewClosed: "'cancelled', 'expired', 'returned'", order.ViewAll: "status",
			}[c.View]
			if !ok {
				continue
			}
			want := int(s.number(t, `SELECT COUNT(*) FROM orders WHERE test = 0 AND status IN (`+statuses+`)`))
			limited := bounded && want > page.MaxCount
			if limited {
				want = page.MaxCount
			}
			if c.Count != want || c.Bounded != limited {
				t.Errorf("%s, %s: got %d, bounded %v, want %d, %v", when, c.View, c.Count, c.Bounded, want, limited)
			}
		}
	}
	check("nothing stored", true)
	s.CountDays(t)
	check("stored", false)
	const confirmed = "0000000000000051" // nine days ago
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), confirmed, "test"); err != nil {
		t.Fatal(err)
	}
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.mug, 1)))
	check("an order moved and one was placed", false)
	s.CountDays(t)
	check("stored again", false)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day IN (SELECT MIN(day) FROM day_stats)`)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day IN (SELECT MIN(day) FROM day_stats WHERE kind = 'all')`)
	check("two days are not stored", false)
	s.exec(t, `DELETE FROM day_stats WHERE kind = 'all' AND day > (SELECT MIN(day) FROM day_stats WHERE kind = 'all')`)
	check("too much is not stored", true)
}

// A search that finds many orders reads them in the order of the list.
func TestListOrderRows_WideSearch(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.Fill(t, 700)
	for name, tc := range map[string]struct {
		filter order.ListFilter
		count  int
		first  int64
	}{
		"all":      {order.ListFilter{Search: "khatun"}, 700, 1700},
		"oldest":   {order.ListFilter{Search: "khatun", Sort: page.Ascending}, 700, 1001},
		"filtered": {order.ListFilter{Search: "khatun", City: "Sylhet"}, 88, 1697},
		"view":     {order.ListFilter{Search: "khatun", View: order.ViewToConfirm}, 14, 1700},
	} {
		list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), tc.filter)
		if err != nil {
			t.Fatal(err)
		}
		if list.Meta.TotalCount != tc.count || list.Nodes[0].OrderNumber != tc.first {
			t.Errorf("%s: got %d orders from number %d, want %d from %d", name, list.Meta.TotalCount, list.Nodes[0].OrderNumber, tc.count, tc.first)
		}
	}
}

// The order that a search names by its number is the first one, however many newer orders have the
// number as a postcode, and no page repeats or lacks an order for that.
func TestListOrderRows_ExactNumber(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.Fill(t, 700)
	s.exec(t, `UPDATE orders SET postcode = '1009' WHERE number <> 1009`)
	list := func(filter order.ListFilter, number, limit int) (numbers []int64, total int) {
		t.Helper()
		filter.Page, filter.Limit = &number, &limit
		if filter.Search == "" {
			filter.Search = "#১০০৯"
		}
		found, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range found.Nodes {
			numbers = append(numbers, row.OrderNumber)
		}
		return numbers, found.Meta.TotalCount
	}
	for _, limit := range []int{1, 30, 100, page.NoLimit} {
		var all []int64
		for number := 1; ; number++ {
			numbers, total := list(order.ListFilter{}, number, limit)
			if total != 700 {
				t.Fatalf("page %d of %d: got %d orders in total, want 700", number, limit, total)
			}
			if all = append(all, numbers...); len(numbers) == 0 || limit == page.NoLimit || limit == 1 && number == 3 {
				break
			}
		}
		want := []int64{1009}
		for n := int64(1700); n > 1000; n-- {
			if n != 1009 {
				want = append(want, n)
			}
		}
		if limit == 1 {
			want = want[:3]
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	for name, one := range map[string]struct {
		filter order.ListFilter
		first  int64
	}{
		"its city":      {order.ListFilter{City: "Sylhet"}, 1009},
		"oldest first":  {order.ListFilter{Sort: page.Ascending}, 1009},
		"invoice":       {order.ListFilter{Search: "0000000000000009"}, 1009},
		"later orders":  {order.ListFilter{PlacedFrom: s.clock.Now().Add(time.Hour)}, 0},
		"another phone": {order.ListFilter{Search: "1009 khatun"}, 1700},
	} {
		numbers, _ := list(one.filter, 1, 30)
		if len(numbers) == 0 && one.first != 0 || len(numbers) > 0 && numbers[0] != one.first {
			t.Errorf("%s: got %v, want %d first", name, numbers, one.first)
		}
	}
	if numbers, total := list(order.ListFilter{City: "Dhaka"}, 1, 30); total == 0 || slices.Contains(numbers, 1009) {
		t.Errorf("another city: got %d orders, %v, want those of the city", total, numbers)
	}
	if numbers, _ := list(order.ListFilter{SortBy: order.SortTotal}, 1, 30); numbers[0] == 1009 {
		t.Errorf("by total: got %v, want the order of the totals", numbers)
	}
}

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
		"refund":  func(id string) error { _, err := s.Orders.MarkCashRefunded(t.Context(), operator, id); return err },
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

// An export has every order once, with what its columns say, even if the orders change while it is
// read.
func TestOrder_ExportDuringChanges(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	const orders = 250
	for i := range orders {
		a.InsertOrder(t, fmt.Sprintf("%016d", i), shoptest.RahimsPhone)
	}
	a.InsertLines(t)
	a.Exec(t, `UPDATE orders SET updated_at = number, source = 'phone', advance = 40, discount = 10, staff_discount = 10, discount_reason = 'Friend',
		total = 90`)
	for _, sort := range []order.Sort{order.SortPlaced, order.SortUpdated, order.SortTotal} {
		for _, direction := range []string{page.Descending, page.Ascending} {
			file := &changingFile{change: func() {
				a.InsertOrder(t, fmt.Sprintf("new-%v-%s", sort, direction), shoptest.RahimsPhone)
				a.Exec(t, `UPDATE orders SET updated_at = CASE WHEN number % 2 = 0 THEN 0 ELSE 100000 + number END,
					total = total + number % 3, subtotal = subtotal + number % 3`)
			}}
			filter := order.ListFilter{SortBy: sort, Sort: direction, Source: []status.Source{status.SourcePhone}}
			if err := a.Orders.ExportOrders(t.Context(), access.Operator(), filter, file); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&file.Buffer).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, row := range rows[1:] {
				seen[row[0]] = true
			}
			if got, want := fmt.Sprint(rows[1][33:37]), "[phone Friend 0.10 0.40]"; got != want {
				t.Errorf("by %s: got the last columns %s, want %s", sort, got, want)
			}
			if len(rows) != 1+orders || len(seen) != orders {
				t.Errorf("by %s: got %d rows of %d orders, want %d", sort, len(rows)-1, len(seen), orders)
			}
		}
	}
}

// changingFile is a file that calls change when a part of it is first written.
type changingFile struct {
	bytes.Buffer
	change func()
}

func (f *changingFile) Write(p []byte) (int, error) {
	if f.change != nil {
		f.change()
		f.change = nil
	}
	return f.Buffer.Write(p)
}
