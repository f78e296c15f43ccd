package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"storefront/db/dbtest"
	"storefront/server"
	"storefront/server/certificate"
)

const secureName = "api.shop.example"

// runTLS serves HTTPS with a stored certificate and a clock that stands still.
func runTLS(t *testing.T, cfg server.Config) (address string, stop func(), ended chan error) {
	t.Helper()
	now := time.Now()
	cfg.Tenants, cfg.Now = &tenantsOf{}, func() time.Time { return now }
	s, err := server.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	dir := t.TempDir()
	storeCertificate(t, filepath.Join(dir, "certificates/acme-v02.api.letsencrypt.org-directory", secureName))
	certificates, err := certificate.New(certificate.Config{
		Names: []string{secureName}, Email: "me@example.com", Dir: dir, HTTPS: l.Addr(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- s.ServeTLS(ctx, certificates, l, nil)
	}()
	t.Cleanup(func() { stop(); <-done })
	return l.Addr().String(), stop, ended
}

// storeCertificate writes a certificate as an authority's are stored.
func storeCertificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{secureName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(80 * 24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for suffix, text := range map[string][]byte{
		".crt":  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		".key":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		".json": []byte(`{"sans":["` + secureName + `"]}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, secureName+suffix), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// dialTLS connects once the certificate is loaded.
func dialTLS(t *testing.T, address string) *tls.Conn {
	t.Helper()
	config := &tls.Config{ServerName: secureName, InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	for range 1000 {
		conn, err := tls.Dial("tcp", address, config)
		if err == nil {
			t.Cleanup(func() { conn.Close() })
			return conn
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not accept TLS")
	return nil
}

// secureClient returns a client of HTTP/2.
func secureClient(t *testing.T, address string) *http.Client {
	t.Helper()
	transport := &http.Transport{
		ForceAttemptHTTP2: true,
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			return dialTLS(t, address), nil
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// frames is a client of HTTP/2 that sends any frames.
type frames struct {
	*http2.Framer
	conn   *tls.Conn
	stream uint32
	ended  chan struct{} // closed when the server has closed the connection
}

func newFrames(t *testing.T, address string) *frames {
	t.Helper()
	conn := dialTLS(t, address)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	f := &frames{Framer: http2.NewFramer(conn, nil), conn: conn, stream: 1, ended: make(chan struct{})}
	if err := f.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(f.ended)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return f
}

// open sends a request on a new stream.
func (f *frames) open(path string) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "GET"}, {":scheme", "https"}, {":authority", secureName}, {":path", path},
	} {
		if path == "" && field[0] == ":path" {
			continue // which is a malformed request
		}
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	f.stream += 2
	return f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: f.stream, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true,
	})
}

// flood sends frames several times, and reports whether the server closes the connection.
func (f *frames) flood(t *testing.T, times int, send func(*frames) error) bool {
	for range times {
		if send(f) != nil {
			break
		}
	}
	select {
	case <-f.ended:
		return true
	case <-time.After(time.Until(dbtest.Deadline(t))):
		return false
	}
}

// floods are what clients send without waiting for a response.
var floods = map[string]func(f *frames) error{
	"pings":          func(f *frames) error { return f.WritePing(false, [8]byte{}) },
	"settings":       func(f *frames) error { return f.WriteSettings() },
	"window updates": func(f *frames) error { return f.WriteWindowUpdate(0, 1) },
	"unknown frames": func(f *frames) error { return f.WriteRawFrame(0xbe, 0, 0, nil) },
	"priorities": func(f *frames) error {
		return f.WritePriority(3, http2.PriorityParam{StreamDep: 1})
	},
	"resets of waiting requests": func(f *frames) error {
		return errors.Join(f.open("/wait"), f.WriteRSTStream(f.stream, http2.ErrCodeCancel))
	},
	"resets of quick requests": func(f *frames) error {
		return errors.Join(f.open("/quick"), f.WriteRSTStream(f.stream, http2.ErrCodeCancel))
	},
	"malformed requests": func(f *frames) error { return f.open("") },
}

func framesConfig() server.Config {
	return server.Config{Rate: 10, Burst: 40, Routes: []server.Route{
		{Method: "GET", Path: "/wait", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		})},
		{Method: "GET", Path: "/quick", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Proto+" "+r.TLS.ServerName)
		})},
		{Method: "GET", Path: "/large", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.Copy(w, io.LimitReader(endless{}, 32<<20))
		})},
		{Method: "POST", Path: "/upload", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
		})},
	}}
}

// endless reads zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A client that sends frames without requests is disconnected, and no other one.
func TestServeTLS_Floods(t *testing.T) {
	t.Parallel()
	for name, send := range floods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _, _ := runTLS(t, framesConfig())
			if !newFrames(t, address).flood(t, 10_000, send) {
				t.Error("10,000 times: the connection is open")
			}
			if !newFrames(t, address).flood(t, 3_000, send) { // fewer than the first could send
				t.Error("3,000 times over the next connection: it is open")
			}
			reply, err := secureClient(t, address).Get("https://" + secureName + "/quick")
			if err != nil {
				t.Fatal(err)
			}
			defer reply.Body.Close()
			text, err := io.ReadAll(reply.Body)
			if err != nil || string(text) != "HTTP/2.0 "+secureName {
				t.Errorf("got %q, %v: an honest request at the same address", text, err)
			}
		})
	}
}

// lightFlood returns how often a new client may send a flood over one connection.
func lightFlood(name string) int {
	if strings.Contains(name, "requests") {
		return 45 // each of which opens and resets a stream
	}
	return 1800
}

// A client that closes each connection before its limit is disconnected earlier at the next ones.
func TestServeTLS_FloodOverManyConnections(t *testing.T) {
	t.Parallel()
	for name, send := range floods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _, _ := runTLS(t, framesConfig())
			for range 20 { // each less than a connection may owe
				f := newFrames(t, address)
				for range lightFlood(name) {
					if err := send(f); err != nil {
						break // disconnected
					}
				}
				if err := f.conn.CloseWrite(); err != nil {
					t.Log(err)
				}
				<-f.ended
			}
			if !newFrames(t, address).flood(t, lightFlood(name), send) {
				t.Error("the last connection is open")
			}
		})
	}
}

// An honest client may send any number of requests, and cancel some.
func TestServeTLS_HonestFrames(t *testing.T) {
	t.Parallel()
	address, _, _ := runTLS(t, framesConfig())
	client := secureClient(t, address)
	url := "https://" + secureName
	get := func(path string) {
		t.Helper()
		reply, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		if _, err := io.Copy(io.Discard, reply.Body); err != nil {
			t.Fatal(err)
		}
	}
	for range 3000 {
		get("/quick")
	}
	for range 100 { // a search that is typed: each letter cancels the request before
		ctx, cancel := context.WithCancel(context.Background())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/wait", nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := client.Do(r); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want the request cancelled", err)
		}
		get("/quick")
	}
	get("/large") // with an update of the window for each few KiB
	small := iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 1000)))
	for _, body := range []io.Reader{io.LimitReader(endless{}, 32<<20), small} {
		reply, err := client.Post(url+"/upload", "text/plain", body)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
	}
	get("/quick")
}

func TestServeTLS_FinishesOpenRequests(t *testing.T) {
	t.Parallel()
	open := newGate()
	address, stop, ended := runTLS(t, server.Config{
		Routes: []server.Route{{Method: "GET", Path: "/gate", Handler: open}},
	})
	answered := make(chan string, 1)
	go func() {
		reply, err := secureClient(t, address).Get("https://" + secureName + "/gate")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer reply.Body.Close()
		text, _ := io.ReadAll(reply.Body)
		answered <- string(text)
	}()
	<-open.entered
	stop()
	close(open.open)
	if got := <-answered; got != "done" {
		t.Errorf("got %q, want the whole response", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v, want no error", err)
	}
}
