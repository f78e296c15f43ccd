package server

import (
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
}
