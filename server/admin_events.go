package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"storefront/shop/fault"
	"storefront/shop/live"
)

const (
	// maxEventStreams limits the streams of events of all shops.
	maxEventStreams = 500
	// maxShopStreams limits the streams of one shop, so that it leaves room for others.
	maxShopStreams = maxEventStreams / 4
	// eventComment is the interval of comments in a stream without events, so that proxies do not
	// close it.
	eventComment = 20 * time.Second
	// eventRetry is the delay before a client connects again after its stream has ended.
	eventRetry = 3 * time.Second
)

// eventStreams are the open streams of events.
type eventStreams struct {
	mu       sync.Mutex
	open     int
	ofShops  map[string]int // of shops with any
	stopping chan struct{}  // closed when the server stops
	stopped  bool
	comment  time.Duration // eventComment, unless a test changes it
}

// acquire counts a stream of a shop. Codes: unavailable.
func (s *eventStreams) acquire(of string) (release func(), err error) {
	refuse := func(who string, limit int) error {
		return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 60, Message: fmt.Sprintf(
			"The %s has %d open streams of events, which is its limit. Read lists instead, or connect again later.", who, limit)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped:
		return nil, &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 1, Message: "The server is stopping. Connect again in a moment."}
	case s.open >= maxEventStreams:
		return nil, refuse("server", maxEventStreams)
	case s.ofShops[of] >= maxShopStreams:
		return nil, refuse("shop", maxShopStreams)
	}
	if s.ofShops == nil {
		s.ofShops = map[string]int{}
	}
	s.open++
	s.ofShops[of]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.ofShops[of]--; s.ofShops[of] == 0 {
			delete(s.ofShops, of)
		}
	}, nil
}

// stop ends all streams and refuses new ones.
func (s *eventStreams) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.stopped = true
		close(s.stopping)
	}
}

// Follow implements [admin.Exchange]. Neither the request's deadline nor the connection's applies
// to the stream: each write has a deadline of its own.
func (x *exchange) Follow(open func(ctx context.Context) (*live.Stream, error)) {
	streams := &x.server.streams
	release, err := streams.acquire(x.shop.UID())
	if err != nil {
		x.fail(err)
		return
	}
	defer release()
	stream, err := open(&x.deadline)
	if err != nil {
		x.fail(err)
		return
	}
	defer stream.Close()
	ctx, cancel := context.WithCancel(x.request.Context())
	defer cancel()
	go func() {
		select {
		case <-streams.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	h := x.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx
	if x.request.ProtoMajor == 1 {
		h["Connection"] = headerClose // so that a stopping server waits for no idle connection
	}
	x.opened = time.Since(x.started)
	x.cpu.end()
	_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(time.Time{}) // otherwise it would cancel the request
	sent := stream.Last()
	first := fmt.Appendf(nil, "retry: %d\nid: %d\n\n", eventRetry.Milliseconds(), sent)
	for err = x.sendNow(first); err == nil; {
		var events []live.Event
		waiting, stopWaiting := context.WithTimeout(ctx, streams.comment)
		events, err = stream.Next(waiting)
		isQuiet := waiting.Err() != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
		stopWaiting()
		switch {
		case isQuiet && stream.Last() != sent: // so that a resuming client need not skip invisible events
			sent = stream.Last()
			err = x.sendNow(fmt.Appendf(nil, ":\nid: %d\n\n", sent))
		case isQuiet:
			err = x.sendNow([]byte(":\n\n"))
		case err == nil:
			var text []byte
			text, err = appendEvents(events)
			if err == nil {
				err = x.sendNow(text)
			}
		}
	}
}

// appendEvents returns events in the format of server-sent events.
func appendEvents(events []live.Event) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range events {
		data, err := json.Marshal(e.EventData)
		if err != nil {
			return nil, fmt.Errorf("encode event: %w", err)
		}
		b.WriteString("id: " + strconv.FormatInt(e.Seq, 10) + "\nevent: " + string(e.Type) + "\ndata: ")
		b.Write(data)
		b.WriteString("\n\n")
	}
	return b.Bytes(), nil
}

// sendNow writes to the client immediately. Between two calls the connection has no write deadline.
func (x *exchange) sendNow(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	control := http.NewResponseController(x.ResponseWriter)
	_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a test's recorder has none
	if _, err := x.Write(text); err != nil {
		return err
	}
	if err := control.Flush(); err != nil {
		return err
	}
	_ = control.SetWriteDeadline(time.Time{}) // as above
	return nil
}
