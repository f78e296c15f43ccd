package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"storefront/shop"
	"storefront/shop/fault"
)

// MaxFieldErrors bounds the response to an input with thousands of errors.
const MaxFieldErrors = 100

// statuses maps each kind of error to its HTTP status.
var statuses = map[fault.Kind]int{
	fault.KindInternal:        http.StatusInternalServerError,
	fault.KindMalformed:       http.StatusBadRequest,
	fault.KindInvalid:         http.StatusUnprocessableEntity,
	fault.KindUnauthenticated: http.StatusUnauthorized,
	fault.KindForbidden:       http.StatusForbidden,
	fault.KindNotFound:        http.StatusNotFound,
	fault.KindConflict:        http.StatusConflict,
	fault.KindTooMany:         http.StatusTooManyRequests,
	fault.KindUnavailable:     http.StatusServiceUnavailable,
	fault.KindTooLarge:        http.StatusRequestEntityTooLarge,
	fault.KindUnsupported:     http.StatusUnsupportedMediaType,
	fault.KindMethod:          http.StatusMethodNotAllowed,
	fault.KindPrecondition:    http.StatusPreconditionFailed,
}

// Status returns the HTTP status of a code.
func Status(code fault.Code) int {
	if status, ok := statuses[code.Kind()]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// AsError returns the domain error in err's chain. An expired or cancelled context becomes
// [fault.CodeUnavailable]; any other error is mapped by [shop.AsError], which hides its text from
// the client.
func AsError(err error) *fault.Error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if IsContextError(err) {
		return &fault.Error{Code: fault.CodeUnavailable, Message: "The request took too long. Try again in a moment.", Err: err}
	}
	return shop.AsError(err)
}

// IsContextError reports whether err is the error of an expired or cancelled context.
func IsContextError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// Failure is an error as both transports report it.
type Failure struct {
	Code    fault.Code
	Status  int
	Message string             // a sentence for people
	Fields  []fault.FieldError // at most MaxFieldErrors; never nil
	Details map[string]any     // facts for programs; may be nil
	// RetryAfter is the number of seconds for the client to wait. Zero means that it is unknown.
	RetryAfter int
	// Cause is for the log and must not reach the client. It is nil unless Status is 5xx.
	Cause error
}

// NewFailure returns the report of err, which must not be nil.
func NewFailure(err error) Failure {
	e := AsError(err)
	f := Failure{
		Code: e.Code, Status: Status(e.Code), Message: e.Message, Details: e.Details, RetryAfter: e.RetryAfter,
		Fields: e.Fields[:min(len(e.Fields), MaxFieldErrors)],
	}
	if f.Fields == nil {
		f.Fields = []fault.FieldError{}
	}
	if f.Status >= http.StatusInternalServerError {
		f.Cause = err
		if _, ok := errors.AsType[*fault.Error](err); !ok {
			f.Cause = e.Err // may add the remedy to err's text
		}
	}
	return f
}

// SetHeaders sets the headers that belong to a response with the failure's status: Retry-After,
// WWW-Authenticate, and RateLimit unless the rate limit has set it already.
func (f *Failure) SetHeaders(h http.Header) {
	wait := strconv.Itoa(max(f.RetryAfter, 1))
	switch f.Status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", wait)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		h.Set("Retry-After", wait)
		if h.Get("RateLimit") == "" { // a limit of the shop's own, with an unpublished quota
			h.Set("RateLimit", `"attempts";r=0;t=`+wait)
		}
	}
}

// LogLevel returns the level for the log record of a request or operation that failed with this
// cause, nil if it succeeded. ctx is the context that it ran with. Every 5xx is an error, 503
// included: the alert on failing requests counts them all, and its runbook finds causes and
// remedies in the log's errors. A failure after the client has disconnected is no error, since
// nobody reads the response.
func LogLevel(ctx context.Context, cause error) slog.Level {
	if cause == nil || ClientGone(ctx, cause) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// ClientGone reports whether a request failed with cause because its client disconnected before the
// response was ready.
// ctx is the context of the request.
func ClientGone(ctx context.Context, cause error) bool {
	return errors.Is(cause, context.Canceled) && ctx.Err() != nil
}
