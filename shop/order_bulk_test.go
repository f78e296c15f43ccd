package shop_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
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

func (c *fakeCourier) Book(ctx context.Context, _ shop.PluginAccess, r shop.ShipmentRequest) (shop.BookedShipment, error) {
	if c.before != nil {
		c.before(r.Ref)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse[r.Ref] {
		return shop.BookedShipment{}, fmt.Errorf("%w: address too short", shop.ErrCourierRefused)
	}
	c.booked[r.Ref]++
	if c.lost {
		return shop.BookedShipment{}, shop.ErrCourierUnknown
	}
	return shop.BookedShipment{ConsignmentID: "C-" + r.Ref}, ctx.Err()
}

func (c *fakeCourier) Find(_ context.Context, _ shop.PluginAccess, r shop.ShipmentRef) (shop.BookedShipment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lost:
		return shop.BookedShipment{}, shop.ErrCourierUnknown
	case r.Ref != "" && c.booked[r.Ref] == 0:
		return shop.BookedShipment{}, shop.ErrCourierNotFound
	}
	return shop.BookedShipment{ConsignmentID: "C-" + r.Ref}, nil
}

func (c *fakeCourier) Price(context.Context, shop.PluginAccess, shop.ShipmentRequest, shop.CourierPlace) (shop.CourierPrice, error) {
	return shop.CourierPrice{}, shop.ErrCourierUnsupported
}

func (c *fakeCourier) Refusals(r shop.ShipmentRequest) []shop.ShipmentProblem {
	if c.known[r.Ref] {
		return []shop.ShipmentProblem{{Field: "shippingAddress", Message: "The address is too short."}}
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
	s.Config.Plugins = []shop.Plugin{{
		Provider: shop.CourierA, Courier: s.courier, Keys: []shop.PluginKey{{Name: "token", For: []shop.Capability{shop.CanBook}}},
	}}
	s.Accounts = s.Reopened()
	shoptest.ConfigurePlugin(t, s.Shop, shop.CourierA, map[string]any{"token": "T"})
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
func (s *bulkShop) change(t *testing.T, caller access.Caller, in shop.OrdersChange) *job.Job {
	t.Helper()
	created, err := s.ChangeOrders(t.Context(), caller, in)
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
	if _, err := s.ConfirmOrder(t.Context(), access.Operator(), s.ids[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CancelOrderAsStaff(t.Context(), access.Operator(), s.ids[2], ""); err != nil {
		t.Fatal(err)
	}
	owner := signIn(t, s.Accounts, staff.RoleOwner)
	in := shop.OrdersChange{Action: shop.OrdersConfirm, IDs: append(s.ids, s.ids[0], "0000000000000000"), DryRun: true}
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
	for name, in := range map[string]shop.OrdersChange{
		"no orders":        {Action: shop.OrdersConfirm},
		"both":             {Action: shop.OrdersConfirm, IDs: s.ids, Filter: &shop.OrderListFilter{}},
		"too many":         {Action: shop.OrdersConfirm, IDs: many},
		"unknown action":   {Action: "burn", IDs: s.ids},
		"no courier":       {Action: shop.OrdersBook, IDs: s.ids},
		"nothing matches":  {Action: shop.OrdersConfirm, Filter: &shop.OrderListFilter{City: "Nowhere"}},
		"filter not valid": {Action: shop.OrdersConfirm, Filter: &shop.OrderListFilter{View: "none"}},
	} {
		_, err := s.ChangeOrders(t.Context(), access.Operator(), in)
		if got := shoptest.ErrorCode(err); got != fault.CodeValidationFailed {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	viewer := signIn(t, s.Accounts, staff.RoleViewer)
	_, err := s.ChangeOrders(t.Context(), viewer, shop.OrdersChange{Action: shop.OrdersConfirm, IDs: s.ids, DryRun: true})
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
		shop.OrdersChange{Action: shop.OrdersConfirm, Filter: &shop.OrderListFilter{View: shop.ViewToConfirm, Ascending: true}})
	if got, want := results(done), []string{"1 ok", "2 ok", "3 ok"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// As in a list, calls are due by now.
	s.Exec(t, `UPDATE orders SET call_due_at = ? WHERE number = 2`, s.Clock.Now().UnixMilli())
	due := shop.OrdersChange{Action: shop.OrdersConfirm, Filter: &shop.OrderListFilter{Calls: shop.CallsDue}, DryRun: true}
	if plan := s.change(t, access.Operator(), due); plan.Total != 1 {
		t.Errorf("calls due: got %+v, want one order", plan.Summary)
	}
	s.insertOrders(t, job.MaxItems-3)
	all := shop.OrdersChange{Action: shop.OrdersConfirm, Filter: &shop.OrderListFilter{}, DryRun: true}
	if plan := s.change(t, access.Operator(), all); plan.Total != job.MaxItems || len(plan.Results) != job.MaxItems {
		t.Errorf("got %+v, want all that a job can have", plan.Summary)
	}
	s.insertOrders(t, 1)
	_, err := s.ChangeOrders(t.Context(), access.Operator(), all)
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
}

// Who may not do this any more does not, even in a job that was permitted when it was requested.
func TestJob_PermissionLowered(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"role":       `UPDATE staff SET role = 'viewer'`,
		"turned off": `UPDATE staff SET status = 'off'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBulkShop(t, 8)
			owner := signIn(t, s.Accounts, staff.RoleOwner)
			var once sync.Once
			s.courier.before = func(string) { once.Do(func() { s.Exec(t, change) }) }
			done := s.change(t, owner, shop.OrdersChange{Action: shop.OrdersBook, IDs: s.ids, Options: shop.OrderOptions{Provider: shop.CourierA}})
			// The four that are in progress end: the courier has their shipments.
			if done.Done > 4 || done.Done == 0 || done.Done+done.Failed != 8 || int(done.Done) != len(s.courier.booked) {
				t.Errorf("got %+v and %d bookings, want those in progress alone", done.Summary, len(s.courier.booked))
			}
			for _, r := range done.Results {
				if !*r.OK && *r.Code != fault.CodeForbidden {
					t.Errorf("%s: got %s, want forbidden", r.Label, *r.Code)
				}
			}
		})
	}
}

// A revoked key is refused too. The end of a session is not: who requested the job still may.
func TestJob_Requester(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 4)
	s.Config.Jobs = stopped(t)
	paused := &bulkShop{Accounts: s.Accounts.Reopened(), courier: s.courier, ids: s.ids}
	owner, key := signIn(t, s.Accounts, staff.RoleOwner), apiKey(t, s.Accounts)
	var ids []string
	for i, caller := range []access.Caller{owner, key} {
		created, err := paused.ChangeOrders(t.Context(), caller, shop.OrdersChange{Action: shop.OrdersConfirm, IDs: s.ids[i*2 : i*2+2]})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, *created.ID)
	}
	s.Exec(t, `DELETE FROM staff_sessions`)
	s.Exec(t, `DELETE FROM admin_tokens`)
	if _, err := s.Jobs.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := results(s.wait(t, ids[0])), []string{"1 ok", "2 ok"}; !slices.Equal(got, want) {
		t.Errorf("session ended: got %q, want %q", got, want)
	}
	if got, want := results(s.wait(t, ids[1])), []string{"3 forbidden", "4 forbidden"}; !slices.Equal(got, want) {
		t.Errorf("key revoked: got %q, want %q", got, want)
	}
}

// stopped returns a runner that runs nothing, as that of a process that has just ended.
func stopped(t *testing.T) *job.Runner {
	t.Helper()
	r := job.NewRunner()
	r.Close(t.Context())
	return r
}

// Two processes never work on the same item: every order is booked once, by four runners at once.
func TestJob_ManyRunners(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 40)
	s.Config.Jobs = job.NewRunner()
	processes := []*shoptest.Accounts{s.Accounts, s.Reopened()}
	for range 2 {
		s.Config.Jobs = job.NewRunner()
		processes = append(processes, s.Reopened())
	}
	owner := signIn(t, s.Accounts, staff.RoleOwner)
	created, err := s.ChangeOrders(t.Context(), owner,
		shop.OrdersChange{Action: shop.OrdersBook, IDs: s.ids, Options: shop.OrderOptions{Provider: shop.CourierA}})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for _, p := range processes {
		running.Go(func() {
			for range 20 {
				if _, err := p.Jobs.Continue(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := s.wait(t, *created.ID)
	running.Wait()
	if done.Done != 40 || len(s.courier.booked) != 40 {
		t.Errorf("got %+v and %d bookings, want 40", done.Summary, len(s.courier.booked))
	}
	for ref, n := range s.courier.booked {
		if n != 1 {
			t.Errorf("%s: got %d bookings, want 1", ref, n)
		}
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'shipment.book'`); n != 40 {
		t.Errorf("got %d audit entries, want 40", n)
	}
}

// A process that ends between the courier's booking and its record leaves the item in progress. The
// next one finds the shipment and books nothing twice.
func TestJob_CrashDuringBooking(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	paused := s.paused(t)
	created, err := paused.ChangeOrders(t.Context(), access.CommandLine("rina"),
		shop.OrdersChange{Action: shop.OrdersBook, IDs: s.ids, Options: shop.OrderOptions{Provider: shop.CourierA}})
	if err != nil {
		t.Fatal(err)
	}
	// As a process leaves them that has the lease, has booked the first order without recording the
	// response, has recorded the second without the item, and was about to book the third.
	s.courier.lost = true
	_, err = s.BookShipment(t.Context(), access.Operator(), s.ids[0], shop.BookingInput{Provider: shop.CourierA})
	shoptest.WantCode(t, err, fault.CodeUnavailable)
	s.courier.lost = false
	s.Exec(t, `UPDATE jobs SET status = 'running', lease = 'dead', lease_until = `+fmt.Sprint(s.Clock.Now().Add(10*time.Second).UnixMilli()))
	s.Exec(t, `UPDATE job_items SET status = 'running', started_at = `+fmt.Sprint(s.Clock.Now().UnixMilli()))
	if _, err := s.BookShipment(t.Context(), access.Operator(), s.ids[1], shop.BookingInput{Provider: shop.CourierA}); err != nil {
		t.Fatal(err)
	}
	next, err := s.Jobs.Continue(t.Context())
	if err != nil || next.IsZero() {
		t.Fatalf("got %v, %v, want the end of the lease", next, err)
	}
	s.Clock.Advance(11 * time.Second)
	if _, err := s.Jobs.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "the first order alone waits, as after a booking without a response", func() bool {
		return s.Number(t, `SELECT done FROM jobs`) == 2
	})
	s.Clock.Advance(time.Minute)
	done := s.wait(t, *created.ID)
	if got, want := results(done), []string{"1 ok", "2 ok", "3 ok"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for ref, n := range s.courier.booked {
		if n != 1 {
			t.Errorf("%s: got %d bookings, want 1", ref, n)
		}
	}
	if len(s.courier.booked) != 3 {
		t.Errorf("got %d bookings, want 3", len(s.courier.booked))
	}
}

// paused returns the same shop in a process that runs no jobs.
func (s *bulkShop) paused(t *testing.T) *shoptest.Accounts {
	t.Helper()
	runner := s.Config.Jobs
	s.Config.Jobs = stopped(t)
	defer func() { s.Config.Jobs = runner }()
	return s.Reopened()
}

// Cancelling leaves what has not begun; a retry is a new job of what failed.
func TestJob_CancelAndRetry(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 12)
	s.courier.refuse[s.ids[0]+"-1"], s.courier.refuse[s.ids[0]] = true, true
	release, begun := make(chan struct{}), make(chan struct{}, 12)
	s.courier.before = func(string) { begun <- struct{}{}; <-release }
	created, err := s.ChangeOrders(t.Context(), access.Operator(),
		shop.OrdersChange{Action: shop.OrdersBook, IDs: s.ids, Options: shop.OrderOptions{Provider: shop.CourierA}})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		<-begun
	}
	_, err = s.Jobs.RetryJob(t.Context(), access.Operator(), *created.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	viewer := signIn(t, s.Accounts, staff.RoleViewer)
	if _, err := s.Jobs.FindJob(t.Context(), viewer, *created.ID); err != nil {
		t.Errorf("find as viewer: got %v", err)
	}
	_, err = s.Jobs.CancelJob(t.Context(), viewer, *created.ID)
	shoptest.WantCode(t, err, fault.CodeForbidden)
	cancelled, err := s.Jobs.CancelJob(t.Context(), access.Operator(), *created.ID)
	if err != nil || cancelled.Status != job.StatusCancelled || cancelled.FinishedAt != nil {
		t.Fatalf("got %+v, %v, want a cancelled job whose items in progress end", cancelled, err)
	}
	close(release)
	ended := s.wait(t, *created.ID)
	if ended.Status != job.StatusCancelled || ended.Done+ended.Failed != 4 || len(s.courier.booked) != ended.Done {
		t.Errorf("got %+v and %d bookings, want results of the 4 items in progress", ended.Summary, len(s.courier.booked))
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'job.finished'`); n != 1 {
		t.Errorf("got %d events, want 1", n)
	}
	if ended.Failed != 1 {
		t.Fatalf("got %q, want the refused one failed", results(ended))
	}
	clear(s.courier.refuse)
	again, err := s.Jobs.RetryJob(t.Context(), access.Operator(), *created.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := results(s.wait(t, *again.ID)), []string{"1 ok"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err = s.Jobs.RetryJob(t.Context(), access.Operator(), *again.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = s.Jobs.CancelJob(t.Context(), access.Operator(), *again.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
}

func TestJob_Limit(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 1)
	paused := s.paused(t)
	var last error
	for range 21 {
		_, last = paused.ChangeOrders(t.Context(), access.Operator(), shop.OrdersChange{Action: shop.OrdersConfirm, IDs: s.ids})
	}
	shoptest.WantCode(t, last, fault.CodeJobLimit)
	if n := s.Number(t, `SELECT COUNT(*) FROM jobs`); n != 20 {
		t.Errorf("got %d jobs, want 20", n)
	}
}

// Two jobs of a shop and eight of a process run at once; the others wait for their turn.
func TestJob_RunningAtOnce(t *testing.T) {
	t.Parallel()
	const shops, jobs, perShop, perProcess = 5, 3, 2, 8
	runner := job.NewRunner()
	var mu sync.Mutex
	running, most := make([]int, shops), make([]int, shops)
	all, mostOfAll := 0, 0
	full := make(chan struct{}) // closed when a process has all that it may run
	begin := func(i int) {
		mu.Lock()
		running[i]++
		all++
		most[i], mostOfAll = max(most[i], running[i]), max(mostOfAll, all)
		if all == perProcess {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		<-full
		time.Sleep(50 * time.Millisecond) // more would begin now
		mu.Lock()
		running[i]--
		all--
		mu.Unlock()
	}
	wait := []func(){}
	for i := range shops {
		s := newBulkShop(t, jobs)
		s.courier.before = func(string) { begin(i) }
		s.Config.Jobs = runner
		s.Accounts = s.Reopened()
		for _, id := range s.ids {
			created, err := s.ChangeOrders(t.Context(), access.Operator(),
				shop.OrdersChange{Action: shop.OrdersBook, IDs: []string{id}, Options: shop.OrderOptions{Provider: shop.CourierA}})
			if err != nil {
				t.Fatal(err)
			}
			wait = append(wait, func() {
				if done := s.wait(t, *created.ID); done.Done != 1 {
					t.Errorf("got %+v, want a booking", done.Summary)
				}
			})
		}
	}
	for _, w := range wait {
		w()
	}
	if mostOfAll != perProcess || slices.Max(most) != perShop {
		t.Errorf("got %d jobs at once, %v by shop, want %d and at most %d", mostOfAll, most, perProcess, perShop)
	}
}

func TestJob_Purge(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 1)
	s.change(t, access.Operator(), shop.OrdersChange{Action: shop.OrdersConfirm, IDs: s.ids})
	next, err := s.Jobs.Purge(t.Context())
	if want := s.Clock.Now().Add(29 * 24 * time.Hour); err != nil || next.Before(want) {
		t.Errorf("got %v, %v, want 30 days", next, err)
	}
	s.Clock.Advance(31 * 24 * time.Hour)
	if next, err := s.Jobs.Purge(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("got %v, %v, want no further job", next, err)
	}
	if n := s.Number(t, `SELECT COUNT(*) FROM job_items`); n != 0 {
		t.Errorf("got %d items, want none", n)
	}
}

// Tags and a note of many orders. What needs no change is a success with a warning, and the rules
// of one order hold for each.
func TestChangeOrders_TagsAndNotes(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 3)
	if _, err := s.TagOrder(t.Context(), access.Operator(), s.ids[1], shop.TagChange{Add: []string{"EID"}}); err != nil {
		t.Fatal(err)
	}
	full := make([]string, 10)
	for i := range full {
		full[i] = fmt.Sprint("tag ", i)
	}
	if _, err := s.TagOrder(t.Context(), access.Operator(), s.ids[2], shop.TagChange{Add: full}); err != nil {
		t.Fatal(err)
	}
	const unchanged = "ok: The order's tags are unchanged."
	for _, step := range []struct {
		action  shop.OrderAction
		options shop.OrderOptions
		want    []string
	}{
		{shop.OrdersTag, shop.OrderOptions{Tags: []string{"Eid"}}, []string{"1 ok", "2 " + unchanged, "3 validation_failed"}},
		{shop.OrdersUntag, shop.OrderOptions{Tags: []string{"eid", "gift"}}, []string{"1 ok", "2 ok", "3 " + unchanged}},
		{shop.OrdersNote, shop.OrderOptions{Note: "Van at noon"}, []string{"1 ok", "2 ok", "3 ok"}},
	} {
		for _, dryRun := range []bool{true, false} {
			in := shop.OrdersChange{Action: step.action, IDs: s.ids, Options: step.options, DryRun: dryRun}
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
	for action, options := range map[shop.OrderAction]shop.OrderOptions{
		shop.OrdersTag: {}, shop.OrdersUntag: {Tags: []string{"  "}}, shop.OrdersNote: {Note: " "},
	} {
		_, err := s.ChangeOrders(t.Context(), access.Operator(), shop.OrdersChange{Action: action, IDs: s.ids, Options: options})
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
}

// What the courier would refuse is known before anything is booked.
func TestChangeOrders_RefusedByCourier(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 2)
	s.courier.known = map[string]bool{s.ids[1]: true}
	mug, err := s.Catalogue.SaveProduct(t.Context(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 100, WeightGrams: 400}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.InsertLines(t)
	s.Exec(t, "UPDATE order_items SET variant_id = ?, quantity = 2 WHERE order_number = 2", mug.Variants[0].ID)
	in := shop.OrdersChange{Action: shop.OrdersBook, IDs: s.ids, Options: shop.OrderOptions{Provider: shop.CourierA}, DryRun: true}
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
	in := shop.OrdersChange{Action: shop.OrdersConfirm, IDs: append(s.ids, "0000000000000000"), DryRun: true}
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
