package server

import (
	"fmt"
	"net/http"

	"storefront/shop"
)

// tlsHandler gives the handler of what comes over TLS.
func (s *Server) tlsHandler() http.Handler {
	if s.cfg.HSTS <= 0 {
		return s
	}
	policy := fmt.Sprintf("max-age=%d", int64(s.cfg.HSTS.Seconds()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", policy)
		s.ServeHTTP(w, r)
	})
}

// redirector answers what comes over plain HTTP beside TLS. A page is sent to its place over TLS.
// Anything else is refused: a client that were led on would send its next secret in the clear too,
// and providers follow no redirects.
type redirector struct {
	server       *Server
	certificates *Certificates
}

func (p *redirector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.certificates.handleChallenge(w, r) {
		return
	}
	x := newExchange(w, r)
	defer p.server.finish(x, r)
	x.route = "plain http"
	host := requestHost(r)
	if p.certificates.ownership(host) == Unowned {
		x.fail(&shop.Error{Code: shop.CodeNotFound, Message: "Nothing answers under this host name here."})
		return
	}
	page := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !page || r.Header.Get("Authorization") != "" {
		x.fail(&shop.Error{Code: shop.CodeHTTPSRequired, Message: "This was sent in the clear: send it to https://" + host + " instead, and change a secret that went with it."})
		return
	}
	http.Redirect(x, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
}
