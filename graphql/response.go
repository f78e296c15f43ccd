package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"storefront/shop/fault"
	"storefront/transport"
)

// Limits of the response to a request with thousands of errors.
const (
	maxErrors      = 20
	maxFieldErrors = transport.MaxFieldErrors
)

// response is the response to one request.
type response struct {
	status   int
	errors   []responseError
	data     json.RawMessage // nil if nothing ran
	replayed bool            // an order was returned for a known idempotency key
	actions  []transport.Action
	changed  bool // a mutation ran
	// documentError is true if the document was not executed because of an error in it.
	documentError bool
}

// responseError is one entry of errors.
type responseError struct {
	Message    string               `json:"message"`
	Locations  []gqlerrors.Location `json:"locations,omitempty"`
	Path       []any                `json:"path,omitempty"`
	Extensions extensions           `json:"extensions"`

	failure transport.Failure
}

// extensions are the members of a REST problem, for programs.
type extensions struct {
	Code       fault.Code         `json:"code"`
	Status     int                `json:"status"` // of the same error in REST
	RequestID  string             `json:"requestId"`
	Errors     []fault.FieldError `json:"errors"`
	Details    map[string]any     `json:"details,omitempty"`
	RetryAfter int                `json:"retryAfter,omitempty"` // seconds
}

// newError converts an error and logs its cause, which the client must not see.
func (h *Handler) newError(ctx context.Context, err error, at *gqlerrors.QueryError, requestID string) responseError {
	f := transport.NewFailure(err)
	if f.Cause != nil && !transport.ClientGone(ctx, f.Cause) {
		h.cfg.Logger.LogAttrs(ctx, transport.LogLevel(ctx, f.Cause), "graphql operation failed",
			slog.String("requestId", requestID), slog.Any("path", at.Path), slog.Any("error", f.Cause))
	}
	return responseError{
		Message: f.Message, Locations: at.Locations, Path: at.Path, failure: f,
		Extensions: extensions{
			Code: f.Code, Status: f.Status, RequestID: requestID, Errors: f.Fields, Details: f.Details, RetryAfter: f.RetryAfter,
		},
	}
}

// inDocument is an error of a document, which was not executed.
type inDocument struct{ error }

// Unwrap returns the error itself.
func (err inDocument) Unwrap() error { return err.error }

// isDocumentError reports whether a status belongs to an invalid document or variable.
func isDocumentError(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// body returns the response as JSON, or nil if the error details cannot be encoded. The library's
// bytes, by far the larger part, are copied unchanged.
func (resp *response) body() []byte {
	var body bytes.Buffer
	body.Grow(len(resp.data) + 32)
	body.WriteByte('{')
	if len(resp.errors) > 0 {
		body.WriteString(`"errors":`)
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(resp.errors); err != nil { // details that are not JSON
			return nil
		}
		body.Truncate(body.Len() - 1) // the encoder's line feed
	}
	if resp.data != nil {
		if len(resp.errors) > 0 {
			body.WriteByte(',')
		}
		body.WriteString(`"data":`)
		body.Write(resp.data)
	}
	body.WriteString("}\n") // as MarshalBody ends a body
	return body.Bytes()
}

// write sends the response, unless the memory of requests has no room for it; then it writes
// nothing. Codes: unavailable.
func (resp *response) write(w http.ResponseWriter, r *http.Request) error {
	for i := range resp.errors {
		transport.ReportFailure(w, &resp.errors[i].failure)
	}
	for _, a := range resp.actions {
		transport.ReportAction(w, a)
	}
	body := resp.body()
	if body == nil {
		http.Error(w, `{"errors":[{"message":"Something went wrong on our side."}]}`, http.StatusInternalServerError)
		return nil
	}
	if err := transport.HoldOf(w).AddResponse(int64(len(body)), resp.changed); err != nil {
		return err
	}
	header := w.Header()
	if resp.replayed {
		header.Set("Idempotent-Replayed", "true")
	}
	if resp.data == nil && len(resp.errors) > 0 {
		resp.errors[0].failure.SetHeaders(header)
	}
	accepted := negotiate(r)
	header["Content-Type"] = []string{accepted.media}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(accepted.status(resp))
	_, _ = w.Write(body) // the client may be gone
	return nil
}
