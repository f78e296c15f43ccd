package server

import (
	"time"

	"storefront/server/admin"
)

// state returns the state of the certificate of a shop's host name. It contacts nobody: a name's
// certificate is requested by the first handshake.
func (c *Certificates) state(name string) admin.Certificate {
	name = canonicalHost(name)
	end := c.notAfter(name)
	if end.IsZero() && c.shared == nil { // perhaps stored, and not requested since the start
		stored, _ := StoredCertificates(c.cfg.Dir) // what cannot be read is reported where it is used
		for _, one := range stored {
			if one.Name == name {
				end = one.NotAfter
			}
		}
	}
	if time.Now().Before(end) {
		return admin.Certificate{State: admin.CertificateValid, ExpiresAt: &end}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.names[name]; n != nil && n.failures > 0 {
		retry := n.retryAfter
		return admin.Certificate{State: admin.CertificateFailed, NextAttemptAt: &retry}
	}
	return admin.Certificate{State: admin.CertificateWaiting}
}

// Certificate implements [admin.Exchange].
func (x *exchange) Certificate(name string) admin.Certificate {
	if c := x.server.certificates.Load(); c != nil {
		return c.state(name)
	}
	return admin.Certificate{State: admin.CertificateElsewhere}
}
