package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"storefront/prepared"
)

// Server answers HTTP for all tenants. It is safe for concurrent use. Make one with [New].
type Server struct {
	cfg     Config
	routes  router
	ceiling *ceiling // nil: no bound
	answers *prepared.Cache
	api     huma.API
}

// New gives a server that is ready to serve.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, routes: newRouter(), answers: prepared.NewCache(cfg.CacheSize)}
	if cfg.Rate > 0 {
		s.ceiling = newCeiling(cfg.Rate, cfg.Burst)
	}
	s.api = newAPI(s)
	s.registerProducts()
	s.registerCollections()
	s.registerTenant()
	s.registerCustomers()
	s.registerOrders()
	document, err := newDocument(s.api.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("write the API document: %w", err)
	}
	s.routeDocument(document)
	s.routeHealth()
	if err := s.routeGraphQL(); err != nil {
		return nil, err
	}
	s.routePayments()
	s.routeResult()
	s.routeCouriers()
	for _, r := range cfg.Routes {
		s.routePublic(r.Method, r.Path, r.Handler)
	}
	return s, nil
}

// Prepared says what the kept answers do, for metrics.
func (s *Server) Prepared() prepared.Stats { return s.answers.Stats() }

// Handler gives the server without a listener, for tests and for other listeners.
func (s *Server) Handler() http.Handler { return s }

// ServeHTTP answers one request: everything around it happens here, once for all routes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(w, r)
	defer s.finish(x, r)
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	defer cancel()
	allowAnyOrigin(x, r)
	s.routes.serve(x, r.WithContext(ctx))
}
