package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"storefront/shop/fault"
	"storefront/transport"
)

// problem is the body of every error response (RFC 9457).
type problem struct {
	Type      string             `json:"type" format:"uri-reference" doc:"The code's meaning" example:"/docs/errors/validation_failed"`
	Title     string             `json:"title" doc:"A short text for the code" example:"Validation failed"`
	Status    int                `json:"status" doc:"The HTTP status" example:"422"`
	Detail    string             `json:"detail" doc:"A sentence for people: what went wrong and what to do"`
	Code      fault.Code         `json:"code" doc:"The error code, for programs; the same in GraphQL" example:"validation_failed"`
	RequestID string             `json:"requestId" doc:"Include it when you contact support"`
	Errors    []fault.FieldError `json:"errors" nullable:"false" doc:"The invalid inputs"`
	Details   map[string]any     `json:"details,omitempty" nullable:"false" doc:"Facts for programs, such as the new amounts of a changed price"`
}

// Error makes a problem an error, as huma requires.
func (p *problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType returns the media type of a problem.
func (p *problem) ContentType(string) string { return "application/problem+json" }

// problem returns the body for an error, sets its headers and stores the confidential part for the
// log.
func (x *exchange) problem(err error) *problem {
	f := transport.NewFailure(err)
	x.failure = err
	if f.Cause != nil {
		x.err = f.Cause
	}
	f.SetHeaders(x.Header())
	x.ReportFailure(&f)
	return &problem{
		Type: problemType(f.Code), Title: title(f.Code), Status: f.Status, Detail: f.Message, Code: f.Code,
		RequestID: x.requestID, Errors: f.Fields, Details: f.Details,
	}
}

// fail sends an error response.
func (x *exchange) fail(err error) {
	p := x.problem(err)
	body, err := transport.MarshalBody(p)
	if err != nil {
		x.err = fmt.Errorf("encode problem %s: %w", p.Code, err)
		p.Status = http.StatusInternalServerError
	}
	h := x.Header()
	h.Set("Content-Type", p.ContentType(""))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.WriteHeader(p.Status)
	_, _ = x.Write(body) // a disconnected client does not read it
}

// title returns a code as a title: "Out of stock".
func title(code fault.Code) string {
	words := strings.ReplaceAll(string(code), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
