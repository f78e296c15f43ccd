package server

import (
	"fmt"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"storefront/graphql"
)

// APIVersion is the label of the interface, on every answer as X-API-Version.
const APIVersion = graphql.Version

// GraphQLSchema gives the schema of /graphql in GraphQL's own language.
func GraphQLSchema() (string, error) { return graphql.Schema() }

// routeGraphQL mounts the other transport, with tenant and caller settled as for an operation.
func (s *Server) routeGraphQL() error {
	cfg := s.cfg.graphQL()
	cfg.Cache = s.cache
	g, err := graphql.New(cfg)
	if err != nil {
		return fmt.Errorf("make the GraphQL handler: %w", err)
	}
	s.routes.handle(http.MethodPost, "/graphql", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		x := w.(*exchange)
		x.route = "/graphql"
		if err := s.identify(x, r); err != nil {
			g.ServeError(x, r, err, x.requestID)
			return
		}
		g.Serve(x, r, x.shop, x.caller, x.requestID, func() error { return s.checkRate(x) })
	})
	s.routePublic(http.MethodGet, "/graphql", http.HandlerFunc(g.ServeGraphiQL))
	s.routePublic(http.MethodGet, "/graphql/assets/*file", g.Assets())
	return nil
}
