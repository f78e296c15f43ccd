package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"storefront/db/dbtest"
)

// pebbleModule is Let's Encrypt's own test authority.
const pebbleModule = "github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1"

// pebbleVariable names a pebble that is there already; without it the test builds one.
const pebbleVariable = "STOREFRONT_TEST_PEBBLE"

// pebble is a running certificate authority that checks names at the two ports of a server.
type pebble struct {
	directory   string         // its address
	rootFile    string         // of its own listener
	issued      *x509.CertPool // what its certificates go back to
	https, http string         // the addresses that it checks names at
	mu          sync.Mutex
	log         bytes.Buffer
}

// startPebble starts an authority whose certificates live so long.
func startPebble(t *testing.T, lifetime time.Duration) *pebble {
	t.Helper()
	program := pebbleProgram(t)
	dir := t.TempDir()
	listen, manage, https, plain := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	p := &pebble{directory: "https://" + listen + "/dir", rootFile: filepath.Join(dir, "root.pem"), https: https, http: plain}
	keyFile := filepath.Join(dir, "key.pem")
	writeSelfSigned(t, p.rootFile, keyFile)
	config := map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": manage, "certificate": p.rootFile, "privateKey": keyFile,
		"httpPort": port(t, plain), "tlsPort": port(t, https), "keyAlgorithm": "ecdsa",
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles":   map[string]any{"default": map[string]any{"description": "the only one", "validityPeriod": int(lifetime.Seconds())}},
	}}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	configFile := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(configFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-config", configFile, "-dnsserver", startDNS(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0")
	cmd.Stdout, cmd.Stderr = p, p
	if err := dbtest.StartServer(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p.issued = p.roots(t, manage)
	return p
}

// pebbleProgram returns the authority's binary, built by the Go command unless one is configured.
func pebbleProgram(t *testing.T) string {
	t.Helper()
	if named := os.Getenv(pebbleVariable); named != "" {
		return named
	}
	if testing.Short() {
		t.Skip("-short: building a certificate authority takes a while")
	}
	dir := t.TempDir()
	install := exec.Command("go", "install", pebbleModule)
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("no certificate authority to test with: go install %s: %v\n%s", pebbleModule, err, out)
	}
	return filepath.Join(dir, "pebble")
}

// Write takes pebble's log.
func (p *pebble) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(text)
}

func (p *pebble) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// orders counts the certificates that were requested.
func (p *pebble) orders() int { return strings.Count(p.logged(), "Added order") }

// roots waits until pebble responds and returns the root of its certificates.
func (p *pebble) roots(t *testing.T, manage string) *x509.CertPool {
	t.Helper()
	own := x509.NewCertPool()
	text, err := os.ReadFile(p.rootFile)
	if err != nil {
		t.Fatal(err)
	}
	own.AppendCertsFromPEM(text)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own}}}
	defer client.CloseIdleConnections()
	var root []byte
	dbtest.Eventually(t, "pebble answers", func() bool {
		for _, address := range []string{p.directory, "https://" + manage + "/roots/0"} {
			res, err := client.Get(address)
			if err != nil {
				return false
			}
			root, err = io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK {
				return false
			}
		}
		return true
	}, p.logged)
	issued := x509.NewCertPool()
	if !issued.AppendCertsFromPEM(root) {
		t.Fatalf("no root of pebble: %s", root)
	}
	return issued
}

func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", dbtest.FreePorts(t, 1))
}

func port(t *testing.T, address string) int {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return addr.Port
}

// writeSelfSigned makes a certificate for 127.0.0.1.
func writeSelfSigned(t *testing.T, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pebble"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lostName is a name that no address is known for.
const lostName = "lost.example"

// startDNS starts a name server that resolves every other name to this machine, and returns its
// address. Pebble queries it over TCP.
func startDNS(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveDNS(conn)
		}
	}()
	return l.Addr().String()
}

// serveDNS answers the questions of one connection, each after its length.
func serveDNS(conn net.Conn) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer := answerDNS(query)
		if answer == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func answerDNS(query []byte) []byte {
	var message dnsmessage.Message
	if message.Unpack(query) != nil || len(message.Questions) != 1 {
		return nil
	}
	q := message.Questions[0]
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: message.ID, Response: true, RecursionDesired: message.RecursionDesired, RecursionAvailable: true},
		Questions: message.Questions,
	}
	if q.Type == dnsmessage.TypeA && q.Name.String() != lostName+"." {
		answer.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	packed, err := answer.Pack()
	if err != nil {
		return nil
	}
	return packed
}
