package job

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/sequence"
)

// Limits of jobs.
const (
	// MaxItems is the maximum number of items of a job.
	MaxItems = 2000
	// Retention is the time for which jobs are stored.
	Retention = 30 * 24 * time.Hour
	// maxUnfinished is the maximum number of jobs of a shop that are queued or running.
	maxUnfinished = 20
)

// Kind is the kind of a job: the name of its action.
type Kind string

// Status is the status of a job.
//
//api:enum JobStatus
type Status string

// The statuses of jobs.
const (
	StatusQueued    Status = "queued"    // waits for other jobs
	StatusRunning   Status = "running"   // under way
	StatusDone      Status = "done"      // every item has a result
	StatusCancelled Status = "cancelled" // cancelled: the items without a result were not started
)

// Summary is a job without the results of its items.
type Summary struct {
	ID         *string      `json:"_id"` // null for a dry run, which is not stored
	Kind       Kind         `json:"kind"`
	By         access.Actor `json:"by"` // the requester
	Status     Status       `json:"status"`
	Total      int          `json:"total"`
	Done       int          `json:"done"` // items with success
	Failed     int          `json:"failed"`
	CreatedAt  time.Time    `json:"createdAt"`
	FinishedAt *time.Time   `json:"finishedAt"` // null if items are waiting or in progress
}

// Job is one action on many records.
type Job struct {
	Summary
	Results []Result `json:"results" nullable:"false"`
}

// Result is the result of one item.
type Result struct {
	Subject string      `json:"subject"` // the ID of the record
	Label   string      `json:"label"`   // its name for people
	Name    *string     `json:"name"`    // of the buyer, if the record is an order; null if there is none, or it was erased
	OK      *bool       `json:"ok"`      // null if there is no result yet, or it was cancelled before
	Code    *fault.Code `json:"code"`    // the reason for the failure; null if there was none
	Message *string     `json:"message"` // the same for people
	Warning *string     `json:"warning"` // such as that there was nothing to do
	// WeightGrams is set in a plan to book shipments. It is nil for another job, or if no variant has
	// a weight.
	WeightGrams *int64 `json:"weightGrams" doc:"Weight of the shipment, in a preview of booking or confirming; null otherwise, or if unknown"`
	// Field is set in a plan if a courier would refuse the shipment.
	Field *string `json:"field" doc:"Field to correct, such as shippingAddress, in a preview of booking or confirming; null if unknown or none"`
}

// Target is a record of a job.
type Target struct{ Subject, Label string }

// Action defines the work of a kind of job on each item.
type Action struct {
	// Use is the use case of each item. Its permission is required to request the job, and checked
	// again in the transaction of each item.
	Use access.UseCase
	// View is the permission to view the job for everybody except its requester.
	View access.Permission
	// Parallel is the number of concurrent items. 0 means 1.
	Parallel int
	// Outside marks an effect outside of the program. Such an item is first marked as in progress, and
	// Do must determine whether an interrupted one had its effect.
	Outside bool
	// Names adds the names of the records' people, by the records' IDs. They are read for each
	// response and not stored with the job, so erased persons have no name in it. nil means no names.
	Names func(tx *db.Tx, ids []string, names map[string]string) error
	// Do works on one item with the job's options, and returns a warning if there was nothing to do.
	// It executes the use case with the item as the caller's Authorized.
	Do func(ctx context.Context, item *Item, options json.RawMessage) (warning string, err error)
}

// Config is the configuration of [Jobs]. Every field is required.
type Config struct {
	Data   access.Data // of the shop
	Now    func() time.Time
	IDs    *sequence.Source
	Log    *slog.Logger
	Runner *Runner // shared by all shops of the process
	// Actions are the actions by the kind of their jobs.
	Actions map[Kind]Action
}

// Jobs holds the jobs of one shop. It is safe for concurrent use. Create one with [New].
type Jobs struct {
	cfg Config

	mu       sync.Mutex
	finished map[string]chan struct{} // by the ID of a job that a caller waits for; closed at its end
}

// New returns the jobs of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Jobs {
	return &Jobs{cfg: cfg, finished: map[string]chan struct{}{}}
}

// Request is a request for a job.
type Request struct {
	Kind    Kind
	Options any // stored as JSON
	Targets []Target
	// Use is the use case that requests the job, for the audit log.
	Use access.UseCase
	// On is the record of the audit log's entry, and Changes are its changes. Without On the entry is
	// of the job.
	On      *access.Subject
	Changes []access.Change
}

// Create stores and starts a job. Codes: forbidden, job_limit, unauthenticated.
func (j *Jobs) Create(ctx context.Context, caller access.Caller, r Request) (*Job, error) {
	options, err := json.Marshal(r.Options)
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	row := jobRow{kind: r.Kind, options: options}
	return j.create(ctx, caller, &r, row, func(*db.Tx) ([]Target, error) { return r.Targets, nil })
}

// audit adds the request to the audit log.
func (r *Request) audit(tx *db.Tx, who access.Staff, row *jobRow) error {
	if r.On != nil {
		return who.Audit(tx, *r.On, r.Changes...)
	}
	return who.Audit(tx, row.subject(), access.Set("kind", row.kind), access.Set("items", row.total))
}

func (j *Jobs) create(
	ctx context.Context, caller access.Caller, r *Request, row jobRow, targets func(tx *db.Tx) ([]Target, error),
) (*Job, error) {
	action, ok := j.cfg.Actions[row.kind]
	if !ok {
		return nil, fmt.Errorf("create job: unknown kind %q", row.kind)
	}
	requester, err := j.cfg.Data.Authorize(ctx, caller, r.Use)
	if err != nil {
		return nil, err
	}
	worker, err := j.cfg.Data.Authorize(ctx, caller, action.Use)
	if err != nil {
		return nil, err
	}
	row.client, row.requestID, row.status = caller.Client, caller.RequestID, StatusQueued
	var list []Target
	err = j.cfg.Data.UpdateAs(ctx, requester, func(_ context.Context, tx *db.Tx) (err error) {
		if err := worker.Check(tx); err != nil {
			return err
		}
		if list, err = targets(tx); err != nil {
			return err
		}
		unfinished, err := countUnfinished(tx)
		if err != nil {
			return err
		}
		if unfinished >= maxUnfinished {
			return fault.Errorf(fault.CodeJobLimit, "%d jobs are waiting or in progress: wait until one of them has ended, or cancel one.", unfinished)
		}
		row.id, row.actor, row.createdAt, row.total = j.cfg.IDs.Next(tx.Now()), requester.Actor(), tx.Now(), len(list)
		if err := insertJob(tx, &row, list); err != nil {
			return err
		}
		return r.audit(tx, requester, &row)
	})
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	j.finished[row.id] = make(chan struct{})
	j.mu.Unlock()
	j.start()
	created := &Job{Summary: row.summary(), Results: make([]Result, len(list))}
	for i, t := range list {
		created.Results[i] = Result{Subject: t.Subject, Label: t.Label}
	}
	return created, nil
}

// Wait waits until a job ends, at most that long, and returns it. The end of another process's job
// is noticed only then. Codes: as for [Jobs.FindJob].
func (j *Jobs) Wait(ctx context.Context, caller access.Caller, id string, atMost time.Duration) (*Job, error) {
	j.mu.Lock()
	finished := j.finished[id]
	j.mu.Unlock()
	found, err := j.findDetached(ctx, caller, id) // it is stored, also after a disconnect
	if err != nil {
		return found, err
	}
	if found.FinishedAt != nil {
		return found, nil
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-finished: // nil blocks
	case <-timer.C:
	case <-ctx.Done():
	}
	j.mu.Lock()
	delete(j.finished, id)
	j.mu.Unlock()
	return j.findDetached(ctx, caller, id)
}

// findDetached is FindJob also after the client has disconnected.
func (j *Jobs) findDetached(ctx context.Context, caller access.Caller, id string) (*Job, error) {
	ctx, cancel := db.Detach(ctx)
	defer cancel()
	return j.FindJob(ctx, caller, id)
}

// announce ends the waiting for a job.
func (j *Jobs) announce(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if finished := j.finished[id]; finished != nil {
		close(finished)
		delete(j.finished, id)
	}
}

// require returns a job that the caller may view. Codes: not_found.
func (j *Jobs) require(tx *db.Tx, who access.Staff, id string) (*jobRow, error) {
	row, err := findJob(tx, id)
	if err != nil {
		return nil, err
	}
	if row == nil || !j.canView(who, row) {
		return nil, fault.Errorf(fault.CodeNotFound, "The job does not exist. Jobs are stored for %d days.", Retention/(24*time.Hour))
	}
	return row, nil
}

// canView reports whether the caller may view a job: their own, or one with a view permission that
// they have.
func (j *Jobs) canView(who access.Staff, row *jobRow) bool {
	own := who.Actor()
	return row.actor.Kind == own.Kind && row.actor.ID == own.ID || who.Permits(j.cfg.Actions[row.kind].View)
}

// FindJob returns a job with the results of its items. Codes: not_found, unauthenticated.
func (j *Jobs) FindJob(ctx context.Context, caller access.Caller, id string) (*Job, error) {
	return access.Read(ctx, j.cfg.Data, caller, access.ToFindJob, func(tx *db.Tx, who access.Staff) (*Job, error) {
		row, err := j.require(tx, who, id)
		if err != nil {
			return nil, err
		}
		found := &Job{Summary: row.summary()}
		if found.Results, err = findResults(tx, id); err != nil {
			return nil, err
		}
		return found, j.addNames(tx, found)
	})
}

// addNames adds the names of the people of a job's records.
func (j *Jobs) addNames(tx *db.Tx, found *Job) error {
	find := j.cfg.Actions[found.Kind].Names
	if find == nil {
		return nil
	}
	ids := make([]string, len(found.Results))
	for i, result := range found.Results {
		ids[i] = result.Subject
	}
	names := map[string]string{}
	for part := range db.Chunks(ids) {
		if err := find(tx, part, names); err != nil {
			return err
		}
	}
	for i, result := range found.Results {
		if name := names[result.Subject]; name != "" {
			found.Results[i].Name = &name
		}
	}
	return nil
}

// ListJobs returns one page of the jobs that the caller may view, newest first. Codes:
// validation_failed, unauthenticated.
func (j *Jobs) ListJobs(ctx context.Context, caller access.Caller, request page.Request) (*page.Page[Summary], error) {
	return access.Read(ctx, j.cfg.Data, caller, access.ToListJobs, func(tx *db.Tx, who access.Staff) (*page.Page[Summary], error) {
		var bad fault.Invalid
		w := request.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		var kinds []string
		for kind, action := range j.cfg.Actions {
			if who.Permits(action.View) {
				kinds = append(kinds, string(kind))
			}
		}
		slices.Sort(kinds)
		rows, total, err := findJobs(tx, kinds, who.Actor(), w)
		if err != nil {
			return nil, err
		}
		list := &page.Page[Summary]{Meta: w.MetaFor(total), Nodes: make([]Summary, len(rows))}
		for i := range rows {
			list.Nodes[i] = rows[i].summary()
		}
		return list, nil
	})
}

// CancelJob ends a job: items that have not begun are left unchanged. Codes: not_found,
// state_conflict (it has ended), forbidden, unauthenticated.
func (j *Jobs) CancelJob(ctx context.Context, caller access.Caller, id string) (*Job, error) {
	ended, err := access.Write(ctx, j.cfg.Data, caller, access.ToCancelJob, func(tx *db.Tx, who access.Staff) (ended bool, err error) {
		row, err := j.requireChangeable(tx, who, id)
		if err != nil {
			return false, err
		}
		switch row.status {
		case StatusCancelled:
			return false, nil
		case StatusDone:
			return false, fault.StatusConflict(row.status, "The job has ended: every item has a result.")
		}
		if err := cancelJob(tx, id); err != nil {
			return false, err
		}
		if !row.claimedUntil.After(tx.Now()) {
			if ended, err = finishJob(tx, row); err != nil {
				return false, err
			}
		}
		return ended, who.Audit(tx, row.subject(), access.Changed("status", row.status, StatusCancelled)...)
	})
	if err != nil {
		return nil, err
	}
	if ended {
		j.announce(id)
	} else {
		j.start() // interrupted items are checked
	}
	return j.FindJob(ctx, caller, id)
}

// requireChangeable returns a job that the caller may view, with an action that they may execute.
// Codes: not_found, forbidden.
func (j *Jobs) requireChangeable(tx *db.Tx, who access.Staff, id string) (*jobRow, error) {
	row, err := j.require(tx, who, id)
	if err != nil {
		return nil, err
	}
	if err := who.Require(tx, j.cfg.Actions[row.kind].Use.Permission); err != nil {
		return nil, err
	}
	return row, nil
}

// RetryJob creates a new job of the failed items of an ended one. An item is retried by one job
// only: a second one would repeat the work of the first. Codes: not_found, state_conflict (it has
// not ended, nothing failed, or another job retries it: see details.job), job_limit, forbidden,
// unauthenticated.
func (j *Jobs) RetryJob(ctx context.Context, caller access.Caller, id string) (*Job, error) {
	row, err := access.Read(ctx, j.cfg.Data, caller, access.ToRetryJob, func(tx *db.Tx, who access.Staff) (*jobRow, error) {
		row, err := j.requireChangeable(tx, who, id)
		switch {
		case err != nil:
			return nil, err
		case row.finishedAt == nil:
			return nil, fault.StatusConflict(row.status, "The job has not ended yet: wait for its results.")
		case row.failed == 0:
			return nil, fault.StatusConflict(row.status, "No item of the job has failed.")
		}
		return row, nil
	})
	if err != nil {
		return nil, err
	}
	retry := jobRow{kind: row.kind, options: row.options, retryOf: &id}
	return j.create(ctx, caller, &Request{Use: access.ToRetryJob}, retry, func(tx *db.Tx) ([]Target, error) { return findRetryable(tx, id) })
}

// findRetryable returns the failed items of a job that no other job retries. A cancelled job leaves
// the items that it has not begun. Codes: state_conflict.
func findRetryable(tx *db.Tx, id string) ([]Target, error) {
	retry, err := findRetry(tx, id)
	if err != nil {
		return nil, err
	}
	if retry != nil && (retry.status != StatusCancelled || retry.finishedAt == nil) {
		e := fault.Errorf(fault.CodeStateConflict, "Another job retries the failed items already: see its results.")
		e.Details = map[string]any{"job": retry.id}
		return nil, e
	}
	targets, err := findFailed(tx, id)
	if err == nil && len(targets) == 0 {
		err = fault.Errorf(fault.CodeStateConflict, "No item is left to retry: see the results of the jobs that have retried them.")
	}
	return targets, err
}

// Purge deletes jobs that were created more than 30 days ago, and returns the time at which the
// next one is due. A zero time means that there is none.
func (j *Jobs) Purge(ctx context.Context) (next time.Time, err error) {
	return jobs.Purge(ctx, j.cfg.Data)
}
