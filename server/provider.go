package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"storefront/shop"
	"storefront/transport"
)

// providerPrefixes begin the addresses that providers and their visitors call. They have no tenant
// header, no rate and no CORS.
var providerPrefixes = []string{"/courier/", "/payment/"}

func isProviderPath(path string) bool {
	for _, prefix := range providerPrefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// routeProvider adds an address that a provider calls, followed by the tenant's UID. A tenant that
// does not exist is refused as one that has not configured the provider is.
func (s *Server) routeProvider(method, path string, do func(x *exchange, r *http.Request, to *shop.Shop)) {
	s.routes.handle(method, path+":tenant", func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route = path + "{tenant}"
		to, err := s.cfg.Tenants.FindIncludingSuspended(r.Context(), params.ByName("tenant"))
		switch {
		case shop.HasCode(err, shop.CodeTenantNotFound):
			x.rejectWebhook()
		case err != nil:
			x.fail(err)
		default:
			x.shop = to
			do(x, r, to)
		}
	})
}

// rejectWebhook is the one 401 of all provider addresses: whatever is wrong, nothing tells what.
func (x *exchange) rejectWebhook() {
	x.Header().Set("WWW-Authenticate", "Bearer")
	x.writeText(http.StatusUnauthorized, "application/json", `{"status":"error","message":"Unauthorized."}`)
}

// writeText answers with a small fixed text.
func (x *exchange) writeText(status int, contentType, body string) {
	h := x.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	x.WriteHeader(status)
	_, _ = io.WriteString(x, body) // a client that has gone does not read it
}

// readProviderBody reads a provider's call. ok is false where it is larger than a body may be or
// ends early; nothing authentic is.
func (s *Server) readProviderBody(x *exchange, r *http.Request) (body []byte, ok bool) {
	body, err := transport.ReadBody(r.Body, r.ContentLength, s.cfg.MaxBody)
	return body, err == nil
}
