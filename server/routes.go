package server

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"storefront/shop"
)

// routeHealth adds what a supervisor asks: /healthz, whether the process answers, and /readyz,
// whether it can serve its shops.
func (s *Server) routeHealth() {
	s.routePublic(http.MethodGet, "/healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.sayOK(w.(*exchange))
	}))
	s.routePublic(http.MethodGet, "/readyz", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := w.(*exchange)
		if err := s.cfg.Tenants.Ready(r.Context()); err != nil {
			x.fail(&shop.Error{Code: shop.CodeUnavailable, Message: "The shops can not be served: see the log.", Err: fmt.Errorf("not ready: %w", err)})
			return
		}
		s.sayOK(x)
	}))
}

func (s *Server) sayOK(x *exchange) {
	body, err := marshal(struct {
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

// routeGraphQL mounts the other transport, with tenant and caller settled as for an operation.
func (s *Server) routeGraphQL() {
	g := s.cfg.GraphQL
	if g == nil {
		return
	}
	s.routes.handle(http.MethodPost, "/graphql", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		x := w.(*exchange)
		x.route = "/graphql"
		err := s.admit(x, r)
		if err == nil {
			err = s.takeTurn(x)
		}
		if err != nil {
			x.problem(err) // for the headers and the log
			g.ServeError(x, r, domainError(err), x.requestID)
			return
		}
		g.Serve(x, r, x.shop, x.caller, x.requestID)
	})
	s.routePublic(http.MethodGet, "/graphql", http.HandlerFunc(g.ServeGraphiQL))
	s.routePublic(http.MethodGet, "/graphql/assets/*file", g.Assets())
}
