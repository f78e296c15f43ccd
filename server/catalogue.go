package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"
	"github.com/danielgtaylor/huma/v2/queryparam"

	"storefront/prepared"
	"storefront/shop"
)

// servePrepared answers a question whose answer is prepared, if it comes in its one form, as most do:
// then nothing about it has to be found out. false: it has to be routed and read.
func (s *Server) servePrepared(x *exchange, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	found, known := s.cache.Find(prepared.Key{Tenant: firstOf(r.Header, "X-Tenant"), Path: r.URL.Path, Request: r.URL.RawQuery})
	if !known || s.identify(x, r) != nil {
		return false
	}
	edition, err := x.shop.ContentVersion(&x.deadline)
	if err != nil {
		return false
	}
	answer := found.ForVersion(edition)
	if answer == nil || answer.Route == "" {
		return false
	}
	x.route = answer.Route
	sendCatalogue(x, r, answer)
	return true
}

// serveCatalogue is the middleware through which every other answer of the catalogue goes: what is
// the same for all callers of a tenant.
func (s *Server) serveCatalogue(ctx huma.Context, next func(huma.Context)) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	x := exchangeOf(ctx)
	query, err := canonicalQuery(r.URL.RawQuery, ctx.Operation().Parameters)
	if err != nil {
		x.fail(err)
		return
	}
	edition, err := x.shop.ContentVersion(r.Context())
	if err != nil {
		x.fail(err)
		return
	}
	key := prepared.Key{Tenant: x.shop.UID(), Path: r.URL.Path, Request: query}
	found, known := s.cache.Find(key)
	if answer := found.ForVersion(edition); answer != nil {
		sendCatalogue(x, r, answer)
		return
	}
	// What was answered in an earlier edition is work for everybody. Only a new question counts as
	// its client's.
	if !known {
		if err := s.checkRate(x); err != nil {
			x.fail(err)
			return
		}
	}
	answer, own := s.prepareCatalogue(r.Context(), key, edition, func(workCtx context.Context) *bufferedContext {
		held := &bufferedContext{humaContext: ctx, work: workCtx, query: query}
		next(held)
		return held
	})
	if answer == nil {
		own.send()
		return
	}
	sendCatalogue(x, r, answer)
}

// prepareCatalogue gives the answer that is now prepared, or the request's own, which is an error.
func (s *Server) prepareCatalogue(
	ctx context.Context, key prepared.Key, edition shop.ContentVersion, answer func(context.Context) *bufferedContext,
) (shared *prepared.Response, own *bufferedContext) {
	shared = s.cache.Prepare(ctx, key, edition, func(ctx context.Context) *prepared.Response {
		if own = answer(ctx); own.status != http.StatusOK {
			return nil
		}
		made := prepared.NewResponse(key.Tenant, "application/json", own.body.Bytes())
		made.Route = own.Operation().Path
		return made
	})
	if shared == nil && own == nil { // another request's was an error
		own = answer(ctx)
	}
	return shared, own
}

// The header values of prepared answers. net/http does not change them.
var (
	cacheCatalogue = []string{"private, no-cache"}
	varyCatalogue  = []string{"x-tenant, Origin, Accept-Encoding"}
)

// sendCatalogue sends an answer in the encoding that the client takes, unless it has it already.
func sendCatalogue(x *exchange, r *http.Request, answer *prepared.Response) {
	representation := answer.Negotiate(r)
	h := x.Header()
	h["Cache-Control"] = cacheCatalogue
	h["Vary"] = varyCatalogue
	representation.SetETag(h)
	if matches(r.Header["If-None-Match"], representation.ETag) {
		delete(h, "Content-Type") // set where the answer was just made
		x.WriteHeader(http.StatusNotModified)
		return
	}
	representation.SetHeaders(h)
	x.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = x.Write(representation.Body) // a client that has gone does not read it
	}
}

// matches says whether an If-None-Match field names the answer. A cache on the way may have
// weakened our tag; for this field that is the same tag (RFC 9110, 13.1.2).
func matches(ifNoneMatch []string, etag string) bool {
	for _, value := range ifNoneMatch {
		for candidate := range strings.SplitSeq(value, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// bufferedContext is an operation under way whose answer is kept back until it is whole. The work may
// be for others too, so it goes by a context of its own; the query is in canonical form.
type bufferedContext struct {
	humaContext
	work   context.Context
	query  string
	status int
	body   bytes.Buffer
}

// Unwrap lets the adapter find the request.
func (c *bufferedContext) Unwrap() huma.Context { return c.humaContext }

// Context gives the context of the work.
func (c *bufferedContext) Context() context.Context { return c.work }

// Query gives a parameter of the canonical query.
func (c *bufferedContext) Query(name string) string { return queryparam.Get(c.query, name) }

// URL gives the request's address with the canonical query.
func (c *bufferedContext) URL() url.URL {
	u := c.humaContext.URL()
	u.RawQuery = c.query
	return u
}

// SetStatus, Status and BodyWriter keep what would be sent.
func (c *bufferedContext) SetStatus(status int) { c.status = status }

// Status gives the status that will be sent.
func (c *bufferedContext) Status() int { return c.status }

// BodyWriter gives the place where the body is kept.
func (c *bufferedContext) BodyWriter() io.Writer { return &c.body }

// send sends what was kept back.
func (c *bufferedContext) send() {
	c.humaContext.SetStatus(c.status)
	_, _ = c.humaContext.BodyWriter().Write(c.body.Bytes()) // a client that has gone does not read it
}
