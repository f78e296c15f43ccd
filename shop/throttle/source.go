package throttle

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"
)

// Source creates the throttles of a shop. They count in the domain, so that a guesser gains nothing
// by using several transports, and in the shop's file, so that a restart does not reset them.
type Source struct{ key []byte }

// NewSource returns the source whose counts are stored under hashes with a key.
func NewSource(key []byte) Source { return Source{key} }

// Hash returns the key of a count. It does not reveal the addresses and phone numbers in parts.
func (s Source) Hash(kind string, parts ...string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(kind))
	for _, part := range parts {
		mac.Write([]byte{0})
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)[:16]
}

// NetworkShare is the limit of a network as a multiple of one client's limit: an attacker who rents
// a network has many addresses in it, and so has a carrier whose customers are honest.
const NetworkShare = 4

// PerNetwork returns a throttle by the network of a client, given the limit of one client.
func (s Source) PerNetwork(kind, client string, limit int64) Throttle {
	return s.PerClient(kind+" by network", NetworkOf(client), NetworkShare*limit)
}

// PerClient returns a throttle by client over an hour. It counts nothing if the client is unknown:
// it would count all unknown clients as one.
func (s Source) PerClient(kind, client string, limit int64) Throttle {
	if client == "" {
		return Throttle{}
	}
	return New(s.Hash(kind+" by client", client), limit, time.Hour)
}

// NetworkOf returns the network that a client's address is in: an IPv4 /24 or an IPv6 /48, which
// are the smallest that are routed on their own. It is "" if the client is unknown.
func NetworkOf(client string) string {
	address, _, _ := strings.Cut(client, "/")
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.String()
}
