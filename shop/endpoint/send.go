package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/queue"
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

// Body returns the body of a webhook. The order is nil in a thin payload, and for events without an
// order.
func Body(tenant db.ID, e outbox.Event, order any) ([]byte, error) {
	text, err := json.Marshal(body{
		Type: e.Type, Timestamp: e.At.UTC(), Tenant: tenant, Data: bodyData{Subject: e.Subject, Data: e.Data, Order: order},
	})
	if err != nil {
		return nil, fmt.Errorf("encode webhook: %w", err)
	}
	return text, nil
}

// HasOrder reports whether events of a type have an order in a full payload.
func HasOrder(kind outbox.Type) bool { return kind.Noun() == "order" || kind.Noun() == "shipment" }

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

// Forward sends a webhook once, for the developer of a receiver. Nothing is stored. Codes:
// unauthenticated, forbidden, proof_required.
func (e *Endpoints) Forward(ctx context.Context, caller access.Caller, w Webhook) (Response, error) {
	if _, err := e.cfg.Data.Authorize(ctx, caller, access.ToCreateEndpoint); err != nil {
		return Response{}, err
	}
	return e.cfg.Sender.Send(ctx, w)
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
			e.cfg.Log.Error(
				"webhook not prepared", "endpoint", o.endpoint.ID, "delivery", o.delivery.ID, "error", err,
			)
		}
		return &result{err: reasonInternal, internal: true}
	}
	return r
}

// body returns the body of a webhook.
func (e *Endpoints) body(ctx context.Context, o *outgoing) ([]byte, error) {
	var order any
	if o.endpoint.Payload == PayloadFull && HasOrder(o.event.Type) {
		var err error
		order, err = e.cfg.Order(ctx, o.endpoint.CreatedBy, o.event.Subject)
		switch f, ok := errors.AsType[*fault.Error](err); {
		case ok && (f.Kind() == fault.KindForbidden || f.Kind() == fault.KindUnauthenticated):
			return nil, reasonDenied
		case err != nil:
			return nil, fmt.Errorf("find order: %w", err)
		}
	}
	return Body(e.cfg.Data.ID, o.event, order)
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
