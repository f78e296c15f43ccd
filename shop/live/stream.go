package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

const (
	// MaxStreams limits the streams of events of one staff member or API key.
	MaxStreams = 10
	// maxPending limits the events that wait for the reader of a stream. The stream of a slower reader
	// ends; its client continues it after the last event that it has.
	maxPending = 1_000
	eventBatch = 500
)

// Event is an event in a stream of events.
type Event struct {
	Seq  int64       `json:"seq"`
	Type outbox.Type `json:"type"` // Reset means that events are missing before the next one
	EventData
	At time.Time `json:"-"`
}

// EventData is the data of an event in a stream of events.
type EventData struct {
	Subject string `json:"subject" doc:"ID of what it happened to"`
	outbox.Data
}

// Reset is the type of the first event of a stream if the events since the one to resume from are
// no longer stored. It also replaces [outbox.ShopRestored]. Any data that the client has read
// before may have changed.
const Reset outbox.Type = "reset"

// eventPermissions are the permissions to see the events of a type, by the noun in its name, unless
// the type itself has one. Types without a permission are for every staff member.
var eventPermissions = map[string]access.Permission{
	"order": access.OrdersRead, "shipment": access.OrdersRead, "product": access.ProductsRead, "stock": access.ProductsRead,
	"coupon": access.CouponsRead, "customer": access.CustomersRead, "cash": access.CashRead, "provider": access.ProvidersRead,
	"settings": access.SettingsRead, "staff": access.StaffRead, "job": access.Any, "shop": access.Any, "webhook_endpoint": access.KeysWrite,
	"plan": access.SettingsRead,
}

// EventPermission returns the permission to see the events of a type.
func EventPermission(kind outbox.Type) access.Permission { return eventPermissions[kind.Noun()] }

// Stream reports the events of a shop, as far as the caller may see them. It must be closed.
type Stream struct {
	hub    *Hub
	caller access.Caller
	actor  outbox.Actor
	who    access.Staff // belongs to the hub's goroutine once the stream has been added
	ready  chan struct{}
	reset  bool // not reported yet

	// Until last reaches until, the stream reads the events itself. Afterwards the hub has them.
	last, until int64

	// Guarded by the hub's mutex.
	permitted map[access.Permission]bool
	pending   []outbox.Event
	ended     error
}

// FollowEvents returns a stream of the shop's events after the one with a number, nil for new
// events only. The stream ends with the caller's session or API key. Codes: unauthenticated,
// forbidden, unavailable (the caller has too many streams).
func (h *Hub) FollowEvents(ctx context.Context, caller access.Caller, after *int64) (*Stream, error) {
	who, err := h.data.Authorize(ctx, caller, access.ToFollowEvents)
	if err != nil {
		return nil, err
	}
	caller.Authorized = nil // the stream may last longer than the session
	stream := &Stream{hub: h, caller: caller, who: who, ready: make(chan struct{}, 1)}
	err = h.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if signer := outbox.Signer(tx); signer != nil {
			stream.actor = *signer
		}
		stream.permitted = permittedEvents(who)
		first, err := outbox.First(tx)
		if err != nil {
			return err
		}
		last, err := outbox.Last(tx)
		if err != nil {
			return err
		}
		stream.last, stream.until = last, last
		switch {
		case after == nil:
		case *after > last, *after < last && (first == 0 || *after+1 < first):
			stream.reset = true
		default:
			stream.last = *after
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return stream, h.add(stream)
}

// permittedEvents returns the caller's permissions to see events.
func permittedEvents(who access.Staff) map[access.Permission]bool {
	permitted := map[access.Permission]bool{}
	for _, p := range eventPermissions {
		permitted[p] = who.Permits(p)
	}
	permitted[access.PricesRead] = who.Permits(access.PricesRead)
	return permitted
}

// Last returns the number of the last event that the stream has passed, including events that the
// caller may not see.
func (e *Stream) Last() int64 { return e.last }

// Close ends the stream.
func (e *Stream) Close() { e.hub.remove(e) }

// Next waits for further events that the caller may see. It returns ctx's error if there are none
// until ctx ends, without a change to the stream. Codes: unauthenticated, forbidden (the session or
// the API key has ended, and the stream with it), unavailable (the events were read too slowly).
func (e *Stream) Next(ctx context.Context) ([]Event, error) {
	if e.reset {
		e.reset = false
		return []Event{{Seq: e.last, Type: Reset}}, nil
	}
	for e.last < e.until {
		events, err := e.catchUp(ctx)
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			return events, nil
		}
	}
	for {
		events, err := e.dequeue()
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// catchUp reads events that happened before the stream was added to the hub.
func (e *Stream) catchUp(ctx context.Context) ([]Event, error) {
	data := e.hub.data
	who, err := data.Authorize(ctx, e.caller, access.ToFollowEvents) // e.who belongs to the hub
	if err != nil {
		return nil, err
	}
	var seen []Event
	last := e.until
	err = data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		events, err := outbox.After(tx, e.last, eventBatch)
		if err != nil {
			return err
		}
		if len(events) == eventBatch {
			last = min(last, events[eventBatch-1].Seq)
		}
		events = slices.DeleteFunc(events, func(event outbox.Event) bool { return event.Seq > e.until })
		seen = visibleEvents(events, permittedEvents(who))
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.last = last
	return seen, nil
}

// dequeue returns the events sent by the hub.
func (e *Stream) dequeue() ([]Event, error) {
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	events := slices.DeleteFunc(e.pending, func(event outbox.Event) bool { return event.Seq <= e.last })
	e.pending = nil
	if len(events) == 0 {
		return nil, e.ended
	}
	e.last = events[len(events)-1].Seq
	seen := visibleEvents(events, e.permitted)
	if len(seen) == 0 {
		return nil, e.ended
	}
	return seen, nil
}

func visibleEvents(events []outbox.Event, permitted map[access.Permission]bool) (seen []Event) {
	for _, event := range events {
		switch {
		case event.Type == outbox.ShopRestored:
			seen = append(seen, Event{Seq: event.Seq, Type: Reset})
		case permitted[EventPermission(event.Type)]:
			if !permitted[access.PricesRead] {
				event.Data.Total = 0
			}
			seen = append(seen, Event{event.Seq, event.Type, EventData{event.Subject, event.Data}, event.At})
		}
	}
	return seen
}

func errStreamTooSlow() error {
	return fault.Errorf(fault.CodeUnavailable, "The client read the events too slowly. Continue after the last one.")
}

// errTooManyStreams returns the error of a further stream.
func errTooManyStreams() error {
	return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 60, Message: fmt.Sprintf(
		"At most %d streams of events can be open for one staff member or API key. Close another one.", MaxStreams)}
}

// isEnded reports whether an error of checking a caller ends the stream: the session or the key is
// no longer valid. Other errors, such as a busy database, do not.
func isEnded(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && (e.Kind() == fault.KindUnauthenticated || e.Kind() == fault.KindForbidden)
}
