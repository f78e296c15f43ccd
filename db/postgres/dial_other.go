//go:build !linux

package postgres

import (
	"context"
	"net"
	"time"
)

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{KeepAlive: 15 * time.Second}
	return d.DialContext(ctx, network, address)
}
