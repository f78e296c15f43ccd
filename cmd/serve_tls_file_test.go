package cmd_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
)

// authority issues certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64 // serial number
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "Test CA"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, time.Hour)
	return a
}

// sign returns a certificate that is valid for a time from now, which may be past.
func (a *authority) sign(template *x509.Certificate, valid time.Duration) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.next++
	template.SerialNumber = big.NewInt(a.next)
	template.NotBefore, template.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(valid)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	data, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(data)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// write issues a certificate for a name and writes it and its key to files of a folder.
func (a *authority) write(dir, name string, valid time.Duration) (certFile, keyFile string) {
	a.t.Helper()
	cert, key := a.sign(&x509.Certificate{DNSNames: []string{name}}, valid)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert.Raw}, keyFile: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// get requests a page over TLS, and returns its status and the serial number of the certificate.
func (a *authority) get(address, host string) (status int, body string, serial int64, err error) {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, "https://"+host+"/", nil)
	if err != nil {
		return 0, "", 0, err
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return 0, "", 0, err
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	return res.StatusCode, string(all), res.TLS.PeerCertificates[0].SerialNumber.Int64(), err
}

// The names below --site-domain are served with the certificate of a file, which is read again when
// it changes. Other names are not.
func TestServeTLS_File(t *testing.T) {
	t.Parallel()
	a, dir := newAuthority(t), t.TempDir()
	cert, key := a.write(dir, "*.shops.example", time.Hour)
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme & Sons")
	_, r := awaitReady(t, startProcess(t, "serve", "--json", "--data", c.dir, "--domain", "api.shop.example", "--acme-email", "ops@shop.example",
		"--acme-ca", "https://127.0.0.1:1/directory", "--https-listen", "127.0.0.1:0", "--http-listen", "",
		"--site-domain", "shops.example", "--tls-cert", cert, "--tls-key", key))
	status, body, first, err := a.get(r.Address, "acme.shops.example")
	if err != nil || status != http.StatusOK || !strings.Contains(body, "Acme &amp; Sons") ||
		!strings.Contains(body, `<link rel="canonical" href="https://acme.shops.example/">`) {
		t.Fatalf("got %d, %v\n%s\nwant the shop's page", status, err, body)
	}
	if status, _, _, err := a.get(r.Address, "nobody.shops.example"); err != nil || status != http.StatusNotFound {
		t.Errorf("a name without a shop: got %d, %v, want 404", status, err)
	}
	for _, host := range []string{"a.acme.shops.example", "shops.example", "other.example", "api.shop.example"} {
		if _, _, serial, err := a.get(r.Address, host); err == nil {
			t.Errorf("%s: got the certificate %d, want none", host, serial)
		}
	}
	a.write(dir, "*.shops.example", time.Hour)
	dbtest.Eventually(t, "the new certificate is served", func() bool {
		status, _, serial, err := a.get(r.Address, "acme.shops.example")
		return err == nil && status == http.StatusOK && serial > first
	}, nil)
	a.write(dir, "*.shops.example", -time.Hour) // a mistake: the earlier one remains
	if status, _, _, err := a.get(r.Address, "acme.shops.example"); err != nil || status != http.StatusOK {
		t.Errorf("got %d, %v, want the earlier certificate", status, err)
	}
}

func TestServeTLS_FileInvalid(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	write := func(name string, valid time.Duration) (cert, key string) { return a.write(t.TempDir(), name, valid) }
	good, goodKey := write("*.shops.example", time.Hour)
	other, _ := write("*.shops.example", time.Hour)
	expired, expiredKey := write("*.shops.example", -time.Hour)
	wrong, wrongKey := write("*.other.example", time.Hour)
	c := newConsole(t)
	const tlsOn = "--domain api.example --acme-email a@b.example --site-domain shops.example"
	for _, tt := range []struct{ flags, message string }{
		{tlsOn + " --tls-cert " + good, "must be set together"},
		{tlsOn + " --tls-key " + goodKey, "must be set together"},
		{"--tls-cert " + good + " --tls-key " + goodKey, "requires --domain"},
		{"--domain api.example --acme-email a@b.example --tls-cert " + good + " --tls-key " + goodKey, "--site-domain"},
		{tlsOn + " --tls-cert /nowhere --tls-key " + goodKey, "no such file"},
		{tlsOn + " --tls-cert " + good + " --tls-key /nowhere", "no such file"},
		{tlsOn + " --tls-cert " + other + " --tls-key " + goodKey, "belong together"},
		{tlsOn + " --tls-cert " + goodKey + " --tls-key " + goodKey, "must be PEM"},
		{tlsOn + " --tls-cert " + expired + " --tls-key " + expiredKey, "expired on"},
		{tlsOn + " --tls-cert " + wrong + " --tls-key " + wrongKey, "must be valid for shop.shops.example; it is for [*.other.example]"},
	} {
		c.fails(cmd.ExitUsage, tt.message, append([]string{"serve"}, strings.Fields(tt.flags)...)...)
	}
}
