package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// Headers of uploaded images. Their content never changes, so a browser that has shown one sends no
// further request. A shared cache sends one a day, so that a withheld image disappears from it; it
// does not store images that are not listed. The policy is for a file that a browser opens by
// itself.
var (
	headerListed      = []string{"public, max-age=31536000, s-maxage=86400, immutable"}
	headerUnlisted    = []string{"private, max-age=31536000, immutable"}
	headerSandbox     = []string{"default-src 'none'; sandbox"}
	headerCrossOrigin = []string{"cross-origin"}
	headerAnyOrigin   = []string{"*"}
)

// routeMedia adds the files of uploaded images. The rate limit does not apply: a page of products
// loads dozens.
func (s *Server) routeMedia() {
	const path = "/media/:tenant/:id/:file"
	s.routes.handle(http.MethodGet, path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := w.(*exchange)
		x.route, x.quiet = path, true
		uid, id := params.ByName("tenant"), params.ByName("id")
		image, err := s.cfg.Tenants.OpenImage(r.Context(), uid, id, params.ByName("file"))
		if err != nil {
			x.fail(err)
			return
		}
		defer image.Close()
		caching, err := s.imageCaching(x, r, uid, id)
		if err != nil {
			x.fail(err)
			return
		}
		h := x.Header()
		h["Content-Type"] = []string{image.Type}
		h["Etag"] = []string{`"` + image.ETag + `"`}
		h["Cache-Control"] = caching
		h["Content-Security-Policy"] = headerSandbox
		h["Cross-Origin-Resource-Policy"] = headerCrossOrigin
		h["Access-Control-Allow-Origin"] = headerAnyOrigin // also without an Origin, since caches do not distinguish
		if strings.Contains(r.Header.Get("Range"), ",") {
			r.Header.Del("Range") // thousands of ranges of a byte each would be as many reads
		}
		http.ServeContent(x, r, "", time.Time{}, image)
	})
}

// imageCaching returns the Cache-Control of an existing image for the caller. Codes: not_found (the
// image is withheld from the caller), rate_limited.
func (s *Server) imageCaching(x *exchange, r *http.Request, uid, id string) (header []string, err error) {
	one, err := s.cfg.Tenants.FindIncludingSuspended(&x.deadline, uid)
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		err = errNoImage()
	}
	if err != nil {
		return nil, err
	}
	x.caller.Client = clientAddress(r, s.cfg.TrustedProxies)
	admit := func() (release func(), err error) { return x.AcquireRecord(&x.deadline) }
	exposure, err := one.ImageExposure(&x.deadline, id, admit)
	switch {
	case err != nil:
		return nil, err
	case exposure == catalogue.Listed:
		return headerListed, nil
	case exposure == catalogue.Unlisted:
		return headerUnlisted, nil
	}
	return headerUnlisted, s.requireStaff(x, r, one, admit)
}

// requireStaff returns an error unless the caller of a withheld image is a staff member of the
// shop. Codes: not_found, rate_limited.
func (s *Server) requireStaff(
	x *exchange, r *http.Request, one *shop.Shop, admit func() (release func(), err error),
) error {
	x.caller = callerOf(r, s.cfg.TrustedProxies)
	if x.caller.Bearer == "" {
		x.caller.Session = s.cookieOf(r, sessionCookie)
	}
	if x.caller.Bearer == "" && x.caller.Session == "" || !s.isConfidential(r) {
		return errNoImage()
	}
	release, err := admit()
	if err != nil {
		return err
	}
	defer release()
	shown, err := one.ShowsImagesTo(&x.deadline, x.caller)
	if err == nil && !shown {
		err = errNoImage()
	}
	return err
}

func errNoImage() error {
	return &fault.Error{Code: fault.CodeNotFound, Message: "No image exists at this path."}
}
