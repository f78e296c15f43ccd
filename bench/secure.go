package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// secureName is the name of servers with TLS.
const secureName = "api.shop.example"

// authorityFolder is the folder of an authority's certificates in a data folder.
const authorityFolder = "certificates/certificates/acme-v02.api.letsencrypt.org-directory"

// certificate returns the path of a certificate in a data folder, without the suffix.
func certificate(data string) string {
	return filepath.Join(data, authorityFolder, secureName, secureName)
}

// storeCertificate stores a certificate in a data folder as if an authority had issued it.
func storeCertificate(data string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{secureName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(80 * 24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	path := certificate(data)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
		os.WriteFile(path+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600),
		os.WriteFile(path+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
		os.WriteFile(path+".json", []byte(`{"sans":["`+secureName+`"]}`), 0o600))
}

// startSecure starts the program with TLS, and a minimal server with the same certificate.
func (b *bench) startSecure(ctx context.Context, folder string) (server, control *process, err error) {
	data := filepath.Join(b.folder, folder)
	if err := storeCertificate(data); err != nil {
		return nil, nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	server, err = start(ctx, b.folder, "secure", address, "https://"+address+"/readyz", nil, b.binary, "serve", "--data", data,
		"--domain", secureName, "--acme-email", "ops@"+secureName, "--https-listen", address, "--http-listen", "", "--logs", "json")
	if err != nil {
		return nil, nil, err
	}
	b.running = append(b.running, server)
	if address, err = freeAddress(); err != nil {
		return nil, nil, err
	}
	env := []string{"LIMIT_CERTIFICATE=" + certificate(data) + ".crt", "LIMIT_KEY=" + certificate(data) + ".key"}
	control, err = start(ctx, b.folder, "control", address, "https://"+address+"/small", env,
		filepath.Join(b.folder, "limit"), address, "/small=1024", "/api/v1/products=1024")
	if err == nil {
		b.running = append(b.running, control)
	}
	return server, control, err
}
