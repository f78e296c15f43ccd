package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"storefront/shop"
	"storefront/transport"
)

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

// problem returns the body for an error, sets the headers that go with it and stores for the log
// what the client must not read.
func (x *exchange) problem(err error) *problem {
	f := transport.NewFailure(err)
	if f.Cause != nil {
		x.err = f.Cause
	}
	f.SetHeaders(x.Header())
	return &problem{
		Type: "/docs#error-" + string(f.Code), Title: title(f.Code), Status: f.Status, Detail: f.Message, Code: f.Code,
		RequestID: x.requestID, Errors: f.Fields, Details: f.Details,
	}
}

// fail answers with a problem.
func (x *exchange) fail(err error) {
	p := x.problem(err)
	body, err := transport.Marshal(p)
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

// title writes a code for people: "Out of stock".
func title(code shop.Code) string {
	words := strings.ReplaceAll(string(code), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
