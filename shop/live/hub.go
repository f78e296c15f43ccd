// Package live streams a shop's events to staff members and API keys as they happen, each event to
// callers who may see it. It reads them from the outbox, and depends on neither orders nor HTTP.
package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/outbox"
)

const (
	// eventPoll is the interval at which a shop with streams is checked for commits of other
	// processes.
	eventPoll = time.Second
	// eventPause is the shortest time between two reads of new events, regardless of the number of
	// commits.
	eventPause = 100 * time.Millisecond
	// callerCheck is the interval at which the callers of streams are checked without a commit:
	// sessions and keys expire.
	callerCheck = 10 * time.Second
)

// Hub reads a shop's new events once for all its streams, while there are any. It is safe for
// concurrent use. Create one with [New].
type Hub struct {
	data access.Data
	log  *slog.Logger

	mu      sync.Mutex
	streams map[*Stream]struct{}
	last    int64              // the last event that was sent to the streams
	stop    context.CancelFunc // of the reading goroutine; nil if it does not run
}

// New returns a hub without streams. It does not access the store.
func New(data access.Data, log *slog.Logger) *Hub { return &Hub{data: data, log: log} }

// add adds a stream. Codes: unavailable.
func (h *Hub) add(e *Stream) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := 0
	for other := range h.streams {
		if other.actor == e.actor {
			own++
		}
	}
	if own >= MaxStreams {
		return errTooManyStreams()
	}
	if h.streams == nil {
		h.streams = map[*Stream]struct{}{}
	}
	if h.stop == nil {
		h.last = e.until
		ctx, stop := context.WithCancel(context.Background())
		h.stop = stop
		go h.run(ctx)
	}
	e.until = h.last
	h.streams[e] = struct{}{}
	return nil
}

// remove removes a stream. The last one ends the goroutine.
func (h *Hub) remove(e *Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, e)
	if len(h.streams) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// run reads new events until ctx ends.
func (h *Hub) run(ctx context.Context) {
	tick := time.NewTicker(eventPoll)
	defer tick.Stop()
	var read uint64 // the version of the last read
	var checked time.Time
	for ctx.Err() == nil {
		// Before the version is read, so that no commit is missed.
		changed, err := h.data.Store.Changed(ctx, h.data.ID)
		var version uint64
		if err == nil {
			version, err = h.data.Store.Version(ctx, h.data.ID)
		}
		if err == nil && (version != read || time.Since(checked) >= callerCheck) {
			if err = h.poll(ctx); err == nil {
				read, checked = version, time.Now()
			}
		}
		if err != nil && ctx.Err() == nil {
			if errors.Is(err, db.ErrNoTenant) || errors.Is(err, db.ErrClosed) {
				h.endAll(err)
				return
			}
			h.log.Warn("events not read", "tenant", string(h.data.ID), "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed: // nil after a failure, which blocks
			pause(ctx, eventPause-time.Since(checked))
		case <-tick.C:
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// poll sends the new events to the streams and ends streams with callers that are no longer valid.
func (h *Hub) poll(ctx context.Context) error {
	for {
		h.mu.Lock()
		last := h.last
		streams := make([]*Stream, 0, len(h.streams))
		for e := range h.streams {
			streams = append(streams, e)
		}
		h.mu.Unlock()
		var events []outbox.Event
		ended := map[*Stream]error{}
		err := h.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			if events, err = outbox.After(tx, last, eventBatch); err != nil {
				return err
			}
			for _, e := range streams {
				if err := e.who.Check(tx); isEnded(err) {
					ended[e] = err
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		h.send(ctx, events, streams, ended)
		if len(events) < eventBatch {
			return nil
		}
	}
}

// send adds events to the waiting ones of the streams' readers.
func (h *Hub) send(ctx context.Context, events []outbox.Event, checked []*Stream, ended map[*Stream]error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil { // a later goroutine reads from here
		return
	}
	if len(events) > 0 {
		h.last = events[len(events)-1].Seq
	}
	for _, e := range checked {
		if ended[e] == nil {
			e.permitted = permittedEvents(e.who)
		}
	}
	for e := range h.streams {
		switch {
		case e.ended != nil:
		case ended[e] != nil:
			e.pending, e.ended = nil, ended[e]
		case len(e.pending)+len(events) > maxPending:
			e.ended = errStreamTooSlow()
		default:
			e.pending = append(e.pending, events...)
		}
		if len(e.pending) > 0 || e.ended != nil {
			e.signal()
		}
	}
}

// endAll ends every stream with an error.
func (h *Hub) endAll(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for e := range h.streams {
		e.ended = err
		e.signal()
	}
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// signal wakes the reader of the stream.
func (e *Stream) signal() {
	select {
	case e.ready <- struct{}{}:
	default:
	}
}
