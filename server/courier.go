package server

import (
	"io"
	"net/http"
	"strconv"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/plugin"
)

// routeCouriers adds the couriers' webhook routes.
func (s *Server) routeCouriers() {
	for provider, path := range map[plugin.Provider]string{
		plugin.CourierA: plugin.CourierAWebhookPath, plugin.CourierB: plugin.CourierBWebhookPath,
	} {
		s.routeProvider(http.MethodPost, path, func(x *exchange, r *http.Request, to *shop.Shop) {
			s.handleCourierWebhook(x, r, to, provider)
		})
	}
}

// handleCourierWebhook responds to a courier's webhook. Its content type is stored but not checked.
func (s *Server) handleCourierWebhook(x *exchange, r *http.Request, to *shop.Shop, provider plugin.Provider) {
	if err := to.Orders.CheckCourierSecret(r.Context(), provider, r.Header.Get); err != nil {
		x.failWebhook(err)
		return
	}
	body, err := s.readProviderBody(x, r)
	switch {
	case fault.HasCode(err, fault.CodeTooLarge): // stored without a body, as unreadable: no courier's body is that large
	case fault.HasCode(err, fault.CodeUnavailable):
		x.fail(err)
		return
	case err != nil: // the courier must send it again
		x.fail(&fault.Error{Code: fault.CodeUnavailable, Message: "The body ended early. Send it again.", Err: err})
		return
	}
	request := plugin.WebhookRequest{Header: r.Header.Get, Body: body}
	response, err := to.Orders.HandleCourierWebhook(r.Context(), provider, r.Header.Get("Content-Type"), request)
	if err != nil {
		x.failWebhook(err)
		return
	}
	h := x.Header()
	for name, value := range response.Header {
		h[name] = []string{value} // in the courier's own spelling
	}
	h.Set("Content-Type", response.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(response.Body)))
	x.WriteHeader(response.Status)
	_, _ = io.WriteString(x, response.Body) // the courier may have disconnected
}

// failWebhook sends the response to a courier's webhook that was not stored.
func (x *exchange) failWebhook(err error) {
	if fault.HasCode(err, fault.CodeUnauthenticated) {
		x.rejectWebhook()
		return
	}
	x.fail(err)
}
