package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

// Where certificates come from when [CertificateConfig.Authority] is not set.
const (
	LetsEncrypt        = certmagic.LetsEncryptProductionCA
	LetsEncryptStaging = certmagic.LetsEncryptStagingCA
)

// CertificateConfig says which host names get certificates, and from whom. Names, Email and Dir must
// be set.
type CertificateConfig struct {
	Names []string // of the server itself, in canonical form; the first answers clients that name none
	// Email is told to the authority, which writes there when something is wrong.
	Email string
	// Dir holds account, keys and certificates; made for the owner alone when missing.
	Dir string
	// Owner says whose a host name is; nil: only Names are served.
	Owner func(name string) Ownership
	// Authority is the directory address of the ACME authority; "": [LetsEncrypt].
	Authority string
	// AuthorityRoots are trusted when calling the authority; nil: those of the system.
	AuthorityRoots *x509.CertPool
	// HTTP and HTTPS are the addresses that listen, for the authority's challenges. HTTP may be
	// nil: then only the challenge by TLS is used.
	HTTP, HTTPS net.Addr
	// CheckInterval is how often certificates are looked at for renewal; 0: 10 min.
	CheckInterval time.Duration
	Logger        *slog.Logger // nil: nothing is logged
}

// Ownership says what a host name may have.
type Ownership int

// The kinds of ownership.
const (
	Unowned   Ownership = iota // no certificate, and no question to the authority
	Suspended                  // the certificate that it has, until that expires
	Owned                      // a certificate, renewed in time
)

// tlsChallenge is the protocol by which an authority asks for proof over TLS, see RFC 8737.
const tlsChallenge = "acme-tls/1"

var (
	errNotOwned = errors.New("no open shop owns the name")
	errNotReady = errors.New("the certificate for this name is not ready yet")
)

// Certificates get and keep the certificates of the server's names and of those that shops own,
// these when a client first asks for one. Make one with [NewCertificates]; it works while
// [Certificates.Run] runs.
type Certificates struct {
	cfg    CertificateConfig
	log    *slog.Logger
	zap    *zap.Logger // the same, for certmagic
	cache  *certmagic.Cache
	magic  *certmagic.Config
	issuer *certmagic.ACMEIssuer

	waiters, obtainSlots chan struct{} // as many as may be under way

	mu      sync.Mutex
	ctx     context.Context // of Run; nil: not running
	workers sync.WaitGroup
	names   map[string]*nameState // the owned ones that were asked for
	cleaned time.Time             // by Run alone
}

// NewCertificates gives certificates that are not looked after yet.
func NewCertificates(cfg CertificateConfig) (*Certificates, error) {
	if len(cfg.Names) == 0 || cfg.Email == "" || cfg.Dir == "" || cfg.HTTPS == nil {
		return nil, errors.New("certificates: Names, Email, Dir and HTTPS must be set")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Certificates{
		cfg: cfg, log: cfg.Logger, names: map[string]*nameState{},
		waiters: make(chan struct{}, maxWaiters), obtainSlots: make(chan struct{}, maxObtains),
	}
	c.zap = zap.New(zapCore{handler: cfg.Logger.Handler()})
	c.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return c.magic, nil },
		RenewCheckInterval: cfg.CheckInterval,
		Logger:             c.zap,
	})
	c.magic = certmagic.New(c.cache, certmagic.Config{
		Storage:        &certmagic.FileStorage{Path: cfg.Dir},
		OnEvent:        c.onEvent,
		ShouldEmitFunc: func(event string) bool { return event == eventObtaining || event == eventObtained },
		Logger:         c.zap,
		// The window that an authority proposes for renewal is up to a day long. Certificates that have
		// to be looked at each second would run out within it.
		DisableARI: cfg.CheckInterval > 0 && cfg.CheckInterval < time.Minute,
	})
	template := certmagic.ACMEIssuer{
		CA: cmp.Or(cfg.Authority, LetsEncrypt), Email: cfg.Email, Agreed: true, TrustedRoots: cfg.AuthorityRoots, Logger: c.zap,
		DisableHTTPChallenge: cfg.HTTP == nil,
	}
	template.ListenHost, template.AltTLSALPNPort = hostAndPort(cfg.HTTPS)
	if cfg.HTTP != nil {
		_, template.AltHTTPPort = hostAndPort(cfg.HTTP)
	}
	c.issuer = certmagic.NewACMEIssuer(c.magic, template)
	c.magic.Issuers = []certmagic.Issuer{c.issuer}
	return c, nil
}

func hostAndPort(addr net.Addr) (host string, port int) {
	host, text, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "", 0
	}
	port, _ = strconv.Atoi(text) // of a listener: always a number
	return host, port
}

// ownership says what a canonical name may have.
func (c *Certificates) ownership(name string) Ownership {
	switch {
	case slices.Contains(c.cfg.Names, name):
		return Owned
	case c.cfg.Owner == nil:
		return Unowned
	}
	return c.cfg.Owner(name)
}

// Config gives the settings of a TLS listener.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: c.find,
		NextProtos:     []string{"h2", "http/1.1", tlsChallenge},
	}
}

// find gives the certificate for a handshake. A name that nobody owns costs a look into memory; it
// gets neither certificate nor error, since crypto/tls tells the client unrecognized_name then, and
// after an error that the fault is ours.
func (c *Certificates) find(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := canonicalHost(hello.ServerName)
	if name == "" {
		name = c.cfg.Names[0]
	}
	if c.ownership(name) == Unowned {
		return nil, nil
	}
	if slices.Contains(hello.SupportedProtos, tlsChallenge) {
		if _, asked := certmagic.GetACMEChallenge(name); !asked {
			return nil, nil
		}
		return c.magic.GetCertificate(hello)
	}
	if cert := c.cached(hello, name); cert != nil {
		return cert, nil
	}
	if err := c.wait(hello.Context(), name); err != nil {
		return nil, err
	}
	if cert := c.cached(hello, name); cert != nil {
		return cert, nil
	}
	return nil, errNotReady
}

// cached gives a name's certificate in memory, or nil.
func (c *Certificates) cached(hello *tls.ClientHelloInfo, name string) *tls.Certificate {
	if !c.has(name) {
		return nil
	}
	named := *hello
	named.ServerName = name
	cert, err := c.magic.GetCertificate(&named)
	if err != nil {
		return nil
	}
	return cert
}

func (c *Certificates) has(name string) bool { return len(c.cache.AllMatchingCertificates(name)) > 0 }

// Expiry is the end of a certificate's life.
type Expiry struct {
	Name     string
	NotAfter time.Time // zero: there is no certificate
	Own      bool      // the name is the server's, not a shop's
}

// Expiries gives the server's own names, and those of shops whose certificate is in memory because
// a client asked for it. What is not renewed any more, since its shop is closed, is left out.
func (c *Certificates) Expiries() []Expiry {
	c.mu.Lock()
	names := slices.Sorted(maps.Keys(c.names))
	c.mu.Unlock()
	var list []Expiry
	for _, name := range c.cfg.Names {
		list = append(list, Expiry{name, c.notAfter(name), true})
	}
	for _, name := range names {
		if slices.Contains(c.cfg.Names, name) || c.ownership(name) != Owned {
			continue
		}
		if end := c.notAfter(name); !end.IsZero() {
			list = append(list, Expiry{name, end, false})
		}
	}
	return list
}

// notAfter gives the end of a name's newest certificate in memory; zero: it has none.
func (c *Certificates) notAfter(name string) (last time.Time) {
	for _, cert := range c.cache.AllMatchingCertificates(name) {
		if cert.Leaf != nil && cert.Leaf.NotAfter.After(last) {
			last = cert.Leaf.NotAfter
		}
	}
	return last
}

// canonicalHost is how names are looked up. What can not be one is looked up in vain.
func canonicalHost(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// requestHost gives the host name that a request was sent to, without the port.
func requestHost(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return canonicalHost(host)
}
