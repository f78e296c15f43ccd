package provider

import (
	"fmt"
	"net/netip"
	"syscall"
)

// reserved lists the address ranges that are not part of the public internet: private, loopback,
// link-local, carrier-grade NAT, documentation, multicast, and tunnels that embed another address.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // cloud metadata service on an address that looks public
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	globalIPv6 = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // NAT64: IPv4 addresses as seen from IPv6-only networks
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic reports whether addr is an address of the public internet.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	if addr.Is6() && !globalIPv6.Contains(addr) {
		return false
	}
	for _, prefix := range reserved {
		if prefix.Contains(addr) {
			return false
		}
	}
	return addr.IsValid()
}

// rejectReserved is a [net.Dialer.Control] function. It runs after name resolution and just before
// the connection, so a name cannot resolve to a public address for the check and to a private one
// for the connection.
func rejectReserved(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrAddressNotAllowed, address)
	}
	if !isPublic(target.Addr()) {
		return fmt.Errorf("%w: %s", ErrAddressNotAllowed, target.Addr())
	}
	return nil
}
