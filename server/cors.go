package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"storefront/shop"
)

// Written by hand: rs/cors decides before the handler, and here each shop has its own origins,
// which are known after its lookup.

// The permissions of browsers across origins. The storefront API has no cookies, so every origin is
// allowed unless the tenant lists its own. The Admin API has cookies, so no origin is allowed.
const (
	corsResponseHeaders = "ETag, X-Request-Id, X-API-Version, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed"
	corsMaxAge          = "7200" // seconds; the largest value that browsers accept
)

// isOwnOrigin reports whether pages of other origins may not read the responses of a path.
func isOwnOrigin(path string) bool { return isProviderPath(path) || isAdminPath(path) }

// allowAnyOrigin lets a browser read the response until the tenant's own origins are known.
func allowAnyOrigin(x *exchange, r *http.Request) {
	if firstOf(r.Header, "Origin") == "" || isOwnOrigin(r.URL.Path) {
		return
	}
	h := x.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", corsResponseHeaders)
}

// handleOptions responds to OPTIONS. A preflight has no tenant, so every origin passes here; the
// request that follows is checked.
func handleOptions(x *exchange, r *http.Request, allow string) {
	h := x.Header()
	if r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" && !isOwnOrigin(r.URL.Path) {
		h.Set("Access-Control-Allow-Methods", allow)
		if names := requestedHeaders(r); names != "" {
			h.Set("Access-Control-Allow-Headers", names)
			h.Set("Vary", "Access-Control-Request-Headers")
		}
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	x.WriteHeader(http.StatusNoContent)
}

// Limits of the header names in a preflight request.
const (
	maxRequestedHeaders = 32
	maxRequestedHeader  = 64 // characters
)

// requestedHeaders returns the names of the headers that a page wants to send, without those of no
// safe form. Each name is allowed: libraries add their own for tracing, and there are no cookies to
// protect.
func requestedHeaders(r *http.Request) string {
	var names []string
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Access-Control-Request-Headers"), ","), ",") {
		if name = strings.TrimSpace(name); len(names) < maxRequestedHeaders && isSafeHeader(name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// isSafeHeader reports whether a name consists of letters, digits, hyphens and underscores.
func isSafeHeader(name string) bool {
	unsafe := func(c rune) bool {
		return c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}
	return name != "" && len(name) <= maxRequestedHeader && !strings.ContainsFunc(name, unsafe)
}

// pageHost returns the host of an origin that is the shop's: one of its domains, or in its list of
// origins. Otherwise it returns "".
func pageHost(settings *shop.Settings, origin string) string {
	host, isTLS := strings.CutPrefix(strings.ToLower(origin), "https://")
	if isTLS && !strings.Contains(host, ":") && (slices.Contains(settings.Domains, host) || slices.Contains(settings.Origins, "https://"+host)) {
		return host
	}
	return ""
}

// pageOrigin returns an origin that is the shop's: a domain, the storefront, or in its list of
// origins. Otherwise it returns "".
func pageOrigin(settings *shop.Settings, origin string) string {
	origin = strings.ToLower(origin)
	storefront, err := url.Parse(strings.ToLower(settings.StorefrontURL))
	isStorefront := err == nil && storefront.Host != "" && origin == storefront.Scheme+"://"+storefront.Host
	if isStorefront || slices.Contains(settings.Origins, origin) || pageHost(settings, origin) != "" {
		return origin
	}
	return ""
}

// allowTenantOrigins enforces the tenant's list of origins, if it has one. An origin that is not
// listed receives its response without the headers that let a page read it.
func allowTenantOrigins(x *exchange, r *http.Request) error {
	origin := firstOf(r.Header, "Origin")
	if origin == "" {
		return nil
	}
	settings, err := x.shop.Settings(&x.deadline)
	if err != nil {
		return err
	}
	x.caller.PageHost, x.caller.Origin = pageHost(settings, origin), pageOrigin(settings, origin)
	if len(settings.Origins) == 0 {
		return nil
	}
	h := x.Header()
	h.Set("Vary", "Origin")
	if slices.Contains(settings.Origins, strings.ToLower(origin)) {
		h.Set("Access-Control-Allow-Origin", origin)
		return nil
	}
	h.Del("Access-Control-Allow-Origin")
	h.Del("Access-Control-Expose-Headers")
	return nil
}
