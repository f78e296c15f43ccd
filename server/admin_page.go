package server

import (
	"encoding/json"
	"net/http"
	"sync"

	"storefront/prepared"
	"storefront/server/admin/page"
	"storefront/shop/design"
)

// routeAdminPage adds the dashboard and its files.
func (s *Server) routeAdminPage() {
	build := sync.OnceValues(page.New)
	s.routeLazy(page.Path, build)
	s.routeLazy(page.FilesPath+"*file", build)
	s.routeLazy(page.WorkerPath, build)
	s.routeLazy(page.ManifestPath, build)
	s.routePublic(http.MethodPost, page.SharePath, lazyHandler(page.SharePath, build))
	s.routePublic(http.MethodGet, page.BrandingPath, http.HandlerFunc(s.serveBranding))
	s.routePublic(http.MethodGet, page.BrandingStylePath, http.HandlerFunc(s.serveBrandingStyle))
}

// serveBranding returns the name, the logo and the contact of the operator's service, which the
// dashboard shows before anybody signs in.
func (s *Server) serveBranding(w http.ResponseWriter, r *http.Request) {
	b, err := s.cfg.Tenants.Branding(r.Context())
	if err != nil {
		w.(*exchange).fail(err)
		return
	}
	text, err := json.Marshal(b)
	if err != nil {
		w.(*exchange).fail(err)
		return
	}
	s.sendBranding(w, r, "application/json", text)
}

// serveBrandingStyle returns a stylesheet with readable colours that are derived from the one of
// the operator's service.
func (s *Server) serveBrandingStyle(w http.ResponseWriter, r *http.Request) {
	b, err := s.cfg.Tenants.Branding(r.Context())
	if err != nil {
		w.(*exchange).fail(err)
		return
	}
	s.sendBranding(w, r, "text/css; charset=utf-8", []byte(design.Accents(b.Colour)))
}

func (s *Server) sendBranding(w http.ResponseWriter, r *http.Request, mediaType string, body []byte) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	prepared.NewResponse("", mediaType, body).Send(w, r, http.StatusOK, "no-cache")
}
