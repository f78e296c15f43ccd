package endpoint

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/queue"
)

// consumer is the name of the package's cursor in the outbox.
const consumer = outbox.Webhooks

// eventBatch limits the events that one transaction queues deliveries of.
const eventBatch = 500

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
	var held time.Time
	for pending && err == nil {
		err = e.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			pending, held, err = e.queueEvents(tx)
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
		next = queue.Earlier(next, held)
		for _, endpoint := range all {
			at, err := deliveries.NextDue(
				tx, time.Time{}, "endpoint_id = ? AND seq IS NOT NULL", endpoint.ID,
			)
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

// queueEvents queues the deliveries of a batch of events, and reports whether there are more. held
// is the time until which the next one is held. Without an endpoint the package is no longer a
// consumer of the outbox.
func (e *Endpoints) queueEvents(tx *db.Tx) (more bool, held time.Time, err error) {
	all, err := findEndpoints(tx)
	if err != nil {
		return false, held, err
	}
	if len(all) == 0 {
		return false, held, outbox.DeleteCursor(tx, consumer)
	}
	cursor, err := outbox.Cursor(tx, consumer)
	if errors.Is(err, db.ErrNotFound) { // another run has just ended it
		return false, held, nil
	}
	if err != nil {
		return false, held, err
	}
	events, held, err := outbox.Released(tx, cursor, eventBatch)
	if err != nil {
		return false, held, err
	}
	if len(events) == 0 {
		return false, held, nil
	}
	for _, event := range events {
		for i := range all {
			if to := &all[i]; to.awaits(&event) {
				if err := insertDelivery(tx, e.newDelivery(tx, to, event)); err != nil {
					return false, held, err
				}
			}
		}
	}
	return len(events) == eventBatch, held, outbox.Advance(tx, consumer, events[len(events)-1].Seq)
}

// awaits reports whether an event is delivered to the endpoint.
func (e *Endpoint) awaits(event *outbox.Event) bool {
	return e.Active && event.Seq > e.since && !event.Withdrawn && e.receives(event.Type)
}

func (e *Endpoints) newDelivery(tx *db.Tx, to *Endpoint, event outbox.Event) *Delivery {
	return &Delivery{
		ID: e.cfg.IDs.Next(tx.Now()), EndpointID: to.ID, seq: &event.Seq, Type: event.Type,
		At: event.At, Status: DeliveryWaiting, NextAt: new(tx.Now()),
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
	notSent := func(err error) {
		e.cfg.Log.Error("webhook not sent", "endpoint", endpointID, "error", err)
	}
	return dispatch.Queue{
		Name: shop + "/" + endpointID, Within: []dispatch.Limit{{Name: "shop " + shop, Max: maxPerShop}},
		Next: func(ctx context.Context) bool {
			if !e.cfg.IsWorking(ctx) {
				return false
			}
			sent, err := e.sendNext(ctx, endpointID)
			if err != nil {
				notSent(err)
			}
			return sent && err == nil
		},
		Failed: notSent,
	}
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

// Purge deletes the deliveries of events that are older than [Retention]. It returns a zero time:
// it runs with the other purges.
func (e *Endpoints) Purge(ctx context.Context) (next time.Time, err error) {
	_, err = deliveries.Purge(ctx, e.cfg.Data)
	return time.Time{}, err
}
