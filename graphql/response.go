package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop"
)

// Bounds of an answer to a request that is wrong in thousands of places.
const (
	maxErrors      = 20
	maxFieldErrors = 100
)

// response is what a client gets.
type response struct {
	status   int
	errors   []responseError
	data     json.RawMessage // nil: nothing ran
	replayed bool            // an order of it was placed before
}

// responseError is one entry of errors.
type responseError struct {
	Message    string               `json:"message"`
	Locations  []gqlerrors.Location `json:"locations,omitempty"`
	Path       []any                `json:"path,omitempty"`
	Extensions extensions           `json:"extensions"`
}

// extensions say for programs what a REST problem says.
type extensions struct {
	Code       shop.Code         `json:"code"`
	Status     int               `json:"status"` // as REST would answer
	RequestID  string            `json:"requestId"`
	Errors     []shop.FieldError `json:"errors"`
	Details    map[string]any    `json:"details,omitempty"`
	RetryAfter int               `json:"retryAfter,omitempty"` // seconds
}

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

// newError gives a fault the form of an answer, and logs what the client must not read.
func (h *Handler) newError(ctx context.Context, fault *shop.Error, at *gqlerrors.QueryError, requestID string) responseError {
	status := statuses[fault.Kind()]
	if status >= http.StatusInternalServerError {
		level := slog.LevelError
		if status == http.StatusServiceUnavailable {
			level = slog.LevelWarn
		}
		h.cfg.Logger.LogAttrs(ctx, level, "graphql operation failed",
			slog.String("requestId", requestID), slog.Any("path", at.Path), slog.Any("error", fault))
	}
	fields := fault.Fields[:min(len(fault.Fields), maxFieldErrors)]
	if fields == nil {
		fields = []shop.FieldError{}
	}
	return responseError{
		Message: fault.Message, Locations: at.Locations, Path: at.Path,
		Extensions: extensions{
			Code: fault.Code, Status: status, RequestID: requestID, Errors: fields,
			Details: fault.Details, RetryAfter: fault.RetryAfter,
		},
	}
}

// body gives the answer's JSON, nil where it can not be written. The library's bytes go out as they
// are: they are the larger part by far.
func (a *response) body() []byte {
	var body bytes.Buffer
	body.Grow(len(a.data) + 32)
	body.WriteByte('{')
	if len(a.errors) > 0 {
		body.WriteString(`"errors":`)
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(a.errors); err != nil { // details that are no JSON
			return nil
		}
		body.Truncate(body.Len() - 1) // the encoder's line feed
	}
	if a.data != nil {
		if len(a.errors) > 0 {
			body.WriteByte(',')
		}
		body.WriteString(`"data":`)
		body.Write(a.data)
	}
	body.WriteByte('}')
	return body.Bytes()
}

// write sends the answer.
func (a *response) write(w http.ResponseWriter) {
	body := a.body()
	if body == nil {
		http.Error(w, `{"errors":[{"message":"Something went wrong on our side."}]}`, http.StatusInternalServerError)
		return
	}
	header := w.Header()
	if a.replayed {
		header.Set("Idempotent-Replayed", "true")
	}
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // a client that has gone does not read it
}
