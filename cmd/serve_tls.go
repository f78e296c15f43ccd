package cmd

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"storefront/server/certificate"
	"storefront/shop"
	"storefront/tenants"
)

// certificatesDir is the subfolder of the data folder for the ACME account, keys and certificates.
// It needs no backup, because new certificates can be obtained.
const certificatesDir = "certificates"

// defaultHSTS is how long browsers refuse plain HTTP after a response over TLS: a year.
const defaultHSTS = 365 * 24 * time.Hour

// tlsFlags holds the flags of TLS and certificates.
type tlsFlags struct {
	domains          []string // empty means plain HTTP
	email            string
	staging          bool
	authority        string // "" means Let's Encrypt
	authorityRoot    string // file; "" means the system's roots
	checkEvery       time.Duration
	httpsListen      string
	httpListen       string // "" means no plain HTTP listener
	hsts             time.Duration
	authorityRootSet *x509.CertPool // set by check
	certFile         string         // "" means none
	keyFile          string
	file             *certificate.File // set by checkFile; nil means none
}

func (f *tlsFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.domains, "domain", nil, "host name to serve with TLS, with a certificate of its own; repeatable")
	flags.StringVar(&f.email, "acme-email", "",
		"e-mail address for notices of the certificate authority; setting it accepts the authority's terms")
	flags.BoolVar(&f.staging, "acme-staging", false, "use Let's Encrypt's staging authority; browsers do not trust its certificates")
	flags.StringVar(&f.authority, "acme-ca", "", "directory URL of another ACME authority")
	flags.StringVar(&f.authorityRoot, "acme-ca-root", "", "PEM file with the root certificates trusted for connections to that authority")
	flags.DurationVar(&f.checkEvery, "acme-check", 10*time.Minute, "interval between checks for renewal")
	flags.StringVar(&f.httpsListen, "https-listen", ":443", "address and port of TLS, with --domain")
	flags.StringVar(&f.httpListen, "http-listen", ":80",
		"address and port of plain HTTP, for redirects to TLS and ACME challenges, with --domain; \"\" disables it")
	flags.StringVar(&f.certFile, "tls-cert", "",
		"PEM file with a wildcard certificate, and its chain, for the names below --site-domain; it is read again when it changes")
	flags.StringVar(&f.keyFile, "tls-key", "", "PEM file with the key of --tls-cert")
	flags.DurationVar(&f.hsts, "hsts", defaultHSTS,
		"max-age of the Strict-Transport-Security header of responses over TLS; 0 omits it")
}

func (f *tlsFlags) on() bool { return len(f.domains) > 0 }

// check validates the flags and completes them.
func (f *tlsFlags) check() error {
	for i, name := range f.domains {
		canonical, ok := shop.CanonicalDomain(name)
		if !ok {
			return fmt.Errorf("--domain %s must be a host name such as api.example.com", printable(name))
		}
		f.domains[i] = canonical
	}
	if _, err := mail.ParseAddress(f.email); err != nil {
		return errors.New("--domain requires --acme-email with a valid e-mail address, for notices of the certificate authority")
	}
	if f.staging {
		if f.authority != "" {
			return errors.New("--acme-staging and --acme-ca cannot be combined; choose one authority")
		}
		f.authority = certificate.LetsEncryptStaging
	}
	if u, err := url.Parse(f.authority); f.authority != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return errors.New("--acme-ca must be the https URL of an ACME directory")
	}
	if f.checkEvery < time.Second || f.hsts < 0 {
		return errors.New("--acme-check must be at least 1s, and --hsts must not be negative")
	}
	if f.authorityRoot == "" {
		return nil
	}
	roots, err := os.ReadFile(f.authorityRoot)
	if err != nil {
		return fmt.Errorf("--acme-ca-root: %w", err)
	}
	f.authorityRootSet = x509.NewCertPool()
	if !f.authorityRootSet.AppendCertsFromPEM(roots) {
		return fmt.Errorf("--acme-ca-root: %s contains no PEM certificate", f.authorityRoot)
	}
	return nil
}

// checkFile reads the certificate of the names below a domain.
func (f *tlsFlags) checkFile(siteDomain string) (err error) {
	switch {
	case f.certFile == "" && f.keyFile == "":
		return nil
	case f.certFile == "" || f.keyFile == "":
		return errors.New("--tls-cert and --tls-key must be set together")
	case !f.on() || siteDomain == "":
		return errors.New("--tls-cert requires --domain, which turns TLS on, and --site-domain, for whose names it is")
	}
	if f.file, err = certificate.LoadFile(f.certFile, f.keyFile, "shop."+siteDomain); err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	return nil
}

// listeners are the server's open listeners.
type listeners struct {
	plain net.Listener // of plain HTTP; with TLS only for redirects, and nil without --http-listen
	tls   net.Listener // nil without TLS
	// inherited reports that a parent process holds the sockets, so that connections wait for the next
	// process while none serves.
	inherited bool
}

// openListeners opens the configured listeners, or uses a parent process's.
func (a *app) openListeners(f serveFlags) (l listeners, err error) {
	inherited, err := inheritedListeners()
	if err != nil {
		return l, err
	}
	l.plain, l.tls, l.inherited = inherited["http"], inherited["https"], inherited != nil
	switch {
	case inherited != nil && f.tls.on() != (l.tls != nil):
		return l, errors.New("a socket named https is required with --domain and not allowed without it: check the names of the .socket units")
	case inherited != nil:
		return l, nil
	case !f.tls.on():
		l.plain, err = listenPlain(f.address())
		return l, withListenHint(f.address(), err)
	}
	if l.tls, err = net.Listen("tcp", f.tls.httpsListen); err != nil {
		return l, withTLSListenHint("https-listen", f.tls.httpsListen, err)
	}
	if f.tls.httpListen == "" {
		return l, nil
	}
	if l.plain, err = net.Listen("tcp", f.tls.httpListen); err != nil {
		_ = l.tls.Close()
		return l, withTLSListenHint("http-listen", f.tls.httpListen, err)
	}
	return l, nil
}

func (l listeners) close() {
	for _, listener := range []net.Listener{l.plain, l.tls} {
		if listener != nil {
			_ = listener.Close() // fails if the server has closed it already
		}
	}
}

// addr returns the address of the API.
func (l listeners) addr() net.Addr {
	if l.tls != nil {
		return l.tls.Addr()
	}
	return l.plain.Addr()
}

// url returns the URL of the API: with TLS the public one, otherwise for clients on this machine.
func (f serveFlags) url(l listeners) string {
	if f.tls.on() {
		return "https://" + f.tls.domains[0]
	}
	return localURL(l.addr())
}

// withTLSListenHint is withListenHint for a port of TLS, with the flag that sets it.
func withTLSListenHint(flag, address string, err error) error {
	_, port, splitErr := net.SplitHostPort(address)
	if splitErr != nil {
		return &usageError{
			err:     fmt.Errorf("--%s %s must be an address with a port, such as :443", flag, printable(address)),
			command: "storefront serve",
		}
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return withHint(fmt.Errorf("another program listens on %s", address),
			"find it with `ss -ltnp 'sport = :%s'` and stop it, or run behind it: replace --domain by"+
				" --listen 127.0.0.1:8080 and --trusted-proxy 127.0.0.1", port)
	case errors.Is(err, syscall.EACCES):
		program, err := os.Executable()
		if err != nil {
			program = "storefront"
		}
		return withHint(fmt.Errorf("no permission to listen on %s", address),
			"set AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit, run `sudo setcap cap_net_bind_service=+ep %s`,"+
				" or choose another --%s to which port %s is forwarded", program, flag, port)
	}
	return withListenHint(address, err)
}

// newCertificates returns the manager of the certificates of the server's and the shops' names.
func (a *app) newCertificates(f tlsFlags, l listeners, t *tenants.Tenants, log *slog.Logger) (*certificate.Manager, error) {
	cfg := certificate.Config{
		Names: f.domains, Email: f.email, Dir: filepath.Join(a.dataDir, certificatesDir), Owner: domainOwnership(t),
		Authority: f.authority, AuthorityRoots: f.authorityRootSet, HTTPS: l.tls.Addr(), CheckInterval: f.checkEvery, File: f.file, Logger: log,
	}
	if shared := t.CertificateStore(); shared != nil {
		cfg.Shared = shared
	}
	if l.plain != nil {
		cfg.HTTP = l.plain.Addr()
	}
	return certificate.New(cfg)
}
