package server

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop"
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
	body, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), limit+1))
	switch {
	case int64(len(body)) > limit:
		return nil, &shop.Error{Code: shop.CodeTooLarge, Message: fmt.Sprintf("The body is larger than %d bytes.", limit)}
	case err != nil:
		return nil, &shop.Error{Code: shop.CodeMalformed, Message: "The body could not be read to its end.", Err: err}
	case len(body) == 0:
		return []byte("{}"), nil // nothing sent is every field left out
	case !isJSON(ctx.Header("Content-Type")):
		return nil, &shop.Error{Code: shop.CodeUnsupportedMediaType, Message: "Send the body with Content-Type: application/json."}
	case ctx.Header("Content-Encoding") != "" && !strings.EqualFold(ctx.Header("Content-Encoding"), "identity"):
		return nil, &shop.Error{Code: shop.CodeUnsupportedMediaType, Message: "Send the body without a Content-Encoding."}
	}
	return body, nil
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
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
