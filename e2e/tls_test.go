package e2e

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/e2e/browsertest"
)

const ownName = browsertest.TLSHost

// startTLS starts a server whose certificates come from ca.
func startTLS(t *testing.T, ca *pebble, dir string, args ...string) *process {
	t.Helper()
	return startTLSAt(t, ca, dir, ca.https, ca.http, args...)
}

// startTLSAt is startTLS for a server that the authority does not reach directly.
func startTLSAt(t *testing.T, ca *pebble, dir, https, plain string, args ...string) *process {
	t.Helper()
	return start(t, storefront(t, append([]string{
		"serve", "--data", dir, "--domain", ownName, "--acme-email", "ops@storefront.example",
		"--acme-ca", ca.directory, "--acme-ca-root", ca.rootFile, "--https-listen", https, "--http-listen", plain,
	}, args...)...))
}

// secure requests a path by host name over TLS, on its own connection.
func (p *pebble) secure(host, path, tenant string) (*http.Response, error) {
	return p.secureAt(p.https, host, path, tenant)
}

// secureAt is secure at an address.
func (p *pebble) secureAt(address, host, path, tenant string) (*http.Response, error) {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: p.issued},
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodGet, "https://"+host+path, nil)
	if err != nil {
		return nil, err
	}
	if tenant != "" {
		r.Header.Set("x-tenant", tenant)
	}
	res, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second, CheckRedirect: client.CheckRedirect}).Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res, err
}

// serves waits until a name is served over TLS and returns that response.
func (p *pebble) serves(t *testing.T, server *process, host, tenant string, want int) (answer *http.Response) {
	t.Helper()
	var failed error
	dbtest.Eventually(t, host+" is served", func() bool {
		answer, failed = p.secure(host, "/api/v1/tenant", tenant)
		return failed == nil && answer.StatusCode == want
	}, server.logged, p.logged, func() string {
		if failed == nil {
			return answer.Status
		}
		return failed.Error()
	})
	return answer
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ca := startPebble(t, 90*24*time.Hour)
	dir := filepath.Join(t.TempDir(), "data")
	for _, uid := range []string{"acme", "maple", "closed"} {
		run(t, "tenant", "create", uid, "--name", uid, "--data", dir)
	}
	server := startTLS(t, ca, dir, "--metrics-listen", "127.0.0.1:0")

	// The certificate of the server's own name is obtained before any request.
	isIssued := func() bool { return strings.Contains(server.logged(), "certificate obtained") }
	dbtest.Eventually(t, "the server's own certificate", isIssued, server.logged, ca.logged)
	res := ca.serves(t, server, ownName, "acme", http.StatusOK)
	if res.ProtoMajor != 2 {
		t.Errorf("spoken over %s, not HTTP/2", res.Proto)
	}
	if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security: got %q, want a year by default", got)
	}

	// Those of the shops' domains are obtained at a client's request, once a command sets them.
	run(t, "tenant", "set", "closed", `domains=["closed.example"]`, "--data", dir)
	run(t, "tenant", "suspend", "closed", "--data", dir)
	run(t, "tenant", "set", "acme", `domains=["Shop.Acme.example"]`, "--data", dir)
	ca.serves(t, server, "shop.acme.example", "acme", http.StatusOK)
	ca.serves(t, server, "shop.acme.example", "maple", http.StatusOK) // the header chooses the shop, not the name
	ca.serves(t, server, "shop.acme.example", "", http.StatusBadRequest)
	had := ca.orders()
	if had != 2 {
		t.Errorf("got %d certificates ordered for two names, want 2", had)
	}

	t.Run("metrics", func(t *testing.T) {
		scraped := server.scrape()
		for _, series := range []string{`{of="server",name="` + ownName + `"}`, `{of="shops"}`} {
			_, rest, _ := strings.Cut(scraped, "\nstorefront_certificate_expiry_timestamp_seconds"+series+" ")
			value, _, _ := strings.Cut(rest, "\n")
			end, err := strconv.ParseFloat(value, 64)
			if left := time.Until(time.Unix(int64(end), 0)); err != nil || left < 89*24*time.Hour || left > 91*24*time.Hour {
				t.Errorf("the certificate of %s ends in %v: %v", series, left, err)
			}
		}
		for _, line := range []string{`storefront_certificates{of="server"} 1`, `storefront_certificates{of="shops"} 1`} {
			if !strings.Contains(scraped, line+"\n") {
				t.Errorf("no line %s", line)
			}
		}
		if strings.Contains(scraped, "acme.example") {
			t.Error("a shop's domain is named: there would be as many series as shops")
		}
	})
	t.Run("names that get none", func(t *testing.T) {
		// Requests have a line each, some time after the answer.
		about := func() int {
			return strings.Count(server.logged(), "\n") - strings.Count(server.logged(), `"msg":"request"`)
		}
		lines := about()
		for _, name := range []string{"closed.example", "acme.example", "www.shop.acme.example", "127-0-0-1.example"} {
			if _, err := ca.secure(name, "/", ""); err == nil {
				t.Errorf("%s is served", name)
			}
		}
		for range 200 {
			conn, err := tls.Dial("tcp", ca.https, &tls.Config{ServerName: strings.ToLower(rand.Text()) + ".example", InsecureSkipVerify: true})
			if err == nil {
				conn.Close()
				t.Fatal("an unknown name received a certificate")
			}
			if !strings.HasSuffix(err.Error(), "tls: unrecognized name") {
				t.Fatalf("client with an unknown name: got error %v", err)
			}
		}
		if got := ca.orders(); got != had {
			t.Errorf("the authority got %d more orders", got-had)
		}
		if got := about(); got != lines {
			t.Errorf("strangers wrote %d lines of the log:\n%s", got-lines, server.logged())
		}
	})
	t.Run("a name that does not lead here", func(t *testing.T) {
		run(t, "tenant", "set", "maple", `domains=["`+lostName+`"]`, "--data", dir)
		dbtest.Eventually(t, "the authority refuses the name", func() bool {
			_, err := ca.secure(lostName, "/", "")
			return err != nil && strings.Contains(server.logged(), "certificate not obtained: check that DNS")
		}, server.logged)
		had = ca.orders()
		for range 20 {
			if _, err := ca.secure(lostName, "/", ""); err == nil {
				t.Fatalf("%s is served", lostName)
			}
		}
		if got := ca.orders(); got != had {
			t.Errorf("got %d more requests to the authority at once, want 0", got-had)
		}
	})
	t.Run("pages", func(t *testing.T) {
		run(t, "tenant", "set", "acme", `domains=["shop.acme.example","old.acme.example"]`, "--data", dir)
		for address, location := range map[string]string{
			"shop.acme.example/": "", "old.acme.example/cart?x=1": "https://shop.acme.example/cart?x=1",
		} {
			host, path, _ := strings.Cut(address, "/")
			want := http.StatusOK
			if location != "" {
				want = http.StatusMovedPermanently
			}
			var got *http.Response
			var err error
			dbtest.Eventually(t, address, func() bool {
				got, err = ca.secure(host, "/"+path, "")
				return err == nil && got.StatusCode == want
			}, server.logged)
			if got.Header.Get("Location") != location || want == http.StatusOK && got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s: got %v, want a page or a redirect to %q", address, got.Header, location)
			}
		}
		had = ca.orders()
	})
	t.Run("plain HTTP", func(t *testing.T) { testPlainHTTP(t, ca.http) })
	t.Run("certificates are for the owner alone", func(t *testing.T) {
		err := filepath.WalkDir(filepath.Join(dir, "certificates"), func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has the rights %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})

	if code := server.stop(); code != 0 {
		t.Fatalf("got exit code %d, want 0\n%s", code, server.logged())
	}
	server = startTLS(t, ca, dir)
	ca.serves(t, server, ownName, "acme", http.StatusOK)
	ca.serves(t, server, "shop.acme.example", "acme", http.StatusOK)
	// A suspended shop's clients read why it is closed.
	run(t, "tenant", "suspend", "acme", "--data", dir)
	ca.serves(t, server, "shop.acme.example", "acme", http.StatusForbidden)
	if got := ca.orders(); got != had {
		t.Errorf("a restart requested %d certificates again, want 0", got-had)
	}
}

func testPlainHTTP(t *testing.T, address string) {
	tests := []struct {
		name, method, host, path string
		bearer                   bool
		status                   int
		says                     string // Location or part of the body
	}{
		{"a page", "GET", ownName, "/docs?q=1&r=%2F", false, http.StatusPermanentRedirect, "https://" + ownName + "/docs?q=1&r=%2F"},
		{"a page of a shop", "HEAD", "Shop.Acme.Example:80", "/docs", false, http.StatusPermanentRedirect, "https://shop.acme.example/docs"},
		{"two slashes", "GET", ownName, "//other.example/", false, http.StatusPermanentRedirect, "https://" + ownName + "//other.example/"},
		{"a provider's call", "POST", ownName, "/courier/webhook/courier_a/acme", false, http.StatusForbidden, "https_required"},
		{"a secret", "GET", ownName, "/api/v1/auth/me", true, http.StatusForbidden, "https_required"},
		{"another's name", "GET", "other.example", "/docs", false, http.StatusNotFound, "not_found"},
		{"a challenge that nobody waits for", "GET", "other.example", "/.well-known/acme-challenge/x", false, http.StatusNotFound, "not_found"},
	}
	for _, tt := range tests {
		r, err := http.NewRequest(tt.method, "http://"+address+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		if tt.bearer {
			r.Header.Set("Authorization", "Bearer secret")
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		said := res.Header.Get("Location") == tt.says
		if tt.status != http.StatusPermanentRedirect {
			said = strings.Contains(string(body), `"code":"`+tt.says+`"`)
		}
		if res.StatusCode != tt.status || !said {
			t.Errorf("%s: got %d to %q, want %d\n%s", tt.name, res.StatusCode, res.Header.Get("Location"), tt.status, body)
		}
	}
}

// Certificates are renewed before they expire, for names with and without requests.
func TestTLS_Renewal(t *testing.T) {
	t.Parallel()
	ca := startPebble(t, 20*time.Second)
	dir := filepath.Join(t.TempDir(), "data")
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", dir)
	run(t, "tenant", "set", "acme", `domains=["shop.acme.example"]`, "--data", dir)
	server := startTLS(t, ca, dir, "--acme-check", "1s")
	for _, name := range []string{ownName, "shop.acme.example"} {
		first := ca.serves(t, server, name, "acme", http.StatusOK).TLS.PeerCertificates[0]
		dbtest.Eventually(t, "a new certificate for "+name, func() bool {
			res, err := ca.secure(name, "/healthz", "")
			if err != nil {
				t.Fatalf("%s was not served: %v\n%s", name, err, server.logged())
			}
			return res.TLS.PeerCertificates[0].SerialNumber.Cmp(first.SerialNumber) != 0
		}, server.logged, ca.logged)
	}
}

// balance passes connections to one address on to others, to each in turn that is reachable.
func balance(t *testing.T, address string, to ...string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	pass := func(in net.Conn, n int) {
		defer in.Close()
		out, err := net.Dial("tcp", to[n%len(to)])
		if err != nil {
			out, err = net.Dial("tcp", to[(n+1)%len(to)])
		}
		if err != nil {
			return
		}
		defer out.Close()
		go func() {
			defer in.Close()
			_, _ = io.Copy(in, out) // either end may close
		}()
		_, _ = io.Copy(out, in)
	}
	go func() {
		for n := 0; ; n++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go pass(in, n)
		}
	}()
}

// Servers of one database share their certificates: behind a balancer that uses each in turn,
// either of them answers the authority's challenge, and one certificate is obtained for each name.
// A server that starts while the database is down serves TLS with its copies.
func TestEngines_CertificatesAtTwoServers(t *testing.T) {
	ca := startPebble(t, 90*24*time.Hour)
	cluster := dbtest.NewCluster(t)
	useDatabase(t, cluster.Address("postgres"))
	shareImages(t)
	t.Setenv("STOREFRONT_LOG_LEVEL", "debug")
	first := filepath.Join(t.TempDir(), "data")
	for _, uid := range []string{"acme", "maple"} {
		run(t, "tenant", "create", uid, "--name", uid, "--data", first)
	}
	run(t, "tenant", "create", "paper", "--name", "Paper", "--in", "files", "--data", first)
	run(t, "tenant", "set", "acme", `domains=["shop.acme.example"]`, "--data", first)
	run(t, "tenant", "set", "maple", `domains=["shop.maple.example"]`, "--data", first)
	https, plain := []string{freeAddress(t), freeAddress(t)}, []string{freeAddress(t), freeAddress(t)}
	balance(t, ca.https, https...)
	balance(t, ca.http, plain...)
	dirs := []string{first, filepath.Join(t.TempDir(), "data")}
	servers := make([]*process, 2)
	for i, dir := range dirs {
		servers[i] = startTLSAt(t, ca, dir, https[i], plain[i])
	}
	// serial returns the number of the certificate that a server has for a name.
	serial := func(i int, host, tenant string) (number string) {
		t.Helper()
		var failed error
		dbtest.Eventually(t, fmt.Sprintf("%s is served by server %d", host, i+1), func() bool {
			var res *http.Response
			if res, failed = ca.secureAt(https[i], host, "/api/v1/tenant", tenant); failed != nil || res.StatusCode != http.StatusOK {
				return false
			}
			number = res.TLS.PeerCertificates[0].SerialNumber.String()
			return true
		}, servers[0].logged, servers[1].logged, ca.logged, func() string { return fmt.Sprint(failed) })
		return number
	}
	hosts := map[string]string{ownName: "acme", "shop.acme.example": "acme", "shop.maple.example": "maple"}
	var work sync.WaitGroup
	for host, tenant := range hosts {
		work.Go(func() {
			if a, b := serial(0, host, tenant), serial(1, host, tenant); a != b {
				t.Errorf("%s: the servers have the certificates %s and %s, want one", host, a, b)
			}
		})
	}
	work.Wait()
	logs := servers[0].logged() + servers[1].logged()
	if n := strings.Count(logs, `"msg":"certificate obtained"`); n != len(hosts) {
		t.Errorf("got %d certificates for %d names, want one each\n%s", n, len(hosts), logs)
	}
	if !strings.Contains(logs, `"distributed":true`) {
		t.Errorf("no challenge was answered by the other server\n%s", logs)
	}
	for _, private := range []string{"PRIVATE KEY", "BEGIN CERTIFICATE", "ops@storefront.example"} {
		if n := cluster.SQL(`SELECT count(*) FROM storefront.shared_values WHERE position('` + private + `'::bytea IN value) > 0`); n != "0" {
			t.Errorf("%s values in the database are not encrypted: %q", n, private)
		}
	}

	// Strangers and guessed challenges reach neither the authority nor the log.
	for _, name := range []string{"stranger.example", "shop.acme.example"} {
		conn, err := tls.Dial("tcp", https[0], &tls.Config{ServerName: name, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true})
		if err == nil {
			conn.Close()
			t.Errorf("%s: a challenge that nobody waits for was answered", name)
		}
	}

	had := ca.orders()
	servers[0].kill()
	cluster.Kill()
	servers[0] = startTLSAt(t, ca, dirs[0], https[0], plain[0])
	serial(0, ownName, "paper")
	cluster.Start()
	serial(0, "shop.acme.example", "acme")
	if n := ca.orders(); n != had {
		t.Errorf("a restart requested %d certificates again, want 0", n-had)
	}
}

// Servers of one database count failed attempts at a certificate together: after a failure of the
// first server neither the second one nor a restarted one requests it again at once, because the
// authority limits failures by name. Once the pause has ended, the name gets its certificate.
func TestEngines_CertificateAttemptsAtTwoServers(t *testing.T) {
	ca := startPebble(t, 90*24*time.Hour)
	cluster := dbtest.NewCluster(t)
	useDatabase(t, cluster.Address("postgres"))
	shareImages(t)
	dirs := []string{filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")}
	run(t, "tenant", "create", "acme", "--name", "Acme", "--data", dirs[0])

	// The authority checks addresses at which nobody listens.
	first := startTLSAt(t, ca, dirs[0], freeAddress(t), freeAddress(t))
	first.wantLogged("certificate not obtained", ownName, `"nextTry":"5m0s"`)
	requested := ca.orders()
	if requested == 0 {
		t.Fatal("the authority received no request")
	}
	second := startTLSAt(t, ca, dirs[1], freeAddress(t), freeAddress(t))
	second.wantLogged("certificate not requested", ownName)
	first.kill()
	first = startTLSAt(t, ca, dirs[0], freeAddress(t), freeAddress(t))
	first.wantLogged("certificate not requested", ownName)
	if n := ca.orders(); n != requested {
		t.Errorf("after a failed attempt: got %d more requests, want none", n-requested)
	}
	for _, p := range []*process{first, second} {
		if code := p.stop(); code != 0 {
			t.Errorf("the server stopped with %d:\n%s", code, p.logged())
		}
	}

	const attempts = `FROM storefront.shared_values WHERE name LIKE '%attempts/%'`
	if n := cluster.SQL(`SELECT count(*) ` + attempts); n != "1" {
		t.Errorf("got counts of %s names, want 1", n)
	}
	cluster.SQL(`DELETE ` + attempts) // as if the pause had ended
	reached := startTLS(t, ca, dirs[1])
	ca.serves(t, reached, ownName, "acme", http.StatusOK)
	if n := cluster.SQL(`SELECT count(*) ` + attempts); n != "0" {
		t.Errorf("with a certificate: got counts of %s names, want none", n)
	}
}
