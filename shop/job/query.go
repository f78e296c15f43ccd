package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/queue"
)

// jobRow is a row of jobs.
type jobRow struct {
	id                  string
	kind                Kind
	actor               access.Actor
	client, requestID   string
	options             []byte
	status              Status
	total, done, failed int
	claim               queue.Claim // "" if nobody works on it
	claimedUntil        time.Time
	createdAt           time.Time
	finishedAt          *time.Time
	retryOf             *string // the job with the failed items that it retries
}

func (r *jobRow) subject() access.Subject {
	return access.Subject{Kind: access.SubjectJob, ID: r.id, Label: string(r.kind)}
}

func (r *jobRow) summary() Summary {
	return Summary{
		ID: &r.id, Kind: r.kind, By: r.actor, Status: r.status, Total: r.total, Done: r.done, Failed: r.failed,
		CreatedAt: r.createdAt, FinishedAt: r.finishedAt,
	}
}

// itemStatus is the status of an item.
type itemStatus string

const (
	itemDone   itemStatus = "done"
	itemFailed itemStatus = "failed"
)

// itemRow is an item without a result.
type itemRow struct {
	position  int
	subject   string
	startedAt *time.Time // nil if no outside effect has begun
}

const jobColumns = `id, kind, actor, client, request_id, options, status, total, done, failed,
	COALESCE(claim, ''), COALESCE(claimed_until, 0), created_at, finished_at, retry_of`

func scanJob(r db.Row) (*jobRow, error) {
	row := &jobRow{}
	var actor, options string
	err := r.Scan(&row.id, &row.kind, &actor, &row.client, &row.requestID, &options, &row.status, &row.total, &row.done, &row.failed,
		&row.claim, &row.claimedUntil, &row.createdAt, &row.finishedAt, &row.retryOf)
	if err != nil {
		return nil, err
	}
	row.options = []byte(options)
	return row, json.Unmarshal([]byte(actor), &row.actor)
}

// orNil returns nil for a row that does not exist.
func orNil(row *jobRow, err error) (*jobRow, error) {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find job: %w", err)
	}
	return row, nil
}

// findJob returns a job, nil if there is none with this ID.
func findJob(tx *db.Tx, id string) (*jobRow, error) {
	return orNil(scanJob(tx.QueryRow(`
		SELECT `+jobColumns+`
		FROM jobs
		WHERE id = ?`, id)))
}

// findNext returns the first job that nobody works on, nil if there is none.
func findNext(tx *db.Tx) (*jobRow, error) {
	return orNil(scanJob(tx.QueryRow(`
		SELECT `+jobColumns+`
		FROM jobs
		WHERE `+queue.IsFree+` AND finished_at IS NULL
		ORDER BY id
		LIMIT 1`, jobs.Claims(tx)...)))
}

// findJobs returns one page of the jobs of some kinds or of an actor, newest first, and their
// number.
func findJobs(tx *db.Tx, kinds []string, actor access.Actor, w page.Window) (rows []*jobRow, total int, err error) {
	own, err := json.Marshal(actor)
	if err != nil {
		return nil, 0, fmt.Errorf("encode actor: %w", err)
	}
	where, args := "actor = ?", []any{string(own)}
	if len(kinds) > 0 {
		list, in := db.InList(kinds)
		where, args = where+" OR kind IN "+list, append(args, in...)
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM jobs
		WHERE `+where, args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count jobs: %w", err)
	}
	query := `
		SELECT ` + jobColumns + `
		FROM jobs
		WHERE ` + where + `
		ORDER BY id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	rows, err = db.Query(tx, scanJob, query, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list jobs: %w", err)
	}
	return rows, total, nil
}

func countUnfinished(tx *db.Tx) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM jobs
		WHERE finished_at IS NULL`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count jobs: %w", err)
	}
	return n, nil
}

// countClaimed returns the number of jobs that are worked on.
func countClaimed(tx *db.Tx) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM jobs
		WHERE `+queue.IsClaimed+` AND finished_at IS NULL`, jobs.Claims(tx)...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count running jobs: %w", err)
	}
	return n, nil
}

var itemInsertion = db.NewInsertion("job_items (job_id, position, subject, label, status)")

func insertJob(tx *db.Tx, row *jobRow, targets []Target) error {
	actor, err := json.Marshal(row.actor)
	if err != nil {
		return fmt.Errorf("encode actor: %w", err)
	}
	_, err = tx.Exec(`
		INSERT INTO jobs (id, kind, actor, client, request_id, options, status, total, created_at, retry_of)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, row.id, row.kind, string(actor), row.client, row.requestID, string(row.options), row.status,
		row.total, db.Millis(row.createdAt), row.retryOf)
	if err != nil {
		return fmt.Errorf("insert job: %w", err)
	}
	values := make([]any, 0, len(targets)*itemInsertion.Columns)
	for i, t := range targets {
		values = append(values, row.id, i+1, t.Subject, t.Label, "waiting")
	}
	if err := itemInsertion.Run(tx, values); err != nil {
		return fmt.Errorf("insert job items: %w", err)
	}
	return nil
}

func cancelJob(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		UPDATE jobs
		SET status = 'cancelled'
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("cancel job: %w", err)
	}
	return nil
}

// finishJob ends a job if no item is in progress, and no item is waiting or the job is cancelled.
func finishJob(tx *db.Tx, row *jobRow) (ended bool, err error) {
	n, err := tx.Exec(`
		UPDATE jobs
		SET status = CASE status WHEN 'cancelled' THEN status ELSE 'done' END, finished_at = ?, claim = NULL, claimed_until = NULL
		WHERE id = ? AND finished_at IS NULL AND NOT EXISTS (
			SELECT 1
			FROM job_items i
			WHERE i.job_id = ? AND (i.status = 'running' OR i.status = 'waiting' AND jobs.status <> 'cancelled'))`,
		db.Millis(tx.Now()), row.id, row.id)
	if err != nil {
		return false, fmt.Errorf("finish job: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	status := StatusDone
	if finished, err := findJob(tx, row.id); err != nil {
		return false, err
	} else if finished != nil {
		status = finished.status
	}
	return true, outbox.Append(tx, outbox.Event{Type: outbox.JobFinished, Subject: row.id,
		Data: outbox.Data{Status: string(status), Actor: outbox.Shop()}})
}

// findOpenItems returns the items of a job that have no result.
func findOpenItems(tx *db.Tx, id string) ([]itemRow, error) {
	items, err := db.Query(tx, func(r db.Row) (item itemRow, err error) {
		return item, r.Scan(&item.position, &item.subject, &item.startedAt)
	}, `
		SELECT position, subject, started_at
		FROM job_items
		WHERE job_id = ? AND status IN ('waiting', 'running')
		ORDER BY position`, id)
	if err != nil {
		return nil, fmt.Errorf("find job items: %w", err)
	}
	return items, nil
}

func findResults(tx *db.Tx, id string) ([]Result, error) {
	results, err := db.Query(tx, func(r db.Row) (result Result, err error) {
		var status string
		err = r.Scan(&result.Subject, &result.Label, &status, &result.Code, &result.Message, &result.Warning)
		if status == string(itemDone) || status == string(itemFailed) {
			result.OK = new(status == string(itemDone))
		}
		return result, err
	}, `
		SELECT subject, label, status, code, message, warning
		FROM job_items
		WHERE job_id = ?
		ORDER BY position`, id)
	if err != nil {
		return nil, fmt.Errorf("find job results: %w", err)
	}
	return results, nil
}

// findRetry returns the newest job that retries the failed items of another, nil if there is none.
func findRetry(tx *db.Tx, id string) (*jobRow, error) {
	return orNil(scanJob(tx.QueryRow(`
		SELECT `+jobColumns+`
		FROM jobs
		WHERE retry_of = ?
		ORDER BY id DESC
		LIMIT 1`, id)))
}

// findFailed returns the failed items of a job, without items that have a result in a cancelled
// retry job.
func findFailed(tx *db.Tx, id string) ([]Target, error) {
	targets, err := db.Query(tx, func(r db.Row) (t Target, err error) { return t, r.Scan(&t.Subject, &t.Label) }, `
		SELECT subject, label
		FROM job_items
		WHERE job_id = ? AND status = 'failed' AND subject NOT IN (
			SELECT i.subject
			FROM jobs j
			JOIN job_items i ON i.job_id = j.id
			WHERE j.retry_of = ? AND i.status IN ('done', 'failed'))
		ORDER BY position`, id, id)
	if err != nil {
		return nil, fmt.Errorf("find failed job items: %w", err)
	}
	return targets, nil
}

// startItem marks an item as in progress.
func startItem(tx *db.Tx, id string, position int) error {
	_, err := tx.Exec(`
		UPDATE job_items
		SET status = 'running', started_at = ?
		WHERE job_id = ? AND position = ? AND status = 'waiting'`, db.Millis(tx.Now()), id, position)
	if err != nil {
		return fmt.Errorf("start job item: %w", err)
	}
	return nil
}

// saveResult stores the result of an item that has none, and reports whether it had none.
func saveResult(tx *db.Tx, id string, position int, status itemStatus, failure *fault.Error, warning string) (saved bool, err error) {
	var code, message *string
	if failure != nil {
		code, message = new(string(failure.Code)), &failure.Message
	}
	n, err := tx.Exec(`
		UPDATE job_items
		SET status = ?, code = ?, message = ?, warning = ?
		WHERE job_id = ? AND position = ? AND status IN ('waiting', 'running')`, status, code, message, db.NullText(warning), id, position)
	if err != nil {
		return false, fmt.Errorf("save job result: %w", err)
	}
	return n == 1, nil
}

// countResult counts a result in its job.
func countResult(tx *db.Tx, id string, status itemStatus) error {
	_, err := tx.Exec(`
		UPDATE jobs
		SET done = done + ?, failed = failed + ?
		WHERE id = ?`, db.BoolInt(status == itemDone), db.BoolInt(status == itemFailed), id)
	if err != nil {
		return fmt.Errorf("count job result: %w", err)
	}
	return nil
}

// CancelAll ends all jobs of a copy of a shop, which lacks their effects after it was created.
func CancelAll(tx *db.Tx) error {
	_, err := tx.Exec(`
		UPDATE jobs
		SET status = 'cancelled', finished_at = ?, claim = NULL, claimed_until = NULL
		WHERE finished_at IS NULL`, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("cancel jobs: %w", err)
	}
	return nil
}
