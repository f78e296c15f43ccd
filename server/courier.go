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
	request := plugin.WebhookRequest{
		Header:   r.Header.Get,
		ReadBody: func() ([]byte, error) { return s.readCourierBody(x, r) },
	}
	response, err := to.Orders.HandleCourierWebhook(r.Context(), provider, r.Header.Get("Content-Type"), request)
	if fault.HasCode(err, fault.CodeUnauthenticated) {
		x.rejectWebhook()
		return
	}
	if err != nil {
		x.fail(err)
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

// readCourierBody reads the body of a courier's webhook. Codes: unavailable.
func (s *Server) readCourierBody(x *exchange, r *http.Request) ([]byte, error) {
	body, err := s.readProviderBody(x, r)
	switch {
	case err == nil, fault.HasCode(err, fault.CodeTooLarge): // stored without a body, as unreadable: no courier's body is that large
		return body, nil
	case fault.HasCode(err, fault.CodeUnavailable):
		return nil, err
	}
	return nil, &fault.Error{Code: fault.CodeUnavailable, Message: "The body ended early. Send it again.", Err: err}
}
