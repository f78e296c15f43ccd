package provider

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forwardingHeaders are headers that proxies and tunnels add, besides those with [forwardedPrefix].
var forwardingHeaders = []string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}

const forwardedPrefix = "X-Forwarded-"

// LocalOnly returns a handler that passes a request to next if it comes from this machine, has this
// machine as its host and was not forwarded. It answers 403 to all others. It protects pages that
// show sign-in codes or control the simulator. Their loopback listener alone does not exclude
// tunnels and web sites that rebind their DNS name to 127.0.0.1.
//
// Every response has the headers that make browsers protect a page from other sites; an HTML page
// replaces the Content-Security-Policy by its own.
func LocalOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		if !fromLoopback(r) || !isLocalName(r.Host) || wasForwarded(r.Header) {
			http.Error(w, "This page is only available on the machine that serves it. Open it there at 127.0.0.1 or localhost.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func fromLoopback(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// isLocalName reports whether a Host header is a name of this machine.
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
