package certificate

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

// ACME directories of Let's Encrypt. LetsEncrypt is the default of [Config.Authority].
const (
	LetsEncrypt        = certmagic.LetsEncryptProductionCA
	LetsEncryptStaging = certmagic.LetsEncryptStagingCA
)

// Config configures [Manager]. Names, Email, Dir and HTTPS must be set.
type Config struct {
	Names []string // the server's own names, in canonical form; the first serves clients without SNI
	// Email is the contact address of the ACME account, to which the authority reports problems.
	Email string
	// Dir stores the account, keys and certificates, or copies of Shared's. It is created for its
	// owner alone.
	Dir string
	// Shared stores the account, keys and certificates of several servers with the same names. Nil
	// means that Dir stores them.
	Shared Store
	// Owner returns the ownership of any other host name. Nil means that only Names are served.
	Owner func(name string) Ownership
	// Authority is the directory URL of the ACME authority. Empty means [LetsEncrypt].
	Authority string
	// AuthorityRoots are trusted when calling the authority. Nil means the system's roots.
	AuthorityRoots *x509.CertPool
	// HTTP and HTTPS are the listeners' addresses, for the authority's challenges. If HTTP is nil,
	// only the TLS challenge is used.
	HTTP, HTTPS net.Addr
	// CheckInterval is the time between two checks for certificates due for renewal. Zero means
	// 10 minutes.
	CheckInterval time.Duration
	// File is the certificate of the names that it is for, except Names; nil means none.
	File   *File
	Logger *slog.Logger // nil discards everything
}

// Ownership states whether a host name may have a certificate.
type Ownership int

// Values of [Ownership].
const (
	Unowned   Ownership = iota // no certificate; the authority is not contacted
	Suspended                  // its present certificate until that expires, but no new one
	Owned                      // a certificate, renewed in time
)

// tlsChallenge is the ALPN protocol of the authority's TLS challenge (RFC 8737).
const tlsChallenge = "acme-tls/1"

var (
	errNotOwned = errors.New("the name belongs to no open shop")
	errNotReady = errors.New("the certificate is not ready yet")
)

// Manager obtains, stores and renews the certificates of the server's own names and of the
// host names of shops, the latter on a client's first handshake. It is safe for concurrent use.
// Create one with [New]; it obtains and renews only while [Manager.Run] runs.
type Manager struct {
	cfg    Config
	log    *slog.Logger
	zap    *zap.Logger // writes to log; for certmagic
	cache  *certmagic.Cache
	magic  *certmagic.Config
	issuer *certmagic.ACMEIssuer

	shared *sharedStorage // nil if this server has certificates of its own

	waiters, obtainSlots chan struct{} // semaphores of maxWaiters and maxObtains
	challengeChecks      chan struct{} // semaphore of maxChallengeChecks

	mu      sync.Mutex
	ctx     context.Context // Run's context; nil unless Run is running
	workers sync.WaitGroup
	names   map[string]*nameState // names for which a certificate was requested
	cleaned time.Time             // time of the last clean; used only by Run
}

// New returns a manager with this configuration. It sends no request.
func New(cfg Config) (*Manager, error) {
	if len(cfg.Names) == 0 || cfg.Email == "" || cfg.Dir == "" || cfg.HTTPS == nil {
		return nil, errors.New("certificates: Names, Email, Dir and HTTPS must be set")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Manager{
		cfg: cfg, log: cfg.Logger, names: map[string]*nameState{},
		waiters: make(chan struct{}, maxWaiters), obtainSlots: make(chan struct{}, maxObtains),
		challengeChecks: make(chan struct{}, maxChallengeChecks),
	}
	var storage certmagic.Storage = &certmagic.FileStorage{Path: cfg.Dir}
	if cfg.Shared != nil {
		m.shared = newSharedStorage(cfg.Shared, cfg.Dir, cfg.Logger)
		storage = m.shared
	}
	m.zap = zap.New(zapCore{handler: cfg.Logger.Handler()})
	m.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) {
			return m.magic, nil
		},
		RenewCheckInterval: cfg.CheckInterval,
		Logger:             m.zap,
	})
	m.magic = certmagic.New(m.cache, certmagic.Config{
		Storage: storage,
		OnEvent: m.onEvent,
		ShouldEmitFunc: func(event string) bool {
			return event == eventObtaining || event == eventObtained || event == eventFailed
		},
		Logger: m.zap,
		// The renewal window that an authority proposes is up to a day long. Certificates that have
		// to be checked every second would expire within it.
		DisableARI: cfg.CheckInterval > 0 && cfg.CheckInterval < time.Minute,
	})
	template := certmagic.ACMEIssuer{
		CA: cmp.Or(cfg.Authority, LetsEncrypt), Email: cfg.Email, Agreed: true,
		TrustedRoots: cfg.AuthorityRoots, Logger: m.zap, DisableHTTPChallenge: cfg.HTTP == nil,
	}
	template.ListenHost, template.AltTLSALPNPort = hostAndPort(cfg.HTTPS)
	if cfg.HTTP != nil {
		_, template.AltHTTPPort = hostAndPort(cfg.HTTP)
	}
	m.issuer = certmagic.NewACMEIssuer(m.magic, template)
	m.magic.Issuers = []certmagic.Issuer{m.issuer}
	return m, nil
}

func hostAndPort(addr net.Addr) (host string, port int) {
	host, text, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "", 0
	}
	port, _ = strconv.Atoi(text) // a listener's port is always a number
	return host, port
}

// Ownership returns the ownership of a canonical name.
func (m *Manager) Ownership(name string) Ownership {
	switch {
	case slices.Contains(m.cfg.Names, name):
		return Owned
	case m.cfg.Owner == nil:
		return Unowned
	}
	return m.cfg.Owner(name)
}

// TLSConfig returns the configuration for a TLS listener.
func (m *Manager) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: m.find,
		NextProtos:     []string{"h2", "http/1.1", tlsChallenge},
	}
}

// find returns the certificate for a handshake, nil for a name without an owner: crypto/tls then
// sends the alert unrecognized_name, whereas an error would be reported as internal. Such a name
// costs one look-up in memory.
func (m *Manager) find(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := CanonicalHost(hello.ServerName)
	if name == "" {
		name = m.cfg.Names[0]
	}
	isChallenge := slices.Contains(hello.SupportedProtos, tlsChallenge)
	if !isChallenge && !slices.Contains(m.cfg.Names, name) {
		if cert := m.cfg.File.find(name, m.log); cert != nil {
			return cert, nil
		}
	}
	if m.Ownership(name) == Unowned {
		return nil, nil
	}
	if isChallenge {
		if !m.isChallenged(hello.Context(), name) {
			return nil, nil
		}
		return m.magic.GetCertificate(hello)
	}
	if cert := m.cached(hello, name); cert != nil {
		return cert, nil
	}
	if err := m.wait(hello.Context(), name); err != nil {
		return nil, err
	}
	if cert := m.cached(hello, name); cert != nil {
		return cert, nil
	}
	return nil, errNotReady
}

// cached returns a name's certificate from memory, nil if there is none.
func (m *Manager) cached(hello *tls.ClientHelloInfo, name string) *tls.Certificate {
	if !m.has(name) {
		return nil
	}
	named := *hello
	named.ServerName = name
	cert, err := m.magic.GetCertificate(&named)
	if err != nil {
		return nil
	}
	return cert
}

func (m *Manager) has(name string) bool { return len(m.cache.AllMatchingCertificates(name)) > 0 }

// Expiry is the expiry of a name's newest certificate.
type Expiry struct {
	Name     string
	NotAfter time.Time // zero if the name has no certificate
	Own      bool      // a name of the server itself, not of a shop; only [Manager.Expiries] sets it
}

// Expiries returns the expiry of the server's own names, and of open shops' names with a
// certificate in memory because a client requested it.
func (m *Manager) Expiries() []Expiry {
	m.mu.Lock()
	names := slices.Sorted(maps.Keys(m.names))
	m.mu.Unlock()
	var list []Expiry
	for _, name := range m.cfg.Names {
		list = append(list, Expiry{name, m.notAfter(name), true})
	}
	for _, name := range names {
		if slices.Contains(m.cfg.Names, name) || m.Ownership(name) != Owned {
			continue
		}
		if end := m.notAfter(name); !end.IsZero() {
			list = append(list, Expiry{name, end, false})
		}
	}
	return list
}

// notAfter returns the expiry of a name's newest certificate in memory, zero if it has none.
func (m *Manager) notAfter(name string) (last time.Time) {
	for _, cert := range m.cache.AllMatchingCertificates(name) {
		if cert.Leaf != nil && cert.Leaf.NotAfter.After(last) {
			last = cert.Leaf.NotAfter
		}
	}
	return last
}

// CanonicalHost returns the form of a host name for comparison: lower case, without a final dot.
func CanonicalHost(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}
