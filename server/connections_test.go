package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"storefront/server"
)

// busy is a route that reports each request and responds when it is released.
type busy struct{ entered, release chan struct{} }

func (b busy) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.entered <- struct{}{}
	<-b.release
	_, _ = io.WriteString(w, "done")
}

// client is one connection from a local address, of which a machine has many.
type client struct {
	net.Conn
	*bufio.Reader
}

func connect(t *testing.T, url, from string) client {
	t.Helper()
	conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Skipf("this test needs more than one loopback address: %v", err)
	}
	t.Cleanup(func() { conn.Close() })
	return client{conn, bufio.NewReader(conn)}
}

func (c client) send(t *testing.T, path string) {
	t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
}

func (c client) receive(t *testing.T) {
	t.Helper()
	res, err := http.ReadResponse(c.Reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v", res.StatusCode, err)
	}
}

// isClosed waits until the server has closed the connection.
func (c client) isClosed(t *testing.T) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err := c.ReadByte()
	timeout, ok := err.(net.Error)
	return err != nil && !(ok && timeout.Timeout())
}

func TestConnections_Limits(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string][2]int{"per client": {100, 2}, "in all": {2, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			route := busy{make(chan struct{}), make(chan struct{})}
			url, _, _ := run(t, server.Config{
				MaxConnections: limits[0], MaxClientConnections: limits[1],
				Routes: []server.Route{{Method: "GET", Path: "/busy", Handler: route}},
			})
			first, second := connect(t, url, "127.0.0.2"), connect(t, url, "127.0.0.2")
			for _, c := range []client{first, second} {
				c.send(t, "/busy")
				<-route.entered
			}
			if third := connect(t, url, "127.0.0.2"); !third.isClosed(t) {
				t.Error("a third connection is open beside two busy ones")
			}
			if name == "per client" { // others are not affected
				other := connect(t, url, "127.0.0.3")
				other.send(t, "/healthz")
				other.receive(t)
			}
			route.release <- struct{}{}
			route.release <- struct{}{}
			first.receive(t)
			second.receive(t)
			// Now both are idle, as soon as the server has noticed it: one of them is replaced.
			for range 1000 {
				third := connect(t, url, "127.0.0.2")
				third.send(t, "/healthz")
				if _, err := http.ReadResponse(third.Reader, nil); err == nil {
					return
				}
			}
			t.Error("no new connection replaces an idle one")
		})
	}
}

// A proxy's connections are those of many clients.
func TestConnections_TrustedProxy(t *testing.T) {
	t.Parallel()
	url, _, _ := run(t, server.Config{MaxConnections: 100, MaxClientConnections: 2,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.4/32")}})
	var all []client
	for range 10 {
		all = append(all, connect(t, url, "127.0.0.4"))
	}
	for _, c := range all {
		c.send(t, "/healthz")
		c.receive(t)
	}
}
