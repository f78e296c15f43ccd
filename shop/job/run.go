package job

import (
	"context"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/dispatch"
	"storefront/shop/queue"
)

// Limits of concurrent runs.
const (
	maxPerShop    = 2
	maxPerProcess = 8
)

// jobs is the queue of jobs. Unlike a message, a job is not attempted at a time and again later: a
// run has a claim while it works, each item renews it, and the results of the items end the job.
var jobs = queue.Table{
	Name: "jobs", ClaimTime: 10 * time.Second, // renewed three times as often
	Key: "id", Age: "created_at", Done: "finished_at IS NOT NULL", Retention: Retention, Batch: 10, // with their items
}

// Runner runs the jobs of all shops of a process. Create one with [NewRunner]. Jobs that it
// abandons continue in the process that next runs them.
type Runner = dispatch.Runner

// NewRunner returns a runner without work. The caller must close it.
func NewRunner() *Runner { return dispatch.NewRunner(maxPerProcess) }

// start starts working on the shop's jobs, as many concurrently as allowed. It does not wait.
func (j *Jobs) start() {
	for i := range maxPerShop {
		j.cfg.Runner.Start(dispatch.Queue{
			Name:   fmt.Sprintf("%s/%p/%d", j.cfg.Data.ID, j, i), // not an earlier value's for the shop
			Next:   j.runNext,
			Failed: func(err error) { j.cfg.Log.Error("job interrupted", "error", err) },
		})
	}
}

// runNext runs the next job of the shop, and reports whether there was one.
func (j *Jobs) runNext(ctx context.Context) (ran bool) {
	row, err := j.claim(ctx)
	if err != nil {
		j.cfg.Log.Error("job not begun", "error", err)
		return false
	}
	if row == nil {
		return false
	}
	if err := newRun(j, row).execute(ctx); err != nil {
		j.cfg.Log.Error("job interrupted", "job", row.id, "error", err)
		return false
	}
	return true
}

// claim claims the first job that nobody works on, nil if there is none or enough jobs of the shop
// are running.
func (j *Jobs) claim(ctx context.Context) (claimed *jobRow, err error) {
	var waiting bool
	err = j.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findNext(tx)
		waiting = row != nil
		return err
	})
	if err != nil {
		return nil, err
	}
	if !waiting {
		return nil, nil
	}
	err = j.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		claimed = nil
		running, err := countClaimed(tx)
		if err != nil {
			return err
		}
		if running >= maxPerShop {
			return nil
		}
		row, err := findNext(tx)
		if err != nil {
			return err
		}
		if row == nil {
			return nil
		}
		if row.status == StatusQueued {
			row.status = StatusRunning
		}
		row.claim, err = jobs.Claim(tx, ", status = ?", "id = ?", row.status, row.id)
		claimed = row
		return err
	})
	return claimed, err
}

// Continue starts the jobs that no process runs, as after a restart, and returns the end of another
// run's claim. A zero time means that there is none.
func (j *Jobs) Continue(ctx context.Context) (next time.Time, err error) {
	waiting := false
	err = j.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findNext(tx)
		if err != nil {
			return err
		}
		waiting = row != nil
		next, err = jobs.NextEnd(tx)
		return err
	})
	if waiting {
		j.start()
	}
	return next, err
}
