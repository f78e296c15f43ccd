package server

import (
	"io"
	"net/http"
	"strconv"

	"storefront/shop"
	"storefront/transport"
)

// routeCouriers adds the addresses that couriers call.
func (s *Server) routeCouriers() {
	for provider, path := range map[shop.Provider]string{
		shop.CourierA: shop.CourierAWebhookPath, shop.CourierB: shop.CourierBWebhookPath,
	} {
		s.routeProvider(http.MethodPost, path, func(x *exchange, r *http.Request, to *shop.Shop) {
			s.handleCourierWebhook(x, r, to, provider)
		})
	}
}

// handleCourierWebhook answers a courier's call. Its content type is kept, and nothing hangs on it.
func (s *Server) handleCourierWebhook(x *exchange, r *http.Request, to *shop.Shop, provider shop.Provider) {
	body, err := transport.ReadBody(r.Body, r.ContentLength, s.cfg.MaxBody)
	switch {
	case shop.HasCode(err, shop.CodeTooLarge):
		body = nil // stored as unreadable: no courier's body is that large
	case err != nil: // the courier must send it again
		x.fail(&shop.Error{Code: shop.CodeUnavailable, Message: "The body ended early. Send it again.", Err: err})
		return
	}
	answer, err := to.HandleCourierWebhook(r.Context(), provider, r.Header.Get("Content-Type"), shop.WebhookRequest{Header: r.Header.Get, Body: body})
	switch {
	case shop.HasCode(err, shop.CodeUnauthenticated):
		x.rejectWebhook()
		return
	case err != nil:
		x.fail(err)
		return
	}
	h := x.Header()
	for name, value := range answer.Header {
		h[name] = []string{value} // in the courier's own spelling
	}
	h.Set("Content-Type", answer.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	x.WriteHeader(answer.Status)
	_, _ = io.WriteString(x, answer.Body) // a courier that has gone does not read it
}
