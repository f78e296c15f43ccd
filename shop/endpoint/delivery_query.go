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
)

const deliveryColumns = `id, endpoint_id, seq, type, at, status, attempts, next_at, response_status, answer, error, took`

func scanDelivery(r db.Row) (d Delivery, err error) {
	err = r.Scan(&d.ID, &d.EndpointID, &d.seq, &d.Type, &d.At, &d.Status, &d.Attempts, &d.NextAt, &d.ResponseStatus, &d.Answer, &d.Error, &d.TookMs)
	d.WebhookID = d.webhookID()
	return d, err
}

func insertDelivery(tx *db.Tx, d *Delivery) error {
	_, err := tx.Exec(`
		INSERT INTO webhook_deliveries (id, endpoint_id, seq, type, at, status, attempts, next_at, answer)
		VALUES (?, ?, ?, ?, ?, ?, 0, ?, '')
		ON CONFLICT DO NOTHING`, d.ID, d.EndpointID, d.seq, string(d.Type), db.Millis(d.At), string(d.Status), db.NullMillis(d.NextAt))
	if err != nil {
		return fmt.Errorf("insert delivery: %w", err)
	}
	return nil
}

func updateDelivery(tx *db.Tx, d *Delivery) error {
	_, err := tx.Exec(`
		UPDATE webhook_deliveries
		SET status = ?, attempts = ?, next_at = ?, claimed_until = NULL, response_status = ?, answer = ?, error = ?, took = ?
		WHERE id = ?`, string(d.Status), d.Attempts, db.NullMillis(d.NextAt), d.ResponseStatus, d.Answer, d.Error, d.TookMs, d.ID)
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
		WHERE endpoint_id = ? AND next_at <= ? AND seq IS NOT NULL AND COALESCE(claimed_until, 0) NOT BETWEEN ? AND ?
		ORDER BY next_at, seq
		LIMIT ?`, endpointID, db.Millis(tx.Now()), db.Millis(tx.Now()), db.Millis(tx.Now().Add(claimTime)), limit)
	if err != nil {
		return nil, fmt.Errorf("find due deliveries: %w", err)
	}
	return due, nil
}

// findSending returns the numbers of the events before one with deliveries that are being sent. It
// checks at most limit deliveries.
func findSending(tx *db.Tx, endpointID string, seq int64, limit int) ([]int64, error) {
	sending, err := db.Query(tx, func(r db.Row) (seq int64, err error) { return seq, r.Scan(&seq) }, `
		SELECT seq
		FROM (
			SELECT seq, claimed_until
			FROM webhook_deliveries
			WHERE endpoint_id = ? AND seq < ?
			ORDER BY seq DESC
			LIMIT ?
		) earlier
		WHERE claimed_until BETWEEN ? AND ?`,
		endpointID, seq, limit, db.Millis(tx.Now()), db.Millis(tx.Now().Add(claimTime)))
	if err != nil {
		return nil, fmt.Errorf("find deliveries being sent: %w", err)
	}
	return sending, nil
}

// claimDelivery sets the time until which a delivery is being sent; nil if it is not.
func claimDelivery(tx *db.Tx, id string, until *time.Time) error {
	_, err := tx.Exec(`
		UPDATE webhook_deliveries
		SET claimed_until = ?
		WHERE id = ?`, db.NullMillis(until), id)
	if err != nil {
		return fmt.Errorf("claim delivery: %w", err)
	}
	return nil
}

// findNextAt returns the time at which the next delivery to an endpoint is due, nil if none waits.
func findNextAt(tx *db.Tx, endpointID string) (next *time.Time, err error) {
	err = tx.QueryRow(`
		SELECT MIN(next_at)
		FROM webhook_deliveries
		WHERE endpoint_id = ? AND next_at IS NOT NULL AND seq IS NOT NULL`, endpointID).Scan(&next)
	if err != nil {
		return nil, fmt.Errorf("find next delivery: %w", err)
	}
	return next, nil
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
// immediately.
func queueAgain(tx *db.Tx, endpointID string, events []outbox.Event, from, before time.Time) (queued map[int64]bool, err error) {
	queued = map[int64]bool{}
	if len(events) == 0 {
		return queued, nil
	}
	found, err := db.Query(tx, func(r db.Row) (seq int64, err error) { return seq, r.Scan(&seq) }, `
		UPDATE webhook_deliveries
		SET status = 'waiting', attempts = 0, next_at = ?
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
		SET status = 'failed', next_at = NULL, error = ?
		WHERE endpoint_id = ? AND next_at IS NOT NULL`, string(why), endpointID)
	if err != nil {
		return fmt.Errorf("cancel deliveries: %w", err)
	}
	return nil
}

// purgeDeliveries deletes at most limit deliveries of events before a time, and returns their
// number.
func purgeDeliveries(tx *db.Tx, before time.Time, limit int) (int64, error) {
	n, err := tx.Exec(`
		DELETE FROM webhook_deliveries
		WHERE id IN (SELECT id FROM webhook_deliveries WHERE at < ? LIMIT ?)`, db.Millis(before), limit)
	if err != nil {
		return 0, fmt.Errorf("purge deliveries: %w", err)
	}
	return n, nil
}
