package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

// streamTime limits the work on a streamed file. A client that stops reading is disconnected
// earlier.
const streamTime = 10 * time.Minute

// printPolicy lets a printed document load style sheets of this server, and the shop's logo from
// any host.
const printPolicy = "default-src 'none'; style-src 'self'; img-src 'self' http: https: data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// SendPage implements [admin.Exchange].
func (x *exchange) SendPage(html []byte) {
	h := x.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", printPolicy)
	_, _ = x.Write(html) // the client may have disconnected
}

// Stream implements [admin.Exchange]. A failure before the first bytes are sent is a problem as
// usual; later ones end the connection, so that a part is not mistaken for the whole.
func (x *exchange) Stream(name, mediaType string, do func(ctx context.Context, w io.Writer) error) {
	ctx, cancel := context.WithTimeout(x.request.Context(), streamTime)
	defer cancel()
	h := x.Header()
	h.Set("Content-Type", mediaType+"; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w := bufio.NewWriterSize(x, writeChunk)
	err := do(ctx, w)
	switch {
	case err == nil:
		_ = w.Flush() // the client may have disconnected
	case x.status == 0:
		h.Del("Content-Disposition")
		x.fail(err)
	default:
		x.err = err
		panic(fmt.Errorf("stream %s: %w", name, err)) // ends the connection, and is logged
	}
}
