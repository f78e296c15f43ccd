package endpoint

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/queue"
)

const deliveryColumns = `id, endpoint_id, seq, type, at, status, attempts, due_at, response_status, answer, error, took`

func scanDelivery(r db.Row) (d Delivery, err error) {
	err = r.Scan(&d.ID, &d.EndpointID, &d.seq, &d.Type, &d.At, &d.Status, &d.Attempts, &d.NextAt, &d.ResponseStatus, &d.Answer, &d.Error, &d.TookMs)
	d.WebhookID = d.webhookID()
	return d, err
}

func insertDelivery(tx *db.Tx, d *Delivery) error {
	_, err := tx.Exec(`
		INSERT INTO webhook_deliveries (id, endpoint_id, seq, type, at, status, attempts, due_at, answer)
		VALUES (?, ?, ?, ?, ?, ?, 0, ?, '')
		ON CONFLICT DO NOTHING`, d.ID, d.EndpointID, d.seq, string(d.Type), db.Millis(d.At), string(d.Status), db.NullMillis(d.NextAt))
	if err != nil {
		return fmt.Errorf("insert delivery: %w", err)
	}
	return nil
}

// attemptColumns are the assignments that [attemptOf] has values for.
const attemptColumns = `, status = ?, attempts = ?, due_at = ?, response_status = ?, answer = ?, error = ?, took = ?`

func attemptOf(d *Delivery) []any {
	return []any{string(d.Status), d.Attempts, db.NullMillis(d.NextAt), d.ResponseStatus, d.Answer, d.Error, d.TookMs}
}

// saveAttempt records the attempt of a claim, and reports whether it was held.
func saveAttempt(tx *db.Tx, c queue.Claim, d *Delivery) (held bool, err error) {
	return deliveries.Release(tx, c, attemptColumns, attemptOf(d)...)
}

// updateDelivery updates a delivery and ends its claim: an attempt under way records nothing.
func updateDelivery(tx *db.Tx, d *Delivery) error {
	_, err := tx.Exec(`
		UPDATE webhook_deliveries
		SET claim = NULL, claimed_until = NULL`+attemptColumns+`
		WHERE id = ?`, append(attemptOf(d), d.ID)...)
	if err != nil {
		return fmt.Errorf("update delivery: %w", err)
	}
	return nil
}

// deleteDeliveries deletes the deliveries to all endpoints.
func deleteDeliveries(tx *db.Tx) error {
	if _, err := tx.Exec(`DELETE FROM webhook_deliveries`); err != nil {
		return fmt.Errorf("delete deliveries: %w", err)
	}
	return nil
}

// findDelivery returns a delivery. Codes: not_found.
func findDelivery(tx *db.Tx, id string) (*Delivery, error) {
	d, err := scanDelivery(tx.QueryRow(`
		SELECT `+deliveryColumns+`
		FROM webhook_deliveries
		WHERE id = ?`, id))
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoDelivery()
	}
	if err != nil {
		return nil, fmt.Errorf("find delivery: %w", err)
	}
	return &d, nil
}

func errNoDelivery() error {
	return fault.Errorf(fault.CodeNotFound, "There is no such delivery. Deliveries are stored for 30 days.")
}

// findDue returns the deliveries to an endpoint that are due, the longest waiting first, at most
// limit. Deliveries that became due together are in the order of their events.
func findDue(tx *db.Tx, endpointID string, limit int) ([]Delivery, error) {
	due, err := db.Query(tx, scanDelivery, `
		SELECT `+deliveryColumns+`
		FROM webhook_deliveries
		WHERE `+queue.IsDue+` AND endpoint_id = ? AND seq IS NOT NULL
		ORDER BY due_at, seq
		LIMIT ?`, deliveries.Due(tx, endpointID, limit)...)
	if err != nil {
		return nil, fmt.Errorf("find due deliveries: %w", err)
	}
	return due, nil
}

// findSending returns the numbers of the events with deliveries that are being sent.
func findSending(tx *db.Tx, endpointID string) ([]int64, error) {
	sending, err := db.Query(tx, func(r db.Row) (seq int64, err error) { return seq, r.Scan(&seq) }, `
		SELECT seq
		FROM webhook_deliveries
		WHERE `+queue.IsClaimed+` AND endpoint_id || '' = ?`, deliveries.Claims(tx, endpointID)...)
	if err != nil {
		return nil, fmt.Errorf("find deliveries being sent: %w", err)
	}
	return sending, nil
}

// listDeliveries returns one page of the deliveries to an endpoint, newest first, and the count of
// the list. The status "" selects all.
func listDeliveries(tx *db.Tx, endpointID string, status DeliveryStatus, w page.Window) (list []Delivery, count page.Count, err error) {
	where, args := "endpoint_id = ?", []any{endpointID}
	if status != "" {
		where, args = where+" AND status = ?", append(args, string(status))
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM webhook_deliveries WHERE `+where+` LIMIT ?) found`, append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return nil, count, fmt.Errorf("count deliveries: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	query := `
		SELECT ` + deliveryColumns + `
		FROM webhook_deliveries
		WHERE ` + where + `
		ORDER BY at DESC, id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	list, err = db.Query(tx, scanDelivery, query, args...)
	if err != nil {
		return nil, count, fmt.Errorf("list deliveries: %w", err)
	}
	return list, count, nil
}

// queueAgain lets the deliveries of events be sent again, and returns the numbers of their events.
// The events are all events of a time range between the first and the last. Waiting ones are sent
// immediately, and attempts under way record nothing.
func queueAgain(tx *db.Tx, endpointID string, events []outbox.Event, from, before time.Time) (queued map[int64]bool, err error) {
	queued = map[int64]bool{}
	if len(events) == 0 {
		return queued, nil
	}
	found, err := db.Query(tx, func(r db.Row) (seq int64, err error) { return seq, r.Scan(&seq) }, `
		UPDATE webhook_deliveries
		SET status = 'waiting', attempts = 0, due_at = ?, claim = NULL, claimed_until = NULL
		WHERE endpoint_id = ? AND seq BETWEEN ? AND ? AND at >= ? AND at < ?
		RETURNING seq`, db.Millis(tx.Now()), endpointID, events[0].Seq, events[len(events)-1].Seq, db.Millis(from), db.Millis(before))
	if err != nil {
		return nil, fmt.Errorf("queue deliveries again: %w", err)
	}
	for _, seq := range found {
		queued[seq] = true
	}
	return queued, nil
}

// unsent returns the events to be queued for an endpoint because they never were. Events of types
// that it does not receive are omitted.
func unsent(tx *db.Tx, to *Endpoint, events []outbox.Event, queued map[int64]bool) ([]outbox.Event, error) {
	cursor, err := outbox.Cursor(tx, consumer)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	return slices.DeleteFunc(events, func(event outbox.Event) bool {
		return queued[event.Seq] || !to.receives(event.Type) || event.Seq > cursor && event.Seq > to.since // queued soon
	}), nil
}

// cancelWaiting ends the waiting deliveries to an endpoint.
func cancelWaiting(tx *db.Tx, endpointID string, why reason) error {
	_, err := tx.Exec(`
		UPDATE webhook_deliveries
		SET status = 'failed', due_at = NULL, error = ?
		WHERE endpoint_id = ? AND due_at IS NOT NULL`, string(why), endpointID)
	if err != nil {
		return fmt.Errorf("cancel deliveries: %w", err)
	}
	return nil
}
