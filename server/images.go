package server

import (
	"net/http"
	"path"
	"sync"

	"storefront/prepared"
)

// Images serves drawn pictures, each drawn and compressed once.
type Images struct {
	draw      func(name string) (image []byte, ok bool)
	responses sync.Map
}

// NewImages returns the handler of the SVG images that draw returns by the last part of their path.
// draw must accept a bounded number of names.
func NewImages(draw func(name string) (image []byte, ok bool)) *Images { return &Images{draw: draw} }

func (i *Images) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	found, ok := i.responses.Load(name)
	if !ok {
		image, ok := i.draw(name)
		if !ok {
			http.NotFound(w, r)
			return
		}
		found, _ = i.responses.LoadOrStore(name, prepared.NewResponse("", "image/svg+xml", image))
	}
	// An SVG image that is opened directly is a document: its scripts must not run.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	found.(*prepared.Response).Send(w, r, http.StatusOK, "public, max-age=86400")
}
