package certificate

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// renewalOverdue is the remaining life at which renewal is long overdue: it is due with a third of
// the life left, 30 or 15 days.
const renewalOverdue = 7 * 24 * time.Hour

// EndsSoon reports whether the certificate is long overdue for renewal.
func (e Expiry) EndsSoon() bool { return time.Until(e.NotAfter) < renewalOverdue }

// Stored returns the newest certificate of each name in a folder of
// [Config.Dir], the first to expire first. A missing folder has none. Expiry.Own is not
// set.
func Stored(dir string) ([]Expiry, error) {
	newest := map[string]Expiry{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".crt" {
			return nil
		}
		cert, err := readCertificate(path)
		if err != nil {
			return fmt.Errorf("read certificate %s: %w", path, err)
		}
		for _, name := range cert.DNSNames {
			if cert.NotAfter.After(newest[name].NotAfter) {
				newest[name] = Expiry{Name: name, NotAfter: cert.NotAfter}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b Expiry) int {
		return cmp.Or(a.NotAfter.Compare(b.NotAfter), cmp.Compare(a.Name, b.Name))
	}), nil
}

// storedUntil returns the expiry of the newest certificate of a name in a folder of [Config.Dir],
// in the layout of certmagic. An unreadable one counts as none: it is reported when it is used.
func storedUntil(dir, name string) (last time.Time) {
	files, err := filepath.Glob(filepath.Join(dir, "certificates", "*", name, name+".crt"))
	if err != nil {
		return time.Time{}
	}
	for _, file := range files {
		if cert, err := readCertificate(file); err == nil && cert.NotAfter.After(last) {
			last = cert.NotAfter
		}
	}
	return last
}

// readCertificate reads the first certificate of a PEM file, which is the name's own.
func readCertificate(path string) (*x509.Certificate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("not a PEM file")
	}
	return x509.ParseCertificate(block.Bytes)
}
