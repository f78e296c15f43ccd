package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"
	"github.com/julienschmidt/httprouter"

	"storefront/shop/fault"
)

// besideParameter are the paths with a static segment in place of another path's parameter. A
// single httprouter tree rejects them.
var besideParameter = map[string]bool{
	"/api/v1/products/handle/{handle}":    true,
	"/api/v1/products/facets":             true,
	"/api/v1/products/changes":            true,
	"/api/v1/collections/handle/{handle}": true,
	"/api/v1/orders/coupons/verify":       true,
	"/api/v1/orders/quote":                true,
}

// router consists of two trees of routes. A path in the first hides the second's.
type router struct {
	trees   [2]*httprouter.Router
	methods []string // of all routes, sorted
}

func newRouter() router {
	return router{trees: [2]*httprouter.Router{httprouter.New(), httprouter.New()}}
}

// tree returns the tree for a path in huma's form.
func (rt *router) tree(path string) *httprouter.Router {
	if besideParameter[path] {
		return rt.trees[0]
	}
	return rt.trees[1]
}

func (rt *router) addMethod(method string) {
	if !slices.Contains(rt.methods, method) {
		rt.methods = append(rt.methods, method)
		slices.Sort(rt.methods)
	}
}

// handle adds a route in httprouter's form.
func (rt *router) handle(method, path string, h httprouter.Handle) {
	rt.addMethod(method)
	rt.trees[1].Handle(method, path, h)
}

// handleLate adds a route in huma's form. At the first request, add adds its handler to a tree of
// its own.
func (rt *router) handleLate(method, path string, add func(tree *httprouter.Router)) {
	rt.addMethod(method)
	handler := sync.OnceValue(func() httprouter.Handle {
		own := httprouter.New()
		add(own)
		h, _, _ := own.Lookup(method, path) // a parameter matches its own name
		return h
	})
	rt.tree(path).Handle(method, strings.NewReplacer("{", ":", "}", "").Replace(path),
		func(w http.ResponseWriter, r *http.Request, params httprouter.Params) { handler()(w, r, params) })
}

// serve runs the handler of a request. HEAD runs GET's handler, and net/http drops the body.
func (rt *router) serve(x *exchange, r *http.Request) {
	if !isText(r.URL.Path) || isAdminPath(r.URL.Path) && !x.server.servesAdmin(r) {
		x.route = "unmatched"
		x.failUnmatched(r)
		return
	}
	if x.server.serveSite(x, r) {
		return
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := r.URL.Path
	for _, tree := range rt.trees {
		if h, params, _ := tree.Lookup(method, path); h != nil {
			h(x, r, params)
			return
		}
		allowed := rt.allowed(tree, path)
		if len(allowed) == 0 {
			continue
		}
		allow := strings.Join(allowed, ", ")
		x.route = "other method"
		x.Header().Set("Allow", allow)
		if method == http.MethodOptions {
			handleOptions(x, r, allow)
			return
		}
		x.fail(&fault.Error{Code: fault.CodeMethodNotAllowed, Message: "This path supports other methods: " + allow + "."})
		return
	}
	if method == http.MethodGet && !isAPI(path) {
		if other := rt.otherSlash(path); other != "" {
			x.route = "other slash"
			location := url.URL{Path: other, RawQuery: r.URL.RawQuery}
			http.Redirect(x, r, location.String(), http.StatusPermanentRedirect)
			return
		}
	}
	x.route = "unmatched"
	x.failUnmatched(r)
}

// otherSlash returns the path of a page with or without its last slash, "" if there is no such
// page.
func (rt *router) otherSlash(path string) string {
	other, found := strings.CutSuffix(path, "/")
	if !found {
		other += "/"
	}
	if strings.Contains(other[strings.LastIndexByte(other, '/')+1:], ".") { // a file
		return ""
	}
	for _, tree := range rt.trees {
		if h, _, _ := tree.Lookup(http.MethodGet, other); h != nil {
			return other
		}
	}
	return ""
}

// isText reports whether all characters of a path can occur in a stored name: PostgreSQL stores no
// others.
func isText(path string) bool { return utf8.ValidString(path) && strings.IndexByte(path, 0) < 0 }

// failUnmatched responds that a path does not exist.
func (x *exchange) failUnmatched(r *http.Request) {
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && wantsPage(r) {
		x.server.serveNotFoundPage(x, r)
		return
	}
	reference := "/docs"
	if isAdminPath(r.URL.Path) && x.server.servesAdmin(r) {
		reference = "/admin/docs"
	}
	x.fail(fault.Errorf(fault.CodeNotFound, "Nothing exists at this path. See %s for all operations.", reference))
}

// allowed returns the methods that a tree has for a path, sorted; none if it does not have the
// path.
func (rt *router) allowed(tree *httprouter.Router, path string) []string {
	var allowed []string
	for _, method := range rt.methods {
		if h, _, _ := tree.Lookup(method, path); h != nil {
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	if allowed != nil {
		allowed = append(allowed, http.MethodOptions)
		slices.Sort(allowed)
	}
	return allowed
}

// adapter adds huma's operations to a tree, behind the identification of tenant and caller.
type adapter struct {
	huma.Adapter
	identify identifier
}

// identifier finds the shop of a request and the credentials of its caller.
type identifier func(x *exchange, r *http.Request, ctx huma.Context) error

// Handle adds one operation.
func (a adapter) Handle(op *huma.Operation, next func(huma.Context)) {
	a.Adapter.Handle(op, func(ctx huma.Context) {
		r, w, _ := humahttprouter.Unwrap(ctx)
		x := w.(*exchange)
		x.route = op.Path
		if err := a.identify(x, r, ctx); err != nil {
			x.fail(err)
			return
		}
		next(ctx)
	})
}

// newAdapter returns an adapter for a tree.
func newAdapter(tree *httprouter.Router, identify identifier) adapter {
	return adapter{humahttprouter.New(tree, huma.Config{}).Adapter(), identify}
}

// nowhere is an adapter for operations that are only documented.
type nowhere struct{}

// Handle does nothing.
func (nowhere) Handle(*huma.Operation, func(huma.Context)) {}

// ServeHTTP is required by huma. Requests arrive at [Server.ServeHTTP].
func (nowhere) ServeHTTP(http.ResponseWriter, *http.Request) {}

// routePublic adds a route that needs no tenant.
func (s *Server) routePublic(method, path string, h http.Handler) {
	s.routes.handle(method, path, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		w.(*exchange).route = path
		h.ServeHTTP(w, r)
	})
}
