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

	"storefront/server"
	"storefront/shop"
	"storefront/tenants"
)

// certificatesDir in the data folder holds the account, the keys and the certificates. It needs no
// backup: what is lost is asked for again.
const certificatesDir = "certificates"

// tlsFlags are the flags of serve that are about certificates.
type tlsFlags struct {
	domains          []string // empty: plain HTTP
	email            string
	staging          bool
	authority        string // "": Let's Encrypt
	authorityRoot    string // file; "": the system's roots
	checkEvery       time.Duration
	httpsListen      string
	httpListen       string // "": nothing listens for plain HTTP
	hsts             time.Duration
	authorityRootSet *x509.CertPool // read by check
}

func (f *tlsFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.domains, "domain", nil, "host name of this server, to be served by TLS with a certificate of its own; may be repeated")
	flags.StringVar(&f.email, "acme-email", "", "where the certificate authority writes when something is wrong; with it you accept that authority's terms")
	flags.BoolVar(&f.staging, "acme-staging", false, "certificates of Let's Encrypt's test authority, which browsers do not trust")
	flags.StringVar(&f.authority, "acme-ca", "", "directory address of another ACME authority")
	flags.StringVar(&f.authorityRoot, "acme-ca-root", "", "PEM file of the roots that are trusted when calling that authority")
	flags.DurationVar(&f.checkEvery, "acme-check", 10*time.Minute, "how often certificates are looked at for renewal")
	flags.StringVar(&f.httpsListen, "https-listen", ":443", "address and port for TLS, with --domain")
	flags.StringVar(&f.httpListen, "http-listen", ":80", "address and port that sends browsers to TLS and answers the authority, with --domain; \"\": none")
	flags.DurationVar(&f.hsts, "hsts", 0, "how long browsers are to use TLS alone for these names, such as 4320h; 0: not said")
}

func (f *tlsFlags) on() bool { return len(f.domains) > 0 }

// check makes the flags complete.
func (f *tlsFlags) check() error {
	for i, name := range f.domains {
		canonical, ok := shop.CanonicalDomain(name)
		if !ok {
			return fmt.Errorf("--domain %s is no host name such as api.example.com", printable(name))
		}
		f.domains[i] = canonical
	}
	if _, err := mail.ParseAddress(f.email); err != nil {
		return errors.New("--domain needs --acme-email MAIL: there the certificate authority writes when something is wrong")
	}
	if f.staging {
		if f.authority != "" {
			return errors.New("--acme-staging and --acme-ca name two authorities: choose one")
		}
		f.authority = server.LetsEncryptStaging
	}
	if u, err := url.Parse(f.authority); f.authority != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return errors.New("--acme-ca is the https address of an ACME directory")
	}
	if f.checkEvery < time.Second || f.hsts < 0 {
		return errors.New("--acme-check is at least 1s, --hsts is not negative")
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
		return fmt.Errorf("--acme-ca-root: %s has no certificate in PEM", f.authorityRoot)
	}
	return nil
}

// entrance is where requests come in.
type entrance struct {
	plain net.Listener // with TLS for redirects, and nil where there are none
	tls   net.Listener // nil: plain HTTP alone
}

// openEntrance listens, so that an address that is not to be had ends serve before anything is made.
func (f serveFlags) openEntrance() (e entrance, err error) {
	if !f.tls.on() {
		e.plain, err = net.Listen("tcp", f.address())
		return e, listenFailure(f.address(), err)
	}
	if e.tls, err = net.Listen("tcp", f.tls.httpsListen); err != nil {
		return e, tlsListenFailure("https-listen", f.tls.httpsListen, err)
	}
	if f.tls.httpListen == "" {
		return e, nil
	}
	if e.plain, err = net.Listen("tcp", f.tls.httpListen); err != nil {
		_ = e.tls.Close()
		return e, tlsListenFailure("http-listen", f.tls.httpListen, err)
	}
	return e, nil
}

func (e entrance) close() {
	for _, l := range []net.Listener{e.plain, e.tls} {
		if l != nil {
			_ = l.Close() // closed before, when serving has ended
		}
	}
}

// addr gives the address of the API.
func (e entrance) addr() net.Addr {
	if e.tls != nil {
		return e.tls.Addr()
	}
	return e.plain.Addr()
}

// url is how this machine, or with TLS anyone, reaches the API.
func (f serveFlags) url(e entrance) string {
	if f.tls.on() {
		return "https://" + f.tls.domains[0]
	}
	return localURL(e.addr())
}

// tlsListenFailure says what to do about a port that is not to be had.
func tlsListenFailure(flag, address string, err error) error {
	_, port, splitErr := net.SplitHostPort(address)
	if splitErr != nil {
		return &usageError{err: fmt.Errorf("--%s %s is no address with a port, such as :443", flag, printable(address)), command: "storefront serve"}
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return withHint(fmt.Errorf("another program listens on %s", address),
			"`ss -ltnp 'sport = :%s'` names it: stop it, or serve behind it with --listen 127.0.0.1:8080 and --trusted-proxy 127.0.0.1 instead of --domain", port)
	case errors.Is(err, syscall.EACCES):
		program, err := os.Executable()
		if err != nil {
			program = "storefront"
		}
		return withHint(fmt.Errorf("this user may not listen on %s", address),
			"AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit, or `sudo setcap cap_net_bind_service=+ep %s`, or another --%s to which port %s is forwarded", program, flag, port)
	}
	return listenFailure(address, err)
}

// newCertificates gives the certificates of the server's names and the shops'.
func (a *app) newCertificates(f tlsFlags, e entrance, t *tenants.Tenants, log *slog.Logger) (*server.Certificates, error) {
	cfg := server.CertificateConfig{
		Names: f.domains, Email: f.email, Dir: filepath.Join(a.dataDir, certificatesDir), Owner: ownerIn(t),
		Authority: f.authority, AuthorityRoots: f.authorityRootSet, HTTPS: e.tls.Addr(), CheckInterval: f.checkEvery, Logger: log,
	}
	if e.plain != nil {
		cfg.HTTP = e.plain.Addr()
	}
	return server.NewCertificates(cfg)
}

// ownerIn tells what the shops' own names may have. A suspended shop gets no new certificate; the
// one it has goes on, so that its clients read why it is closed.
func ownerIn(t *tenants.Tenants) func(name string) server.Ownership {
	return func(name string) server.Ownership {
		owner, ok := t.DomainOwner(name)
		switch {
		case !ok:
			return server.Unowned
		case owner.Suspended:
			return server.Suspended
		}
		return server.Owned
	}
}
