package db

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// commitGroup implements group commit: it runs the queued jobs in one transaction, with one fsync.
func (w *writer) commitGroup() {
	if err := w.begin(); err != nil {
		w.fillGroup()
		w.deliverResults(err)
		return
	}
	wrote, content, began := false, false, time.Now()
	w.fillGroup()
	for i := 0; i < len(w.group); i++ {
		j := w.group[i]
		j.err, j.panicked = nil, nil
		tx := &Tx{conn: w.conn, now: w.t.store.now(), private: w.t.store.private}
		lost := w.runJob(j, tx)
		j.after = tx.after
		if lost {
			w.restart(j)
			return
		}
		if j.err == nil && j.panicked == nil {
			wrote, content = wrote || tx.wrote, content || tx.content
		}
		if i == len(w.group)-1 {
			w.fillGroup() // jobs queued meanwhile share this fsync
		}
	}
	if !wrote {
		// Nothing was written, so the version stays and cached responses remain valid.
		w.rollback()
		w.deliverResults(nil)
		return
	}
	if content {
		if err := w.raiseContent(); err != nil {
			w.rollback()
			w.deliverResults(err)
			return
		}
	}
	ran, began := time.Since(began), time.Now()
	err := w.commit(content)
	w.mu.Lock()
	w.limiter.observe(len(w.group), len(w.queue), ran, time.Since(began))
	w.mu.Unlock()
	w.deliverResults(err)
}

// runJob runs one job in a savepoint, or without one if it is alone in the transaction. lost reports
// that the whole transaction must be rolled back.
func (w *writer) runJob(j *job, tx *Tx) (lost bool) {
	if j.err = j.ctx.Err(); j.err != nil {
		return false
	}
	if !j.alone {
		if j.err = w.conn.run("SAVEPOINT job"); j.err != nil {
			return true
		}
	}
	tx.ctx = withTenant(j.ctx, w.t)
	j.call(tx)
	tx.done = true
	w.t.store.counters.statements.Add(tx.statements)
	if j.panicked == nil {
		j.err = cmp.Or(j.err, tx.err, j.ctx.Err()) // tx.err: a failure that fn ignored
	}
	failed := j.panicked != nil || j.err != nil
	switch {
	case j.alone:
		return failed
	case !failed:
		j.err = w.conn.run("RELEASE job")
		return j.err != nil
	}
	if err := w.conn.run("ROLLBACK TO job"); err != nil {
		return true
	}
	return w.conn.run("RELEASE job") != nil
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

// restart rolls back a lost transaction. The culprit's result stands. What the other jobs read and
// wrote is undone, so each of them runs again in a transaction of its own.
func (w *writer) restart(culprit *job) {
	w.rollback()
	var finished, retried []*job
	for _, j := range w.group {
		if j == culprit || j.isFinal() {
			finished = append(finished, j)
			continue
		}
		j.err, j.alone = nil, true
		retried = append(retried, j)
	}
	w.group = finished
	w.mu.Lock()
	w.queue = append(retried, w.queue...)
	w.mu.Unlock()
	w.deliverResults(nil)
}

// deliverResults completes the group's jobs. A failure of the whole transaction replaces every
// result that is not final: even a job's own error may depend on what another job wrote in the same
// transaction.
func (w *writer) deliverResults(err error) {
	w.mu.Lock()
	w.phase = idle
	w.mu.Unlock()
	for i, j := range w.group {
		if err != nil && !j.isFinal() {
			j.err = err
		}
		close(j.done)
		w.group[i] = nil
	}
	w.group = w.group[:0]
}

// begin acquires the write lock and checks whether another process has written.
func (w *writer) begin() error {
	if err := w.reconnect(); err != nil {
		return err
	}
	if err := w.conn.run("BEGIN IMMEDIATE"); err != nil {
		if !errors.Is(err, ErrBusy) {
			w.disconnect()
		}
		return fmt.Errorf("begin: %w", err)
	}
	if err := w.checkExternalCommits(); err != nil {
		w.rollback()
		return err
	}
	w.mu.Lock()
	w.phase = holding
	w.mu.Unlock()
	return nil
}

func (w *writer) commit(content bool) error {
	w.t.markFresh() // until here no other process could commit
	commit := func() error { return w.conn.run("COMMIT") }
	var err error
	began := time.Now()
	if fault := w.t.store.commitFault; fault != nil {
		err = translate(fault(commit))
	} else {
		err = commit()
	}
	if observe := w.t.store.opts.OnCommit; observe != nil {
		observe(len(w.group), time.Since(began), err != nil)
	}
	switch {
	case err == nil:
		w.t.bumpVersion()
		if content {
			w.countContent()
		}
		w.t.ship()
		w.t.store.counters.commits.Add(1)
		w.t.store.counters.lastCommit.Store(int64(w.t.store.elapsed()))
		w.t.store.counters.updates.Add(uint64(len(w.group)))
		return nil
	case rolledBack(err):
		w.rollback()
		return fmt.Errorf("commit: %w", err)
	default:
		w.disconnect()
		w.t.bumpExternal() // the work may be stored although Update returns an error
		w.t.bumpContent()
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
}

// rollback ends the transaction unless SQLite has already ended it.
func (w *writer) rollback() {
	if w.conn == nil {
		return
	}
	if err := w.conn.run("ROLLBACK"); err != nil && !isNoTransaction(err) {
		w.t.store.log.Warn("rollback failed", "tenant", w.t.id, "err", err)
		w.disconnect()
	}
}
