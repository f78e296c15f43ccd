package order_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

const typed = "01711000009"

// newIncompleteShop returns a shop that stores incomplete orders.
func newIncompleteShop(tb testing.TB) *orderShop {
	tb.Helper()
	return newOrderShop(tb, map[string]any{"incompleteOrders": map[string]any{"enabled": true}, "openOrdersPerPhone": 10_000})
}

func (s *orderShop) typing(session string) order.IncompleteInput {
	return order.IncompleteInput{
		Session: "session of a browser " + session, Consent: true, PhoneNumber: new(typed), Items: []order.ItemInput{wants(s.mug, 2)},
	}
}

func (s *orderShop) mustType(tb testing.TB, in order.IncompleteInput) {
	tb.Helper()
	s.mustTypeFrom(tb, "198.51.100.7", in)
}

func (s *orderShop) mustTypeFrom(tb testing.TB, client string, in order.IncompleteInput) {
	tb.Helper()
	got, err := s.Orders.SaveIncomplete(tb.Context(), access.Caller{Client: client}, in)
	if err != nil || !got.Success {
		tb.Fatalf("got %v, %v, want the same result for every input", got, err)
	}
}

func (s *orderShop) incomplete(tb testing.TB, statuses ...order.IncompleteStatus) []order.IncompleteOrder {
	tb.Helper()
	list, err := s.Orders.ListIncomplete(tb.Context(), access.Operator(), order.IncompleteFilter{Status: statuses})
	if err != nil {
		tb.Fatal(err)
	}
	return list.Nodes
}

func (s *orderShop) wantFigures(tb testing.TB, want order.IncompleteFigures) {
	tb.Helper()
	report, err := s.Orders.ReportIncomplete(tb.Context(), access.Operator(), "", "")
	if err != nil || report.Total != want {
		tb.Errorf("got figures %+v, %v, want %+v", report, err, want)
	}
}

// What a buyer types replaces what the same browser has stored. The furthest step remains. Without
// the setting, consent, a number or goods nothing is stored, and consent withdrawn deletes.
func TestSaveIncomplete(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustType(t, s.typing("a"))
	if got := s.incomplete(t); len(got) != 0 {
		t.Fatalf("got %+v from a shop that stores none", got)
	}
	err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"incompleteOrders": map[string]any{"enabled": true}}))
	if err != nil {
		t.Fatal(err)
	}
	in := s.typing("a")
	in.Consent = false
	s.mustType(t, in)
	in = s.typing("a")
	in.Items = []order.ItemInput{{ProductID: "none", Quantity: 1}}
	s.mustType(t, in)
	in.PhoneNumber = new("0171")
	_, err = s.Orders.SaveIncomplete(t.Context(), access.Caller{}, in)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	in = s.typing("a")
	in.Session = "short"
	_, err = s.Orders.SaveIncomplete(t.Context(), access.Caller{}, in)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	if got := s.incomplete(t); len(got) != 0 {
		t.Fatalf("got %+v, want nothing", got)
	}

	in = s.typing("a")
	in.DeliveryChargeID = new("dhaka") // chosen beforehand
	s.mustType(t, in)
	in.Name, in.Address, in.City = new(" Rahim\x00 "), new(strings.Repeat("আ", 500)), new("Dhaka")
	s.mustType(t, in)
	in.Address = nil
	in.Items = append(in.Items, order.ItemInput{ProductID: "gone", Quantity: 1}, wantsVariant(s.shirt, 1, 1))
	s.mustType(t, in)
	got := s.incomplete(t)
	if len(got) != 1 || got[0].Step != order.StepDelivery || got[0].PhoneNumber != "+8801711000009" || got[0].Name != "Rahim" ||
		len(got[0].Items) != 2 || got[0].Items[0].Title != s.mug.Title || got[0].Subtotal.Amount != 2*450_00+990_50 {
		t.Fatalf("got %+v, want one incomplete order with a mug and a shirt", got)
	}
	in.PhoneNumber = new("01711000010") // corrected
	s.mustType(t, in)
	if got := s.incomplete(t); len(got) != 1 || got[0].PhoneNumber != "+8801711000010" {
		t.Errorf("got %+v, want one with the corrected number", got)
	}
	s.wantFigures(t, order.IncompleteFigures{Started: 1})
	s.mustType(t, s.typing("b"))
	in.Consent = false
	s.mustType(t, in)
	if got := s.incomplete(t); len(got) != 1 || got[0].PhoneNumber != "+8801711000009" {
		t.Errorf("got %+v, want the other browser's alone", got)
	}
	list, err := s.Orders.ListIncomplete(t.Context(), access.Operator(), order.IncompleteFilter{Search: "০১৭১১-০০০০০৯"})
	if err != nil || len(list.Nodes) != 1 || list.Meta.TotalCount != 1 {
		t.Errorf("got %+v, %v, want it by its number", list, err)
	}
	list, err = s.Orders.ListIncomplete(t.Context(), access.Operator(), order.IncompleteFilter{Search: "%"})
	if err != nil || len(list.Nodes) != 0 {
		t.Errorf("got %+v, %v, want no name with a per cent sign", list, err)
	}
}

// A stranger who types numbers of others neither fills the list, nor changes another browser's
// entry. Concurrent requests of two tabs store one.
func TestSaveIncomplete_Limits(t *testing.T) {
	t.Parallel()
	s := newIncompleteShop(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { s.mustType(t, s.typing("own")) })
	}
	wg.Wait()
	own := s.incomplete(t)
	if len(own) != 1 {
		t.Fatalf("got %d of one browser, want 1", len(own))
	}
	for i := range 6 { // others with the number
		in := s.typing(fmt.Sprint("stranger", i))
		in.Name = new("Stranger")
		s.mustTypeFrom(t, fmt.Sprintf("203.0.%d.1", i), in)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM incomplete_orders WHERE phone = '+8801711000009'`); n != 3 {
		t.Errorf("got %d with one number, want 3", n)
	}
	for i := range 40 { // many numbers, of one address; a session that changes its number counts too
		in := s.typing(fmt.Sprint("flood", i%30))
		in.PhoneNumber = new(fmt.Sprintf("0181100%04d", i))
		s.mustTypeFrom(t, "203.0.113.9", in)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM incomplete_orders WHERE phone LIKE '+88018%'`); n != 20 {
		t.Errorf("got %d from one client, want 20", n)
	}
	found, err := s.Orders.FindIncomplete(t.Context(), access.Operator(), own[0].ID)
	if err != nil || found.Name != "" || found.Status != order.IncompleteOpen {
		t.Errorf("got %+v, %v, want the buyer's own unchanged", found, err)
	}
	s.clock.Advance(time.Hour + time.Second)
	in := s.typing("later")
	in.PhoneNumber = new("01911000000")
	s.mustTypeFrom(t, "203.0.113.9", in)
	if n := s.number(t, `SELECT COUNT(*) FROM incomplete_orders WHERE phone LIKE '+88019%'`); n != 1 {
		t.Errorf("got %d after an hour, want 1", n)
	}
}

// An order with the number closes it, in background work. A request that arrives after the order
// stores nothing. It is recovered if the buyer had left.
func TestCloseOrderedIncomplete(t *testing.T) {
	t.Parallel()
	s := newIncompleteShop(t)
	buy := func() *order.Placed {
		t.Helper()
		in := guestOrder(wants(s.mug, 1))
		in.Customer.PhoneNumber = new(typed)
		return s.mustPlace(t, access.Caller{}, in)
	}
	sweep := func() {
		t.Helper()
		if _, err := s.Orders.CloseOrderedIncomplete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	buy()
	s.clock.Advance(time.Hour) // an earlier order closes nothing
	s.mustType(t, s.typing("a"))
	sweep()
	if got := s.incomplete(t, order.IncompleteOpen); len(got) != 1 {
		t.Fatalf("got %+v, want it open", got)
	}
	s.clock.Advance(10 * time.Minute)
	first := buy()
	late := s.typing("a")
	late.Name = new("Late")
	s.mustType(t, late)
	sweep()
	s.mustType(t, late)
	got := s.incomplete(t)
	if len(got) != 1 || got[0].Status != order.IncompleteOrdered || got[0].Recovered || *got[0].OrderID != first.InvoiceUID {
		t.Fatalf("got %+v, want one that order %d has completed", got, first.OrderNumber)
	}
	s.wantFigures(t, order.IncompleteFigures{Started: 1, Completed: 1})

	s.clock.Advance(31 * time.Minute)
	s.mustType(t, s.typing("b"))
	s.clock.Advance(31 * time.Minute)
	s.wantFigures(t, order.IncompleteFigures{Started: 2, Completed: 1, Left: 1})
	summary, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil || *summary.Todo.Incomplete != 1 {
		t.Errorf("got %+v, %v, want one to call", summary.Todo, err)
	}
	if work, err := s.Orders.CountOrders(t.Context(), access.Operator()); err != nil || work.Incomplete != 1 {
		t.Errorf("got %+v, %v, want one to call", work, err)
	}
	buy()
	id := s.incomplete(t, order.IncompleteOpen)[0].ID // not swept yet
	_, err = s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), s.staffOrderFrom(id), false)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = s.Orders.CloseIncomplete(t.Context(), access.Operator(), id)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	sweep()
	sweep()
	if got := s.incomplete(t)[0]; got.Status != order.IncompleteOrdered || !got.Recovered {
		t.Errorf("got %+v, want it recovered", got)
	}
	s.wantFigures(t, order.IncompleteFigures{Started: 2, Completed: 1, Left: 1, Recovered: 1})
}

func (s *orderShop) staffOrderFrom(id string) order.StaffInput {
	in := guestOrder(wants(s.mug, 2))
	in.Customer.PhoneNumber = new(typed)
	return order.StaffInput{
		Items: []order.StaffItemInput{{VariantID: s.mug.Variants[0].ID, Quantity: 2}}, Customer: in.Customer, ShippingAddress: in.ShippingAddress,
		Source: status.SourcePhone, IncompleteOrderID: &id,
	}
}

// Staff place an order from an incomplete one, once, however many place it at the same time.
func TestPlaceOrderAsStaff_Incomplete(t *testing.T) {
	t.Parallel()
	s := newIncompleteShop(t)
	s.mustType(t, s.typing("a"))
	id := s.incomplete(t)[0].ID
	_, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), s.staffOrderFrom("none"), false)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	var placed sync.Map
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			got, err := s.Orders.PlaceOrderAsStaff(t.Context(), access.Operator(), s.staffOrderFrom(id), false)
			if err == nil {
				placed.Store(i, got.Order.OrderNumber)
			} else {
				shoptest.WantCode(t, err, fault.CodeStateConflict)
			}
		})
	}
	wg.Wait()
	if n := s.number(t, `SELECT COUNT(*) FROM orders`); n != 1 {
		t.Errorf("got %d orders, want 1", n)
	}
	if got := s.incomplete(t)[0]; got.Status != order.IncompleteOrdered || !got.Recovered || got.OrderNumber == nil {
		t.Errorf("got %+v, want it recovered", got)
	}
	s.wantFigures(t, order.IncompleteFigures{Started: 1, Left: 1, Recovered: 1})
	if _, err := s.Orders.CloseOrderedIncomplete(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantFigures(t, order.IncompleteFigures{Started: 1, Left: 1, Recovered: 1})
	s.checkBooks(t)
}

// Staff close and reopen an incomplete order, or block its number: then nothing more is stored, and
// the buyer cannot order.
func TestIncomplete_CloseBlockDelete(t *testing.T) {
	t.Parallel()
	s := newIncompleteShop(t)
	ctx, staff := t.Context(), access.Operator()
	s.mustType(t, s.typing("a"))
	id := s.incomplete(t)[0].ID
	for range 2 {
		if got, err := s.Orders.CloseIncomplete(ctx, staff, id); err != nil || got.Status != order.IncompleteDone || got.ClosedAt == nil {
			t.Fatalf("got %+v, %v, want it done", got, err)
		}
	}
	s.mustType(t, s.typing("a")) // the buyer continues to type
	if got := s.incomplete(t, order.IncompleteOpen); len(got) != 0 {
		t.Errorf("got %+v, want nothing that staff have just closed", got)
	}
	if got, err := s.Orders.ReopenIncomplete(ctx, staff, id); err != nil || got.Status != order.IncompleteOpen || got.ClosedAt != nil {
		t.Fatalf("got %+v, %v, want it open", got, err)
	}
	if _, err := s.Orders.CloseIncomplete(ctx, staff, id); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(25 * time.Hour)
	s.mustType(t, s.typing("a"))
	_, err := s.Orders.ReopenIncomplete(ctx, staff, id)
	shoptest.WantCode(t, err, fault.CodeStateConflict)

	s.mustType(t, s.typing("b"))
	newest := s.incomplete(t, order.IncompleteOpen)
	blocked, err := s.Orders.BlockIncomplete(ctx, staff, newest[0].ID)
	if err != nil || blocked.Status != order.IncompleteBlocked {
		t.Fatalf("got %+v, %v, want it blocked", blocked, err)
	}
	_, err = s.Orders.CloseIncomplete(ctx, staff, newest[0].ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	s.mustType(t, s.typing("c"))
	if got := s.incomplete(t, order.IncompleteOpen); len(got) != 0 {
		t.Errorf("got %+v, want none open with the blocked number", got)
	}
	in := guestOrder(wants(s.mug, 1))
	in.Customer.PhoneNumber = new(typed)
	_, err = s.Orders.PlaceOrder(ctx, access.Caller{}, in, "")
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if err := s.Orders.DeleteIncomplete(ctx, staff, id); err != nil {
		t.Fatal(err)
	}
	shoptest.WantCode(t, s.Orders.DeleteIncomplete(ctx, staff, id), fault.CodeNotFound)
	_, err = s.Orders.FindIncomplete(ctx, staff, id)
	shoptest.WantCode(t, err, fault.CodeNotFound)
	_, err = s.Orders.BlockIncomplete(ctx, staff, id)
	shoptest.WantCode(t, err, fault.CodeNotFound)
}

// Incomplete orders are deleted after 14 days, or with their buyer. The export has them. The
// counts remain.
func TestIncomplete_PurgeEraseExport(t *testing.T) {
	t.Parallel()
	s := newIncompleteShop(t)
	if next, err := s.Orders.PurgeIncomplete(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("got %v, %v, want nothing due", next, err)
	}
	s.mustType(t, s.typing("a"))
	start := s.clock.Now()
	s.clock.Advance(24 * time.Hour)
	in := s.typing("b")
	in.PhoneNumber = new("01811000000")
	s.mustType(t, in)
	s.clock.Advance(13 * 24 * time.Hour)
	next, err := s.Orders.PurgeIncomplete(t.Context())
	if want := start.Add(15 * 24 * time.Hour); err != nil || !next.Equal(want) {
		t.Errorf("got %v, %v, want the next due at %v", next, err, want)
	}
	if got := s.incomplete(t); len(got) != 1 || got[0].PhoneNumber != "+8801811000000" {
		t.Fatalf("got %+v, want the one of 13 days", got)
	}
	export, err := s.ExportCustomer(t.Context(), access.Operator(), "01811000000")
	if err != nil || len(export.IncompleteOrders) != 1 || export.IncompleteOrders[0].Items[0] != s.mug.Title+" × 2" {
		t.Errorf("got %+v, %v, want what was typed", export, err)
	}
	if _, err := s.DeleteCustomer(t.Context(), access.Operator(), "01811000000"); err != nil {
		t.Fatal(err)
	}
	if n := s.number(t, `SELECT COUNT(*) FROM incomplete_orders`); n != 0 {
		t.Errorf("got %d after erasing, want 0", n)
	}
	_, err = s.DeleteCustomer(t.Context(), access.Operator(), "01811000000")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	report, err := s.Orders.ReportIncomplete(t.Context(), access.Operator(), "", "")
	if err != nil || len(report.Days) != 30 || report.Total.Started != 2 || report.Total.Left != 2 {
		t.Errorf("got %+v, %v, want two of 30 days", report, err)
	}
	for _, days := range [][2]string{{"2026-03-02", "2026-03-01"}, {"2020-01-01", "2026-03-01"}, {"x", ""}} {
		_, err := s.Orders.ReportIncomplete(t.Context(), access.Operator(), days[0], days[1])
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
}
