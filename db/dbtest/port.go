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
	ports     = 20_000 // the first port that Linux and others choose automatically
)

var lastPort atomic.Int64

func init() { lastPort.Store(int64(os.Getpid()) * 101 % ports) } // test programs run side by side

// FreePorts returns the first of n consecutive free TCP ports of 127.0.0.1. They are outside the
// range of automatically chosen ports, so they are still free when a program of the test listens on
// them, even again.
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
