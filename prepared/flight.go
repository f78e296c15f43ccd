package prepared

import (
	"context"
	"sync"

	"storefront/shop"
)

// Written by hand: a build of golang.org/x/sync/singleflight continues when no caller waits
// for it, and cannot be refused before it starts.

// flights are the builds in progress. Callers that need the same response share one.
type flights struct {
	mu      sync.Mutex
	current map[flightKey]*flight
}

type flightKey struct {
	key     Key
	version shop.ContentVersion
}

// flight is one build. It is cancelled when no caller waits for it any longer.
type flight struct {
	waiting  int // guarded by flights.mu
	cancel   context.CancelFunc
	done     chan struct{} // closed when response is final
	response *Response
}

// do returns the response that build creates. If a concurrent call with the same key is building
// one, it waits for that response. If build returns nil, all callers that share it receive nil.
// admit is called before a build starts; if it returns an error, do returns it and starts no build.
func (f *flights) do(ctx context.Context, key flightKey, admit func() error, build func(context.Context) *Response) (*Response, error) {
	f.mu.Lock()
	if shared := f.current[key]; shared != nil {
		shared.waiting++
		f.mu.Unlock()
		select {
		case <-shared.done:
			return shared.response, nil
		case <-ctx.Done():
			f.leave(key, shared)
			return nil, ctx.Err()
		}
	}
	if err := admit(); err != nil {
		f.mu.Unlock()
		return nil, err
	}
	own := &flight{waiting: 1, done: make(chan struct{})}
	var work context.Context
	work, own.cancel = detach(ctx)
	if f.current == nil {
		f.current = make(map[flightKey]*flight)
	}
	f.current[key] = own
	f.mu.Unlock()

	stop := context.AfterFunc(ctx, func() { f.leave(key, own) })
	defer func() { // also if build panics
		stop()
		own.cancel()
		f.remove(key, own)
		close(own.done)
	}()
	own.response = build(work)
	return own.response, nil
}

// detach returns a context with the values and the deadline of ctx that is not cancelled with it.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	detached := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(detached, deadline)
	}
	return context.WithCancel(detached)
}

// leave ends one caller's wait for a flight.
func (f *flights) leave(key flightKey, left *flight) {
	f.mu.Lock()
	left.waiting--
	abandoned := left.waiting == 0
	f.mu.Unlock()
	if abandoned {
		f.remove(key, left) // a new caller must not join a cancelled build
		left.cancel()
	}
}

// remove removes a flight, unless another has replaced it.
func (f *flights) remove(key flightKey, old *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current[key] == old {
		delete(f.current, key)
	}
}
