package server

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"storefront/graphql"
	"storefront/shop/fault"
)

// APIVersion is the version of the API, in the header X-API-Version of every response.
const APIVersion = graphql.Version

// GraphQLSchema returns the schema of /graphql in GraphQL's schema language.
func GraphQLSchema() (string, error) { return graphql.Schema() }

// routeGraphQL adds the GraphQL routes, which identify tenant and caller like REST operations.
func (s *Server) routeGraphQL() {
	cfg := s.cfg.graphQL()
	cfg.Cache = s.cache
	g := graphql.New(cfg)
	execute := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		x := w.(*exchange)
		x.route = "/graphql"
		err := s.identify(x, r)
		if fault.HasCode(err, fault.CodeTenantRequired) && !s.cfg.HideIntrospection {
			x.caller = callerOf(r, s.cfg.TrustedProxies)
			g.ServeSchema(x, r, x.requestID, x, err)
			return
		}
		if err != nil {
			g.ServeError(x, r, err, x.requestID)
			return
		}
		g.Serve(x, r, x.shop, x.caller, x.requestID, x)
	}
	s.routes.handle(http.MethodPost, "/graphql", execute)
	s.routes.handle(http.MethodGet, "/graphql", func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		if !graphql.WantsGraphiQL(r) {
			execute(w, r, params)
			return
		}
		w.(*exchange).route = "/graphql"
		g.ServeGraphiQL(w, r)
	})
	s.routePublic(http.MethodGet, "/graphql/assets/*file", g.Assets())
}
