package server

import (
	"io"
	"net/http"
	"strconv"

	"storefront/shop"
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
	body, err := io.ReadAll(io.LimitReader(r.Body, s.cfg.MaxBody+1))
	if err != nil { // it did not come whole, and has to come again
		x.fail(&shop.Error{Code: shop.CodeUnavailable, Message: "The body could not be read to its end.", Err: err})
		return
	}
	if int64(len(body)) > s.cfg.MaxBody {
		body = nil // kept as one that can not be read: no courier's is that large
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
