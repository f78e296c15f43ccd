package job

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
)

// errStopped is the cause of a run that ends before its job: the job was cancelled, the process
// stops, or another run has the claim.
var errStopped = errors.New("the run has ended")

// run is the work on one job by one process.
type run struct {
	jobs    *Jobs
	job     *jobRow
	action  Action
	caller  access.Caller // the requester of the job
	renewed atomic.Int64  // time of the last renewal of the claim, by the system's clock
}

func newRun(j *Jobs, row *jobRow) *run {
	r := &run{jobs: j, job: row, action: j.cfg.Actions[row.kind]}
	r.caller = access.OnBehalfOf(row.actor)
	r.caller.Client, r.caller.RequestID = row.client, row.requestID
	r.renewed.Store(time.Now().UnixNano())
	return r
}

// execute works on the items that have no result, and ends the job after the last of them.
func (r *run) execute(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() { r.renew(ctx, cancel) })
	defer beating.Wait()
	defer cancel()
	var open []itemRow
	err := r.jobs.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		open, err = findOpenItems(tx, r.job.id)
		return err
	})
	if err == nil {
		err = r.workOn(ctx, open)
	}
	if errors.Is(err, errStopped) {
		err = nil
	}
	return errors.Join(err, r.end(ctx))
}

// workOn works on items, as many concurrently as the action allows. Interrupted ones come last:
// until then their outside effects have ended. When the run must stop, items in progress still end.
func (r *run) workOn(ctx context.Context, items []itemRow) error {
	queue, stop := make(chan itemRow), make(chan struct{})
	var failed error // the cause of the stop
	var once sync.Once
	var working sync.WaitGroup
	for range max(r.action.Parallel, 1) {
		working.Go(func() {
			for item := range queue {
				if err := r.workOnItem(ctx, item); err != nil {
					once.Do(func() { failed = err; close(stop) })
				}
			}
		})
	}
	r.feed(queue, stop, items)
	close(queue)
	working.Wait()
	return failed
}

// feed sends the items to the queue until stop is closed or the process stops.
func (r *run) feed(queue chan<- itemRow, stop <-chan struct{}, items []itemRow) {
	stopping := r.jobs.cfg.Runner.Stopping()
	for _, interrupted := range []bool{false, true} {
		for _, item := range items {
			if (item.startedAt != nil) != interrupted || r.job.status == StatusCancelled && !interrupted {
				continue
			}
			select {
			case <-stop: // if several cases are ready, any may be chosen
				return
			case <-stopping:
				return
			default:
			}
			select {
			case queue <- item:
			case <-stop:
				return
			case <-stopping:
				return
			}
		}
	}
}

// workOnItem works on one item and stores its result. An error means that the run cannot continue.
func (r *run) workOnItem(ctx context.Context, row itemRow) error {
	item := &Item{run: r, Subject: row.subject, position: row.position, InterruptedAt: row.startedAt}
	var warning string
	err := r.start(ctx, item)
	for err == nil {
		warning, err = r.do(ctx, item)
		known, isKnown := errors.AsType[*fault.Error](err)
		if item.InterruptedAt == nil || item.recorded || !isKnown || known.Code != fault.CodeUnavailable || known.RetryAfter == 0 {
			break
		}
		err = r.pause(ctx, time.Duration(known.RetryAfter)*time.Second)
	}
	switch {
	case item.recorded:
		return nil
	case errors.Is(err, errStopped):
		return errStopped
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return r.jobs.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return item.Succeed(tx, warning) })
	}
	failure, isKnown := errors.AsType[*fault.Error](err)
	if !isKnown {
		r.jobs.cfg.Log.Error("job item failed", "job", r.job.id, "item", row.subject, "error", err)
		failure = &fault.Error{Code: fault.CodeInternal, Message: "An unexpected error occurred. Retry the failed items; if it persists, report the job."}
	}
	return r.jobs.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return item.fail(tx, failure) })
}

// start authorizes the requester of the job again for an item, and marks an item with an effect
// outside of the program as in progress.
func (r *run) start(ctx context.Context, item *Item) (err error) {
	if item.Staff, err = r.jobs.cfg.Data.Authorize(ctx, r.caller, r.action.Use); err != nil {
		return err
	}
	if !r.action.Outside || item.InterruptedAt != nil {
		return nil
	}
	err = r.jobs.cfg.Data.UpdateAs(ctx, item, func(_ context.Context, tx *db.Tx) error {
		return startItem(tx, r.job.id, item.position)
	})
	item.started = err == nil
	return err
}

// do calls the action. A panic fails only the item.
func (r *run) do(ctx context.Context, item *Item) (warning string, err error) {
	err = dispatch.Recovered(func() (err error) {
		warning, err = r.action.Do(ctx, item, json.RawMessage(r.job.options))
		return err
	})
	return warning, err
}

// pausePoll is how often a pause compares the shop's clock.
const pausePoll = 200 * time.Millisecond

// pause waits by the shop's clock, which tests set.
func (r *run) pause(ctx context.Context, d time.Duration) error {
	ticker := time.NewTicker(pausePoll)
	defer ticker.Stop()
	for end := r.jobs.cfg.Now().Add(d); r.jobs.cfg.Now().Before(end); {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-r.jobs.cfg.Runner.Stopping():
			return errStopped
		}
	}
	return nil
}

// renew renews the claim when no item does, until ctx ends. It calls cancel if another run has one.
func (r *run) renew(ctx context.Context, cancel func()) {
	ticker := time.NewTicker(jobs.ClaimTime / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if time.Since(time.Unix(0, r.renewed.Load())) < jobs.ClaimTime/4 {
			continue
		}
		err := r.jobs.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return r.renewClaim(tx) })
		if errors.Is(err, errStopped) {
			cancel()
			return
		}
		if err != nil && ctx.Err() == nil {
			r.jobs.cfg.Log.Warn("claim of a job not renewed", "job", r.job.id, "error", err)
		}
	}
}

// renewClaim renews the claim, and returns errStopped if another run has one.
func (r *run) renewClaim(tx *db.Tx) error {
	held, err := jobs.Renew(tx, r.job.claim)
	if err == nil && !held {
		err = errStopped
	}
	if err == nil {
		tx.AfterCommit(func() { r.renewed.Store(time.Now().UnixNano()) })
	}
	return err
}

// end ends the job if no item is left, and otherwise ends the claim.
func (r *run) end(ctx context.Context) error {
	ended := false
	err := r.jobs.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		ended = false
		row, err := findJob(tx, r.job.id)
		if err != nil {
			return err
		}
		if row == nil || row.claim != r.job.claim {
			return nil
		}
		if ended, err = finishJob(tx, row); err != nil {
			return err
		}
		if ended {
			return nil
		}
		_, err = jobs.Release(tx, r.job.claim, "")
		return err
	})
	if ended {
		r.jobs.announce(r.job.id)
	}
	return err
}

// Item is one item of a job while it is worked on. As an [access.Staff] it represents the requester
// of the job, and stores the item's result in the transaction that audits the change.
type Item struct {
	access.Staff
	// Subject is the ID of the record.
	Subject string
	// InterruptedAt is the time at which an earlier run began with the item without storing its
	// result. nil means that there was none.
	InterruptedAt *time.Time

	run      *run
	position int
	started  bool // its effect outside of the program may have begun
	recorded bool // its result is stored
}

// Caller returns the caller of the item's use case.
func (it *Item) Caller() access.Caller {
	caller := it.run.caller
	caller.Authorized, caller.AuthorizedFor = it, it.run.action.Use
	return caller
}

// JobID returns the ID of the job.
func (it *Item) JobID() string { return it.run.job.id }

// Recorded reports whether the result of the item is stored.
func (it *Item) Recorded() bool { return it.recorded }

// Check implements [access.Staff]. It also checks that the job is still this run's and, before an
// effect outside of the program, that it is not cancelled. Writing transactions run in sequence, so
// nobody else claims the job before the end of this one.
func (it *Item) Check(tx *db.Tx) error {
	row, err := findJob(tx, it.run.job.id)
	if err != nil {
		return err
	}
	begun := it.started || it.InterruptedAt != nil
	if row == nil || row.claim != it.run.job.claim || row.status != StatusRunning && !begun {
		return errStopped
	}
	return it.Staff.Check(tx)
}

// Audit implements [access.Staff]. Unless the action has an effect outside of the program, the
// transaction completes it, and the success is stored too.
func (it *Item) Audit(tx *db.Tx, on access.Subject, changes ...access.Change) error {
	if err := it.Staff.Audit(tx, on, changes...); err != nil {
		return err
	}
	if it.run.action.Outside {
		return nil
	}
	return it.Succeed(tx, "")
}

// Succeed stores the success of the item, once. It does so even if another run has a claim by
// now: an effect outside of the program cannot be undone.
func (it *Item) Succeed(tx *db.Tx, warning string) error {
	if err := it.run.renewClaim(tx); err != nil && !errors.Is(err, errStopped) {
		return err
	}
	return it.save(tx, itemDone, nil, warning)
}

func (it *Item) fail(tx *db.Tx, failure *fault.Error) error {
	if err := it.run.renewClaim(tx); err != nil {
		return err
	}
	return it.save(tx, itemFailed, failure, "")
}

func (it *Item) save(tx *db.Tx, status itemStatus, failure *fault.Error, warning string) error {
	saved, err := saveResult(tx, it.run.job.id, it.position, status, failure, warning)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() { it.recorded = true })
	if !saved { // already
		return nil
	}
	return countResult(tx, it.run.job.id, status)
}

// Succeed stores the success of the item that a caller works on, in the transaction that completes
// it. It does nothing for other callers.
func Succeed(tx *db.Tx, who access.Staff) error {
	if item, ok := who.(*Item); ok {
		return item.Succeed(tx, "")
	}
	return nil
}
