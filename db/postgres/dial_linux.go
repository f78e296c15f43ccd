package postgres

import (
	"context"
	"net"
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is the socket option TCP_USER_TIMEOUT.
const tcpUserTimeout = 0x12

// dial opens a connection that fails when a sent byte is not acknowledged in time, so that a
// vanished server is noticed.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{KeepAlive: 15 * time.Second, Control: func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var err error
		cerr := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int((silentAfter + signTimeout).Milliseconds()))
		})
		if cerr != nil {
			return cerr
		}
		return err
	}}
	return d.DialContext(ctx, network, address)
}
