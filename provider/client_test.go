package provider_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"storefront/provider"
	"storefront/shop/plugin"
)

// call sends one request with secrets in every part that errors must not contain.
func call(t *testing.T, c *provider.Client, ctx context.Context, method, address string) (*provider.Response, *provider.Error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, address+"?key=s3cret", strings.NewReader("body-s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer s3cret")
	req.URL.User = url.UserPassword("user", "s3cret")
	resp, err := c.Do(req)
	if err == nil {
		return resp, nil
	}
	failure, ok := errors.AsType[*provider.Error](err)
	if !ok {
		t.Fatalf("got error %v of type %T, want *provider.Error", err, err)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if text := fmt.Sprintf("%v %+v %#v", cause, cause, cause); strings.Contains(text, "s3cret") {
			t.Errorf("error contains a secret: %s", text)
		}
	}
	// Staff read what it means, and no error of Go.
	words := plugin.CourierWords(fmt.Errorf("book shipment: %w: %w", plugin.ErrCourierRefused, err))
	if !strings.HasPrefix(words, "it") || strings.ContainsAny(words, ":/.") || strings.Contains(words, failure.Host) {
		t.Errorf("words for staff: got %q of %v", words, err)
	}
	return nil, failure
}

// serve starts a server on loopback that counts its requests.
func serve(t *testing.T, handler http.HandlerFunc) (address string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func port(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestClient_PrivateAddress(t *testing.T) {
	t.Parallel()
	address, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	client := provider.NewClient(provider.ClientConfig{})
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254",
		"100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "localhost", "[::1]", "[fd00::1]",
		"[fe80::1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::7f00:1]",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, client, t.Context(), http.MethodPost, "http://"+host+":"+port(t, address))
			if err == nil {
				t.Fatal("got no error")
			}
			if errors.Is(err, syscall.EAFNOSUPPORT) {
				t.Skipf("this test needs IPv6: %v", err)
			}
			if !errors.Is(err, provider.ErrAddressNotAllowed) || err.Ambiguous {
				t.Errorf("got %v, ambiguous %v; want ErrAddressNotAllowed, not ambiguous", err, err.Ambiguous)
			}
		})
	}
	t.Cleanup(func() {
		if n := requests.Load(); n != 0 {
			t.Errorf("got %d requests, want 0", n)
		}
	})
}

func TestClient_PrivateAddressAllowed(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, r.Header.Get("User-Agent"))
	})
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	resp, err := call(t, client, t.Context(), http.MethodGet, address)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Status != http.StatusTeapot || string(resp.Body) != "storefront" {
		t.Errorf("got response %d %q, want 418 \"storefront\"", resp.Status, resp.Body)
	}
}

// Names are checked by the address that they resolve to for the connection.
func TestClient_NameOfPrivateAddress(t *testing.T) {
	t.Parallel()
	address, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	address = "http://gateway.example:" + port(t, address)
	resolver := resolveAllTo(t, [4]byte{127, 0, 0, 1})

	client := provider.NewClient(provider.ClientConfig{Resolver: resolver})
	_, err := call(t, client, t.Context(), http.MethodPost, address)
	if !errors.Is(err, provider.ErrAddressNotAllowed) || err.Ambiguous {
		t.Errorf("got %v, want ErrAddressNotAllowed", err)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("got %d requests, want 0", n)
	}

	client = provider.NewClient(provider.ClientConfig{Resolver: resolver, AllowPrivate: true})
	if _, err := call(t, client, t.Context(), http.MethodPost, address); err != nil || requests.Load() != 1 {
		t.Errorf("allowed: got %v and %d requests, want 1 request", err, requests.Load())
	}
}

// A name that has only an IPv6 address of the machine, of a private network, or an IPv4 one within
// it is refused as well.
func TestClient_NameOfPrivateAddress6(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"::1", "fd00::1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::a00:1"} {
		ip := netip.MustParseAddr(text)
		resolver := resolveWith(t, func(q dnsmessage.Question) dnsmessage.ResourceBody {
			if q.Type == dnsmessage.TypeAAAA {
				return &dnsmessage.AAAAResource{AAAA: ip.As16()}
			}
			return nil
		})
		client := provider.NewClient(provider.ClientConfig{Resolver: resolver})
		_, err := call(t, client, t.Context(), http.MethodPost, "http://hook.example:9/")
		if !errors.Is(err, provider.ErrAddressNotAllowed) || err.Ambiguous {
			t.Errorf("%s: got %v, want ErrAddressNotAllowed", text, err)
		}
	}
}

// A name that has a public address when it is checked and another one when it is dialled is
// refused: the address of the connection counts.
func TestClient_NameThatChangesItsAddress(t *testing.T) {
	t.Parallel()
	address, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	port := port(t, address)
	for name, ip := range map[string][4]byte{"loopback": {127, 0, 0, 1}, "metadata": {169, 254, 169, 254}, "private": {10, 0, 0, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lookups atomic.Int32
			resolver := resolveBy(t, func() [4]byte {
				if lookups.Add(1) == 1 {
					return [4]byte{8, 8, 8, 8}
				}
				return ip
			})
			checked, err := resolver.LookupNetIP(t.Context(), "ip4", "hook.example")
			if err != nil || len(checked) != 1 || checked[0].IsPrivate() || checked[0].IsLoopback() {
				t.Fatalf("got %v, %v, want a public address at first", checked, err)
			}
			client := provider.NewClient(provider.ClientConfig{Resolver: resolver})
			_, failure := call(t, client, t.Context(), http.MethodPost, "http://hook.example:"+port)
			if !errors.Is(failure, provider.ErrAddressNotAllowed) || failure.Ambiguous || lookups.Load() < 2 {
				t.Errorf("got %v after %d lookups, want ErrAddressNotAllowed", failure, lookups.Load())
			}
		})
	}
	t.Cleanup(func() {
		if n := requests.Load(); n != 0 {
			t.Errorf("got %d requests, want none", n)
		}
	})
}

// resolveAllTo returns a resolver that resolves every name to ip.
func resolveAllTo(t *testing.T, ip [4]byte) *net.Resolver {
	t.Helper()
	return resolveBy(t, func() [4]byte { return ip })
}

// resolveBy returns a resolver that resolves every name to what next returns.
func resolveBy(t *testing.T, next func() [4]byte) *net.Resolver {
	t.Helper()
	return resolveWith(t, func(q dnsmessage.Question) dnsmessage.ResourceBody {
		if q.Type == dnsmessage.TypeA {
			return &dnsmessage.AResource{A: next()}
		}
		return nil
	})
}

// resolveWith returns a resolver whose responses have what answer returns; nil: nothing.
func resolveWith(t *testing.T, answer func(q dnsmessage.Question) dnsmessage.ResourceBody) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, peer, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var query dnsmessage.Message
			if err := query.Unpack(buffer[:n]); err != nil {
				continue
			}
			response := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true}, Questions: query.Questions}
			q := query.Questions[0]
			if body := answer(q); body != nil {
				response.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: body,
				}}
			}
			if packed, err := response.Pack(); err == nil {
				conn.WriteTo(packed, peer)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestClient_RedirectNotFollowed(t *testing.T) {
	t.Parallel()
	inner, innerRequests := serve(t, func(http.ResponseWriter, *http.Request) {})
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner, http.StatusFound)
	})
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	resp, err := call(t, client, t.Context(), http.MethodGet, address)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Status != http.StatusFound || resp.Header.Get("Location") != inner || innerRequests.Load() != 0 {
		t.Errorf("got status %d to %q, %d requests at the target", resp.Status, resp.Header.Get("Location"), innerRequests.Load())
	}
}

func TestClient_IgnoresProxyEnvironment(t *testing.T) {
	proxy, proxied := serve(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	address, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	// A name, because Go's default client bypasses the proxy for loopback addresses as well.
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true, Resolver: resolveAllTo(t, [4]byte{127, 0, 0, 1})})
	if _, err := call(t, client, t.Context(), http.MethodGet, "http://gateway.example:"+port(t, address)); err != nil {
		t.Fatal(err)
	}
	if proxied.Load() != 0 || requests.Load() != 1 {
		t.Errorf("got %d requests at the proxy and %d at the host, want 0 and 1", proxied.Load(), requests.Load())
	}
}

func TestClient_MaxResponse(t *testing.T) {
	t.Parallel()
	const limit = 1000
	body := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte("a"), n)) }
	}
	tests := map[string]struct {
		handler http.HandlerFunc
		fits    bool
	}{
		"at the limit":  {body(limit), true},
		"one byte over": {body(limit + 1), false},
		"over when decompressed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(make([]byte, 100*limit))
			z.Close()
		}, false},
	}
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true, MaxResponse: limit})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, test.handler)
			resp, err := call(t, client, t.Context(), http.MethodGet, address)
			switch {
			case test.fits && (err != nil || len(resp.Body) != limit):
				t.Errorf("got error %v, want the whole body", err)
			case !test.fits && (!errors.Is(err, provider.ErrTooLarge) || !err.Ambiguous):
				t.Errorf("got %v, want ErrTooLarge, ambiguous", err)
			}
		})
	}
}

func TestClient_RequestNotSent(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the failing handshake below would be logged
	secure.StartTLS()
	t.Cleanup(secure.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()

	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	_, failure := call(t, client, t.Context(), http.MethodPost, "http://"+address+"/send")
	if failure == nil || failure.Ambiguous || !errors.Is(failure, syscall.ECONNREFUSED) {
		t.Errorf("closed port: got %v, want ECONNREFUSED, not ambiguous", failure)
	}
	if failure.Method != http.MethodPost || failure.Host != address || failure.Path != "/send" {
		t.Errorf("got error for %s %s %s", failure.Method, failure.Host, failure.Path)
	}

	_, failure = call(t, client, t.Context(), http.MethodPost, secure.URL)
	if _, ok := errors.AsType[x509.UnknownAuthorityError](failure); !ok || failure.Ambiguous {
		t.Errorf("unknown certificate: got %v, want UnknownAuthorityError, not ambiguous", failure)
	}

	pool := x509.NewCertPool()
	pool.AddCert(secure.Certificate())
	trusting := provider.NewClient(provider.ClientConfig{AllowPrivate: true, RootCAs: pool})
	if _, failure := call(t, trusting, t.Context(), http.MethodPost, secure.URL); failure != nil {
		t.Errorf("known certificate: got error %v", failure)
	}
}

func TestClient_DeadlineBeforeRequestWritten(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections but never speaks TLS
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: 50 * time.Millisecond})
	_, failure := call(t, client, t.Context(), http.MethodPost, "https://"+listener.Addr().String())
	if failure.Ambiguous || !errors.Is(failure, provider.ErrTimeout) || !errors.Is(failure, context.DeadlineExceeded) {
		t.Errorf("got %v, ambiguous %v; want ErrTimeout, not ambiguous", failure, failure.Ambiguous)
	}
}

func TestClient_DeadlineCoversBody(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "the first part")
		w.(http.Flusher).Flush()
		<-done
	})
	t.Cleanup(func() { close(done) }) // before the server's Close waits for its handlers
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true, Timeout: 100 * time.Millisecond})
	if _, failure := call(t, client, t.Context(), http.MethodPost, address); !errors.Is(failure, provider.ErrTimeout) {
		t.Errorf("got %v, want ErrTimeout", failure)
	}
}

func TestClient_AmbiguousAfterRequestWritten(t *testing.T) {
	t.Parallel()
	hangUp := func(response string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, strings.ReplaceAll(response, "KEY", r.URL.Query().Get("key")))
			conn.Close()
		}
	}
	tests := map[string]string{
		"no response":    "",
		"not HTTP":       "KEY KEY KEY\r\n\r\n",
		"invalid header": "HTTP/1.1 200 OK\r\nKEY\r\n\r\n",
		"partial body":   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nKEY",
	}
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	for name, response := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, requests := serve(t, hangUp(response))
			_, failure := call(t, client, t.Context(), http.MethodPost, address)
			if failure == nil || !failure.Ambiguous || !errors.Is(failure, provider.ErrBroken) {
				t.Errorf("got %v, want ErrBroken, ambiguous", failure)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("got %d requests, want 1", n)
			}
		})
	}
}

func TestClient_CancelledAfterRequestWritten(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	address, _ := serve(t, func(http.ResponseWriter, *http.Request) {
		cancel()
		<-done
	})
	t.Cleanup(func() { close(done) })
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	_, failure := call(t, client, ctx, http.MethodPost, address)
	if failure == nil || !failure.Ambiguous || !errors.Is(failure, context.Canceled) {
		t.Errorf("got %v, want context.Canceled, ambiguous", failure)
	}
}

// With keep-alive, net/http resends a GET when a reused connection turns out to be closed. A
// gateway that is called by GET would then act twice.
func TestClient_NoRetry(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var requests atomic.Int64
	go func() { // answers the first request of each connection and closes it at the second
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				reader := bufio.NewReader(conn)
				for first := true; ; first = false {
					if _, err := http.ReadRequest(reader); err != nil {
						return
					}
					requests.Add(1)
					if !first {
						return
					}
					io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}()
		}
	}()
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Do(req); err != nil {
			t.Error(err)
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("got %d requests for 2 calls, want 2", n)
	}
}
