package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// fileCheckInterval is the time between two checks whether the files have changed.
const fileCheckInterval = time.Second

// File is a certificate that the operator replaces in files, such as one for all names below a
// domain. It is safe for concurrent use. Create one with [LoadFile].
type File struct {
	cert, key string // paths
	name      string // covered by the certificate

	mu       sync.Mutex
	loaded   *tls.Certificate
	modified [2]time.Time // of the files when they were read last
	checked  time.Time
}

// LoadFile reads a certificate with its chain, and its key, both in PEM. The certificate must be
// valid now and for name.
func LoadFile(cert, key, name string) (*File, error) {
	f := &File{cert: cert, key: key, name: name}
	if err := f.Reload(); err != nil {
		return nil, err
	}
	return f, nil
}

// Reload reads the files. If they are not valid, the earlier certificate remains.
func (f *File) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reload()
}

func (f *File) reload() error {
	f.checked, f.modified = time.Now(), f.times()
	chain, err := os.ReadFile(f.cert)
	if err != nil {
		return fmt.Errorf("read certificate: %w", err)
	}
	key, err := os.ReadFile(f.key)
	if err != nil {
		return fmt.Errorf("read key: %w", err)
	}
	loaded, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return fmt.Errorf("the certificate in %s and the key in %s must be PEM and belong together: %w", f.cert, f.key, err)
	}
	if loaded.Leaf == nil {
		return errors.New("the certificate has not been parsed")
	}
	now := time.Now()
	switch leaf := loaded.Leaf; {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("the certificate in %s expired on %s: replace it", f.cert, leaf.NotAfter.Format(time.DateOnly))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("the certificate in %s is valid from %s: check the clock", f.cert, leaf.NotBefore.Format(time.DateOnly))
	case leaf.VerifyHostname(f.name) != nil:
		return fmt.Errorf("the certificate in %s must be valid for %s; it is for %v", f.cert, f.name, leaf.DNSNames)
	}
	f.loaded = &loaded
	return nil
}

// times returns when the files were modified.
func (f *File) times() (modified [2]time.Time) {
	for i, path := range []string{f.cert, f.key} {
		if info, err := os.Stat(path); err == nil {
			modified[i] = info.ModTime()
		}
	}
	return modified
}

// find returns the certificate if it is for a name, otherwise nil. It reads files that have
// changed; if they are not valid yet, the earlier certificate remains.
func (f *File) find(name string, log *slog.Logger) *tls.Certificate {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.checked) >= fileCheckInterval {
		f.checked = now
		if f.times() != f.modified {
			if err := f.reload(); err != nil {
				log.Error("certificate file not read, the earlier one remains", "error", err)
			} else {
				log.Warn("certificate file read again", "expires", f.loaded.Leaf.NotAfter)
			}
		}
	}
	if f.loaded.Leaf.VerifyHostname(name) != nil {
		return nil
	}
	return f.loaded
}

// HasFile reports whether the certificate in a file is for a name.
func (m *Manager) HasFile(name string) bool { return m.cfg.File.find(name, m.log) != nil }
