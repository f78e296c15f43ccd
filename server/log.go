package server

import (
	"cmp"
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
// has the route's pattern and never the path, which can contain a customer's order.
func (s *Server) finish(x *exchange, r *http.Request) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		if x.status != 0 {
			defer panic(http.ErrAbortHandler) // the client must not mistake a partial response for a whole one
		}
		fault := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		if x.status == 0 {
			x.fail(fault)
		}
		x.err = fault
	}
	status, level := x.status, slog.LevelInfo
	if status == 0 {
		status = http.StatusOK // net/http's own status for a handler that writes nothing
	}
	gone := transport.ClientGone(r.Context(), x.err)
	switch {
	case gone:
		status = statusClientGone
	case x.err != nil:
		level = transport.LogLevel(r.Context(), x.err)
	case x.quiet && status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	method, duration := methodLabel(r.Method), time.Since(x.started)
	if s.cfg.Metrics != nil {
		s.cfg.Metrics.Request(method, x.route, status, cmp.Or(x.opened, duration)) // a stream lasts for hours
	}
	line := requestLine{
		time: x.started.Add(duration), level: level, requestID: x.requestID, method: method, route: x.route, status: status,
		duration: duration, bytes: x.bytes, client: s.security.Shown(clientAddress(x.request, s.cfg.TrustedProxies)),
	}
	if x.prepared && status < http.StatusBadRequest && s.cfg.LogSample > 1 {
		if s.cached.Add(1)%uint64(s.cfg.LogSample) != 1 {
			return
		}
		line.sampled = s.cfg.LogSample
	}
	if x.shop != nil {
		line.tenant = x.shop.UID()
	}
	line.actor = x.actor
	if x.err != nil && !gone {
		line.cause = x.err.Error()
	}
	logged := true
	if line.suppressed, logged = s.recordSecurity(x, status); !logged && level < slog.LevelWarn {
		return
	}
	line.write(s.cfg.Logger.Handler())
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
