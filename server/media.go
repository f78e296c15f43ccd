package server

import (
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
)

// Headers of uploaded images. Their content never changes, so a CDN and every page may use them.
// The policy is for a file that a browser opens by itself.
var (
	headerImmutable   = []string{"public, max-age=31536000, immutable"}
	headerSandbox     = []string{"default-src 'none'; sandbox"}
	headerCrossOrigin = []string{"cross-origin"}
	headerAnyOrigin   = []string{"*"}
)

// routeMedia adds the files of uploaded images. They need no tenant, and the rate limit does not
// apply: a page of products loads dozens.
func (s *Server) routeMedia() {
	const path = "/media/:tenant/:id/:file"
	s.routes.handle(http.MethodGet, path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route, x.quiet = path, true
		image, err := s.cfg.Tenants.OpenImage(r.Context(), params.ByName("tenant"), params.ByName("id"), params.ByName("file"))
		if err != nil {
			x.fail(err)
			return
		}
		defer image.Close()
		h := x.Header()
		h["Content-Type"] = []string{image.Type}
		h["Etag"] = []string{`"` + image.ETag + `"`}
		h["Cache-Control"] = headerImmutable
		h["Content-Security-Policy"] = headerSandbox
		h["Cross-Origin-Resource-Policy"] = headerCrossOrigin
		h["Access-Control-Allow-Origin"] = headerAnyOrigin // also without an Origin, since caches do not distinguish
		http.ServeContent(x, r, "", time.Time{}, image)
	})
}
