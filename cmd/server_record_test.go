package cmd_test

import (
	"storefront/db/dbtest"

	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/cmd"
)

// Commands find the server of their own data folder, of two that run, and its simulated providers.
func TestServerRecord_TwoServers(t *testing.T) {
	t.Parallel()
	first, second := newConsole(t), newConsole(t)
	_, firstReady := serveDemo(t, first.dir)
	_, secondReady := serveDemo(t, second.dir)
	for _, s := range []struct {
		c *console
		r ready
	}{{first, firstReady}, {second, secondReady}} {
		if urls := s.c.must("plugin", "urls", "demo"); !strings.Contains(urls, s.r.URL+"/") {
			t.Errorf("plugin urls: got\n%s\nwant those of %s", urls, s.r.URL)
		}
		s.c.must("plugin", "validate", "demo", "courier_a")
		order := placeOnline(t, s.r, "gateway_a")
		var got struct{ PaymentStatus string }
		s.c.json(&got, "simulate", "demo", "gateway_a", "pay", "--order", order.ID)
		if got.PaymentStatus != "paid" {
			t.Errorf("got payment %s, want paid", got.PaymentStatus)
		}
		status, page := get(t, s.r.Simulator+"/", "")
		if status != 200 || !strings.Contains(string(page), order.Payment.Attempts[0].ID) && !strings.Contains(string(page), "/gateway_a/pay/") {
			t.Errorf("simulator's page: got %d %s, want the payment", status, page)
		}
	}
}

// The record of a server that was killed is not used.
func TestServerRecord_KilledServer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	p, r := serveDemo(t, c.dir)
	order := placeOnline(t, r, "gateway_a")
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if _, err := os.Stat(filepath.Join(c.dir, "server.json")); err != nil {
		t.Fatalf("got %v, want a record that was left behind", err)
	}
	c.fails(cmd.ExitFailed, "no server with simulated providers runs", "simulate", "demo", "gateway_a", "pay", "--order", order.ID)
	if urls := c.must("plugin", "urls", "demo"); strings.Contains(urls, r.URL+"/") {
		t.Errorf("plugin urls: got those of a killed server\n%s", urls)
	}
}

// The other addresses of --dev follow the API's port. If one is in use, another is chosen and
// logged.
func TestServe_DevelopmentPorts(t *testing.T) {
	t.Parallel()
	port := dbtest.FreePorts(t, 3)
	inUse, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.Close()
	c := newConsole(t)
	p, r := serveDemo(t, c.dir, "--listen", fmt.Sprintf("127.0.0.1:%d", port))
	if want := fmt.Sprintf("http://127.0.0.1:%d", port+2); r.Simulator != want {
		t.Errorf("simulator: got %s, want %s", r.Simulator, want)
	}
	if r.SMSPage == "" || strings.HasSuffix(r.SMSPage, fmt.Sprint(":", port+1)) {
		t.Errorf("SMS page: got %s, want another port", r.SMSPage)
	}
	dbtest.Eventually(t, "a warning of the port", func() bool {
		return strings.Contains(p.stderr.String(), "port in use, another one chosen")
	}, p.stderr.String)
}
