package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"storefront/server"
	"storefront/shop"
	"storefront/tenants"
)

// serverConfig validates the flags, completes them and returns the server's configuration.
func (a *app) serverConfig(f *serveFlags, log *server.LogWriter) (server.Config, error) {
	cfg, err := a.newServerConfig(f, log)
	if err != nil {
		return server.Config{}, &usageError{err: err, command: "storefront serve"}
	}
	return cfg, nil
}

func (a *app) newServerConfig(f *serveFlags, log *server.LogWriter) (cfg server.Config, err error) {
	if value, ok := a.LookupEnv(variable("listen")); ok && value == f.listen && f.tls.on() {
		f.listen = "" // the container image sets it for servers without --domain
	}
	if err := f.checkAddresses(); err != nil {
		return cfg, err
	}
	if cfg.TrustedProxies, err = parseNetworks(f.trustedProxies); err != nil {
		return cfg, err
	}
	if err := f.log.logger(a, log, &cfg); err != nil {
		return cfg, err
	}
	if err := errors.Join(f.checkSizes(), f.checkSiteDomain()); err != nil {
		return cfg, err
	}
	if err := checkBackupPlan(f.backups); err != nil {
		return cfg, err
	}
	if err := checkMetricsListen(f.metricsListen); err != nil {
		return cfg, err
	}
	cfg.Version, cfg.HideIntrospection = build().Version, f.noIntrospection
	if cfg.NoAdmin, cfg.AdminHosts = f.noAdmin, f.adminHosts; f.noAdmin && len(f.adminHosts) > 0 {
		return cfg, errors.New("--admin-host cannot be combined with --no-admin")
	}
	cfg.PublicURL, cfg.HSTS = strings.TrimSuffix(f.publicURL, "/"), f.tls.hsts
	cfg.CacheSize = int64(f.cacheSize) << 20
	if f.cacheSize == 0 {
		cfg.CacheSize = -1
	}
	cfg.LeaveTime = f.leaveTime
	f.limits.set(&cfg, f.dev)
	return cfg, nil
}

// checkAddresses validates the server's listening addresses and its public URL. The default URL is
// the first domain.
func (f *serveFlags) checkAddresses() error {
	if f.dev {
		if err := checkLoopback(f.address()); err != nil {
			return err
		}
	}
	if f.tls.on() {
		if f.dev || f.listen != "" {
			return errors.New("--domain cannot be combined with --dev or --listen; it listens at --https-listen and --http-listen")
		}
		if err := f.tls.check(); err != nil {
			return err
		}
		f.publicURL = cmp.Or(f.publicURL, "https://"+f.tls.domains[0])
	}
	if f.publicURL == "" {
		return nil
	}
	u, err := url.Parse(f.publicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return errors.New("--public-url must be an http or https URL such as https://api.example.com")
	}
	return nil
}

// checkSiteDomain validates the name below which shops have hosts.
func (f *serveFlags) checkSiteDomain() error {
	if f.siteDomain != "" {
		name, ok := shop.CanonicalDomain(f.siteDomain)
		if !ok {
			return fmt.Errorf("--site-domain %s must be a host name such as shops.example.com", printable(f.siteDomain))
		}
		f.siteDomain = name
	}
	return f.tls.checkFile(f.siteDomain)
}

// siteURL returns the URL of the name below which each shop has a host, "" if there is none. public
// is the server's URL.
func (f serveFlags) siteURL(public string) string {
	u, err := url.Parse(public)
	name := f.siteDomain
	if name == "" && tenants.IsLocal(public) {
		name = "localhost"
	}
	if err != nil || name == "" {
		return ""
	}
	if port := u.Port(); port != "" {
		name = net.JoinHostPort(name, port)
	}
	return (&url.URL{Scheme: u.Scheme, Host: name}).String()
}

func (f *serveFlags) checkSizes() error {
	if f.leaveTime < 0 {
		return errors.New("--shutdown-delay must not be negative")
	}
	if f.maxOpenTenants < 0 || f.cacheSize < 0 {
		return errors.New("--cache-size and --max-open-tenants must not be negative")
	}
	return f.limits.check()
}

// address returns the address of the plain HTTP listener.
func (f serveFlags) address() string {
	return cmp.Or(f.listen, defaultListen)
}

// checkLoopback returns an error unless address is a loopback address with a port.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s must be an address with a port, such as %s", address, defaultListen)
	}
	if addr, err := netip.ParseAddr(host); host == "localhost" || err == nil && addr.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--dev must listen on a loopback address such as %s, not %s: other machines could connect", defaultListen, address)
}

// parseNetworks parses networks and single addresses.
func parseNetworks(texts []string) ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		network, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				return nil, fmt.Errorf("--trusted-proxy %q must be a network such as 10.0.0.0/8, or an IP address", text)
			}
			network = netip.PrefixFrom(addr, addr.BitLen())
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// withListenHint replaces common errors of listening by errors with a hint.
func withListenHint(address string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return withHint(fmt.Errorf("another program listens on %s", address),
			"stop that program, or choose another port with --listen HOST:PORT (port 0: any free one)")
	case errors.Is(err, syscall.EACCES):
		return withHint(fmt.Errorf("no permission to listen on %s", address),
			"choose a port above 1023 with --listen HOST:PORT")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return withHint(fmt.Errorf("this machine does not have the address %s", address),
			"use --listen :PORT for all addresses of this machine, or --listen 127.0.0.1:PORT")
	}
	return fmt.Errorf("listen: %w", err)
}

// localURL returns the URL of a listener for clients on this machine. A Unix socket has none of its
// own.
func localURL(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return "http://localhost"
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}
