package db

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// commitGroup implements group commit: it runs the queued jobs in one transaction, with one fsync.
func (c *Committer) commitGroup() {
	if err := c.writer.Begin(func() bool { return c.Queued() > 0 }); err != nil {
		c.fillGroup()
		c.deliverResults(err)
		return
	}
	c.mu.Lock()
	c.phase = holding
	c.mu.Unlock()
	began := time.Now()
	wrote, ok := c.runGroup()
	if !ok {
		return
	}
	if wrote == 0 {
		// Nothing was written, so the version stays and cached responses remain valid.
		c.writer.Rollback()
		c.deliverResults(nil)
		return
	}
	if err := c.store.raiseCounts(c.writer, wrote); err != nil {
		c.abandon(err)
		return
	}
	ran, began := time.Since(began), time.Now()
	err := c.commit(wrote)
	c.mu.Lock()
	c.limiter.observe(len(c.group), len(c.queue), ran, time.Since(began))
	c.mu.Unlock()
	switch last := c.group[len(c.group)-1]; {
	case errors.Is(err, ErrConstraint) && !last.isFinal(): // a statement of the last job, sent with COMMIT
		last.err = err
		c.restart(last, nil)
	case err != nil:
		c.abandon(err)
	default:
		c.deliverResults(nil)
	}
}

// runGroup runs the queued jobs in the transaction that has begun, and returns the extent of their
// writes. ok is false if a job has failed the whole transaction, and the others were started again.
func (c *Committer) runGroup() (wrote extent, ok bool) {
	c.fillGroup()
	c.writer.Prepare(len(c.group) > 0 && c.group[0].alone)
	for i := 0; i < len(c.group); i++ {
		j := c.group[i]
		j.err, j.panicked = nil, nil
		tx := &Tx{session: c.writer, now: c.store.Now(), private: c.store.private, fault: c.store.fault}
		lost, cause := c.runJob(j, tx)
		j.after = tx.after
		if lost {
			c.restart(j, cause)
			return 0, false
		}
		if i == len(c.group)-1 {
			c.fillGroup() // jobs queued during it share this fsync
		}
		if j.err != nil || j.panicked != nil {
			continue
		}
		wrote = max(wrote, tx.extent)
		if i == len(c.group)-1 {
			continue // its statements are sent with COMMIT
		}
		if err := c.writer.Flush(); err != nil { // the job's
			j.err = err
			c.restart(j, disconnection(err))
			return 0, false
		}
	}
	return wrote, true
}

// runJob runs one job in a savepoint, or without one if it is alone in the transaction. lost
// reports that the whole transaction must be rolled back, because of cause if the connection was
// lost.
func (c *Committer) runJob(j *job, tx *Tx) (lost bool, cause error) {
	if j.err = j.ctx.Err(); j.err != nil {
		return false, nil
	}
	if !j.alone {
		if j.err = c.writer.Savepoint(); j.err != nil {
			return true, disconnection(j.err)
		}
	}
	tx.ctx = withVersions(j.ctx, c.versions)
	j.call(tx)
	tx.done = true
	c.store.statements.Add(tx.statements)
	if j.panicked == nil {
		j.err = cmp.Or(j.err, tx.err, j.ctx.Err()) // tx.err is a failure that fn ignored
	}
	failed := j.panicked != nil || j.err != nil
	switch {
	case j.alone:
		return failed, disconnection(tx.err)
	case !failed:
		j.err = c.writer.Release()
		return j.err != nil, disconnection(j.err)
	}
	err := c.writer.RollbackTo()
	return err != nil, cmp.Or(disconnection(tx.err), disconnection(err))
}

// disconnection returns err if it means that the connection was lost, and nil otherwise.
func disconnection(err error) error {
	if errors.Is(err, ErrConnection) && !errors.Is(err, ErrUnknownOutcome) {
		return err
	}
	return nil
}

// call runs the job's function and recovers its panic.
func (j *job) call(tx *Tx) {
	defer func() {
		if v := recover(); v != nil {
			j.panicked = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	j.err = j.fn(tx.ctx, tx)
}

// abandon ends the group because its transaction could not be committed.
func (c *Committer) abandon(err error) {
	if cause := disconnection(err); cause != nil {
		c.restart(nil, cause)
		return
	}
	c.writer.Rollback()
	c.deliverResults(err)
}

// maxLosses limits how often a job runs again after its transaction was lost with the connection:
// the job itself may make the server fail.
const maxLosses = 3

// restart rolls back a lost transaction. The result of its culprit is final unless the connection
// was lost, because of cause. The other jobs run again: together after the first loss of a
// connection, otherwise each in a transaction of its own.
func (c *Committer) restart(culprit *job, cause error) {
	c.writer.Rollback()
	var finished, retried []*job
	for _, j := range c.group {
		switch {
		case j.isFinal() || j == culprit && cause == nil:
			finished = append(finished, j)
			continue
		case cause != nil && j.losses == maxLosses:
			j.err = cause
			finished = append(finished, j)
			continue
		case cause != nil:
			j.losses++
		}
		j.err, j.alone = nil, j.alone || j.losses != 1
		retried = append(retried, j)
	}
	c.group = finished
	c.mu.Lock()
	c.queue = append(retried, c.queue...)
	c.mu.Unlock()
	c.deliverResults(nil)
}

// deliverResults completes the group's jobs. A failure of the whole transaction replaces every
// result that is not final: even a job's own error may depend on what another job wrote in the same
// transaction.
func (c *Committer) deliverResults(err error) {
	c.mu.Lock()
	c.phase = idle
	c.mu.Unlock()
	for i, j := range c.group {
		if err != nil && !j.isFinal() {
			j.err = err
		}
		close(j.done)
		c.group[i] = nil
	}
	c.group = c.group[:0]
}

// commit ends the group's transaction and raises the versions for its writes.
func (c *Committer) commit(wrote extent) error {
	began := time.Now()
	err := c.store.commitWriter(c.writer)
	if observe := c.store.opts.OnCommit; observe != nil {
		observe(len(c.group), time.Since(began), err != nil)
	}
	if done := c.store.opts.Committed; done != nil && (err == nil || errors.Is(err, ErrUnknownOutcome)) {
		done(c.versions.id)
	}
	switch {
	case err == nil:
		c.versions.raise()
		if wrote >= quantities {
			c.versions.countContent(wrote)
		}
		c.store.commits.Add(1)
		c.store.updates.Add(uint64(len(c.group)))
		return nil
	case errors.Is(err, ErrUnknownOutcome): // the work may be stored although Update returns an error
		c.versions.RaiseAll()
		return err
	default:
		return fmt.Errorf("commit: %w", err)
	}
}
