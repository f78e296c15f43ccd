package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A domain has a certificate that is stored, none before the first visit, and none after an attempt
// that failed.
func TestCertificates_State(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := New(Config{
		Names: []string{
			"server.example",
		}, Email: "me@example.com", Dir: dir, HTTPS: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443},
	})
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(60 * 24 * time.Hour).UTC().Truncate(time.Second)
	storeCertificate(t, filepath.Join(dir, "certificates", "ca", "valid.example", "valid.example.crt"), "valid.example", end)
	storeCertificate(
		t,
		filepath.Join(dir, "certificates", "ca", "expired.example", "expired.example.crt"),
		"expired.example",
		time.Now().Add(-time.Hour),
	)
	retry := time.Now().Add(minBackoff)
	c.names["failed.example"] = &nameState{failures: 1, retryAfter: retry}
	for name, want := range map[string]State{
		"valid.example":   {NotAfter: end},
		"expired.example": {},
		"new.example":     {},
		"failed.example":  {NextAttempt: retry},
	} {
		if got := c.State(name); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// storeCertificate writes a certificate of a name.
func storeCertificate(t *testing.T, path, name string, end time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{name},
		NotBefore:    end.Add(-90 * 24 * time.Hour),
		NotAfter:     end,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
