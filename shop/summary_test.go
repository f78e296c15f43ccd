package shop_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
)

func TestFindSummary(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	place := func() *shop.PlacedOrder { return s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1))) }
	lastWeek := place()
	s.clock.Advance(5 * 24 * time.Hour)
	waiting := place()
	s.clock.Advance(2*24*time.Hour + time.Minute)
	today, cancelled := place(), place()
	if _, err := s.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ConfirmOrder(t.Context(), access.Operator(), today.ID); err != nil {
		t.Fatal(err)
	}
	got, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	sales := today.Subtotal
	want := &shop.TodaySales{Orders: 1, Sales: sales, LastWeek: sales, VsLastWeek: new(int64(0))}
	if diff := cmp.Diff(want, got.Today); diff != "" {
		t.Errorf("today (-want +got):\n%s", diff)
	}
	days := map[string]int{}
	for _, day := range got.Last14 {
		days[day.Day] = day.Orders
	}
	zone, err := s.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []*shop.PlacedOrder{lastWeek, waiting, today} {
		if day := order.PlacedAt.In(zone).Format(time.DateOnly); days[day] != 1 || len(days) != 14 {
			t.Errorf("%s: got %v, want one order on that day of 14", day, days)
		}
	}
	todo := got.Todo
	for name, tc := range map[string]struct {
		got  *int
		want int
	}{
		"to confirm": {todo.ToConfirm, 2}, "to pack": {todo.ToPack, 1}, "late": {todo.Late, 2}, "to hand over": {todo.ToHandOver, 0},
		"calls due": {todo.CallsDue, 0}, "review": {todo.Review, 0}, "problems": {todo.Problems, 0}, "unmatched": {todo.WebhooksUnmatched, 0},
	} {
		if tc.got == nil || *tc.got != tc.want {
			t.Errorf("%s: got %v, want %d", name, tc.got, tc.want)
		}
	}
}

func TestFindSummary_Stock(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	before, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	five := 5
	s.sell(t, catalogue.ProductInput{Title: "Few", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(2), LowStock: &five}}})
	s.sell(t, catalogue.ProductInput{Title: "None", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(0), LowStock: &five}}})
	got, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	low, out := *got.Todo.LowStock-*before.Todo.LowStock, *got.Todo.OutOfStock-*before.Todo.OutOfStock
	if low != 1 || out != 1 {
		t.Errorf("got %d low and %d sold out more, want 1 each", low, out)
	}
}

func TestSearchShop(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	byPhone, err := s.SearchShop(t.Context(), access.Operator(), order.Customer.PhoneNumber)
	if err != nil {
		t.Fatal(err)
	}
	if len(byPhone.Orders) != 1 || byPhone.Orders[0].ID != order.ID || byPhone.Contact == nil || byPhone.Contact.Record.Orders != 1 {
		t.Errorf("by phone: got %+v, want the order and the contact", byPhone)
	}
	byTitle, err := s.SearchShop(t.Context(), access.Operator(), s.card.Title)
	if err != nil {
		t.Fatal(err)
	}
	if len(byTitle.Products) == 0 || byTitle.Products[0].ID != s.card.ID || len(byTitle.Orders) != 1 {
		t.Errorf("by title: got %+v, want the product and its order", byTitle)
	}
	for _, text := range []string{"", "  ", "?", "nobody at all"} {
		none, err := s.SearchShop(t.Context(), access.Operator(), text)
		if err != nil || len(none.Orders)+len(none.Products)+len(none.Customers) != 0 || none.Contact != nil {
			t.Errorf("%q: got %+v (%v), want nothing", text, none, err)
		}
	}
}

// Every finding has words and a remedy, and names its orders.
func TestBacklogFindings(t *testing.T) {
	t.Parallel()
	none := shop.Backlog{}
	if got := none.Findings(); got == nil || len(got) != 0 {
		t.Errorf("no backlog: got %v, want an empty list", got)
	}
	b := shop.Backlog{
		NeedReview: 1, RefundDue: 2, UnclearRefunds: 3, FailedStarts: 4, FailedStart: "gateway_a: refused.", Overdue: 5, Unmatched: 6, Failed: 7,
		Stored: 8, Flags: 9, Unanswered: []string{"A"}, Stray: []string{"B", "C"},
	}
	seen := map[shop.HealthCode]int{}
	for _, f := range b.Findings() {
		seen[f.Code] = f.Count
		if f.Message == "" || f.Remedy == "" || f.Orders == nil {
			t.Errorf("%s: got %+v, want a message and a remedy", f.Code, f)
		}
		if f.Code == shop.HealthStray && len(f.Orders) != 2 {
			t.Errorf("got %+v, want the stray orders", f)
		}
	}
	if len(seen) != 11 || seen[shop.HealthNeedReview] != 1 || seen[shop.HealthStored] != 8 || seen[shop.HealthStray] != 2 {
		t.Errorf("got %v, want every part of the backlog", seen)
	}
}
