package server

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"storefront/shop/access"
)

// Written by hand: LimitListener of golang.org/x/net/netutil makes new connections wait instead
// of replacing idle ones, and knows no addresses.

// connections limits the open connections of a server, in all and per client address. A connection
// beyond a limit replaces the one that has been idle for longest, since browsers leave several
// open; if none is idle, it is closed.
type connections struct {
	max, perClient int
	trusted        []netip.Prefix // proxies, with connections of many clients

	mu      sync.Mutex
	open    map[*limitedConn]struct{}
	clients map[string]map[*limitedConn]struct{}
	refused uint64
}

// ConnectionStats are the statistics of a server's connections.
type ConnectionStats struct {
	Open, Limit int
	Refused     uint64 // closed since the start because of a limit
}

func newConnections(max, perClient int, trusted []netip.Prefix) *connections {
	return &connections{
		max: max, perClient: perClient, trusted: trusted,
		open: map[*limitedConn]struct{}{}, clients: map[string]map[*limitedConn]struct{}{},
	}
}

func (c *connections) stats() ConnectionStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ConnectionStats{Open: len(c.open), Limit: c.max, Refused: c.refused}
}

func (c *connections) countRefused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused++
}

// idleSamples is the number of connections to compare for one that has been idle for a long time.
const idleSamples = 512

// add counts a connection. It returns nil if there must not be another one, and then has closed it.
func (c *connections) add(conn net.Conn) *limitedConn {
	added := &limitedConn{Conn: conn, owner: c, client: c.clientOf(conn)}
	c.mu.Lock()
	evicted, ok := c.makeRoom(added)
	if ok {
		c.open[added] = struct{}{}
		if added.client != "" {
			of := c.clients[added.client]
			if of == nil {
				of = map[*limitedConn]struct{}{}
				c.clients[added.client] = of
			}
			of[added] = struct{}{}
		}
	} else {
		c.refused++
	}
	c.mu.Unlock()
	if evicted != nil {
		_ = evicted.Conn.Close() // it is idle
	}
	if !ok {
		_ = conn.Close() // nothing was sent
		return nil
	}
	return added
}

// makeRoom removes an idle connection if a limit is reached, and reports whether there is room.
func (c *connections) makeRoom(added *limitedConn) (evicted *limitedConn, ok bool) {
	switch of := c.clients[added.client]; {
	case added.client != "" && len(of) >= c.perClient:
		evicted = longestIdle(of)
	case len(c.open) >= c.max:
		evicted = longestIdle(c.open)
	default:
		return nil, true
	}
	if evicted != nil {
		c.removeLocked(evicted)
	}
	return evicted, evicted != nil
}

// longestIdle returns the connection that has been idle for longest among idleSamples of them, nil
// if none is idle.
func longestIdle(of map[*limitedConn]struct{}) (longest *limitedConn) {
	since, samples := int64(0), 0
	for conn := range of {
		if at := conn.idleSince.Load(); at != 0 && (longest == nil || at < since) {
			longest, since = conn, at
		}
		if samples++; samples == idleSamples {
			break
		}
	}
	return longest
}

func (c *connections) remove(conn *limitedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(conn)
}

func (c *connections) removeLocked(conn *limitedConn) {
	delete(c.open, conn)
	if of := c.clients[conn.client]; of != nil {
		if delete(of, conn); len(of) == 0 {
			delete(c.clients, conn.client)
		}
	}
}

// clientOf returns the client that a connection counts for, "" if it has no limit of its own.
func (c *connections) clientOf(conn net.Conn) string {
	addr, ok := parseAddress(conn.RemoteAddr().String())
	if !ok || isTrusted(addr, c.trusted) {
		return ""
	}
	return access.ClientOf(addr)
}

// setState is the hook with which net/http reports the state of a connection.
func (c *connections) setState(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	limited, ok := conn.(*limitedConn)
	if !ok {
		return
	}
	since := int64(0)
	if state == http.StateIdle {
		since = time.Now().UnixNano()
	}
	limited.idleSince.Store(since)
}

// limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	owner     *connections
	client    string
	idleSince atomic.Int64 // in Unix nanoseconds; 0 means not idle
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.owner.remove(c)
	return c.Conn.Close()
}

// limitedListener accepts the connections that the limits allow.
type limitedListener struct {
	net.Listener
	limits *connections
}

// Accept returns the next connection within the limits.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if limited := l.limits.add(conn); limited != nil {
			return limited, nil
		}
	}
}
