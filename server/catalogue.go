package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// serveCatalogue is the middleware through which every answer of the catalogue goes: what is the
// same for all callers of a tenant. It holds the answer back, names its bytes by an ETag and does
// not send what the client has already.
func serveCatalogue(ctx huma.Context, next func(huma.Context)) {
	held := &heldContext{humaContext: ctx}
	next(held)
	x := exchangeOf(ctx)
	if held.status != http.StatusOK {
		ctx.SetStatus(held.status)
		_, _ = ctx.BodyWriter().Write(held.body.Bytes())
		return
	}
	etag := etagOf(x.shop.UID(), held.body.Bytes())
	h := x.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "x-tenant, Origin, Accept-Encoding")
	h.Set("ETag", etag)
	if matches(ctx.Header("If-None-Match"), etag) {
		h.Del("Content-Type")
		x.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(held.body.Len()))
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(held.body.Bytes()) // a client that has gone does not read it
}

// heldContext keeps an answer back until it is whole.
type heldContext struct {
	humaContext
	status int
	body   bytes.Buffer
}

// Unwrap lets the adapter find the request.
func (c *heldContext) Unwrap() huma.Context { return c.humaContext }

// SetStatus, Status and BodyWriter keep what would be sent.
func (c *heldContext) SetStatus(status int) { c.status = status }

// Status gives the status that will be sent.
func (c *heldContext) Status() int { return c.status }

// BodyWriter gives the place where the body is kept.
func (c *heldContext) BodyWriter() io.Writer { return &c.body }

// etagOf names an answer's bytes. The tenant is part of it, so that two shops with equal answers
// do not pass for each other in a cache that ignores Vary.
func etagOf(tenant string, body []byte) string {
	hash := sha256.New()
	hash.Write([]byte(tenant + "\x00"))
	hash.Write(body)
	return `"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:18]) + `"`
}

// matches says whether an If-None-Match header names the answer. A cache on the way may have
// weakened our tag.
func matches(ifNoneMatch, etag string) bool {
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
			return true
		}
	}
	return false
}
