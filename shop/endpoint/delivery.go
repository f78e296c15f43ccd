package endpoint

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
)

// DeliveryStatus is the status of a delivery.
//
//api:enum DeliveryStatus
type DeliveryStatus string

// The statuses of deliveries. The last two are final.
const (
	DeliveryWaiting DeliveryStatus = "waiting" // not sent yet, or to be sent again
	DeliverySent    DeliveryStatus = "sent"    // the endpoint has accepted it
	DeliveryFailed  DeliveryStatus = "failed"  // no attempt is left
)

// Retention is the time for which deliveries are stored.
const Retention = 30 * 24 * time.Hour

// TestType is the type of the event that [Endpoints.TestEndpoint] sends.
const TestType outbox.Type = "test"

// Delivery is an event on its way to an endpoint. Its body is not stored: each attempt sends the
// current state of the event's order.
type Delivery struct {
	ID             string         `json:"_id"`
	EndpointID     string         `json:"endpointId"`
	WebhookID      string         `json:"webhookId" doc:"The header webhook-id, the same in every attempt"`
	Type           outbox.Type    `json:"type"`
	At             time.Time      `json:"at" doc:"When the event happened"`
	Status         DeliveryStatus `json:"status"`
	Attempts       int            `json:"attempts"`
	NextAt         *time.Time     `json:"nextAt" doc:"Time of the next attempt; null if there is none"`
	ResponseStatus *int           `json:"responseStatus" doc:"Status of the last attempt; null if there was no response"`
	Answer         string         `json:"answer" doc:"The first 2 KiB of the response"`
	Error          *string        `json:"error" doc:"Why the last attempt failed; null if it succeeded"`
	TookMs         *int           `json:"tookMs" doc:"Duration of the last attempt in milliseconds; null if there was none"`

	seq *int64 // of the event; nil for a test
}

// webhookID returns the ID by which a receiver recognizes a webhook that it already has.
func (d *Delivery) webhookID() string {
	if d.seq == nil {
		return "msg_test_" + d.ID
	}
	return webhookIDOf(*d.seq, d.EndpointID)
}

// DeliveryFilter selects deliveries of an endpoint. The zero value selects the first page of all.
type DeliveryFilter struct {
	page.Request
	Status DeliveryStatus `query:"status" doc:"Only with this status"`
}

// ListDeliveries returns one page of the deliveries to an endpoint, newest first. Codes: not_found,
// validation_failed, unauthenticated, forbidden, proof_required.
func (e *Endpoints) ListDeliveries(
	ctx context.Context, caller access.Caller, endpointID string, filter DeliveryFilter,
) (*page.List[Delivery], error) {
	return access.Read(ctx, e.cfg.Data, caller, access.ToListDeliveries, func(tx *db.Tx, _ access.Staff) (*page.List[Delivery], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		if _, err := findEndpoint(tx, endpointID); err != nil {
			return nil, err
		}
		list, count, err := listDeliveries(tx, endpointID, filter.Status, w)
		return &page.List[Delivery]{Nodes: db.OrEmpty(list), Meta: w.ListMetaFor(count, len(list))}, err
	})
}

// Redelivered is the result of [Endpoints.RedeliverRange].
type Redelivered struct {
	Queued int `json:"queued" doc:"Deliveries that are sent again, or for the first time"`
}

// Limits of [Endpoints.RedeliverRange].
const (
	maxRedelivered  = 50_000 // events in the range
	redeliverAtOnce = 500    // in one transaction: orders wait for it
)

// RedeliverRange sends the events of a time range to an endpoint: sent and failed ones again, and
// for the first time events of its types that happened while it was inactive. They are queued in
// several transactions, and the first one is audited. If that is interrupted, the same range again
// queues all of them. Codes: not_found, validation_failed (also for more than 50,000 events),
// state_conflict (the endpoint is inactive), unauthenticated, forbidden, proof_required.
func (e *Endpoints) RedeliverRange(
	ctx context.Context, caller access.Caller, endpointID string, from, before time.Time,
) (*Redelivered, error) {
	who, err := e.cfg.Data.Authorize(ctx, caller, access.ToRedeliverRange)
	if err != nil {
		return nil, err
	}
	if !from.Before(before) {
		var bad fault.Invalid
		bad.Add("to", fault.CodeInvalidValue, "Must be after from.")
		return nil, bad.Err()
	}
	var out Redelivered
	var events outbox.Range
	for first, found := true, redeliverAtOnce; found == redeliverAtOnce; first = false {
		queued, rest := 0, events
		err = e.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
			to, err := findActive(tx, endpointID)
			if err != nil {
				return err
			}
			if rest = events; first {
				if rest, err = e.beginRedelivery(tx, who, to, from, before); err != nil {
					return err
				}
			}
			var some []outbox.Event
			if some, rest, err = rest.Next(tx, redeliverAtOnce); err != nil {
				return err
			}
			found = len(some)
			queued, err = e.queue(tx, to, some, from, before)
			return err
		})
		if err != nil {
			return nil, err
		}
		events, out.Queued = rest, out.Queued+queued
	}
	return &out, nil
}

// beginRedelivery audits that the events of a range are sent again, and finds them. Codes:
// validation_failed.
func (*Endpoints) beginRedelivery(tx *db.Tx, who access.Staff, to *Endpoint, from, before time.Time) (outbox.Range, error) {
	events, err := outbox.NewRange(tx, from, before)
	if err != nil {
		return events, err
	}
	count, err := events.Count(tx, maxRedelivered+1)
	if err != nil {
		return events, err
	}
	if count > maxRedelivered {
		var bad fault.Invalid
		bad.Add("from", fault.CodeInvalidValue, "The period has more than 50,000 events. Choose a shorter one, and send the rest afterwards.")
		return events, bad.Err()
	}
	return events, who.Audit(tx, to.subject(), access.Set("from", from), access.Set("to", before), access.Set("events", count))
}

// queue queues events of a range of time for an endpoint, and returns their number.
func (e *Endpoints) queue(tx *db.Tx, to *Endpoint, events []outbox.Event, from, before time.Time) (count int, err error) {
	queued, err := queueAgain(tx, to.ID, events, from, before)
	if err != nil {
		return 0, err
	}
	missing, err := unsent(tx, to, events, queued)
	if err != nil {
		return 0, err
	}
	for _, event := range missing {
		if err := insertDelivery(tx, e.newDelivery(tx, to, event)); err != nil {
			return 0, err
		}
	}
	return len(queued) + len(missing), nil
}

// Redeliver sends a delivery again. endpointID must be its endpoint's, or empty, which means any.
// Codes: not_found (also for the delivery of another endpoint), state_conflict (the endpoint is
// inactive, or it is a test), unauthenticated, forbidden, proof_required.
func (e *Endpoints) Redeliver(ctx context.Context, caller access.Caller, endpointID, id string) (*Delivery, error) {
	return access.Write(ctx, e.cfg.Data, caller, access.ToRedeliver, func(tx *db.Tx, who access.Staff) (*Delivery, error) {
		d, err := findDelivery(tx, id)
		if err != nil {
			return nil, err
		}
		if endpointID != "" && d.EndpointID != endpointID {
			return nil, errNoDelivery()
		}
		if d.seq == nil {
			return nil, fault.Errorf(fault.CodeStateConflict, "A test cannot be sent again: send a new test to the webhook endpoint.")
		}
		found, err := findActive(tx, d.EndpointID)
		if err != nil {
			return nil, err
		}
		d.Status, d.Attempts, d.NextAt = DeliveryWaiting, 0, new(tx.Now())
		if err := updateDelivery(tx, d); err != nil {
			return nil, err
		}
		return d, who.Audit(tx, found.subject(), access.Set("delivery", id))
	})
}

// TestEndpoint sends an event of the type test to an endpoint, which may be inactive, and returns
// the delivery with the response. Codes: not_found, state_conflict (the endpoint has no secret),
// unauthenticated, forbidden, proof_required.
func (e *Endpoints) TestEndpoint(ctx context.Context, caller access.Caller, endpointID string) (*Delivery, error) {
	who, err := e.cfg.Data.Authorize(ctx, caller, access.ToTestEndpoint)
	if err != nil {
		return nil, err
	}
	var d *Delivery
	var to *Endpoint
	var keys [][]byte
	err = e.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if to, err = findEndpoint(tx, endpointID); err != nil {
			return err
		}
		if keys, err = e.secrets(tx, to); err != nil {
			return err
		}
		d = &Delivery{ID: e.cfg.IDs.Next(tx.Now()), EndpointID: endpointID, Type: TestType, At: tx.Now(), Status: DeliveryFailed}
		d.WebhookID = d.webhookID()
		if err := insertDelivery(tx, d); err != nil {
			return err
		}
		return who.Audit(tx, to.subject())
	})
	if err != nil {
		return nil, err
	}
	result := e.send(ctx, &outgoing{delivery: d, endpoint: to, keys: keys, event: outbox.Event{At: d.At, Type: TestType}})
	err = e.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		d.Attempts = 1
		result.describe(d)
		if result.isSuccess() {
			d.Status = DeliverySent
		}
		return updateDelivery(tx, d)
	})
	return d, err
}

// findActive returns an active endpoint. Codes: not_found, state_conflict.
func findActive(tx *db.Tx, id string) (*Endpoint, error) {
	found, err := findEndpoint(tx, id)
	if err == nil && !found.Active {
		return nil, fault.Errorf(fault.CodeStateConflict, "The webhook endpoint is inactive: set it to active first.")
	}
	return found, err
}
