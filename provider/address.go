package provider

import (
	"fmt"
	"net/netip"
	"syscall"
)

// reserved are the ranges that no provider on the public internet answers from: private, loopback,
// link-local, carrier NAT, documentation, multicast and tunnels that carry another address inside.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // a cloud's metadata service, on an address that looks public
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	globalIPv6 = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // how a network without IPv4 reaches it
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic reports whether addr belongs to the public internet.
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

// rejectReserved is a dialler's Control: it sees each address after its name was resolved and just
// before it is connected to, so that a name cannot be public when checked and private when used.
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
