package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// gate is a route that blocks its request until it is opened.
type gate struct{ entered, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

func (g gate) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	close(g.entered)
	<-g.open
	_, _ = io.WriteString(w, "done")
}

// run serves on its own port until stop is called; ended receives Serve's error.
func run(t *testing.T, cfg server.Config) (url string, stop context.CancelFunc, ended chan error) {
	t.Helper()
	return runOn(t, cfg, listen(t))
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// runOn is run with a listener.
func runOn(t *testing.T, cfg server.Config, l net.Listener) (url string, stop context.CancelFunc, ended chan error) {
	t.Helper()
	if cfg.Tenants == nil {
		cfg.Tenants = &tenantsOf{}
	}
	s, err := server.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	ended = make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	return "http://" + l.Addr().String(), stop, ended
}

func TestServe_FinishesOpenRequests(t *testing.T) {
	t.Parallel()
	g := newGate()
	url, stop, ended := run(t, server.Config{Routes: []server.Route{{Method: "GET", Path: "/gate", Handler: g}}})
	type outcome struct {
		body string
		err  error
	}
	responses := make(chan outcome, 1)
	go func() {
		res, err := http.Get(url + "/gate")
		if err != nil {
			responses <- outcome{err: err}
			return
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		responses <- outcome{string(body), err}
	}()
	<-g.entered
	stop()
	for { // until the listener is closed
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			break
		}
		conn.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("ended before its open request: %v", err)
	default:
	}
	close(g.open)
	if got := <-responses; got.err != nil || got.body != "done" {
		t.Errorf("open request: got %q, %v", got.body, got.err)
	}
	if err := <-ended; err != nil {
		t.Errorf("got error %v", err)
	}
}

// slowListener returns its first connection only some time after it is closed.
type slowListener struct {
	net.Listener
	accepted, closed chan struct{}
}

func (l slowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		close(l.accepted)
		<-l.closed
		time.Sleep(20 * time.Millisecond)
	}
	return conn, err
}

func (l slowListener) Close() error {
	err := l.Listener.Close()
	if err == nil {
		close(l.closed)
	}
	return err
}

// A connection that is being accepted when a stop begins is answered.
func TestServe_StopDuringAccept(t *testing.T) {
	t.Parallel()
	l := slowListener{listen(t), make(chan struct{}), make(chan struct{})}
	g := newGate()
	close(g.open)
	cfg := server.Config{Routes: []server.Route{{Method: "GET", Path: "/gate", Handler: g}}, DrainTime: time.Minute}
	url, stop, ended := runOn(t, cfg, l)
	go func() {
		<-l.accepted
		stop()
	}()
	res, err := http.Get(url + "/gate")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if err := <-ended; err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("got %s, error %v", res.Status, err)
	}
}

// A request of the same process, whose body is nil, is refused as one of a client is.
func TestHandler_RefusedWithoutBody(t *testing.T) {
	t.Parallel()
	s, err := server.New(server.Config{Tenants: &tenantsOf{}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/none", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusNotFound {
		t.Errorf("got %d %s, want 404", w.Code, w.Body)
	}
}

func TestServe_ShutdownTimeout(t *testing.T) {
	t.Parallel()
	g := newGate()
	url, stop, ended := run(t, server.Config{
		Routes: []server.Route{{Method: "GET", Path: "/gate", Handler: g}}, ShutdownTimeout: 50 * time.Millisecond,
	})
	go func() {
		if res, err := http.Get(url + "/gate"); err == nil {
			res.Body.Close()
		}
	}()
	<-g.entered
	stop()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want one about the open request", err)
	}
	close(g.open)
}

func TestServe_ListenerError(t *testing.T) {
	t.Parallel()
	s, err := server.New(server.Config{Tenants: &tenantsOf{}})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	l.Close()
	if err := s.Serve(context.Background(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestNew_NoTenants(t *testing.T) {
	t.Parallel()
	if _, err := server.New(server.Config{}); err == nil {
		t.Error("got a server without tenants")
	}
}

// A use case that exceeds the limit is cancelled.
func TestRequest_Deadline(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(cfg *server.Config) {
		cfg.RequestTimeout = time.Nanosecond
		cfg.Tenants = patient{}
	})
	got := s.get("/api/v1/tenant")
	got.problem(503, fault.CodeUnavailable)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// A statement that does not end is interrupted at the request's deadline, through both transports,
// and its reader serves the next request.
func TestRequest_DeadlineInStatement(t *testing.T) {
	t.Parallel()
	folder, err := tenants.Open(tenants.Config{Dir: t.TempDir(), Schema: shoptest.EndlessSchema(t, "collections")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close(context.Background()) })
	settings := shoptest.Raw(t, map[string]any{"name": "Slow", "currency": "BDT", "country": "BD"})
	if _, err := folder.Create(t.Context(), "test", settings); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(cfg *server.Config) {
		cfg.RequestTimeout = 200 * time.Millisecond
		cfg.Tenants = folder
	})
	for range 4 { // with GraphQL, more often than there are readers
		s.get("/api/v1/collections").problem(503, fault.CodeUnavailable)
		got := s.send("POST", "/graphql", `{"query":"{collections{nodes{handle}}}"}`)
		if !bytes.Contains(got.body, []byte(`"unavailable"`)) {
			t.Errorf("GraphQL: got %d %s, want the code unavailable", got.status, got.body)
		}
	}
	s.get("/api/v1/tenant").ok(200, new(any))
}

// patient blocks until its context ends.
type patient struct{ server.Tenants }

func (patient) Shop(ctx context.Context, _ string) (*shop.Shop, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (p patient) FindIncludingSuspended(ctx context.Context, uid string) (*shop.Shop, error) {
	return p.Shop(ctx, uid)
}

func (patient) Ready(context.Context) error { return nil }

// Requests that no HTTP client would send must not stop the server.
func TestServe_RawRequests(t *testing.T) {
	t.Parallel()
	url, _, _ := run(t, server.Config{})
	host := strings.TrimPrefix(url, "http://")
	for request, status := range map[string]string{
		"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n":                                               "200",
		"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n":                                            "404",
		"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n":                                 "404",
		"GET /api/v1/tenant HTTP/1.0\r\n\r\n":                                                 "400",
		"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n":                                                "400",
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n":         "431",
		"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n": "501",
	} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || strings.Fields(line)[1] != status {
			t.Errorf("%.40q: %q, %v, want %s", request, line, err, status)
		}
		conn.Close()
	}
}

// A server that is stopped serves while load balancers learn of it, and closes each connection.
func TestServe_Leave(t *testing.T) {
	t.Parallel()
	g := newGate()
	close(g.open)
	cfg := server.Config{
		Tenants: &tenantsOf{}, Routes: []server.Route{{Method: "GET", Path: "/gate", Handler: g}}, LeaveTime: time.Second,
	}
	url, stop, ended := runOn(t, cfg, listen(t))
	get := func(path string) *http.Response {
		t.Helper()
		res, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	if res := get("/readyz"); res.StatusCode != http.StatusOK || res.Close {
		t.Errorf("before: got %s, close: %t", res.Status, res.Close)
	}
	stop()
	dbtest.Eventually(t, "/readyz returns 503", func() bool { return get("/readyz").StatusCode == http.StatusServiceUnavailable })
	if res := get("/gate"); res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("while it leaves: got %s, close: %t", res.Status, res.Close)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
