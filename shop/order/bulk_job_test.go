package order_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

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
			owner := s.Accounts.StaffCaller(t, staff.RoleOwner)
			var once sync.Once
			s.courier.before = func(string) { once.Do(func() { s.Exec(t, change) }) }
			done := s.change(t, owner, order.BulkChange{Action: order.BulkBook, IDs: s.ids, Options: order.BulkOptions{Provider: plugin.CourierA}})
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
	owner, key := s.Accounts.StaffCaller(t, staff.RoleOwner), s.Accounts.KeyCaller(t)
	var ids []string
	for i, caller := range []access.Caller{owner, key} {
		created, err := paused.Orders.ChangeOrders(t.Context(), caller, order.BulkChange{Action: order.BulkConfirm, IDs: s.ids[i*2 : i*2+2]})
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
	owner := s.Accounts.StaffCaller(t, staff.RoleOwner)
	created, err := s.Orders.ChangeOrders(t.Context(), owner,
		order.BulkChange{Action: order.BulkBook, IDs: s.ids, Options: order.BulkOptions{Provider: plugin.CourierA}})
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
	created, err := paused.Orders.ChangeOrders(t.Context(), access.CommandLine("rina"),
		order.BulkChange{Action: order.BulkBook, IDs: s.ids, Options: order.BulkOptions{Provider: plugin.CourierA}})
	if err != nil {
		t.Fatal(err)
	}
	// As a process leaves them that has a claim, has booked the first order without recording the
	// response, has recorded the second without the item, and was about to book the third.
	s.courier.lost = true
	_, err = s.Orders.BookShipment(t.Context(), access.Operator(), s.ids[0], order.BookingInput{Provider: plugin.CourierA})
	shoptest.WantCode(t, err, fault.CodeUnavailable)
	s.courier.lost = false
	s.Exec(t, `UPDATE jobs SET status = 'running', claim = 'dead', claimed_until = `+fmt.Sprint(s.Clock.Now().Add(10*time.Second).UnixMilli()))
	s.Exec(t, `UPDATE job_items SET status = 'running', started_at = `+fmt.Sprint(s.Clock.Now().UnixMilli()))
	if _, err := s.Orders.BookShipment(t.Context(), access.Operator(), s.ids[1], order.BookingInput{Provider: plugin.CourierA}); err != nil {
		t.Fatal(err)
	}
	next, err := s.Jobs.Continue(t.Context())
	if err != nil || next.IsZero() {
		t.Fatalf("got %v, %v, want the end of the claim", next, err)
	}
	s.Clock.Advance(11 * time.Second)
	dbtest.Eventually(t, "the first order alone waits, as after a booking without a response", func() bool {
		if _, err := s.Jobs.Continue(t.Context()); err != nil { // as each check of the background does
			t.Error(err)
		}
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
	created, err := s.Orders.ChangeOrders(t.Context(), access.Operator(),
		order.BulkChange{Action: order.BulkBook, IDs: s.ids, Options: order.BulkOptions{Provider: plugin.CourierA}})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		<-begun
	}
	_, err = s.Jobs.RetryJob(t.Context(), access.Operator(), *created.ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	viewer := s.Accounts.StaffCaller(t, staff.RoleViewer)
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
		_, last = paused.Orders.ChangeOrders(t.Context(), access.Operator(), order.BulkChange{Action: order.BulkConfirm, IDs: s.ids})
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
			created, err := s.Orders.ChangeOrders(t.Context(), access.Operator(),
				order.BulkChange{Action: order.BulkBook, IDs: []string{id}, Options: order.BulkOptions{Provider: plugin.CourierA}})
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
	s.change(t, access.Operator(), order.BulkChange{Action: order.BulkConfirm, IDs: s.ids})
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
