package provider

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forwardingHeaders are the headers that a proxy or tunnel adds, beside those that begin with X-Forwarded-.
var forwardingHeaders = []string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}

const forwardedPrefix = "X-Forwarded-"

// LocalOnly lets a request through to next only if someone at this machine made it to a name of
// this machine. It guards pages that show codes or steer the simulator: they have a loopback
// listener of their own, and this keeps a tunnel to it, or a web site whose name was rebound to it,
// from reading them. All others get 403.
func LocalOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !fromLoopback(r) || !isLocalName(r.Host) || wasForwarded(r.Header) {
			http.Error(w, "This page is for the machine that it runs on. Open it there, under 127.0.0.1 or localhost.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func fromLoopback(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// isLocalName reports whether a Host header names this machine.
func isLocalName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func wasForwarded(header http.Header) bool {
	for _, name := range forwardingHeaders {
		if _, ok := header[name]; ok {
			return true
		}
	}
	for name := range header {
		if strings.HasPrefix(name, forwardedPrefix) {
			return true
		}
	}
	return false
}
