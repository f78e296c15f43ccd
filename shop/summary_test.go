package shop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

func TestFindSummary(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	place := func() *order.Placed {
		return s.Place(t, access.Caller{}, shoptest.RahimasOrder(shoptest.Wants(s.Card, 1)))
	}
	lastWeek := place()
	s.Clock.Advance(5 * 24 * time.Hour)
	waiting := place()
	s.Clock.Advance(2*24*time.Hour + time.Minute)
	today, cancelled := place(), place()
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), cancelled.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), today.ID); err != nil {
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
	for _, order := range []*order.Placed{lastWeek, waiting, today} {
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
		"calls due": {todo.CallsDue, 0}, "review": {todo.Review, 0},
		"returned today": {todo.ReturnedToday, 0}, "problems": {todo.Problems, 0}, "unmatched": {todo.WebhooksUnmatched, 0},
	} {
		if tc.got == nil || *tc.got != tc.want {
			t.Errorf("%s: got %v, want %d", name, tc.got, tc.want)
		}
	}
}

// The summary has what the couriers hold, as the COD report has it, for those who may view it.
func TestFindSummary_Cash(t *testing.T) {
	t.Parallel()
	s, statement := shoptest.NewDelivered(t, 20) // delivered in 1970; two are paid out
	s.Exec(t, `UPDATE shipments SET moved_at = ?`, s.Clock.Now().Add(-3*24*time.Hour-time.Minute).UnixMilli())
	held := func(caller access.Caller) []cash.HeldBy {
		t.Helper()
		summary, err := s.FindSummary(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		return summary.Cash
	}
	report, err := s.Cash.ReportCash(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	a := report.Couriers[0]
	want := []cash.HeldBy{{Courier: plugin.CourierA, Held: a.Held, Payable: a.Payable, OldestDays: new(3)}}
	if diff := cmp.Diff(want, held(access.Operator())); diff != "" || a.Held.Amount != 18*520_00 || a.Payable.Amount != 18*460_00 {
		t.Errorf("got %+v (-want +got):\n%s", a, diff)
	}
	key, _, err := s.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel", Scopes: []staff.Scope{"orders.read"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := held(access.Caller{Bearer: key}); len(got) > 0 {
		t.Errorf("without cash.read: got %+v, want none", got)
	}
	if _, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
		File: strings.NewReader(statement),
	}); err != nil {
		t.Fatal(err)
	}
	if got := held(access.Operator()); len(got) > 0 {
		t.Errorf("all paid out: got %+v, want none", got)
	}
}

// The first summary after an upgrade counts the days that it shows and no others, and leaves the
// cash of many shipments to the background.
func TestFindSummary_Uncounted(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	s.Fill(t, 1000)
	spread := func(apart time.Duration) {
		s.Exec(t, `UPDATE orders SET placed_at = ? - (2000 - number) * ?`, s.Clock.Now().UnixMilli(), apart.Milliseconds())
	}
	find := func() (summary *shop.ShopSummary, statements uint64) {
		t.Helper()
		before := s.Store.Stats()
		summary, err := s.FindSummary(t.Context(), access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		after := s.Store.Stats()
		if after.Updates != before.Updates {
			t.Errorf("got %d updates, want a summary that counts nothing for others", after.Updates-before.Updates)
		}
		return summary, after.Statements - before.Statements
	}
	zone, err := s.TimeZone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check := func(summary *shop.ShopSummary) {
		t.Helper()
		for _, day := range summary.Last14 {
			from, err := time.ParseInLocation(time.DateOnly, day.Day, zone)
			if err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprintf(`FROM orders WHERE test = 0 AND status <> 'cancelled' AND placed_at >= %d AND placed_at < %d`,
				from.UnixMilli(), from.AddDate(0, 0, 1).UnixMilli())
			orders, sales := s.Number(t, `SELECT COUNT(*) `+where), s.Number(t, `SELECT COALESCE(SUM(subtotal), 0) `+where+` AND status <> 'returned'`)
			if orders == 0 || int64(day.Orders) != orders || day.Sales.Amount != sales {
				t.Errorf("%s: got %d orders and sales %d, want %d and %d", day.Day, day.Orders, day.Sales.Amount, orders, sales)
			}
		}
	}
	spread(time.Hour) // 42 days
	find()            // opens the shop
	_, few := find()
	spread(12 * time.Hour) // 500 days
	summary, many := find()
	if check(summary); summary.Cash != nil || many != few {
		t.Errorf("got cash %v and %d statements, want none yet and %d, whatever the days before", summary.Cash, many, few)
	}
	s.CountDays(t)
	if next, err := s.Cash.CountCash(t.Context()); err != nil || !next.IsZero() {
		t.Fatalf("got next %v, %v", next, err)
	}
	summary, _ = find()
	if check(summary); summary.Cash == nil {
		t.Error("counted: got no cash, want a list")
	}
	id := s.Number(t, `SELECT MAX(number) FROM orders WHERE status = 'confirmed'`)
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), fmt.Sprintf("%016d", id-1000), "test"); err != nil {
		t.Fatal(err)
	}
	summary, _ = find()
	check(summary)
}

func TestFindSummary_Stock(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	before, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	five := 5
	s.Sell(t, catalogue.ProductInput{Title: "Few", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(2), LowStock: &five}}})
	s.Sell(t, catalogue.ProductInput{Title: "None", Variants: []catalogue.VariantInput{{Price: 100, Tracked: true, Stock: new(0), LowStock: &five}}})
	got, err := s.FindSummary(t.Context(), access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	low, out := *got.Todo.LowStock-*before.Todo.LowStock, *got.Todo.OutOfStock-*before.Todo.OutOfStock
	if low != 1 || out != 1 {
		t.Errorf("got %d low and %d sold out more, want 1 each", low, out)
	}
}

// Each step of the set-up is done by what it is about, and the list ends with the last of them.
func TestFindSummary_Setup(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.Config.Plugins = []plugin.Plugin{
		{Provider: plugin.CourierA, Courier: anyCourier{}, Keys: []plugin.Key{{Name: "token", PerMode: true, For: []plugin.Capability{plugin.CanBook}}}},
		{Provider: plugin.GatewayB, Gateway: struct{ plugin.Gateway }{}, Keys: []plugin.Key{{Name: "key", For: []plugin.Capability{plugin.CanPay}}}},
	}
	a = a.Reopened()
	open := func(caller access.Caller) (steps []shop.SetupStep) {
		t.Helper()
		summary, err := a.FindSummary(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range summary.Setup {
			if !task.Done {
				steps = append(steps, task.Step)
			}
		}
		return steps
	}
	set := func(name string, value any) func() {
		return func() { a.Set(t, map[string]any{name: value}) }
	}
	product := catalogue.ProductInput{Title: "Tea", Handle: "tea", Variants: []catalogue.VariantInput{{Price: 100}}}
	save := func(images ...catalogue.ImageInput) func() {
		return func() {
			product.Images, product.Handle = images, product.Handle+"-next"
			if _, err := a.Catalogue.CreateProduct(t.Context(), access.Operator(), product); err != nil {
				t.Fatal(err)
			}
		}
	}
	owner := a.StaffCaller(t, staff.RoleOwner)
	set("deliveryCharges", nil)()
	want := []shop.SetupStep{
		shop.SetupLogo, shop.SetupProduct, shop.SetupDesign, shop.SetupDeliveryCharge, shop.SetupCourier, shop.SetupPayment, shop.SetupSMS,
		shop.SetupSecondFactor, shop.SetupDomain, shop.SetupTestOrder,
	}
	if diff := cmp.Diff(want, open(owner)); diff != "" {
		t.Errorf("new shop (-want +got):\n%s", diff)
	}
	set("setupHidden", true)()
	if got := open(owner); got != nil {
		t.Errorf("hidden: got %v", got)
	}
	set("setupHidden", false)()
	for _, tc := range []struct {
		name  string
		do    func()
		done  shop.SetupStep
		after int
	}{
		{"logo", set("logoUrl", "https://img.example/logo.png"), shop.SetupLogo, 9},
		{"a product without an image", save(), "", 9},
		{"an image", save(catalogue.ImageInput{URL: "https://img.example/tea.jpg"}), shop.SetupProduct, 8},
		{"design", func() {
			if _, err := a.Designs.SaveDesign(t.Context(), access.Operator(), design.Document{Design: design.Haat}, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Designs.PublishDesign(t.Context(), access.Operator(), nil); err != nil {
				t.Fatal(err)
			}
		}, shop.SetupDesign, 7},
		{"delivery charge", set("deliveryCharges", []map[string]any{{"name": "Dhaka", "charge": 7000}}), shop.SetupDeliveryCharge, 6},
		{"courier for another mode", func() {
			shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierA, map[string]any{"sandbox_token": "T"})
		}, "", 6},
		{"courier", func() { shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierA, map[string]any{"token": "T"}) }, shop.SetupCourier, 5},
		{"gateway", func() { shoptest.ConfigurePlugin(t, a.Shop, plugin.GatewayB, map[string]any{"key": "K"}) }, shop.SetupPayment, 4},
		{"SMS", func() {
			if err := a.Sender.ConfigureSMS(t.Context(), access.Operator(), []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}, "", 4},
		{"an accepted SMS", func() {
			if _, err := a.Sender.SendTestSMS(t.Context(), access.Operator(), "01711-000000"); err != nil {
				t.Fatal(err)
			}
		}, shop.SetupSMS, 3},
		{"second factor", func() { a.Exec(t, `UPDATE staff SET totp_step = 1`) }, shop.SetupSecondFactor, 2},
		{"domain", set("domains", []string{"shop.example"}), shop.SetupDomain, 1},
	} {
		tc.do()
		got := open(owner)
		if slices.Contains(got, tc.done) || len(got) != tc.after {
			t.Errorf("%s: got open steps %v, want %d", tc.name, got, tc.after)
		}
	}
	for _, role := range []staff.Role{staff.RoleStaff, staff.RoleViewer} {
		if got := open(a.StaffCaller(t, role)); got != nil {
			t.Errorf("%s: got %v, want no steps without settings.write", role, got)
		}
	}
	a.InsertOrder(t, "ORDER00000000001", "+8801711000000")
	if got := open(owner); got != nil {
		t.Errorf("all done: got %v", got)
	}
}

func TestSearchShop(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	order := s.Place(t, access.Caller{}, shoptest.RahimasOrder(shoptest.Wants(s.Card, 1)))
	byPhone, err := s.SearchShop(t.Context(), access.Operator(), order.Customer.PhoneNumber)
	if err != nil {
		t.Fatal(err)
	}
	if len(byPhone.Orders) != 1 || byPhone.Orders[0].ID != order.ID || byPhone.Contact == nil || byPhone.Contact.Record.Orders != 1 {
		t.Errorf("by phone: got %+v, want the order and the contact", byPhone)
	}
	byTitle, err := s.SearchShop(t.Context(), access.Operator(), s.Card.Title)
	if err != nil {
		t.Fatal(err)
	}
	if len(byTitle.Products) == 0 || byTitle.Products[0].ID != s.Card.ID || len(byTitle.Orders) != 1 {
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
		Stored: 8, Flags: 9, DisabledEndpoints: 10, Unanswered: []string{"A"}, Stray: []string{"B", "C"},
	}
	seen := map[shop.HealthCode]int{}
	for _, f := range b.Findings() {
		seen[f.Code] = f.Count
		failing := f.Code == shop.HealthOverdue // as the command doctor has it
		if f.Message == "" || f.Remedy == "" || f.Orders == nil || f.Link == nil || (f.State == shop.HealthFailing) != failing {
			t.Errorf("%s: got %+v, want a message, a remedy, a link and its state", f.Code, f)
		}
		if f.Code == shop.HealthStray && len(f.Orders) != 2 {
			t.Errorf("got %+v, want the stray orders", f)
		}
	}
	if len(seen) != 12 || seen[shop.HealthNeedReview] != 1 || seen[shop.HealthStored] != 8 || seen[shop.HealthStray] != 2 {
		t.Errorf("got %v, want every part of the backlog", seen)
	}
}

// anyCourier is a courier that is never called.
type anyCourier struct{ plugin.Courier }
