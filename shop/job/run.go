package job

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/dispatch"
)

// Limits of concurrent runs.
const (
	maxPerShop    = 2
	maxPerProcess = 8
)

// leaseTime is the time for which a job waits for a run that has stopped without notice, as by a
// crash. A lease is renewed three times as often.
const leaseTime = 10 * time.Second

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

// claim acquires the lease of the first job that nobody works on, nil if there is none or enough
// jobs of the shop are running.
func (j *Jobs) claim(ctx context.Context) (claimed *jobRow, err error) {
	var waiting bool
	err = j.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findNext(tx, tx.Now())
		waiting = row != nil
		return err
	})
	if err != nil {
		return nil, err
	}
	if !waiting {
		return nil, nil
	}
	lease := rand.Text()
	err = j.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		claimed = nil
		leased, err := countLeased(tx, tx.Now())
		if err != nil {
			return err
		}
		if leased >= maxPerShop {
			return nil
		}
		row, err := findNext(tx, tx.Now())
		if err != nil {
			return err
		}
		if row == nil {
			return nil
		}
		if row.status == StatusQueued {
			row.status = StatusRunning
		}
		row.lease = &lease
		if err := acquireLease(tx, row, tx.Now().Add(leaseTime)); err != nil {
			return err
		}
		claimed = row
		return nil
	})
	return claimed, err
}

// Continue starts the jobs that no process runs, as after a restart, and returns the end of another
// run's lease. A zero time means that there is none.
func (j *Jobs) Continue(ctx context.Context) (next time.Time, err error) {
	waiting := false
	err = j.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findNext(tx, tx.Now())
		if err != nil {
			return err
		}
		waiting = row != nil
		next, err = findLeaseEnd(tx, tx.Now())
		return err
	})
	if waiting {
		j.start()
	}
	return next, err
}
