package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"storefront/transport"
)

// statusClientGone is the logged status of a request whose client disconnected before the response.
const statusClientGone = 499

// finish ends a request: it recovers from a panic and writes the request's one log line. The line
// has the route's pattern and never the path, since a path can contain a customer's order.
func (s *Server) finish(x *exchange, r *http.Request) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			x.cpu.end()
			panic(p)
		}
		fault := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		if x.status == 0 {
			x.fail(fault)
		} else {
			defer panic(http.ErrAbortHandler) // the client must not mistake a partial response for a whole one
		}
		x.err = fault
	}
	x.cpu.end()
	status, level := x.outcome(r.Context())
	method, duration := methodLabel(r.Method), time.Since(x.started)
	if s.cfg.Metrics != nil {
		s.cfg.Metrics.Request(method, x.route, status, cmp.Or(x.opened, duration)) // a stream lasts for hours
	}
	if x.shop != nil {
		s.cfg.Tenants.CountRequest(x.shop, cmp.Or(x.opened, duration), x.cpu.used)
	}
	line := requestLine{
		time: x.started.Add(duration), level: level, requestID: x.requestID, method: method, route: x.route, status: status,
		duration: duration, bytes: x.bytes, client: s.security.Shown(clientAddress(x.request, s.cfg.TrustedProxies)),
	}
	if s.samples(x, status) {
		if s.cached.Add(1)%uint64(s.cfg.LogSample) != 1 {
			return
		}
		line.sampled = s.cfg.LogSample
	}
	if x.shop != nil {
		line.tenant = x.shop.UID()
	}
	line.actor = x.actor
	if x.err != nil && status != statusClientGone {
		line.cause = x.err.Error()
	}
	logged := true
	if line.suppressed, logged = s.recordSecurity(x, status); !logged && level < slog.LevelWarn {
		return
	}
	line.write(s.cfg.Logger.Handler())
}

// outcome returns the status and the level that a request is logged with.
func (x *exchange) outcome(ctx context.Context) (status int, level slog.Level) {
	status = cmp.Or(x.status, http.StatusOK) // net/http's own for a handler that writes nothing
	switch {
	case transport.ClientGone(ctx, x.err):
		return statusClientGone, slog.LevelInfo
	case x.err != nil:
		return status, transport.LogLevel(ctx, x.err)
	case x.quiet && status < http.StatusBadRequest:
		return status, slog.LevelDebug
	}
	return status, slog.LevelInfo
}

// samples reports whether only a sample of requests like this one is logged.
func (s *Server) samples(x *exchange, status int) bool {
	return x.prepared && status < http.StatusBadRequest && s.cfg.LogSample > 1
}

// logQuietly logs the successes of a handler at debug level: a page loads dozens of files.
func logQuietly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(*exchange).quiet = true
		h.ServeHTTP(w, r)
	})
}

// methodLabel returns a known method or "other", so that clients cannot write to the log or
// metrics.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}
