package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"storefront/db"
)

// CertificateStore stores the certificates that all servers of the shops in the database share,
// with their private keys and the account at the authority, encrypted with the key of the
// installation. It is safe for concurrent use.
type CertificateStore struct {
	engines *engines
	seal    sealer
}

// CertificateStore returns the store of certificates in the database, nil if shops are only in
// files.
func (t *Tenants) CertificateStore() *CertificateStore {
	if t.engines == nil {
		return nil
	}
	return &CertificateStore{engines: t.engines, seal: sealer{key: t.key}}
}

// certificatePrefix begins the names of the store's values in the database.
const certificatePrefix = "certificates/"

// Put stores a value under a name with parts that are separated by slashes.
func (c *CertificateStore) Put(ctx context.Context, name string, value []byte) error {
	p, err := c.engines.database(ctx)
	if err != nil {
		return err
	}
	sealed, err := c.seal.Seal(certificatePrefix+name, value)
	if err != nil {
		return fmt.Errorf("seal %s: %w", name, err)
	}
	return p.PutValue(ctx, certificatePrefix+name, sealed)
}

// Get returns a value and the time at which it was stored. Errors: [fs.ErrNotExist].
func (c *CertificateStore) Get(ctx context.Context, name string) (value []byte, storedAt time.Time, err error) {
	p, err := c.engines.database(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	sealed, storedAt, err := p.Value(ctx, certificatePrefix+name)
	if errors.Is(err, db.ErrNotFound) {
		return nil, time.Time{}, fs.ErrNotExist
	}
	if err == nil {
		value, err = c.seal.Open(certificatePrefix+name, sealed)
	}
	return value, storedAt, err
}

// Delete deletes the value of that name and those below it.
func (c *CertificateStore) Delete(ctx context.Context, name string) error {
	p, err := c.engines.database(ctx)
	if err != nil {
		return err
	}
	return p.DeleteValues(ctx, certificatePrefix+name, certificatePrefix+name+"/")
}

// List returns the names of the values below a name, or of all values for "".
func (c *CertificateStore) List(ctx context.Context, name string) ([]string, error) {
	p, err := c.engines.database(ctx)
	if err != nil {
		return nil, err
	}
	prefix := certificatePrefix
	if name != "" {
		prefix += name + "/"
	}
	names, err := p.ValueNames(ctx, prefix)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], certificatePrefix)
	}
	return names, err
}

// Lock waits for the lock of that name among all servers. unlock must be called once.
func (c *CertificateStore) Lock(ctx context.Context, name string) (unlock func() error, err error) {
	p, err := c.engines.database(ctx)
	if err != nil {
		return nil, err
	}
	return p.LockShared(ctx, certificatePrefix+name)
}
