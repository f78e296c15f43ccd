package endpoint

import (
	"context"
	"sync"
)

// Limits of what is sent at once.
const (
	maxPerShop    = 4 // so that the slow endpoints of one shop leave room for those of others
	maxPerProcess = 8
)

// Runner sends the webhooks of all shops of a process: one at a time to each endpoint. Create one
// with [NewRunner].
type Runner struct {
	slots    chan struct{}
	stopping chan struct{} // closed: no further webhooks are sent
	hard     context.Context
	abort    context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	working map[string]*worker // by shop and endpoint
}

// worker sends the deliveries to one endpoint.
type worker struct{ woken bool }

// NewRunner returns a runner that sends nothing yet. The caller must close it with [Runner.Close].
func NewRunner() *Runner {
	r := &Runner{
		slots: make(chan struct{}, maxPerProcess), stopping: make(chan struct{}), working: map[string]*worker{},
	}
	r.hard, r.abort = context.WithCancel(context.Background())
	return r
}

// Close lets webhooks that are being sent end, and aborts them when ctx ends: they are sent again
// by the next process.
func (r *Runner) Close(ctx context.Context) {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.stopping)
	}
	r.mu.Unlock()
	defer context.AfterFunc(ctx, r.abort)()
	r.running.Wait()
}

// start lets the due deliveries to an endpoint be sent. It does not wait.
func (r *Runner) start(e *Endpoints, endpointID string) {
	key := string(e.cfg.ID) + "/" + endpointID
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if w := r.working[key]; w != nil {
		w.woken = true
		return
	}
	w := &worker{}
	r.working[key] = w
	r.running.Go(func() { r.work(e, endpointID, key, w) })
}

// work sends deliveries to an endpoint until none is due.
func (r *Runner) work(e *Endpoints, endpointID, key string, w *worker) {
	for {
		r.mu.Lock()
		w.woken = false
		r.mu.Unlock()
		sent := r.sendNext(e, endpointID)
		r.mu.Lock()
		if r.closed || !sent && !w.woken {
			delete(r.working, key)
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// sendNext sends the next delivery to an endpoint, if one is due.
func (r *Runner) sendNext(e *Endpoints, endpointID string) bool {
	for _, slots := range []chan struct{}{e.slots, r.slots} {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-r.stopping:
			return false
		}
	}
	sent, err := e.sendNext(r.hard, endpointID)
	if err != nil {
		e.cfg.Log.Error("webhook not sent", "endpoint", endpointID, "error", err)
	}
	return sent && err == nil
}
