package server

import (
	"net/http"
	"strings"
	"sync"

	"storefront/server/admin/page"
)

// routeAdminPage adds the dashboard and its files.
func (s *Server) routeAdminPage() {
	build := sync.OnceValues(page.New)
	s.routeLazy(page.Path, build)
	s.routeLazy(page.FilesPath+"*file", build)
	s.routeLazy(page.WorkerPath, build)
	s.routeLazy(page.ManifestPath, build)
	s.routePublic(http.MethodGet, strings.TrimSuffix(page.Path, "/"), http.RedirectHandler(page.Path, http.StatusPermanentRedirect))
}
