package server

import (
	"fmt"
	"net/http"
	"strconv"

	"storefront/shop/fault"
	"storefront/transport"
)

// routeHealth adds the health checks: /healthz reports that the process responds, /readyz that it
// can serve its shops.
func (s *Server) routeHealth() {
	s.routePublic(http.MethodGet, "/healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.writeOK(w.(*exchange))
	}))
	s.routePublic(http.MethodGet, "/readyz", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := w.(*exchange)
		if s.draining.Load() {
			x.fail(&fault.Error{Code: fault.CodeUnavailable, Message: "This server stops: send requests to another one."})
			return
		}
		if err := s.cfg.Tenants.Ready(r.Context()); err != nil {
			x.fail(&fault.Error{
				Code: fault.CodeUnavailable, Message: "The shops cannot be served now. The server's log has the reason.",
				Err: fmt.Errorf("not ready: %w", err),
			})
			return
		}
		s.writeOK(x)
	}))
}

func (s *Server) writeOK(x *exchange) {
	body, err := transport.MarshalBody(struct {
		Status  string `json:"status"`
		Version string `json:"version,omitempty"`
	}{"ok", s.cfg.Version})
	if err != nil {
		x.fail(err)
		return
	}
	x.Header().Set("Content-Type", "application/json")
	x.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = x.Write(body)
}
