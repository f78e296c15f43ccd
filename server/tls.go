package server

import (
	"fmt"
	"net/http"

	"storefront/shop/fault"
)

// tlsHandler returns the handler for requests over TLS.
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

// redirector handles plain HTTP beside TLS. It redirects pages to HTTPS and refuses anything else:
// a redirected client would send its next secret in the clear too, and providers follow no
// redirects.
type redirector struct {
	server       *Server
	certificates *Certificates
}

func (p *redirector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.certificates.handleChallenge(w, r) {
		return
	}
	x := newExchange(p.server, w, r)
	defer p.server.finish(x, r)
	x.route = "plain http"
	host := requestHost(r)
	if p.certificates.ownership(host) == Unowned {
		x.fail(&fault.Error{Code: fault.CodeNotFound, Message: "No shop is served under this host name."})
		return
	}
	page := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !page || r.Header.Get("Authorization") != "" {
		x.fail(&fault.Error{
			Code:    fault.CodeHTTPSRequired,
			Message: "This request was not encrypted. Send it to https://" + host + " instead, and replace any secret in it.",
		})
		return
	}
	http.Redirect(x, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
}
