package notify

import (
	"context"
	"sync"
)

// Limits of what is sent at once, so that a slow or dead push service, or the devices of one member
// or one shop, leave room for others.
const (
	maxPerMember  = 3
	maxPerShop    = 6
	maxPerHost    = 8
	maxPerProcess = 24
)

// Runner sends the notifications of all shops of a process: one at a time to each target. Create
// one with [NewRunner].
type Runner struct {
	slots    chan struct{}
	stopping chan struct{} // closed: no further notifications are sent
	hard     context.Context
	abort    context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	working map[string]*worker    // by shop and target
	shared  map[string]*semaphore // by member of a shop, and by host
}

// worker sends the notifications to one target.
type worker struct{ woken bool }

// semaphore limits what is sent at once to one member or host. It exists while it is used.
type semaphore struct {
	slots chan struct{}
	users int
}

// NewRunner returns a runner that sends nothing yet. The caller must close it with [Runner.Close].
func NewRunner() *Runner {
	r := &Runner{
		slots: make(chan struct{}, maxPerProcess), stopping: make(chan struct{}), working: map[string]*worker{},
		shared: map[string]*semaphore{},
	}
	r.hard, r.abort = context.WithCancel(context.Background())
	return r
}

// Close lets notifications that are being sent end, and aborts them when ctx ends: they are sent
// again by the next process.
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

// start lets the due notifications to a target be sent. It does not wait.
func (r *Runner) start(n *Notify, to targetRef) {
	key := string(n.cfg.ID) + "/" + to.key
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
	r.running.Go(func() { r.work(n, to, key, w) })
}

// work sends notifications to a target until none is due.
func (r *Runner) work(n *Notify, to targetRef, key string, w *worker) {
	for {
		r.mu.Lock()
		w.woken = false
		r.mu.Unlock()
		sent := r.sendNext(n, to)
		r.mu.Lock()
		if r.closed || !sent && !w.woken {
			delete(r.working, key)
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// use returns the slots of a key, and a function that must be called when they are no longer
// needed.
func (r *Runner) use(key string, limit int) (slots chan struct{}, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shared[key]
	if s == nil {
		s = &semaphore{slots: make(chan struct{}, limit)}
		r.shared[key] = s
	}
	s.users++
	return s.slots, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(r.shared, key)
		}
	}
}

// sendNext sends the next notification to a target, if one is due. Who waits for a wider limit
// holds slots of narrower ones only.
func (r *Runner) sendNext(n *Notify, to targetRef) bool {
	member, memberDone := r.use("member "+string(n.cfg.ID)+"/"+to.staffID, maxPerMember)
	defer memberDone()
	host, hostDone := r.use("host "+to.host, maxPerHost)
	defer hostDone()
	for _, slots := range []chan struct{}{member, n.slots, host, r.slots} {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-r.stopping:
			return false
		}
	}
	sent, err := n.sendNext(r.hard, to)
	if err != nil && r.hard.Err() == nil {
		n.cfg.Log.Error("notification not sent", "channel", to.channel, "staff", to.staffID, "error", err)
	}
	return sent && err == nil
}
