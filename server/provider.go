package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"storefront/server/security"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/transport"
)

// providerPrefixes begin the paths for providers and returning buyers. They have no tenant header,
// no rate limit and no CORS.
var providerPrefixes = []string{"/courier/", "/payment/"}

func isProviderPath(path string) bool {
	for _, prefix := range providerPrefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// routeProvider adds a route for a provider. Its path ends with the tenant's UID. An unknown tenant
// gets the same response as a tenant without the provider.
func (s *Server) routeProvider(method, path string, do func(x *exchange, r *http.Request, to *shop.Shop)) {
	s.routeProviderAt(method, path, "", do)
}

// routePageReturn adds the route of a gateway by which buyers return to the page of their order.
func (s *Server) routePageReturn(method, path string, do func(x *exchange, r *http.Request, to *shop.Shop)) {
	s.routeProviderAt(method, path, order.PageReturn, do)
}

func (s *Server) routeProviderAt(method, path, suffix string, do func(x *exchange, r *http.Request, to *shop.Shop)) {
	s.routes.handle(method, path+":tenant"+suffix, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route = path + "{tenant}" + suffix
		to, err := s.cfg.Tenants.FindIncludingSuspended(r.Context(), params.ByName("tenant"))
		switch {
		case fault.HasCode(err, fault.CodeTenantNotFound):
			x.rejectWebhook()
		case err != nil:
			x.fail(err)
		default:
			x.shop = to
			do(x, r, to)
		}
	})
}

// rejectWebhook sends the one 401 of all providers' routes, which does not reveal the reason.
func (x *exchange) rejectWebhook() {
	leaveBody(x)
	x.report(security.WebhookRejected, "")
	x.Header().Set("WWW-Authenticate", "Bearer")
	x.writeText(http.StatusUnauthorized, "application/json", `{"status":"error","message":"Unauthorized."}`)
}

// writeText sends a short fixed text.
func (x *exchange) writeText(status int, contentType, body string) {
	h := x.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	x.WriteHeader(status)
	_, _ = io.WriteString(x, body) // the client may have disconnected
}

// readProviderBody reads a webhook's body. Codes: too_large, malformed, unavailable.
func (s *Server) readProviderBody(x *exchange, r *http.Request) ([]byte, error) {
	return transport.ReadBody(r.Body, r.ContentLength, min(s.cfg.MaxBody, maxSmallBody), x.MemoryHold())
}
