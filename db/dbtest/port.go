package dbtest

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

const (
	firstPort = 10_000
	ports     = 20_000 // up to where Linux and others begin to choose ports by themselves
)

var lastPort atomic.Int64

func init() { lastPort.Store(int64(os.Getpid()) * 101 % ports) } // test programs run side by side

// FreePorts returns the first of n consecutive TCP ports of 127.0.0.1 that no one listens on. They
// are outside the range from which the system chooses a port for a connection or for port 0, so
// that the port is still free when a program of the test listens on it, at once or once more.
func FreePorts(tb testing.TB, n int) int {
	tb.Helper()
	for range ports {
		port := firstPort + int(lastPort.Add(int64(n))%(ports-int64(n)))
		if areFree(port, n) {
			return port
		}
	}
	tb.Fatalf("found no %d free ports in a row", n)
	return 0
}

func areFree(port, n int) bool {
	for p := port; p < port+n; p++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}
