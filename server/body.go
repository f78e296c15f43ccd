package server

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/transport"
)

// readBody is the middleware of operations with a body. It reads the whole body before huma, so
// that every reading error has the API's own text.
func (s *Server) readBody(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	body, err := readJSON(ctx, s.cfg.MaxBody, x.MemoryHold())
	if err != nil {
		x.fail(err)
		return
	}
	next(&bodyContext{humaContext: ctx, body: body, mediaType: "application/json"})
}

func readJSON(ctx huma.Context, limit int64, hold *transport.Hold) ([]byte, error) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	body, err := transport.ReadBody(r.Body, r.ContentLength, limit, hold)
	switch {
	case err != nil:
		return nil, err
	case len(body) == 0:
		return []byte("{}"), nil // no body is an object without fields
	}
	if err := transport.CheckContentType(ctx.Header("Content-Type"), ctx.Header("Content-Encoding")); err != nil {
		return nil, err
	}
	return body, transport.HoldDecoding(body, hold)
}

// maxDiscarded limits what is read of a body that is not used, in bytes.
const maxDiscarded = 32 << 20

// discardBody sends the response of a request that has failed, and then reads what is left of its
// body. A client that reads no response before it has sent its body would otherwise find the
// connection reset. HTTP/2 has a message for that, and a client that waits for 100 Continue has
// sent nothing yet.
func (x *exchange) discardBody() {
	r := x.request
	if x.status < http.StatusBadRequest || r.ContentLength == 0 || r.ProtoMajor != 1 || r.Header.Get("Expect") != "" ||
		x.Header().Get("Connection") == "close" {
		return
	}
	control := http.NewResponseController(x.ResponseWriter)
	if control.EnableFullDuplex() != nil || control.Flush() != nil { // otherwise the response waits for the body
		return
	}
	// net/http closes the connection if more follows.
	_, err := io.CopyN(io.Discard, r.Body, maxDiscarded)
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, http.ErrBodyReadAfterClose): // net/http has read a short one
	default:
		panic(http.ErrAbortHandler) // the client has left; net/http would read the body again, and log a panic
	}
}

// workbookType is the media type of workbooks in the format of Office Open XML (.xlsx).
const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// maxCSV is the largest CSV file in a request, in bytes.
const maxCSV = 20 << 20

// readCSV is the middleware of operations with a CSV file as the body, or a workbook if the
// operation accepts one. It is passed on as CSV, since the use case recognizes it.
func (s *Server) readCSV(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	r, _, _ := humahttprouter.Unwrap(ctx)
	if r.ContentLength == 0 { // of any content type
		x.fail(missingFile(ctx.Operation()))
		return
	}
	want := "text/csv"
	if sent := ctx.Header("Content-Type"); sent == workbookType && ctx.Operation().RequestBody.Content[workbookType] != nil {
		want = sent
	}
	if err := transport.CheckMediaType(want, ctx.Header("Content-Type"), ctx.Header("Content-Encoding")); err != nil {
		x.fail(err)
		return
	}
	body, err := transport.ReadBody(r.Body, r.ContentLength, maxCSV, x.MemoryHold())
	if err != nil {
		x.fail(err)
		return
	}
	next(&bodyContext{humaContext: ctx, body: body, mediaType: "text/csv"})
}

// maxImage is the largest uploaded image in a request, in bytes.
const maxImage = 12 << 20

// readImage is the middleware of operations with an image as the body. The use case checks its
// type.
func (s *Server) readImage(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	r, _, _ := humahttprouter.Unwrap(ctx)
	mediaType := ctx.Header("Content-Type")
	if err := transport.CheckMediaType(mediaType, mediaType, ctx.Header("Content-Encoding")); err != nil {
		x.fail(err)
		return
	}
	body, err := transport.ReadBody(r.Body, r.ContentLength, maxImage, x.MemoryHold())
	if err != nil {
		x.fail(err)
		return
	}
	next(&bodyContext{humaContext: ctx, body: body, mediaType: mediaType})
}

// leaveBody lets net/http send the response and close the connection without reading the rest of
// the request's body, which may never arrive.
func leaveBody(w http.ResponseWriter) { w.Header()["Connection"] = []string{"close"} }

// humaContext lets a wrapper embed the interface beside its method of the same name.
type humaContext = huma.Context

// bodyContext passes huma a body that has been read already.
type bodyContext struct {
	humaContext
	body      []byte
	mediaType string // of the body, in huma's spelling
}

// Unwrap returns the wrapped context, in which the adapter finds the request.
func (c *bodyContext) Unwrap() huma.Context { return c.humaContext }

// BodyReader returns a reader of the body, from its beginning.
func (c *bodyContext) BodyReader() io.Reader { return bytes.NewReader(c.body) }

// SetReadDeadline does nothing: the body has been read, and the connection has its own deadline.
func (c *bodyContext) SetReadDeadline(time.Time) error { return nil }

// Header returns the request's header, but the checked content type in the one spelling that huma
// looks up.
func (c *bodyContext) Header(name string) string {
	if name == "Content-Type" {
		return c.mediaType
	}
	return c.humaContext.Header(name)
}

// hasBody reports whether operations of a method have a request body.
func hasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPatch || method == http.MethodPut
}
