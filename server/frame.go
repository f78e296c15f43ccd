package server

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Written by hand: net/http bounds the streams, the header and the unsent replies of a connection
// of HTTP/2, but neither its resets nor its PINGs, and shows them to nobody. Connections of HTTP/2
// therefore pass to a server of their own after the handshake, through a reader that counts.

// Costs of the frames that a client of HTTP/2 sends. A stream is refunded when its response is
// complete, with a few frames that a request may take.
const (
	frameCost  = 1
	streamCost = 20 // of opening one, and of its reset
	refund     = streamCost + 4*frameCost
	// maxUnpaid is the most that a connection may owe: the cost of all its concurrent requests.
	maxUnpaid = maxStreams * streamCost
	// minUnpaid is maxUnpaid for a new connection of a client that owes more than its burst: enough
	// for a page, and less than the handshake costs.
	minUnpaid = 20 * streamCost
	// earnedBytes is the part of a response for which its client may return one frame.
	earnedBytes = 1 << 10
	// minData is the content of a DATA frame that costs nothing.
	minData = 512
)

// Frames and sizes of RFC 9113.
const (
	frameData      = 0x0
	frameHeaders   = 0x1
	frameReset     = 0x3
	frameHeader    = 9
	prefaceSize    = 24
	streamsPerRate = 2 // unfinished streams that a client may open and reset for each unit of its rate
	streamsInBurst = 5 // and of its burst
)

// newFrameLimiter returns the limiter of frames beside requests, nil if there is none.
func newFrameLimiter(cfg *Config) *rateLimiter {
	if cfg.Rate < 0 {
		return nil
	}
	return newRateLimiter(streamsPerRate*streamCost*cfg.Rate, streamsInBurst*streamCost*cfg.Burst)
}

// countFrames makes web pass its connections of HTTP/2 to a server that counts their frames. It
// ends with web.
func (s *Server) countFrames(web *http.Server) {
	accepted := &handover{conns: make(chan net.Conn), closed: make(chan struct{})}
	counted := s.newHTTPServer(countedHandler{web.Handler})
	counted.Protocols = &http.Protocols{}
	counted.Protocols.SetUnencryptedHTTP2(true) // as it is decrypted
	counted.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, countedKey{}, conn)
	}
	web.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
			c := s.newCountedConn(conn)
			if accepted.pass(c) {
				<-c.ended // web closes the connection after this
			}
		},
	}
	web.RegisterOnShutdown(func() { _ = counted.Shutdown(context.Background()) })
	go func() { _ = counted.Serve(accepted) }() // until it shuts down
}

// handover is a listener of connections that another listener has accepted.
type handover struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// pass passes on a connection. It returns false if nobody accepts it any more.
func (h *handover) pass(conn net.Conn) bool {
	select {
	case h.conns <- conn:
		return true
	case <-h.closed:
		return false
	}
}

// Accept implements [net.Listener].
func (h *handover) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (h *handover) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

// Addr implements [net.Listener].
func (h *handover) Addr() net.Addr { return &net.TCPAddr{} }

// countedKey is the key of a request's [countedConn] in its context.
type countedKey struct{}

// countedHandler refunds each stream with a complete response.
type countedHandler struct{ http.Handler }

// ServeHTTP handles one request.
func (h countedHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn := r.Context().Value(countedKey{}).(*countedConn)
	r.TLS = &conn.state
	h.Handler.ServeHTTP(w, r)
	if r.Context().Err() == nil {
		conn.earn(refund)
	}
}

// countedConn is a decrypted connection of HTTP/2. It ends when its client sends too much beyond
// requests, by the limit of the client's address.
type countedConn struct {
	net.Conn // hides that it is a TLS connection, which net/http would not read as decrypted
	state    tls.ConnectionState
	allow    func(cost int) bool
	debit    func(cost int)
	refuse   func()   // counts that the connection ends because of a limit
	limited  net.Conn // below TLS

	unread int // bytes up to the next frame
	header []byte
	unpaid atomic.Int64
	most   int64 // that the connection may owe

	once  sync.Once
	ended chan struct{}
}

func (s *Server) newCountedConn(conn *tls.Conn) *countedConn {
	client := s.conns.clientOf(conn)
	c := &countedConn{
		Conn: conn, state: conn.ConnectionState(), limited: conn.NetConn(), unread: prefaceSize,
		header: make([]byte, 0, frameHeader), ended: make(chan struct{}), refuse: s.conns.countRefused,
		allow: func(cost int) bool {
			return s.frames == nil || s.frames.allow(client, cost, s.cfg.Now()) == 0
		},
		debit: func(cost int) {
			if s.frames != nil {
				s.frames.debit(client, cost, s.cfg.Now())
			}
		},
	}
	if c.most = maxUnpaid; !c.allow(0) {
		c.most = minUnpaid
	}
	return c
}

// errTooManyFrames ends a connection.
var errTooManyFrames = errors.New("too many frames beside requests")

// Read reads from the connection and counts the frames.
func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.earn(-c.cost(p[:n]))
	for c.unpaid.Load() > c.most {
		if !c.allow(int(c.most / 2)) {
			c.refuse()
			return 0, errTooManyFrames
		}
		c.unpaid.Add(-c.most / 2)
	}
	return n, err
}

// Write writes to the connection. The bytes earn the frames with which a client confirms them.
func (c *countedConn) Write(p []byte) (int, error) {
	c.earn(len(p) / earnedBytes)
	return c.Conn.Write(p)
}

// Close closes the connection. Its client owes the debt, so that new connections do not evade the
// limit.
func (c *countedConn) Close() error {
	c.once.Do(func() {
		c.debit(int(c.unpaid.Load()))
		close(c.ended)
	})
	return c.Conn.Close()
}

// NetConn returns the connection below TLS, as [tls.Conn.NetConn] does.
func (c *countedConn) NetConn() net.Conn { return c.limited }

// earn lowers the debt of the connection, up to a limit: an honest past does
// not permit a flood.
func (c *countedConn) earn(amount int) {
	if c.unpaid.Add(-int64(amount)) < -maxUnpaid {
		c.unpaid.Store(-maxUnpaid)
	}
}

// cost returns the cost of the frames that begin in the next bytes of the client.
func (c *countedConn) cost(part []byte) (cost int) {
	for len(part) > 0 {
		if c.unread > 0 {
			skipped := min(c.unread, len(part))
			c.unread, part = c.unread-skipped, part[skipped:]
			continue
		}
		taken := min(frameHeader-len(c.header), len(part))
		c.header, part = append(c.header, part[:taken]...), part[taken:]
		if len(c.header) == frameHeader {
			c.unread = int(binary.BigEndian.Uint32(c.header) >> 8)
			cost += costOf(c.header[3], c.unread)
			c.header = c.header[:0]
		}
	}
	return cost
}

// costOf returns the cost of a frame by its type and size.
func costOf(kind byte, size int) int {
	switch {
	case kind == frameHeaders, kind == frameReset:
		return streamCost
	case kind == frameData && size >= minData:
		return 0
	}
	return frameCost
}
