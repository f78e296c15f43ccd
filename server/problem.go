package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"storefront/shop"
)

// statuses turns the domain's kinds of error into HTTP's.
var statuses = map[shop.Kind]int{
	shop.KindInternal:        http.StatusInternalServerError,
	shop.KindMalformed:       http.StatusBadRequest,
	shop.KindInvalid:         http.StatusUnprocessableEntity,
	shop.KindUnauthenticated: http.StatusUnauthorized,
	shop.KindForbidden:       http.StatusForbidden,
	shop.KindNotFound:        http.StatusNotFound,
	shop.KindConflict:        http.StatusConflict,
	shop.KindTooMany:         http.StatusTooManyRequests,
	shop.KindUnavailable:     http.StatusServiceUnavailable,
	shop.KindTooLarge:        http.StatusRequestEntityTooLarge,
	shop.KindUnsupported:     http.StatusUnsupportedMediaType,
	shop.KindMethod:          http.StatusMethodNotAllowed,
}

// problem is the body of every failure, as RFC 9457 has it.
type problem struct {
	Type      string            `json:"type" format:"uri-reference" doc:"Where the reference explains the code" example:"/docs#error-validation_failed"`
	Title     string            `json:"title" doc:"The code in words" example:"Validation failed"`
	Status    int               `json:"status" doc:"The answer's HTTP status" example:"422"`
	Detail    string            `json:"detail" doc:"What went wrong and what to do, for people"`
	Code      shop.Code         `json:"code" doc:"The rule or fault, for programs; the same in GraphQL" example:"validation_failed"`
	RequestID string            `json:"requestId" doc:"Tell it when you ask for help"`
	Errors    []shop.FieldError `json:"errors" nullable:"false" doc:"The inputs that break a rule"`
	Details   map[string]any    `json:"details,omitempty" nullable:"false" doc:"Facts for programs, such as the new figures of a changed price"`
}

// Error, GetStatus and ContentType make a problem what huma writes as an error.
func (p *problem) Error() string { return p.Detail }

// GetStatus gives the answer's HTTP status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType gives a problem's own media type.
func (p *problem) ContentType(string) string { return "application/problem+json" }

// maxFieldErrors bounds an answer to a body that is wrong in thousands of places.
const maxFieldErrors = 100

// problem turns an error into what the client reads, sets the headers that go with it and keeps
// for the log what the client must not read.
func (x *exchange) problem(err error) *problem {
	e := domainError(err)
	if _, ok := errors.AsType[*shop.Error](err); !ok {
		err = e.Err // which may say what to do
	}
	status := statuses[e.Kind()]
	h := x.Header()
	switch status {
	case http.StatusInternalServerError:
		x.err = err
	case http.StatusServiceUnavailable:
		x.err = err
		h.Set("Retry-After", strconv.Itoa(max(e.RetryAfter, 1)))
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		wait := strconv.Itoa(max(e.RetryAfter, 1))
		h.Set("Retry-After", wait)
		if h.Get("RateLimit") == "" { // a limit of the shop's own, which tells nobody how much it allows
			h.Set("RateLimit", `"attempts";r=0;t=`+wait)
		}
	}
	fields := e.Fields[:min(len(e.Fields), maxFieldErrors)]
	if fields == nil {
		fields = []shop.FieldError{}
	}
	return &problem{
		Type: "/docs#error-" + string(e.Code), Title: title(e.Code), Status: status, Detail: e.Message, Code: e.Code,
		RequestID: x.requestID, Errors: fields, Details: e.Details,
	}
}

// fail answers with a problem.
func (x *exchange) fail(err error) {
	p := x.problem(err)
	body, err := marshal(p)
	if err != nil {
		x.err = fmt.Errorf("write problem %s: %w", p.Code, err)
		p.Status = http.StatusInternalServerError
	}
	h := x.Header()
	h.Set("Content-Type", p.ContentType(""))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.WriteHeader(p.Status)
	_, _ = x.Write(body) // a client that has gone does not read it
}

// domainError gives the domain's error, where a deadline of ours is one too.
func domainError(err error) *shop.Error {
	if e, ok := errors.AsType[*shop.Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &shop.Error{Code: shop.CodeUnavailable, Message: "This took too long. Try again in a moment.", Err: err}
	}
	return shop.AsError(err)
}

// title writes a code for people: "Out of stock".
func title(code shop.Code) string {
	words := strings.ReplaceAll(string(code), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
