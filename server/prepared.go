package server

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"
	"github.com/danielgtaylor/huma/v2/queryparam"

	"storefront/prepared"
	"storefront/shop"
	"storefront/transport"
)

// servePrepared sends the cached response to a request in canonical form, which most requests have,
// without routing or parsing it. It returns false if the request must be routed.
func (s *Server) servePrepared(x *exchange, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	found, known := s.cache.Find(prepared.Key{Tenant: firstOf(r.Header, "X-Tenant"), Path: r.URL.Path, Request: r.URL.RawQuery})
	if !known || s.identify(x, r) != nil {
		return false
	}
	version, err := x.shop.ContentVersion(&x.deadline)
	if err != nil {
		return false
	}
	response := found.ForVersion(version)
	if response == nil || response.Route == "" {
		return false
	}
	x.route = response.Route
	x.ReportPrepared()
	sendCatalogue(x, r, response, cachedFree)
	return true
}

// serveCatalogue is the middleware of catalogue operations. Their responses are the same for every
// caller of a tenant: it serves them from the cache and prepares missing ones.
func (s *Server) serveCatalogue(ctx huma.Context, next func(huma.Context)) {
	r, _, _ := humahttprouter.Unwrap(ctx)
	x := exchangeOf(ctx)
	query, err := canonicalQuery(r.URL.RawQuery, ctx.Operation().Parameters)
	if err != nil {
		x.fail(err)
		return
	}
	version, err := x.shop.ContentVersion(r.Context())
	if err != nil {
		x.fail(err)
		return
	}
	key := prepared.Key{Tenant: x.shop.UID(), Path: r.URL.Path, Request: query}
	found, _ := s.cache.Find(key)
	if response := found.ForVersion(version); response != nil {
		x.ReportPrepared()
		sendCatalogue(x, r, response, cachedFree)
		return
	}
	response, own, err := s.prepareCatalogue(x, key, version, func(workCtx context.Context) *bufferedContext {
		buffered := &bufferedContext{bufferedResponse: bufferedResponse{humaContext: ctx}, work: workCtx, query: query}
		next(buffered)
		return buffered
	})
	switch {
	case err != nil:
		x.fail(err)
	case x.longList != nil:
		s.streamList(x, r, key, version)
	case response == nil:
		own.send()
	default:
		sendCatalogue(x, r, response, transport.FreeBytes)
	}
}

// prepareCatalogue returns the prepared response, or the request's own response if it is an error.
// Codes: rate_limited.
func (s *Server) prepareCatalogue(
	x *exchange, key prepared.Key, version shop.ContentVersion, response func(context.Context) *bufferedContext,
) (shared *prepared.Response, own *bufferedContext, err error) {
	admit := func() error { return x.Charge(1) }
	response = s.limitWholeLists(key.Request, response)
	shared, err = s.cache.Prepare(&x.deadline, key, version, admit, func(ctx context.Context) *prepared.Response {
		if own = response(ctx); own.status != http.StatusOK || x.longList != nil {
			return nil
		}
		prep := prepared.NewResponse(key.Tenant, "application/json", own.body.Bytes())
		prep.Route = own.Operation().Path
		return prep
	})
	if err == nil && shared == nil && own == nil { // the request that prepared it got an error
		if err = admit(); err == nil {
			own = response(&x.deadline)
		}
	}
	return shared, own, err
}

// maxWholeLists limits the whole lists that are read and encoded concurrently, for all clients.
// Each occupies a processor; half of the processors remain for others. Each also needs several
// times the memory of its response.
func maxWholeLists() int { return min(max(runtime.GOMAXPROCS(0)/2, 1), 4) }

// limitWholeLists returns a function that runs build, but waits its turn if the query requests a
// whole list.
func (s *Server) limitWholeLists(query string, build func(context.Context) *bufferedContext) func(context.Context) *bufferedContext {
	if !strings.Contains("&"+query+"&", "&limit=-1&") {
		return build
	}
	return func(ctx context.Context) *bufferedContext {
		select {
		case s.wholeLists <- struct{}{}:
			defer func() { <-s.wholeLists }()
		case <-ctx.Done(): // build responds to it
		}
		return build(ctx)
	}
}

// Header values of prepared responses. net/http does not modify them.
var (
	cacheCatalogue = []string{"private, no-cache"}
	varyCatalogue  = []string{"x-tenant, Origin, Accept-Encoding"}
)

// cachedFree is the size up to which a cached response is not counted in the memory of requests:
// the cache has its own limit. An attacker's responses are rarely cached.
const cachedFree = transport.SmallBytes

// sendCatalogue sends a response in an encoding that the client accepts, or 304 if the client has
// it. A response of more than free bytes is counted in the memory of requests.
func sendCatalogue(x *exchange, r *http.Request, response *prepared.Response, free int64) {
	representation := response.Negotiate(r)
	notModified := matches(r.Header["If-None-Match"], representation.ETag)
	hasBody := !notModified && r.Method != http.MethodHead
	if hasBody {
		if err := x.MemoryHold().AddShared(representation, int64(len(representation.Body)), free); err != nil {
			x.fail(err)
			return
		}
	}
	h := x.Header()
	h["Cache-Control"] = cacheCatalogue
	h["Vary"] = varyCatalogue
	representation.SetETag(h)
	if notModified {
		delete(h, "Content-Type") // set if the response was prepared just now
		x.WriteHeader(http.StatusNotModified)
		return
	}
	representation.SetHeaders(h)
	x.WriteHeader(http.StatusOK)
	if hasBody {
		_, _ = x.Write(representation.Body) // the client may have disconnected
	}
}

// matches reports whether an If-None-Match field names etag. A cache on the way may have weakened
// the tag. For this field it still matches (RFC 9110, 13.1.2).
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

// bufferedContext runs an operation and buffers its response. Other requests may wait for the same
// work, so it has its own context; the query is in canonical form.
type bufferedContext struct {
	bufferedResponse
	work  context.Context
	query string
}

// Context returns the context of the work.
func (c *bufferedContext) Context() context.Context { return c.work }

// Query returns a parameter of the canonical query.
func (c *bufferedContext) Query(name string) string { return queryparam.Get(c.query, name) }

// URL returns the request's URL with the canonical query.
func (c *bufferedContext) URL() url.URL {
	u := c.humaContext.URL()
	u.RawQuery = c.query
	return u
}
