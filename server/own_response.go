package server

import (
	"bytes"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// limitResponse returns the middleware that counts a response for one caller in the memory of
// requests, until it is sent. If there is no room, the response is 503 unless the request has made
// a change.
func limitResponse(changes bool) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		response := &bufferedResponse{humaContext: ctx}
		next(response)
		x := exchangeOf(ctx)
		if ctx.Method() != http.MethodHead {
			if err := x.MemoryHold().AddResponse(int64(response.body.Len()), changes); err != nil {
				x.fail(err)
				return
			}
		}
		response.send()
	}
}

// bufferedResponse buffers the response of an operation, so that its size is known before its
// status is sent.
type bufferedResponse struct {
	humaContext
	status int
	body   bytes.Buffer
}

// Unwrap returns the wrapped context, in which the adapter finds the request.
func (c *bufferedResponse) Unwrap() huma.Context { return c.humaContext }

// SetStatus buffers the status.
func (c *bufferedResponse) SetStatus(status int) { c.status = status }

// Status returns the buffered status.
func (c *bufferedResponse) Status() int { return c.status }

// BodyWriter returns a writer to the buffered body.
func (c *bufferedResponse) BodyWriter() io.Writer { return &c.body }

// send sends the buffered response.
func (c *bufferedResponse) send() {
	c.humaContext.SetStatus(c.status)
	_, _ = c.humaContext.BodyWriter().Write(c.body.Bytes()) // the client may have disconnected
}
