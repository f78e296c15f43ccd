package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"

	"storefront/server/admin"
	"storefront/server/certificate"
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

// redirector handles plain HTTP beside TLS. It redirects pages to HTTPS and refuses all other
// requests: a redirected client would send its next secret in the clear too, and providers follow
// no redirects.
type redirector struct {
	server       *Server
	certificates *certificate.Manager
}

func (p *redirector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := requestHost(r)
	if p.certificates.HandleChallenge(w, r, host) {
		return
	}
	x := newExchange(p.server, w, r)
	defer p.server.finish(x, r)
	x.route = "plain http"
	if p.certificates.Ownership(host) == certificate.Unowned && !p.certificates.HasFile(host) {
		x.fail(&fault.Error{Code: fault.CodeNotFound, Message: "No shop has this host name."})
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

// Domains implements [admin.Exchange]. Its look-ups run at the same time.
func (x *exchange) Domains(ctx context.Context, names []string) *admin.Domains {
	list := &admin.Domains{Nodes: make([]admin.Domain, len(names)), Addresses: []string{}}
	var lookups sync.WaitGroup
	for i, name := range names {
		lookups.Go(func() {
			list.Nodes[i] = admin.Domain{
				Name: name, Proof: x.server.cfg.Tenants.DomainProof(name), Certificate: x.Certificate(name),
				Elsewhere: x.server.cfg.Tenants.DomainElsewhere(name),
			}
		})
	}
	host, addresses := x.server.cfg.Tenants.ServerAddress(ctx)
	list.Host, list.Addresses = host, append(list.Addresses, addresses...)
	lookups.Wait()
	return list
}

// Certificate implements [admin.Exchange].
func (x *exchange) Certificate(name string) admin.Certificate {
	certificates := x.server.certificates.Load()
	if certificates == nil {
		return admin.Certificate{State: admin.CertificateElsewhere}
	}
	switch state := certificates.State(name); {
	case !state.NotAfter.IsZero():
		return admin.Certificate{State: admin.CertificateValid, ExpiresAt: &state.NotAfter}
	case !state.NextAttempt.IsZero():
		return admin.Certificate{State: admin.CertificateFailed, NextAttemptAt: &state.NextAttempt}
	}
	return admin.Certificate{State: admin.CertificateWaiting}
}

// requestHost returns the canonical host name of a request, without the port.
func requestHost(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return certificate.CanonicalHost(host)
}
