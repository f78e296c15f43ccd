package job_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/sequence"
	"storefront/shop/shoptest"
)

// kit is a shop with jobs of the kind "test".
type kit struct {
	*shoptest.Accounts
	t      *testing.T
	action job.Action
}

func newKit(t *testing.T, do func(item *job.Item) (warning string, err error)) *kit {
	t.Helper()
	k := &kit{Accounts: shoptest.NewAccounts(t), t: t}
	k.action = job.Action{Use: access.ToConfirmOrder, View: access.OrdersRead,
		Do: func(_ context.Context, item *job.Item, _ json.RawMessage) (string, error) { return do(item) }}
	return k
}

// process returns the jobs as a process has them, with its runner.
func (k *kit) process() (*job.Jobs, *job.Runner) {
	runner := job.NewRunner()
	k.t.Cleanup(func() { runner.Close(context.Background()) })
	return job.New(job.Config{
		Data: access.Data{Store: k.Store, ID: k.Config.ID, Authorize: k.Staff.Authorize},
		Now:  k.Clock.Now, IDs: sequence.NewSource(rand.Reader),
		Log: slog.New(
			slog.DiscardHandler,
		), Runner: runner, Actions: map[job.Kind]job.Action{"test": k.action},
	}), runner
}

// create creates a job with items and returns its ID.
func (k *kit) create(jobs *job.Jobs, items int) string {
	k.t.Helper()
	request := job.Request{Kind: "test", Use: access.ToConfirmOrder}
	for i := range items {
		request.Targets = append(
			request.Targets,
			job.Target{Subject: fmt.Sprint("S", i), Label: fmt.Sprint(i)},
		)
	}
	created, err := jobs.Create(k.t.Context(), access.Operator(), request)
	if err != nil {
		k.t.Fatal(err)
	}
	return *created.ID
}

// wait waits until a job has ended, and returns its results by label.
func (k *kit) wait(jobs *job.Jobs, id string) (found *job.Job, results []string) {
	k.t.Helper()
	dbtest.Eventually(k.t, "the job ends", func() bool {
		var err error
		if found, err = jobs.FindJob(k.t.Context(), access.Operator(), id); err != nil {
			k.t.Fatal(err)
		}
		return found.FinishedAt != nil
	})
	for _, r := range found.Results {
		switch {
		case r.OK == nil:
			results = append(results, r.Label+" -")
		case *r.OK:
			results = append(results, r.Label+" ok"+db.TextOf(r.Warning))
		default:
			results = append(results, r.Label+" "+string(*r.Code))
		}
	}
	return found, results
}

// Each item has a result of its own, even after a panic.
func TestJobs_Results(t *testing.T) {
	t.Parallel()
	k := newKit(t, func(item *job.Item) (string, error) {
		switch item.Subject {
		case "S1":
			return "", fault.Errorf(fault.CodeNotFound, "There is no such order.")
		case "S2":
			panic("broken")
		case "S3":
			return ", nothing to do", nil
		}
		return "", nil
	})
	jobs, _ := k.process()
	found, got := k.wait(jobs, k.create(jobs, 5))
	want := []string{"0 ok", "1 not_found", "2 internal", "3 ok, nothing to do", "4 ok"}
	if !slices.Equal(got, want) || found.Done != 3 || found.Failed != 2 ||
		found.Status != job.StatusDone {
		t.Errorf("got %q and %+v, want %q", got, found.Summary, want)
	}
}

// A cancelled job starts no further item. What it has done stays.
func TestJobs_Cancel(t *testing.T) {
	t.Parallel()
	started, proceed := make(chan struct{}), make(chan struct{})
	k := newKit(t, func(item *job.Item) (string, error) {
		if item.Subject == "S1" {
			close(started)
			<-proceed
		}
		return "", nil
	})
	k.action.Outside = true
	jobs, _ := k.process()
	id := k.create(jobs, 4)
	<-started
	if _, err := jobs.CancelJob(t.Context(), access.Operator(), id); err != nil {
		t.Fatal(err)
	}
	close(proceed)
	found, got := k.wait(jobs, id)
	if want := []string{"0 ok", "1 ok", "2 -", "3 -"}; !slices.Equal(got, want) ||
		found.Status != job.StatusCancelled {
		t.Errorf("got %q, %s, want %q, cancelled", got, found.Status, want)
	}
}

// While a process works on a job, no other does. When it has ended, another one continues, and
// repeats no item.
func TestJobs_OtherProcess(t *testing.T) {
	t.Parallel()
	started, times := make(chan struct{}), map[string]int{}
	var runner *job.Runner
	k := newKit(t, func(item *job.Item) (string, error) {
		if times[item.Subject]++; item.Subject == "S1" {
			close(started)
			<-runner.Stopping()
		}
		return "", nil
	})
	var first *job.Jobs
	first, runner = k.process()
	id := k.create(first, 4)
	<-started
	second, _ := k.process()
	if next, err := second.Continue(t.Context()); err != nil || !next.After(k.Clock.Now()) {
		t.Errorf("got %s, %v, want the end of the other's claim", next, err)
	}
	runner.Close(t.Context())
	if _, err := second.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, got := k.wait(second, id); !slices.Equal(got, []string{"0 ok", "1 ok", "2 ok", "3 ok"}) {
		t.Errorf("got %q, want all", got)
	}
	for subject, n := range times {
		if n != 1 {
			t.Errorf("%s: worked on %d times, want once", subject, n)
		}
	}
}

// A shop can have 20 unfinished jobs, and jobs are deleted after 30 days.
func TestJobs_Limits(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	k := newKit(t, func(*job.Item) (string, error) {
		<-proceed
		return "", nil
	})
	jobs, _ := k.process()
	var last string
	for range 20 {
		last = k.create(jobs, 1)
	}
	request := job.Request{
		Kind:    "test",
		Use:     access.ToConfirmOrder,
		Targets: []job.Target{{Subject: "S", Label: "S"}},
	}
	_, err := jobs.Create(t.Context(), access.Operator(), request)
	if !fault.HasCode(err, fault.CodeJobLimit) {
		t.Errorf("another one: got %v, want job_limit", err)
	}
	close(proceed)
	k.wait(jobs, last)
	created := k.Clock.Now()
	if next, err := jobs.Purge(t.Context()); err != nil || !next.Equal(created.Add(30*24*time.Hour)) {
		t.Errorf("purge: got %s, %v, want 30 days later", next, err)
	}
	k.Clock.Advance(30*24*time.Hour + time.Hour)
	if next, err := jobs.Purge(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("purge after 30 days: got %s, %v, want nothing left", next, err)
	}
	if _, err := jobs.FindJob(t.Context(), access.Operator(), last); !fault.HasCode(
		err,
		fault.CodeNotFound,
	) {
		t.Errorf("after 30 days: got %v, want not_found", err)
	}
}

// A caller without the permission of the action cannot request it.
func TestJobs_Permission(t *testing.T) {
	t.Parallel()
	k := newKit(t, func(*job.Item) (string, error) { return "", errors.New("must not run") })
	jobs, _ := k.process()
	viewer := k.Member(t, "viewer", "vik@example.com")
	request := job.Request{
		Kind:    "test",
		Use:     access.ToConfirmOrder,
		Targets: []job.Target{{Subject: "S", Label: "S"}},
	}
	if _, err := jobs.Create(t.Context(), viewer, request); !fault.HasCode(
		err,
		fault.CodeForbidden,
	) {
		t.Errorf("got %v, want forbidden", err)
	}
}

// At most two jobs of a shop run at the same time, over all processes.
func TestJobs_TwoAtATime(t *testing.T) {
	t.Parallel()
	const count = 5
	var running, most atomic.Int32
	started, proceed := make(chan struct{}, count), make(chan struct{})
	k := newKit(t, func(*job.Item) (string, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		started <- struct{}{}
		<-proceed
		running.Add(-1)
		return "", nil
	})
	first, _ := k.process()
	second, _ := k.process()
	var last string
	for range count {
		last = k.create(first, 1)
	}
	for range 2 {
		<-started
	}
	if claimed, err := second.Claims(t.Context()); err != nil || claimed {
		t.Errorf("got a third job at another process: %t, %v", claimed, err)
	}
	close(proceed)
	k.wait(first, last)
	if got := most.Load(); got != 2 {
		t.Errorf("got %d jobs at the same time, want 2", got)
	}
}

// The failure of a run that was too slow does not replace what another process has recorded since.
func TestJobs_LateResult(t *testing.T) {
	t.Parallel()
	started, proceed := make(chan struct{}), make(chan struct{})
	var times atomic.Int32
	k := newKit(t, func(*job.Item) (string, error) {
		if times.Add(1) > 1 {
			return "", nil
		}
		close(started)
		<-proceed
		return "", fault.Errorf(fault.CodeNotFound, "There is no such order.")
	})
	slow, runner := k.process()
	id := k.create(slow, 1)
	<-started
	k.Clock.Advance(10 * time.Second)
	other, _ := k.process()
	if _, err := other.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.wait(other, id)
	close(proceed)
	runner.Close(t.Context()) // waits for the slow run
	found, got := k.wait(other, id)
	if want := []string{"0 ok"}; !slices.Equal(got, want) || found.Done != 1 || found.Failed != 0 {
		t.Errorf("got %q and %+v, want %q", got, found.Summary, want)
	}
}
