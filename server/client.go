package server

import (
	"net/http"
	"net/netip"
	"strings"

	"storefront/shop/access"
)

// callerOf returns the caller of a request, by its headers and connection.
func callerOf(r *http.Request, trusted []netip.Prefix) access.Caller {
	caller := access.Caller{OrderToken: firstOf(r.Header, "X-Order-Token"),
		WorkProof: firstOf(r.Header, "X-Work-Proof"), Client: clientAddress(r, trusted), Agent: r.UserAgent()}
	switch values := r.Header["Authorization"]; {
	case len(values) > 1:
		caller.BadAuthorization = true
	case len(values) == 1 && values[0] != "":
		caller.Bearer, caller.BadAuthorization = parseBearer(values[0])
	}
	return caller
}

func parseBearer(authorization string) (token string, bad bool) {
	scheme, token, _ := strings.Cut(authorization, " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " \t,") {
		return "", true
	}
	return token, false
}

// clientAddress returns the address that limits count by: the connection's, or, behind trusted
// proxies, the rightmost hop of X-Forwarded-For that is not a trusted proxy, since a client can
// invent everything left of it. It is empty if the connection has no IP address.
func clientAddress(r *http.Request, trusted []netip.Prefix) string {
	if host, _, ok := strings.Cut(r.RemoteAddr, ":"); ok && len(trusted) == 0 && host != "" && host[0] != '[' {
		return host // an IPv4 address as net/http writes it needs no parsing
	}
	addr, ok := findClient(r, trusted)
	if !ok {
		return ""
	}
	return access.ClientOf(addr)
}

// findClient returns the address of [clientAddress]. ok is false if the connection has none.
func findClient(r *http.Request, trusted []netip.Prefix) (addr netip.Addr, ok bool) {
	if addr, ok = parseAddress(r.RemoteAddr); !ok || !isTrusted(addr, trusted) {
		return addr, ok
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && isTrusted(addr, trusted); i-- {
		hop, ok := parseAddress(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		addr = hop
	}
	return addr, true
}

func parseAddress(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}

func isTrusted(addr netip.Addr, trusted []netip.Prefix) bool {
	for _, network := range trusted {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
