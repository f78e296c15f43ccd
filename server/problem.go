package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

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
		h.Set("RateLimit", `"default";r=0;t=`+wait)
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

// humaProblem is how huma makes its errors here: those of a use case as they are, its own ones
// (what it found wrong with an input) in the words of our codes.
func humaProblem(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	x := exchangeOf(ctx)
	switch status {
	case http.StatusInternalServerError:
		return x.problem(errors.Join(errs...))
	case http.StatusBadRequest:
		return x.problem(malformedBody(errs))
	case http.StatusUnprocessableEntity:
		return x.problem(invalidInput(errs))
	}
	return x.problem(fmt.Errorf("huma answers %d: %s", status, message))
}

func malformedBody(errs []error) *shop.Error {
	for _, err := range errs {
		if detail, ok := err.(*huma.ErrorDetail); ok { // its text is our own decoder's
			return &shop.Error{Code: shop.CodeMalformed, Message: "The body can not be read: " + detail.Message + "."}
		}
	}
	return &shop.Error{Code: shop.CodeMalformed, Message: "The body can not be read."}
}

// invalidInput puts huma's findings into the form of the domain's. Their values are left out:
// one of them may be a password.
func invalidInput(errs []error) *shop.Error {
	fields := make([]shop.FieldError, 0, len(errs))
	for _, err := range errs {
		detail, ok := err.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		fields = append(fields, fieldError(detail))
	}
	code := shop.CodeValidationFailed
	message := "Some inputs break a rule."
	if len(fields) > 0 {
		message = fields[0].Field + ": " + fields[0].Message
		if all(fields, shop.CodeUnknownField) {
			code = shop.CodeUnknownField
		}
	}
	return &shop.Error{Code: code, Message: message, Fields: fields}
}

func all(fields []shop.FieldError, code shop.Code) bool {
	for _, f := range fields {
		if f.Code != code {
			return false
		}
	}
	return true
}

// maxFieldName bounds what a client's own name for a field adds to an answer.
const maxFieldName = 100

func fieldError(detail *huma.ErrorDetail) shop.FieldError {
	place, field, nested := strings.Cut(detail.Location, ".")
	if !nested {
		field = place // the body itself
	}
	f := shop.FieldError{Field: field, Code: shop.CodeInvalidValue, Message: detail.Message}
	required := strings.SplitN(validation.MsgExpectedRequiredProperty, "%s", 2)
	if name, ok := strings.CutPrefix(detail.Message, required[0]); ok {
		name = strings.TrimSuffix(name, required[1])
		if nested {
			name = field + "." + name
		}
		f = shop.FieldError{Field: name, Code: shop.CodeRequired, Message: "is missing"}
	} else if detail.Message == validation.MsgUnexpectedProperty {
		f.Code, f.Message = shop.CodeUnknownField, "there is no such field"
	}
	if len(f.Field) > maxFieldName {
		f.Field = strings.ToValidUTF8(f.Field[:maxFieldName], "") + "…"
	}
	return f
}
