package order_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// fakeCourier books every shipment that a test lets it book.
type fakeCourier struct {
	mu     sync.Mutex
	booked map[string]int   // bookings by our reference
	refuse map[string]bool  // refused when they are booked
	known  map[string]bool  // refused by rules that are known before
	before func(ref string) // called before a booking; may be nil
	lost   bool             // responses are lost
}

func (c *fakeCourier) Book(ctx context.Context, _ plugin.Access, r plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	if c.before != nil {
		c.before(r.Ref)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse[r.Ref] {
		return plugin.BookedShipment{}, fmt.Errorf("%w: address too short", plugin.ErrCourierRefused)
	}
	c.booked[r.Ref]++
	if c.lost {
		return plugin.BookedShipment{}, plugin.ErrCourierUnknown
	}
	return plugin.BookedShipment{ConsignmentID: "C-" + r.Ref}, ctx.Err()
}

func (c *fakeCourier) Find(_ context.Context, _ plugin.Access, r plugin.ShipmentRef) (plugin.BookedShipment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lost:
		return plugin.BookedShipment{}, plugin.ErrCourierUnknown
	case r.Ref != "" && c.booked[r.Ref] == 0:
		return plugin.BookedShipment{}, plugin.ErrCourierNotFound
	}
	return plugin.BookedShipment{ConsignmentID: "C-" + r.Ref}, nil
}

func (c *fakeCourier) Price(context.Context, plugin.Access, plugin.ShipmentRequest, plugin.CourierPlace) (plugin.CourierPrice, error) {
	return plugin.CourierPrice{}, plugin.ErrCourierUnsupported
}

func (c *fakeCourier) Refusals(r plugin.ShipmentRequest) []plugin.ShipmentProblem {
	if c.known[r.Ref] {
		return []plugin.ShipmentProblem{{Field: "shippingAddress", Message: "The address is too short."}}
	}
	return nil
}

// bulkShop is a shop with cash orders and a courier.
type bulkShop struct {
	*shoptest.Accounts
	courier *fakeCourier
	ids     []string
}

func newBulkShop(t *testing.T, orders int) *bulkShop {
	t.Helper()
	s := &bulkShop{Accounts: shoptest.NewAccounts(t), courier: &fakeCourier{booked: map[string]int{}, refuse: map[string]bool{}}}
	s.Config.Plugins = []plugin.Plugin{{
		Provider: plugin.CourierA, Courier: s.courier, Keys: []plugin.Key{{Name: "token", For: []plugin.Capability{plugin.CanBook}}},
	}}
	s.Accounts = s.Reopened()
	shoptest.ConfigurePlugin(t, s.Shop, plugin.CourierA, map[string]any{"token": "T"})
	s.insertOrders(t, orders)
	return s
}

// insertOrders adds cash orders, in one transaction.
func (s *bulkShop) insertOrders(t *testing.T, n int) {
	t.Helper()
	first := len(s.ids) + 1
	s.InsertOrder(t, fmt.Sprintf("%016d", first), shoptest.RahimsPhone)
	err := s.Store.Update(t.Context(), s.Config.ID, func(_ context.Context, tx *db.Tx) error {
		for i := first + 1; i < first+n; i++ {
			if err := tx.Do(`
				INSERT INTO orders (id, number, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
					customer_email, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
					subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at, work)
				SELECT ?, ?, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
					customer_email, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
					subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at, work
				FROM orders
				WHERE number = ?`, fmt.Sprintf("%016d", i), i, first); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := first; i < first+n; i++ {
		s.ids = append(s.ids, fmt.Sprintf("%016d", i))
	}
}

// change runs an action on orders and returns the finished job.
func (s *bulkShop) change(t *testing.T, caller access.Caller, in order.BulkChange) *job.Job {
	t.Helper()
	created, err := s.Orders.ChangeOrders(t.Context(), caller, in)
	if err != nil {
		t.Fatal(err)
	}
	if in.DryRun {
		return created
	}
	return s.wait(t, *created.ID)
}

// wait returns a job at its end.
func (s *bulkShop) wait(t *testing.T, id string) *job.Job {
	t.Helper()
	var j *job.Job
	dbtest.Eventually(t, "the job "+id+" has ended", func() bool {
		var err error
		if j, err = s.Jobs.Wait(t.Context(), access.Operator(), id, 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		return j.FinishedAt != nil
	})
	return j
}

func results(j *job.Job) (list []string) {
	for _, r := range j.Results {
		text := r.Label + " "
		switch {
		case r.OK == nil:
			text += "open"
		case *r.OK && r.Warning == nil:
			text += "ok"
		case *r.OK:
			text += "ok: " + *r.Warning
		default:
			text += string(*r.Code)
		}
		list = append(list, text)
	}
	return list
}

// Each item has its result and its entry in the audit log, by who has requested the job.
func TestChangeOrders_Confirm(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), s.ids[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.CancelOrderAsStaff(t.Context(), access.Operator(), s.ids[2], ""); err != nil {
		t.Fatal(err)
	}
	owner := s.Accounts.StaffCaller(t, staff.RoleOwner)
	owner.RequestID = "R1"
	in := order.BulkChange{Action: order.BulkConfirm, IDs: append(s.ids, s.ids[0], "0000000000000000"), DryRun: true}
	want := []string{"1 ok", "2 ok: The order is already confirmed.", "3 state_conflict", " not_found"}
	plan := s.change(t, owner, in)
	if got := results(plan); !slices.Equal(got, want) || plan.ID != nil || plan.Done != 2 || plan.Failed != 2 {
		t.Errorf("dry run: got %q, %+v, want %q", got, plan.Summary, want)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM jobs`); n != 0 {
		t.Errorf("dry run: got %d jobs, want none", n)
	}
	in.DryRun = false
	done := s.change(t, owner, in)
	if got := results(done); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if done.Status != job.StatusDone || done.Total != 4 || done.Done != 2 || done.Failed != 2 || done.By.Name != "A owner" {
		t.Errorf("got %+v, want 2 done and 2 failed", done.Summary)
	}
	audited := s.Number(t, `SELECT COUNT(*) FROM audit_log
		WHERE action = 'order.confirm' AND actor_name = 'A owner' AND via = 'dashboard' AND request_id = 'R1' AND subject_id = '0000000000000001'`)
	if audited != 1 {
		t.Errorf("got %d audit entries of the order, want 1", audited)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'job.create'`); n != 1 {
		t.Errorf("got %d audit entries of the job, want 1", n)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'job.finished' AND subject = '`+*done.ID+`'`); n != 1 {
		t.Errorf("got %d events of the job's end, want 1", n)
	}
}

func TestChangeOrders_Invalid(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 2)
	many := make([]string, 201)
	for i := range many {
		many[i] = fmt.Sprintf("%016d", i)
	}
	for name, in := range map[string]order.BulkChange{
		"no orders":        {Action: order.BulkConfirm},
		"both":             {Action: order.BulkConfirm, IDs: s.ids, Filter: &order.ListFilter{}},
		"too many":         {Action: order.BulkConfirm, IDs: many},
		"unknown action":   {Action: "burn", IDs: s.ids},
		"no courier":       {Action: order.BulkBook, IDs: s.ids},
		"nothing matches":  {Action: order.BulkConfirm, Filter: &order.ListFilter{City: "Nowhere"}},
		"filter not valid": {Action: order.BulkConfirm, Filter: &order.ListFilter{View: "none"}},
	} {
		_, err := s.Orders.ChangeOrders(t.Context(), access.Operator(), in)
		if got := shoptest.ErrorCode(err); got != fault.CodeValidationFailed {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	viewer := s.Accounts.StaffCaller(t, staff.RoleViewer)
	_, err := s.Orders.ChangeOrders(t.Context(), viewer, order.BulkChange{Action: order.BulkConfirm, IDs: s.ids, DryRun: true})
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if n := s.Number(t, `SELECT COUNT(*) FROM jobs`); n != 0 {
		t.Errorf("got %d jobs, want none", n)
	}
}

func TestChangeOrders_Filter(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	s.Exec(t, `UPDATE orders SET work = 1`)
	done := s.change(t, access.Operator(),
		order.BulkChange{Action: order.BulkConfirm, Filter: &order.ListFilter{View: order.ViewToConfirm, Sort: page.Ascending}})
	if got, want := results(done), []string{"1 ok", "2 ok", "3 ok"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// As in a list, calls are due by now.
	s.Exec(t, `UPDATE orders SET call_due_at = ? WHERE number = 2`, s.Clock.Now().UnixMilli())
	due := order.BulkChange{Action: order.BulkConfirm, Filter: &order.ListFilter{Calls: order.CallsDue}, DryRun: true}
	if plan := s.change(t, access.Operator(), due); plan.Total != 1 {
		t.Errorf("calls due: got %+v, want one order", plan.Summary)
	}
	const most = 2000
	s.insertOrders(t, most-3)
	all := order.BulkChange{Action: order.BulkConfirm, Filter: &order.ListFilter{}, DryRun: true}
	if plan := s.change(t, access.Operator(), all); plan.Total != most || len(plan.Results) != most {
		t.Errorf("got %+v, want all that a job can have", plan.Summary)
	}
	s.insertOrders(t, 1)
	_, err := s.Orders.ChangeOrders(t.Context(), access.Operator(), all)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}

// Tags and a note of many orders. What needs no change is a success with a warning, and the rules
// of one order hold for each.
func TestChangeOrders_TagsAndNotes(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	if _, err := s.Orders.TagOrder(t.Context(), access.Operator(), s.ids[1], order.TagChange{Add: []string{"EID"}}); err != nil {
		t.Fatal(err)
	}
	full := make([]string, 10)
	for i := range full {
		full[i] = fmt.Sprint("tag ", i)
	}
	if _, err := s.Orders.TagOrder(t.Context(), access.Operator(), s.ids[2], order.TagChange{Add: full}); err != nil {
		t.Fatal(err)
	}
	const unchanged = "ok: The order's tags are unchanged."
	for _, step := range []struct {
		action  order.BulkAction
		options order.BulkOptions
		want    []string
	}{
		{order.BulkTag, order.BulkOptions{Tags: []string{"Eid"}}, []string{"1 ok", "2 " + unchanged, "3 validation_failed"}},
		{order.BulkUntag, order.BulkOptions{Tags: []string{"eid", "gift"}}, []string{"1 ok", "2 ok", "3 " + unchanged}},
		{order.BulkNote, order.BulkOptions{Note: "Van at noon"}, []string{"1 ok", "2 ok", "3 ok"}},
	} {
		for _, dryRun := range []bool{true, false} {
			in := order.BulkChange{Action: step.action, IDs: s.ids, Options: step.options, DryRun: dryRun}
			if got := results(s.change(t, access.Operator(), in)); !slices.Equal(got, step.want) {
				t.Errorf("%s, dry run %v: got %q, want %q", step.action, dryRun, got, step.want)
			}
		}
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM order_tags`); n != 10 {
		t.Errorf("got %d tags, want the 10 of the last order", n)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM order_notes WHERE text = 'Van at noon'`); n != 3 {
		t.Errorf("got %d notes, want 3", n)
	}
	for action, options := range map[order.BulkAction]order.BulkOptions{
		order.BulkTag: {}, order.BulkUntag: {Tags: []string{"  "}}, order.BulkNote: {Note: " "},
	} {
		_, err := s.Orders.ChangeOrders(t.Context(), access.Operator(), order.BulkChange{Action: action, IDs: s.ids, Options: options})
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
}

// What the courier would refuse is known before anything is booked.
func TestChangeOrders_RefusedByCourier(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 2)
	s.courier.known = map[string]bool{s.ids[1]: true}
	mug, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100, WeightGrams: 400}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.InsertLines(t)
	s.Exec(t, "UPDATE order_items SET variant_id = ?, quantity = 2 WHERE order_number = 2", mug.Variants[0].ID)
	in := order.BulkChange{Action: order.BulkBook, IDs: s.ids, Options: order.BulkOptions{Provider: plugin.CourierA}, DryRun: true}
	plan := s.change(t, access.Operator(), in)
	if got, want := results(plan), []string{"1 ok", "2 state_conflict"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if first, second := plan.Results[0].WeightGrams, plan.Results[1].WeightGrams; first != nil || second == nil || *second != 800 {
		t.Errorf("got weights %v and %v, want none, which is unknown, and 800 g", first, second)
	}
	if first, second := plan.Results[0].Field, plan.Results[1].Field; first != nil || second == nil || *second != "shippingAddress" {
		t.Errorf("got fields %v and %v, want that of the refusal", first, second)
	}
	if len(s.courier.booked) != 0 {
		t.Errorf("got %d bookings, want none", len(s.courier.booked))
	}
}

// Results name the buyers, as long as the shop knows them.
func TestChangeOrders_BuyersNames(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 2)
	names := func(j *job.Job) (all []string) {
		for _, r := range j.Results {
			if r.Name == nil {
				all = append(all, "")
				continue
			}
			all = append(all, *r.Name)
		}
		return all
	}
	in := order.BulkChange{Action: order.BulkConfirm, IDs: append(s.ids, "0000000000000000"), DryRun: true}
	want := []string{"Rahim Uddin", "Rahim Uddin", ""}
	if got := names(s.change(t, access.Operator(), in)); !slices.Equal(got, want) {
		t.Errorf("dry run: got %q, want %q", got, want)
	}
	in.DryRun = false
	done := s.change(t, access.Operator(), in)
	if got := names(done); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// As an erased buyer leaves them.
	err := s.Store.Update(t.Context(), s.Config.ID, func(_ context.Context, tx *db.Tx) error {
		return tx.Do(`UPDATE orders SET customer_name = ''`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(s.wait(t, *done.ID)); !slices.Equal(got, []string{"", "", ""}) {
		t.Errorf("got %q of an erased buyer, want no names", got)
	}
}
