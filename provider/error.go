package provider

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// The causes that an [Error] can have beside those of the network and of TLS.
var (
	// ErrAddressNotAllowed means that the host is at a private or reserved address, and the
	// operator has not allowed those.
	ErrAddressNotAllowed = errors.New("the address is private or reserved, and not allowed")
	// ErrTooLarge means that the answer was larger than the limit.
	ErrTooLarge = errors.New("the answer is too large")
	// ErrBroken means that the connection ended, or gave what is not HTTP, before the whole answer.
	ErrBroken = errors.New("the connection gave no whole answer")
	// ErrTimeout means that the deadline passed. It is a [context.DeadlineExceeded].
	ErrTimeout = fmt.Errorf("no answer in time: %w", context.DeadlineExceeded)
)

// Error is the one error of [Client.Do]: there is no answer. It can be logged and shown to the
// operator: it names the method, host and path, and never the query, user information, headers or
// anything of a body.
type Error struct {
	Method string
	Host   string
	Path   string // escaped; an adapter that keeps a secret there puts its template in its place
	// Ambiguous is true when the whole request was handed to the connection: the provider may have
	// acted on it. False: it surely has not.
	Ambiguous bool
	Err       error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s%s: %v", e.Method, e.Host, e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// newError puts what went wrong into words that are safe to show. Until there is a connection nothing
// of the other side but its name and certificate has been heard, and err is kept. From then on err
// may quote what was received, which may quote what was sent.
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

// isTimeout knows the deadline of the context also where the socket noticed it first.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
