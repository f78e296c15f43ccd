package server

import (
	"net/http"
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
	s.routePublic(http.MethodPost, page.SharePath, lazyHandler(page.SharePath, build))
}
