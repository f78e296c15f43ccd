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
	"sync"
	"time"

	"storefront/server/certificate"
)

// Serve serves HTTP on l until ctx ends, then waits for open requests for at most
// Config.ShutdownTimeout. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	web := s.newHTTPServer(s)
	return s.serveAll(ctx, webServer{web, l, func() error { return web.Serve(s.limit(l)) }})
}

// ServeTLS serves HTTPS on secure with these certificates, which it runs, and redirects HTTP
// requests on plain to it. It ends as [Server.Serve] does. If plain is nil, nothing is redirected.
func (s *Server) ServeTLS(ctx context.Context, certificates *certificate.Manager, secure, plain net.Listener) error {
	s.certificates.Store(certificates)
	web := s.newHTTPServer(s.tlsHandler())
	web.TLSConfig = certificates.TLSConfig()
	s.countFrames(web)
	webServers := []webServer{{web, secure, func() error { return web.ServeTLS(s.limit(secure), "", "") }}}
	if plain != nil {
		redirects := s.newHTTPServer(&redirector{s, certificates})
		webServers = append(webServers, webServer{redirects, plain, func() error { return redirects.Serve(s.limit(plain)) }})
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		certificates.Run(running)
	}()
	defer func() { stop(); <-done }()
	return s.serveAll(ctx, webServers...)
}

// webServer is an HTTP server and the function that makes it listen.
type webServer struct {
	web      *http.Server
	listener net.Listener
	listen   func() error
}

// limit returns a listener with connections that count for the server's limits.
func (s *Server) limit(l net.Listener) net.Listener { return limitedListener{l, s.conns} }

func (s *Server) newHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       s.cfg.RequestTimeout,
		WriteTimeout:      s.cfg.RequestTimeout + writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         s.conns.setState,
		// A connection of HTTP/2 may have as much unread data as one of HTTP/1, and fewer concurrent
		// requests than there are connections.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: 2 * maxSmallBody, MaxReceiveBufferPerStream: maxSmallBody,
		},
		ErrorLog: log.New(connectionLog{s.cfg.Logger}, "", 0),
	}
}

// serveAll runs webServers until ctx or one of them ends, then shuts all down.
func (s *Server) serveAll(ctx context.Context, webServers ...webServer) error {
	ended := make(chan error, len(webServers))
	var listening sync.WaitGroup
	for _, webServer := range webServers {
		listening.Go(func() { ended <- webServer.listen() })
	}
	var failed error
	select {
	case err := <-ended:
		failed = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		s.streams.stop()
		s.leave()
		s.drain(webServers, &listening)
	}
	s.streams.stop()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ShutdownTimeout)
	defer cancel()
	shut := make(chan error, len(webServers))
	for _, webServer := range webServers {
		go func() { shut <- shutdown(bounded, webServer.web) }()
	}
	for range webServers {
		failed = errors.Join(failed, <-shut)
	}
	listening.Wait()
	s.flushVisits(true)
	return failed
}

// leave makes load balancers send requests to another server, and serves until they do.
func (s *Server) leave() {
	if s.cfg.LeaveTime > 0 {
		s.draining.Store(true)
		time.Sleep(s.cfg.LeaveTime)
	}
}

// drain closes the listeners and waits until the clients have closed their connections, for at most
// Config.DrainTime. net/http's shutdown alone drops requests that it receives after it has begun. A
// connection that is being accepted at that time counts only when its listening has ended.
func (s *Server) drain(webServers []webServer, listening *sync.WaitGroup) {
	if s.cfg.DrainTime == 0 {
		return
	}
	s.draining.Store(true)
	for _, webServer := range webServers {
		_ = webServer.listener.Close() // shutting down closes it again
	}
	listening.Wait()
	for end := time.Now().Add(s.cfg.DrainTime); s.conns.stats().Open > 0 && time.Now().Before(end); {
		time.Sleep(drainPoll)
	}
}

// drainPoll is the interval at which drain counts the open connections.
const drainPoll = 5 * time.Millisecond

func shutdown(ctx context.Context, web *http.Server) error {
	if err := web.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("close open requests: %w", err), web.Close())
	}
	return nil
}

// connectionLog writes net/http's log to ours. Failed handshakes are logged at debug level: on a
// public address they happen all day, for unknown names and clients that disconnect.
type connectionLog struct{ log *slog.Logger }

func (l connectionLog) Write(line []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) {
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, string(bytes.TrimSpace(line)))
	return len(line), nil
}
