package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/queue"
)

// consumer is the name of the package's cursor in the outbox.
const consumer = "webhooks"

const (
	eventBatch = 500
	maxFailing = 5 * 24 * time.Hour // of failing attempts, until the endpoint is disabled
)

// deliveries is the queue of deliveries. Delays vary, so that the endpoints of one host do not
// retry at the same time.
var deliveries = queue.Table{
	Name: "webhook_deliveries", ClaimTime: 30 * time.Second,
	Delays: []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	},
	Jitter: 0.1, MaxRetryAfter: 24 * time.Hour,
	Key: "id", Age: "at", Done: "due_at IS NULL", Retention: Retention, Batch: 1_000,
}

// reason is the reason for a failure without an attempt, for staff.
type reason string

func (r reason) Error() string { return string(r) }

// The reasons.
const (
	reasonInactive reason = "The endpoint was set to inactive."
	reasonDisabled reason = "The endpoint was disabled."
	reasonPurged   reason = "The event is no longer stored."
	reasonInternal reason = "The program could not prepare it; the endpoint is not the cause. The server's log has the reason."
	reasonDenied   reason = "The staff member who set up the endpoint may no longer view orders. " +
		"Set the payload to thin, or have somebody who may view them save the URL again."
)

// Webhook is one attempt to send an event.
type Webhook struct {
	ID   string    // the same in every attempt
	URL  string    // the target
	At   time.Time // of the attempt
	Body []byte    // JSON
	Keys [][]byte  // sign it, the newest first
}

// Response is an endpoint's response to a webhook.
type Response struct {
	Status     int
	Body       []byte        // the beginning of it
	RetryAfter time.Duration // delay before the next attempt; 0 means the usual one
}

// Sender sends webhooks. A response with any status is not an error. Errors contain no secret.
type Sender interface {
	Send(ctx context.Context, w Webhook) (Response, error)
}

// webhookIDOf returns the ID of the webhook about an event.
func webhookIDOf(seq int64, endpointID string) string {
	return fmt.Sprintf("msg_%d_%s", seq, endpointID)
}

// body is the body of a webhook.
type body struct {
	Type      outbox.Type `json:"type"`
	Timestamp time.Time   `json:"timestamp"` // of the event
	Tenant    db.ID       `json:"tenant"`
	Data      bodyData    `json:"data"`
}

// bodyData is the data of the event.
type bodyData struct {
	Subject string `json:"subject,omitempty"` // the ID of the affected record
	outbox.Data
	Order any `json:"order,omitempty"` // as for staff, in a full payload
}

// outgoing is a delivery with the data for an attempt.
type outgoing struct {
	delivery *Delivery
	endpoint *Endpoint
	keys     [][]byte
	event    outbox.Event
	purged   bool // the event is no longer stored
	claim    queue.Claim
}

// result is the result of an attempt.
type result struct {
	response Response
	err      error // there was no response
	internal bool  // nothing was sent because of a fault of the program
	took     time.Duration
}

func (r *result) isSuccess() bool { return r.err == nil && r.response.Status/100 == 2 }

// status returns the status of the response; nil if there was none.
func (r *result) status() *int {
	if r.err != nil {
		return nil
	}
	return &r.response.Status
}

// describe sets the fields of a delivery about its last attempt.
func (r *result) describe(d *Delivery) {
	d.TookMs, d.ResponseStatus, d.Answer, d.Error = new(int(r.took.Milliseconds())), nil, "", nil
	if r.err != nil {
		d.Error = new(r.err.Error())
		return
	}
	d.ResponseStatus, d.Answer = r.status(), answerText(r.response.Body)
	if !r.isSuccess() {
		d.Error = new(fmt.Sprintf("The response had the status %d: only 200 to 299 accept a webhook.", r.response.Status))
	}
}

// maxAnswer limits the stored part of a response, in bytes.
const maxAnswer = 2 << 10

// answerText returns the beginning of a response as text that every engine can store.
func answerText(body []byte) string {
	text := string(body[:min(len(body), maxAnswer)])
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// send sends a webhook once. A fault of the program, even a panic, only fails this attempt.
func (e *Endpoints) send(ctx context.Context, o *outgoing) (r *result) {
	if o.purged {
		return &result{err: reasonPurged}
	}
	err := dispatch.Recovered(func() error {
		text, err := e.body(ctx, o)
		if errors.Is(err, reasonDenied) {
			r = &result{err: err}
			return nil
		}
		if err != nil {
			return err
		}
		began := time.Now()
		response, err := e.cfg.Sender.Send(ctx, Webhook{
			ID: o.delivery.webhookID(), URL: o.endpoint.URL, At: e.cfg.Now(), Body: text, Keys: o.keys,
		})
		r = &result{response: response, err: err, took: time.Since(began)}
		return nil
	})
	if err != nil {
		if ctx.Err() == nil {
			e.cfg.Log.Error("webhook not prepared", "endpoint", o.endpoint.ID, "delivery", o.delivery.ID, "error", err)
		}
		return &result{err: reasonInternal, internal: true}
	}
	return r
}

// body returns the body of a webhook.
func (e *Endpoints) body(ctx context.Context, o *outgoing) ([]byte, error) {
	b := body{Type: o.event.Type, Timestamp: o.event.At.UTC(), Tenant: e.cfg.Data.ID, Data: bodyData{Subject: o.event.Subject, Data: o.event.Data}}
	if noun := o.event.Type.Noun(); o.endpoint.Payload == PayloadFull && (noun == "order" || noun == "shipment") {
		order, err := e.cfg.Order(ctx, o.endpoint.CreatedBy, o.event.Subject)
		switch f, ok := errors.AsType[*fault.Error](err); {
		case ok && (f.Kind() == fault.KindForbidden || f.Kind() == fault.KindUnauthenticated):
			return nil, reasonDenied
		case err != nil:
			return nil, fmt.Errorf("find order: %w", err)
		}
		b.Data.Order = order
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encode webhook: %w", err)
	}
	return text, nil
}

// Continue queues the deliveries of new events, starts sending due ones, and returns the time at
// which the next one is due; a zero time means that none waits. It does not wait for the sending.
func (e *Endpoints) Continue(ctx context.Context) (next time.Time, err error) {
	pending := false
	err = e.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		cursor, err := outbox.Cursor(tx, consumer)
		if errors.Is(err, db.ErrNotFound) { // no endpoint was ever created, or all were deleted
			return nil
		}
		if err != nil {
			return err
		}
		last, err := outbox.Last(tx)
		pending = last > cursor
		return err
	})
	for pending && err == nil {
		err = e.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			pending, err = e.queueEvents(tx)
			return err
		})
	}
	if err != nil {
		return time.Time{}, err
	}
	var due []string
	err = e.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		all, err := findEndpoints(tx)
		if err != nil {
			return err
		}
		if next, err = deliveries.NextEnd(tx); err != nil {
			return err
		}
		for _, endpoint := range all {
			at, err := deliveries.NextDue(tx, time.Time{}, "endpoint_id = ? AND seq IS NOT NULL", endpoint.ID)
			switch {
			case err != nil:
				return err
			case !at.IsZero() && !at.After(tx.Now()):
				due = append(due, endpoint.ID)
			default:
				next = queue.Earlier(next, at)
			}
		}
		return nil
	})
	for _, id := range due {
		e.cfg.Runner.Start(e.queueOf(id))
	}
	return next, err
}

// queueEvents queues the deliveries of a batch of events, and reports whether there are more.
// Without an endpoint the package is no longer a consumer of the outbox.
func (e *Endpoints) queueEvents(tx *db.Tx) (more bool, err error) {
	all, err := findEndpoints(tx)
	if err != nil {
		return false, err
	}
	if len(all) == 0 {
		return false, outbox.DeleteCursor(tx, consumer)
	}
	cursor, err := outbox.Cursor(tx, consumer)
	if errors.Is(err, db.ErrNotFound) { // another run has just ended it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	events, err := outbox.After(tx, cursor, eventBatch)
	if err != nil {
		return false, err
	}
	if len(events) == 0 {
		return false, nil
	}
	for _, event := range events {
		for i := range all {
			if to := &all[i]; to.Active && event.Seq > to.since && to.receives(event.Type) {
				if err := insertDelivery(tx, e.newDelivery(tx, to, event)); err != nil {
					return false, err
				}
			}
		}
	}
	return len(events) == eventBatch, outbox.Advance(tx, consumer, events[len(events)-1].Seq)
}

func (e *Endpoints) newDelivery(tx *db.Tx, to *Endpoint, event outbox.Event) *Delivery {
	return &Delivery{
		ID: e.cfg.IDs.Next(tx.Now()), EndpointID: to.ID, seq: &event.Seq, Type: event.Type, At: event.At, Status: DeliveryWaiting, NextAt: new(tx.Now()),
	}
}

// Limits of concurrent sending.
const (
	maxPerEndpoint = 8 // webhooks
	maxCandidates  = 4 * maxPerEndpoint
	maxPerShop     = 4 // endpoints, so that the slow ones of one shop leave room for others
	maxPerProcess  = 8 // endpoints
)

// NewRunner returns a runner for the webhooks of all shops of a process. The caller must close it.
func NewRunner() *dispatch.Runner { return dispatch.NewRunner(maxPerProcess) }

// queueOf returns the queue of an endpoint.
func (e *Endpoints) queueOf(endpointID string) dispatch.Queue {
	shop := string(e.cfg.Data.ID)
	return dispatch.Queue{
		Name: shop + "/" + endpointID, Within: []dispatch.Limit{{Name: "shop " + shop, Max: maxPerShop}},
		Next: func(ctx context.Context) bool {
			if !e.cfg.IsWorking(ctx) {
				return false
			}
			sent, err := e.sendNext(ctx, endpointID)
			if err != nil {
				e.cfg.Log.Error("webhook not sent", "endpoint", endpointID, "error", err)
			}
			return sent && err == nil
		},
		Failed: func(err error) { e.cfg.Log.Error("webhook not sent", "endpoint", endpointID, "error", err) },
	}
}

// sendNext sends the next due deliveries to an endpoint together, and reports whether there were
// any. They are claimed before, in a transaction of their own, so that no other server sends them
// too. After a crash they are sent again when the claim ends.
func (e *Endpoints) sendNext(ctx context.Context, endpointID string) (sent bool, err error) {
	var batch []*outgoing
	err = e.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		batch, err = e.claimBatch(tx, endpointID)
		return err
	})
	if err != nil {
		return false, err
	}
	if len(batch) == 0 {
		return false, nil
	}
	results := make([]*result, len(batch))
	var sending sync.WaitGroup
	for i, o := range batch {
		sending.Go(func() { results[i] = e.send(ctx, o) })
	}
	sending.Wait()
	isStopping := ctx.Err() != nil
	err = e.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		for i, o := range batch {
			var err error
			if isStopping && !results[i].isSuccess() { // the result is unknown, and it is sent again
				_, err = deliveries.Release(tx, o.claim, "")
			} else {
				err = record(tx, o, results[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return ctx.Err() == nil, err
}

// claimBatch claims the deliveries to an endpoint that are sent together. No two have the same
// subject, nor the subject of a delivery being sent: its events arrive one after the other.
func (e *Endpoints) claimBatch(tx *db.Tx, endpointID string) (batch []*outgoing, err error) {
	to, err := findEndpoint(tx, endpointID)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !to.Active {
		return nil, nil
	}
	due, err := findDue(tx, endpointID, maxCandidates)
	if err != nil {
		return nil, err
	}
	if len(due) == 0 {
		return nil, nil
	}
	keys, err := e.secrets(tx, to)
	if err != nil {
		return nil, err
	}
	subjects, err := sendingSubjects(tx, endpointID)
	if err != nil {
		return nil, err
	}
	for i := range due {
		o := &outgoing{delivery: &due[i], endpoint: to, keys: keys}
		o.event, err = outbox.Find(tx, *o.delivery.seq)
		if o.purged = errors.Is(err, db.ErrNotFound); err != nil && !o.purged {
			return nil, err
		}
		if !o.purged && subjects[o.event.Subject] {
			continue
		}
		subjects[o.event.Subject] = true
		if o.claim, err = deliveries.Claim(tx, "", "id = ?", o.delivery.ID); err != nil {
			return nil, err
		}
		if batch = append(batch, o); len(batch) == maxPerEndpoint {
			break
		}
	}
	return batch, nil
}

// sendingSubjects returns the subjects of the deliveries that are being sent.
func sendingSubjects(tx *db.Tx, endpointID string) (map[string]bool, error) {
	sending, err := findSending(tx, endpointID)
	if err != nil {
		return nil, err
	}
	subjects := map[string]bool{}
	for _, seq := range sending {
		event, err := outbox.Find(tx, seq)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		subjects[event.Subject] = err == nil
	}
	return subjects, nil
}

// record records an attempt, unless its claim ended: another server sends the delivery, staff
// requested another attempt, or the endpoint was deleted. If the URL was replaced during the
// attempt, a failure does not count, and the delivery is immediately due at the new URL.
func record(tx *db.Tx, o *outgoing, r *result) error {
	to, err := findEndpoint(tx, o.endpoint.ID)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	isOld := to.URL != o.endpoint.URL
	if isOld && !o.purged && !r.isSuccess() {
		_, err := deliveries.Release(tx, o.claim, "")
		return err
	}
	held, err := recordDelivery(tx, o, to, r)
	if err != nil {
		return err
	}
	if !held {
		return nil
	}
	if isOld || r.internal {
		return nil
	}
	to.LastDelivery = &LastDelivery{At: tx.Now(), ResponseStatus: r.status()}
	switch {
	case r.isSuccess():
		to.FailingSince = nil
	case !o.purged:
		if err := recordFailure(tx, to, r); err != nil {
			return err
		}
	}
	return updateEndpoint(tx, to)
}

// recordDelivery records an attempt in its delivery, and reports whether its claim was held.
func recordDelivery(tx *db.Tx, o *outgoing, to *Endpoint, r *result) (held bool, err error) {
	d := o.delivery
	r.describe(d)
	d.Attempts++
	d.NextAt = deliveries.Retry(tx.Now(), d.Attempts, r.response.RetryAfter)
	switch {
	case r.isSuccess():
		d.Status, d.NextAt = DeliverySent, nil
	case o.purged || d.NextAt == nil || !to.Active:
		d.Status, d.NextAt = DeliveryFailed, nil
	}
	return saveAttempt(tx, o.claim, d)
}

// recordFailure records a failed attempt at an endpoint, and disables one that is gone or fails for
// too long.
func recordFailure(tx *db.Tx, to *Endpoint, r *result) error {
	if to.FailingSince == nil {
		to.FailingSince = new(tx.Now())
	}
	const gone = 410
	switch {
	case !to.Active:
		return nil
	case r.err == nil && r.response.Status == gone:
		to.DisabledReason = new("It responded with 410: it no longer exists.")
	case tx.Now().Sub(*to.FailingSince) >= maxFailing:
		to.DisabledReason = new("Every attempt in five days failed.")
	default:
		return nil
	}
	to.Active = false
	if err := cancelWaiting(tx, to.ID, reasonDisabled); err != nil {
		return err
	}
	return outbox.Append(tx, outbox.Event{Type: outbox.WebhookEndpointDisabled, Subject: to.ID, Data: outbox.Data{Actor: outbox.Shop()}})
}

// Purge deletes the deliveries of events that are older than [Retention]. It returns a zero time:
// it runs with the other purges.
func (e *Endpoints) Purge(ctx context.Context) (next time.Time, err error) {
	_, err = deliveries.Purge(ctx, e.cfg.Data)
	return time.Time{}, err
}
