package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/server/admin"
	"storefront/shop/access"
	"storefront/shop/staff"
	"storefront/transport"
)

// staffKeyHeader documents the idempotency key of an operation of the Admin API.
var staffKeyHeader = &huma.Param{
	Name: "Idempotency-Key", In: "header", Example: "confirm-1064-1",
	Schema: &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255), Pattern: "^[!-~]+$"},
	Description: "A unique text of your own for this request, in visible ASCII. Sending it again within 24 hours returns the first success again " +
		"instead of doing it twice",
}

// repeatOnce returns the middleware of operations that accept an idempotency key: a repeated
// request gets the first success again. It runs after the body is read and before the operation.
func (s *Server) repeatOnce(o *admin.Operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, _, _ := humahttprouter.Unwrap(ctx)
		x := exchangeOf(ctx)
		keys := r.Header["Idempotency-Key"]
		if len(keys) == 0 {
			next(ctx)
			return
		}
		if err := x.repeat(ctx, o, keys, next); err != nil {
			x.fail(err)
		}
	}
}

// saveResponseTime limits storing a response.
const saveResponseTime = 10 * time.Second

// repeat sends the stored response to a request, or runs the operation and stores its success.
func (x *exchange) repeat(ctx huma.Context, o *admin.Operation, keys []string, next func(huma.Context)) error {
	key, err := idempotencyKeyOf(keys)
	if err != nil {
		return err
	}
	fingerprint, err := fingerprintOf(ctx)
	if err != nil {
		return err
	}
	x.caller.Request = access.Request{Operation: o.ID, Key: key, Fingerprint: fingerprint, Nonce: rand.Text()}
	unlock, err := x.server.repeats.lock(&x.deadline, x.shop.UID()+"\x00"+x.actor+"\x00"+o.ID+"\x00"+key)
	if err != nil {
		return err
	}
	defer unlock()
	stored, err := x.shop.Staff.FindResponse(&x.deadline, x.caller, o.Use, o.Secret)
	if err != nil {
		return err
	}
	switch {
	case stored == nil:
		return x.runOnce(ctx, o, next)
	case stored.Lost != nil && !o.Recovers():
		return staff.ErrResponseLost()
	case stored.Lost != nil:
		return x.recoverResponse(ctx, o, stored.Lost, next)
	}
	x.sendAgain(stored)
	return nil
}

// sendAgain sends a stored response.
func (x *exchange) sendAgain(stored *staff.Response) {
	h := x.Header()
	h.Set("Idempotent-Replayed", "true")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(stored.Body)))
	if stored.ETag != "" {
		h.Set("ETag", stored.ETag)
	}
	x.WriteHeader(stored.Status)
	_, _ = x.Write(stored.Body) // the client may have disconnected
}

// recoverResponse responds to a request after an attempt that made its change and ended with the
// process: the operation reads the record, and the response is stored as the first would have been.
func (x *exchange) recoverResponse(
	ctx huma.Context, o *admin.Operation, lost *staff.Lost, next func(huma.Context),
) error {
	x.lost, x.caller.Request.Nonce = &lost.On, lost.Nonce
	response := &bufferedResponse{humaContext: ctx}
	next(response)
	switch {
	case x.status != 0: // the failure was sent already
		return nil
	case response.status < http.StatusOK || response.status >= http.StatusMultipleChoices:
		response.send()
		return nil
	}
	success := staff.Response{Status: response.status, ETag: x.Header().Get("ETag"), Body: response.body.Bytes()}
	if err := x.shop.Staff.SaveResponse(&x.deadline, x.caller, o.Use, success, o.Secret); err != nil {
		return err
	}
	stored, err := x.shop.Staff.FindResponse(&x.deadline, x.caller, o.Use, o.Secret)
	switch {
	case err != nil:
		return err
	case stored == nil || stored.Lost != nil: // it was erased since
		return staff.ErrResponseLost()
	}
	x.sendAgain(stored)
	return nil
}

// runOnce runs the operation and stores its success.
func (x *exchange) runOnce(ctx huma.Context, o *admin.Operation, next func(huma.Context)) (err error) {
	response := &bufferedResponse{humaContext: ctx}
	next(response)
	// The operation has ended, and its time may have expired.
	after, cancel := context.WithTimeout(context.WithoutCancel(&x.deadline), x.server.saveTime)
	defer cancel()
	switch {
	case response.status >= http.StatusOK && response.status < http.StatusMultipleChoices:
		success := staff.Response{Status: response.status, ETag: x.Header().Get("ETag"), Body: response.body.Bytes()}
		err = x.shop.Staff.SaveResponse(after, x.caller, o.Use, success, o.Secret)
	case o.Resumes && !x.usedUp: // otherwise the committed work must not be repeated, although the response is lost
		err = x.shop.Staff.ReleaseRequest(after, x.caller)
	}
	if err != nil {
		x.server.cfg.Logger.Warn("response to an idempotency key not stored", "requestId", x.requestID, "error", err)
	}
	if x.status == 0 { // otherwise the failure was sent already
		response.send()
	}
	return nil
}

// Lost implements [admin.Exchange].
func (x *exchange) Lost() *access.Subject { return x.lost }

// UseUpKey implements [admin.Exchange].
func (x *exchange) UseUpKey() { x.usedUp = true }

// fingerprintOf returns a hash of path, query and body: equal JSON has the same one.
func fingerprintOf(ctx huma.Context) (string, error) {
	body, err := io.ReadAll(ctx.BodyReader())
	if err != nil {
		return "", err
	}
	if ctx.Header("Content-Type") == "application/json" {
		var tree any
		if err := transport.Unmarshal(body, &tree); err == nil { // otherwise the operation reports it
			if body, err = transport.Marshal(tree); err != nil {
				return "", err
			}
		}
	}
	h := sha256.New()
	url := ctx.URL()
	_, _ = io.WriteString(h, url.EscapedPath()+"?"+url.RawQuery+"\n")
	_, _ = h.Write(body)
	return string(h.Sum(nil)), nil
}

// keyedLocks are locks by name, which exist while they are held or waited for.
type keyedLocks struct {
	mu    sync.Mutex
	locks map[string]*keyedLock
}

type keyedLock struct {
	held  chan struct{}
	users int // holder and waiting
}

// lock acquires the lock with a name, or returns ctx's error.
func (l *keyedLocks) lock(ctx context.Context, name string) (unlock func(), err error) {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[string]*keyedLock{}
	}
	lock := l.locks[name]
	if lock == nil {
		lock = &keyedLock{held: make(chan struct{}, 1)}
		l.locks[name] = lock
	}
	lock.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if lock.users--; lock.users == 0 {
			delete(l.locks, name)
		}
	}
	select {
	case lock.held <- struct{}{}:
		return func() { <-lock.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
