package server

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/transport"
)

// readBody is the middleware of operations with a body: it reads it whole, within the limit, before
// huma does, so that every fault of reading is told in our own words.
func (s *Server) readBody(ctx huma.Context, next func(huma.Context)) {
	x := exchangeOf(ctx)
	body, err := readJSON(ctx, s.cfg.MaxBody)
	if err != nil {
		x.fail(err)
		return
	}
	next(&bodyContext{humaContext: ctx, body: bytes.NewReader(body)})
}

func readJSON(ctx huma.Context, limit int64) ([]byte, error) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	body, err := transport.ReadBody(r.Body, r.ContentLength, limit)
	switch {
	case err != nil:
		return nil, err
	case len(body) == 0:
		return []byte("{}"), nil // no body is an object without fields
	}
	return body, transport.CheckContentType(ctx.Header("Content-Type"), ctx.Header("Content-Encoding"))
}

// humaContext lets a wrapper embed the interface beside its method of the same name.
type humaContext = huma.Context

// bodyContext gives huma a body that has been read already.
type bodyContext struct {
	humaContext
	body io.Reader
}

// Unwrap lets the adapter find the request.
func (c *bodyContext) Unwrap() huma.Context { return c.humaContext }

// BodyReader gives the body.
func (c *bodyContext) BodyReader() io.Reader { return c.body }

// SetReadDeadline does nothing: the body is here, and the connection has a deadline of its own.
func (c *bodyContext) SetReadDeadline(time.Time) error { return nil }

// Header gives the content type that was checked, in the one spelling that huma looks up.
func (c *bodyContext) Header(name string) string {
	if name == "Content-Type" {
		return "application/json"
	}
	return c.humaContext.Header(name)
}

// hasBody says whether an operation reads a body.
func hasBody(method string) bool { return method == http.MethodPost || method == http.MethodPatch }
