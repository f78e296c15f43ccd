package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
)

// Serve answers on l until ctx ends. Requests under way are then finished, for as long as
// Config.ShutdownTimeout allows. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	web := s.newHTTPServer(s)
	return s.serveAll(ctx, site{web, func() error { return web.Serve(l) }})
}

// ServeTLS is Serve over TLS on secure, by the names that certificates has. What comes to plain is
// sent there; nil: nothing listens for that. It looks after the certificates meanwhile.
func (s *Server) ServeTLS(ctx context.Context, certificates *Certificates, secure, plain net.Listener) error {
	web := s.newHTTPServer(s.tlsHandler())
	web.TLSConfig = certificates.Config()
	sites := []site{{web, func() error { return web.ServeTLS(secure, "", "") }}}
	if plain != nil {
		redirects := s.newHTTPServer(&redirector{s, certificates})
		sites = append(sites, site{redirects, func() error { return redirects.Serve(plain) }})
	}
	looking, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		certificates.Run(looking)
	}()
	defer func() { stop(); <-done }()
	return s.serveAll(ctx, sites...)
}

// site is a server and what makes it listen.
type site struct {
	web    *http.Server
	listen func() error
}

func (s *Server) newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       s.cfg.RequestTimeout,
		WriteTimeout:      s.cfg.RequestTimeout + writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(connectionLog{s.cfg.Logger}, "", 0),
	}
}

// serveAll runs sites until ctx or one of them ends; then all are shut down.
func (s *Server) serveAll(ctx context.Context, sites ...site) error {
	ended := make(chan error, len(sites))
	for _, site := range sites {
		go func() { ended <- site.listen() }()
	}
	running := len(sites)
	var failed error
	select {
	case err := <-ended:
		running--
		failed = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ShutdownTimeout)
	defer cancel()
	shut := make(chan error, len(sites))
	for _, site := range sites {
		go func() { shut <- shutdown(bounded, site.web) }()
	}
	for range sites {
		failed = errors.Join(failed, <-shut)
	}
	for range running {
		<-ended
	}
	return failed
}

func shutdown(ctx context.Context, web *http.Server) error {
	if err := web.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off: %w", err), web.Close())
	}
	return nil
}

// connectionLog takes net/http's own lines. Handshakes fail all day on a public address, for names
// that are not ours and clients that leave: that is no warning.
type connectionLog struct{ log *slog.Logger }

func (l connectionLog) Write(line []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) {
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, string(bytes.TrimSpace(line)))
	return len(line), nil
}
