package postgres

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

const (
	// silentAfter is the time of a trip after which its server must respond on another connection,
	// and again after each such time. A slow statement continues, but a machine that vanished must
	// not hold a shop.
	silentAfter = 6 * time.Second
	// signTimeout limits the wait for that response: a vanished machine is noticed within 10 s.
	signTimeout = 3 * time.Second
)

// silence watches the connection of a trip.
type silence struct {
	conn  net.Conn
	timer *time.Timer
	ended atomic.Bool
}

func watchSilence(conn net.Conn) *silence {
	s := &silence{conn: conn}
	s.timer = time.AfterFunc(silentAfter, s.check)
	return s
}

// end ends the watch; s may be nil.
func (s *silence) end() {
	if s != nil {
		s.ended.Store(true)
		s.timer.Stop()
	}
}

// check ends the trip with a timeout unless the server responds.
func (s *silence) check() {
	if s.ended.Load() {
		return
	}
	if isAlive(s.conn.RemoteAddr()) {
		time.AfterFunc(silentAfter, s.check)
		return
	}
	if !s.ended.Load() {
		_ = s.conn.SetDeadline(time.Now()) // a closed connection has ended its trip
	}
}

// isAlive reports whether a server responds on a new connection. The request is whether it offers
// TLS, which needs no user.
func isAlive(server net.Addr) bool {
	ctx, cancel := context.WithTimeout(context.Background(), signTimeout)
	defer cancel()
	conn, err := dial(ctx, server.Network(), server.String())
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(signTimeout)); err != nil {
		return false
	}
	request := []byte{0, 0, 0, 8, 4, 210, 22, 47} // SSLRequest: its size, and its code 80877103
	if _, err := conn.Write(request); err != nil {
		return false
	}
	_, err = conn.Read(request[:1])
	return err == nil
}
