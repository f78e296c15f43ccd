//go:build unix

package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"storefront/db/dbtest"
)

// listenInherited opens a socket for servers that inherit it.
func listenInherited(t *testing.T) *net.TCPListener {
	t.Helper()
	socket, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return socket
}

// inheriting returns the command of a server with sockets that this process holds, as systemd does.
// names are those of the sockets, separated by colons.
func inheriting(t *testing.T, names string, sockets []*net.TCPListener, args ...string) *exec.Cmd {
	t.Helper()
	// The number of a process is known once it runs.
	script := fmt.Sprintf(`LISTEN_PID=$$ LISTEN_FDS=%d LISTEN_FDNAMES=%s exec "$0" "$@"`, len(sockets), names)
	cmd := exec.Command("sh", append([]string{"-c", script, os.Args[0], "serve"}, args...)...)
	cmd.Env = asProgram(t, args...)
	for _, socket := range sockets {
		file, err := socket.File()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	return cmd
}

// While the parent process holds the socket, an upgrade fails no request: neither on new
// connections nor on open ones.
func TestService_RestartUnderLoad(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", marketStock)
	sockets := []*net.TCPListener{listenInherited(t)}
	serve := func() *process { return start(t, inheriting(t, "http", sockets, "--data", data, "--rate", "0")) }
	p := serve()
	product := p.must(request{method: "GET", path: "/api/v1/products?limit=1", tenant: "acme"})
	productID := product.text("nodes", 0, "_id")

	url := p.url // of the socket, which outlives the servers
	stopped, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var orders, reads atomic.Int64
	for i := range 8 {
		clients.Go(func() {
			web := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%4 == 0}}
			for n := 0; stopped.Err() == nil; n++ {
				if i%2 == 0 {
					if body, err := send(web, url+"/api/v1/products?limit=2", ""); err != nil {
						t.Errorf("read: %v %s", err, body)
						return
					}
					reads.Add(1)
					continue
				}
				order := fmt.Sprintf(`{"items":[{"productId":%q,"quantity":1}],"customer":{"name":"Rahima","phoneNumber":"017%08d"},`+
					`"shippingAddress":{"line1":"House 12","area":"Dhaka","city":"Dhaka"}}`, productID, 10_000_000+i*1_000_000+n)
				if body, err := send(web, url+"/api/v1/orders", order); err != nil {
					t.Errorf("order: %v %s", err, body)
					return
				}
				orders.Add(1)
			}
		})
	}
	for range 3 {
		before := orders.Load() + reads.Load()
		dbtest.Eventually(t, "the server serves", func() bool { return orders.Load()+reads.Load() > before+100 || t.Failed() }, p.logged)
		p.cmd.Process.Signal(syscall.SIGTERM)
		<-p.done
		p = serve()
	}
	stop()
	clients.Wait()
	placed := p.must(request{method: "GET", path: "/healthz"})
	if placed.status != http.StatusOK || orders.Load() == 0 || reads.Load() == 0 {
		t.Errorf("got %d, %d orders and %d reads", placed.status, orders.Load(), reads.Load())
	}
	listed := int64(strings.Count(run(t, "order", "list", "acme", "--limit", "-1", "--format", "uid", "--data", data), "\n"))
	if listed != orders.Load() {
		t.Errorf("got %d orders, want the %d that were acknowledged", listed, orders.Load())
	}
	t.Logf("%d orders and %d reads during 3 restarts", orders.Load(), reads.Load())
}

// send sends a GET request, or a POST request if there is a body, and returns an error unless it
// succeeds.
func send(web *http.Client, url, body string) ([]byte, error) {
	method := http.MethodGet
	var content io.Reader
	if body != "" {
		method, content = http.MethodPost, struct{ io.Reader }{strings.NewReader(body)} // which the client cannot send again
	}
	req, err := http.NewRequest(method, url, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("x-tenant", "acme")
	req.Header.Set("Content-Type", "application/json")
	res, err := web.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("got %s", res.Status)
	}
	return text, err
}

// With --domain the server uses the sockets of plain HTTP and of TLS by their names. Connections to
// both wait while no server runs.
func TestService_SocketsWithTLS(t *testing.T) {
	t.Parallel()
	data := newShop(t, "acme", 5)
	plain, secure := listenInherited(t), listenInherited(t)
	// The authority is out of reach, so the server answers TLS with an alert: it has no certificate.
	args := []string{
		"--data", data, "--domain", "api.example", "--acme-email", "ops@api.example", "--acme-ca", "https://" + freeAddress(t) + "/dir",
	}
	serve := func() *process {
		return start(t, inheriting(t, "https:http", []*net.TCPListener{secure, plain}, args...))
	}
	type answer struct {
		status    int
		location  string
		handshake error
	}
	request := func() (a answer) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain.Addr().String()+"/api/v1/tenant", nil)
		if err != nil {
			t.Error(err)
			return a
		}
		req.Host = "api.example"
		res, err := client.Transport.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return a
		}
		defer res.Body.Close()
		conn, err := tls.Dial("tcp", secure.Addr().String(), &tls.Config{ServerName: "api.example", MinVersion: tls.VersionTLS12})
		if err == nil {
			conn.Close()
		}
		return answer{res.StatusCode, res.Header.Get("Location"), err}
	}
	check := func(when string, a answer) {
		t.Helper()
		if a.status != http.StatusPermanentRedirect || a.location != "https://api.example/api/v1/tenant" {
			t.Errorf("%s: got %d, %q, want a redirect to https", when, a.status, a.location)
		}
		if alert := (*net.OpError)(nil); !errors.As(a.handshake, &alert) || alert.Op != "remote error" {
			t.Errorf("%s: got %v, want an alert of the server", when, a.handshake)
		}
	}
	p := serve()
	check("first server", request())
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
	waiting := make(chan answer)
	go func() { waiting <- request() }()
	p = serve()
	check("waited for the next server", <-waiting)
	p.kill()

	out, err := inheriting(t, "http", []*net.TCPListener{plain}, args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a socket named https is required with --domain") {
		t.Errorf("without a socket of TLS: got %v, %s", err, out)
	}
}

// The server notifies systemd when it is ready, alive and stopping.
func TestService_Notify(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sd") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := storefront(t, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=100000")
	p := start(t, cmd)
	want := func(state string) {
		t.Helper()
		message := make([]byte, 100)
		for {
			n, err := socket.Read(message)
			if err != nil {
				t.Fatal(err)
			}
			if string(message[:n]) == state {
				return
			}
		}
	}
	if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	want("READY=1")
	want("WATCHDOG=1")
	want("WATCHDOG=1")
	p.cmd.Process.Signal(syscall.SIGTERM)
	want("STOPPING=1")
}

// SIGHUP changes the log level from the file of settings. All lines of the log are JSON.
func TestService_Reload(t *testing.T) {
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "settings")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# settings of the server\nSTOREFRONT_LOG_LEVEL=error\nSTOREFRONT_LOG_SAMPLE=5\n")
	data := newShop(t, "acme", 5)
	cmd := storefront(t, "serve", "--listen", "127.0.0.1:0", "--data", data, "--settings", settings, "--json")
	p := start(t, cmd)
	read := func() {
		t.Helper()
		if got := p.must(request{method: "GET", path: "/api/v1/products", tenant: "acme"}); got.status != http.StatusOK {
			t.Fatalf("got %d", got.status)
		}
	}
	read()
	reload := func(text, want string) {
		t.Helper()
		write(text)
		p.cmd.Process.Signal(syscall.SIGHUP)
		dbtest.Eventually(t, want, func() bool { return strings.Contains(p.logged(), want) }, p.logged)
	}
	reload("STOREFRONT_LOG_LEVEL=info\n", `"logLevel":"info"`)
	if strings.Contains(p.logged(), `"msg":"request"`) {
		t.Errorf("at level error: got a line of a request\n%s", p.logged())
	}
	for range 10 {
		read()
	}
	reload("STOREFRONT_LOG_LEVEL=loud\n", "reload failed")
	read()
	if code := p.stop(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	var requests, stops []string
	for line := range strings.Lines(p.logged()) {
		var entry struct {
			Msg, Client string
			Sampled     int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("got the line %q, want JSON", line)
		}
		if strings.HasPrefix(entry.Msg, "server stop") {
			stops = append(stops, entry.Msg)
		}
		if entry.Msg == "request" {
			requests = append(requests, line)
			if entry.Client != "127.0.0.1" || entry.Sampled != 5 {
				t.Errorf("got %s, want the client and the sample of 5", line)
			}
		}
	}
	if len(requests) != 3 { // the first, the sixth and the eleventh
		t.Errorf("got %d lines for 11 cached responses, want 3\n%s", len(requests), p.logged())
	}
	if want := []string{"server stopping", "server stopped"}; !slices.Equal(stops, want) {
		t.Errorf("got %q, want %q\n%s", stops, want, p.logged())
	}
}

// A start that fails is a line of JSON too.
func TestService_FailedStart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	out, err := storefront(t, "serve", "--listen", taken.Addr().String(), "--data", filepath.Join(t.TempDir(), "data")).CombinedOutput()
	var line struct{ Level, Msg, Error, Hint string }
	if jsonErr := json.Unmarshal(out, &line); err == nil || jsonErr != nil || line.Level != "ERROR" ||
		!strings.Contains(line.Error, "another program listens") || line.Hint == "" {
		t.Errorf("got %v, %v, %s, want one line with the error and the hint", err, jsonErr, out)
	}
}

// Clients of a Unix socket are served, and count as a proxy on this machine.
func TestService_UnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "api.sock")
	data := newShop(t, "acme", 5)
	args := []string{"serve", "--listen", "unix:" + path, "--data", data, "--trusted-proxy", "127.0.0.1"}
	p := start(t, storefront(t, args...))
	web := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	get := func() {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/v1/tenant", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-tenant", "acme")
		req.Header.Set("X-Forwarded-For", "203.0.113.7")
		res, err := web.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("got %s", res.Status)
		}
	}
	get()
	run(t, "health", "--data", data)
	dbtest.Eventually(t, "the line of the request has the client behind the proxy", func() bool {
		return strings.Contains(p.logged(), `"client":"203.0.113.7"`)
	}, p.logged)
	p.kill() // leaves the socket behind
	web.CloseIdleConnections()
	start(t, storefront(t, args...))
	get()
}

// SIGHUP loads certificates that were replaced on the disk.
func TestService_ReloadCertificates(t *testing.T) {
	dbtest.NeedFiles(t, "servers of one database share certificates in it")
	t.Parallel()
	ca := startPebble(t, 90*24*time.Hour)
	obtain := func(data string) (*process, string) {
		t.Helper()
		run(t, "tenant", "create", "acme", "--name", "Acme", "--data", data)
		p := startTLS(t, ca, data)
		return p, ca.serves(t, p, ownName, "acme", http.StatusOK).TLS.PeerCertificates[0].SerialNumber.String()
	}
	data, other := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	p, renewed := obtain(other)
	p.stop()
	p, first := obtain(data)
	serial := func() string {
		return ca.serves(t, p, ownName, "acme", http.StatusOK).TLS.PeerCertificates[0].SerialNumber.String()
	}
	const folder = "certificates/certificates"
	if out, err := exec.Command("cp", "-R", filepath.Join(other, folder)+"/.", filepath.Join(data, folder)).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if got := serial(); got != first {
		t.Errorf("before SIGHUP: got certificate %s, want %s", got, first)
	}
	p.cmd.Process.Signal(syscall.SIGHUP)
	dbtest.Eventually(t, "the other certificate is served", func() bool { return serial() == renewed }, p.logged)
	if code := p.stop(); code != 0 {
		t.Errorf("the server stopped with %d:\n%s", code, p.logged())
	}
}
