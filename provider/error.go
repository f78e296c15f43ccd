package provider

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// Causes of an [Error], besides network and TLS errors.
var (
	// ErrAddressNotAllowed means that the host resolves to a private or reserved address, which the
	// operator has not allowed.
	ErrAddressNotAllowed = errors.New("private and reserved addresses are not allowed")
	// ErrTooLarge means that the response body exceeds the limit.
	ErrTooLarge = errors.New("response too large")
	// ErrBroken means that the connection closed or sent invalid HTTP before the response was
	// complete.
	ErrBroken = errors.New("response incomplete or invalid")
	// ErrTimeout means that the deadline passed. It wraps [context.DeadlineExceeded].
	ErrTimeout = fmt.Errorf("no response in time: %w", context.DeadlineExceeded)
)

// Error is returned by [Client.Do] when there is no complete response. It is safe for the log and
// the operator: it contains the method, host and path, but never the query, user information,
// headers or any part of a body.
type Error struct {
	Method string
	Host   string
	Path   string // escaped; an adapter with a secret in the path replaces it by the path's template
	// Ambiguous reports whether the whole request was written to the connection, so that the
	// provider may have acted on it. If false, the provider has not acted on it.
	Ambiguous bool
	Err       error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s%s: %v", e.Method, e.Host, e.Path, e.Err)
}

// Reason returns the cause for staff, as the end of a sentence without its full stop.
func (e *Error) Reason() string {
	switch {
	case errors.Is(e.Err, context.DeadlineExceeded):
		return "it did not respond in time, try again in a few minutes"
	case errors.Is(e.Err, ErrAddressNotAllowed):
		return "its address is a private one, which this server does not allow"
	case errors.Is(e.Err, ErrTooLarge), errors.Is(e.Err, ErrBroken):
		return "its response was incomplete, try again in a few minutes"
	}
	return "it cannot be reached, try again in a few minutes"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// newError returns an Error that is safe to show. Before the connection is established, err can
// contain only the host's name and certificate, and is retained. Afterwards err may quote the
// response, which may quote the request, so it is replaced.
func newError(ctx context.Context, req *http.Request, p *progress, err error) *Error {
	e := &Error{Method: req.Method, Host: req.URL.Host, Path: req.URL.EscapedPath(), Ambiguous: p.written.Load(), Err: err}
	switch {
	case errors.Is(err, ErrTooLarge):
	case isTimeout(err) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Err = ErrTimeout
	case ctx.Err() != nil:
		e.Err = ctx.Err()
	case p.connected.Load():
		e.Err = ErrBroken
	}
	return e
}

// isTimeout also detects the context's deadline when the socket reports it first.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
