package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/server"
	"storefront/server/metrics"
	"storefront/tenants"
)

const (
	defaultListen = ":8080"
	devListen     = "127.0.0.1:8080"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen          string // "": by mode
	publicURL       string
	dev             bool
	maxOpenTenants  int    // 0: automatic
	metricsListen   string // "": nowhere
	trustedProxies  []string
	cacheSize       int // MiB
	logs            string
	noIntrospection bool
	limits          limitFlags
	replica         replicaFlags
	tls             tlsFlags
	backups         tenants.BackupPlan
}

func newServeCommand(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer the shops' buyers over HTTP",
		Long: `Answer the shops' buyers over HTTP: REST under /api/v1, GraphQL at /graphql, the reference at /docs.

With --dev it needs nothing else: it makes a demo shop on the first start, shows a storefront for it
at /, listens on this machine only and prints addresses to open and commands to try.

With --domain it answers by TLS at that name, and at the domains of the shops, with certificates that
it gets and renews itself; plain HTTP is sent there. Behind a proxy that does this, use --listen.

One data folder has one server; all other commands work beside it. Interrupt it once to finish the
requests that run, twice to stop at once.`,
		Example: `  storefront serve --dev
  storefront serve --listen 127.0.0.1:8080 --public-url https://api.example.com --trusted-proxy 127.0.0.1/32
  storefront serve --domain api.example.com --acme-email ops@example.com`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "", "address and port; port 0: a free one (default "+defaultListen+", with --dev "+devListen+")")
	flags.StringVar(&f.publicURL, "public-url", "", "address of this server as clients and providers know it")
	flags.BoolVar(&f.dev, "dev", false, "a demo shop, on this machine only, with limits raised")
	flags.IntVar(&f.maxOpenTenants, "max-open-tenants", 0, "shops whose files stay open at once; 0: by the machine's memory and limit on open files")
	flags.StringVar(&f.metricsListen, "metrics-listen", "", "address and port, for the operator alone, of Prometheus's /metrics and of Go's profiles, such as 127.0.0.1:9090")
	flags.StringSliceVar(&f.trustedProxies, "trusted-proxy", nil, "network of a proxy whose X-Forwarded-For is believed, such as 10.0.0.0/8; may be repeated")
	flags.IntVar(&f.cacheSize, "cache-size", 64, "memory for prepared answers of the catalogues, in MiB; 0: each answer is made anew")
	flags.StringVar(&f.logs, "logs", "auto", "form of the log: text, json, or auto: text on a terminal")
	flags.BoolVar(&f.noIntrospection, "no-introspection", false, "refuse questions about the GraphQL schema")
	f.limits.add(flags)
	f.replica.add(flags)
	f.tls.add(flags)
	addBackupFlags(cmd, &f.backups)
	return cmd
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, f serveFlags) (err error) {
	log := server.NewLogWriter(a.Stderr)
	defer log.Flush()
	cfg, err := a.serverConfig(&f, log)
	if err != nil {
		return err
	}
	in, err := f.openEntrance()
	if err != nil {
		return err
	}
	defer in.close()
	public := cmp.Or(cfg.PublicURL, f.url(in))
	simulator := ""
	if f.dev {
		address, stop, err := a.serveSimulator()
		if err != nil {
			return err
		}
		defer stop()
		simulator = address
	}
	replica, err := f.replica.config(ctx, a.dataDir)
	if err != nil {
		return err
	}
	counts := metrics.New(build().Version)
	f.maxOpenTenants = cmp.Or(f.maxOpenTenants, tenants.OpenLimit())
	t, err := a.openTenants(tenants.Config{
		Replica: replica,
		MaxOpen: f.maxOpenTenants, Logger: cfg.Logger, LogSMS: f.dev, PublicURL: public,
		Observer: counts, OnCommit: counts.Commit,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTenants(ctx, t)) }()
	unlock, err := t.LockServer()
	if err != nil {
		return a.lockFailure(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if !f.dev && tenants.IsLocal(public) {
		cfg.Logger.Warn("providers can not reach the public address: set --public-url", "publicUrl", public)
	}
	watchTenants(counts, t, f.maxOpenTenants)
	if f.backups.Dir != "" {
		watchBackups(counts, t)
	}
	if replica != nil {
		watchReplication(counts, t)
	}
	started := serving{Address: in.addr().String(), URL: f.url(in), PublicURL: f.publicURL, DataDir: a.dataDir}
	if f.dev {
		if started.Demo, err = prepareDemo(ctx, t); err != nil {
			return err
		}
		if err := configureDemo(ctx, t); err != nil {
			return err
		}
		started.Simulator = simulator
		closePage, err := serveSMSPage(t.SMSPage(), &started)
		if err != nil {
			return err
		}
		defer closePage()
		if err := addDemoPages(&cfg, started); err != nil {
			return err
		}
	}
	cfg.Tenants, cfg.Metrics = t, counts
	s, err := server.New(cfg)
	if err != nil {
		return err
	}
	watchServer(counts, s)
	closeMetrics, err := serveMetrics(f.metricsListen, counts, &started)
	if err != nil {
		return err
	}
	defer closeMetrics()
	if err := a.printServing(started); err != nil {
		return err
	}
	defer startBackground(ctx, cfg.Logger, relaxCollector, t.RunBackground, t.RunReplication, func(ctx context.Context, log *slog.Logger) {
		backUpByPlan(ctx, t, f.backups, log)
	})()
	if !f.tls.on() {
		return s.Serve(ctx, in.plain)
	}
	defer startBackground(ctx, cfg.Logger, t.WatchDomains)()
	certificates, err := a.newCertificates(f.tls, in, t, cfg.Logger)
	if err != nil {
		return err
	}
	watchCertificates(counts, certificates)
	return s.ServeTLS(ctx, certificates, in.tls, in.plain)
}

// startBackground starts what no request does and gives what ends it and waits for its end.
func startBackground(ctx context.Context, log *slog.Logger, runs ...func(context.Context, *slog.Logger)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	for _, run := range runs {
		work.Go(func() { run(ctx, log) })
	}
	return func() {
		cancel()
		work.Wait()
	}
}

// serverConfig checks the flags and makes them complete.
func (a *app) serverConfig(f *serveFlags, log *server.LogWriter) (server.Config, error) {
	usage := func(err error) (server.Config, error) {
		return server.Config{}, &usageError{err: err, command: "storefront serve"}
	}
	if f.dev {
		if err := mustBeLoopback(f.address()); err != nil {
			return usage(err)
		}
	}
	if f.tls.on() {
		if f.dev || f.listen != "" {
			return usage(errors.New("--domain is not for --dev, and listens at --https-listen and --http-listen: leave out --listen"))
		}
		if err := f.tls.check(); err != nil {
			return usage(err)
		}
		f.publicURL = cmp.Or(f.publicURL, "https://"+f.tls.domains[0])
	}
	if f.publicURL != "" {
		u, err := url.Parse(f.publicURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return usage(errors.New("--public-url is an address such as https://api.example.com"))
		}
	}
	proxies, err := parseNetworks(f.trustedProxies)
	if err != nil {
		return usage(err)
	}
	logger, err := a.serveLogger(f.logs, log)
	if err != nil {
		return usage(err)
	}
	if f.maxOpenTenants < 0 || f.cacheSize < 0 {
		return usage(errors.New("--cache-size and --max-open-tenants are not negative"))
	}
	if err := f.limits.check(); err != nil {
		return usage(err)
	}
	if err := checkBackupPlan(f.backups); err != nil {
		return usage(err)
	}
	if f.metricsListen != "" {
		if err := checkMetricsListen(f.metricsListen); err != nil {
			return usage(err)
		}
	}
	cfg := server.Config{
		Logger: logger, Version: build().Version, HideIntrospection: f.noIntrospection,
		PublicURL: strings.TrimSuffix(f.publicURL, "/"), TrustedProxies: proxies,
		CacheSize: int64(f.cacheSize) << 20, HSTS: f.tls.hsts,
	}
	f.limits.set(&cfg, f.dev)
	if f.cacheSize == 0 {
		cfg.CacheSize = -1
	}
	return cfg, nil
}

func (f serveFlags) address() string {
	switch {
	case f.listen != "":
		return f.listen
	case f.dev:
		return devListen
	}
	return defaultListen
}

// mustBeLoopback refuses an address that others could reach.
func mustBeLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s is no address with a port, such as %s", address, devListen)
	}
	if addr, err := netip.ParseAddr(host); host == "localhost" || err == nil && addr.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--dev is for this machine only, and others could reach %s: listen on %s, or leave out --dev", address, devListen)
}

// parseNetworks reads networks and single addresses.
func parseNetworks(texts []string) ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		text = strings.TrimSpace(text)
		network, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				return nil, fmt.Errorf("--trusted-proxy %q is no network such as 10.0.0.0/8", text)
			}
			network = netip.PrefixFrom(addr, addr.BitLen())
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

func (a *app) serveLogger(form string, log *server.LogWriter) (*slog.Logger, error) {
	if form == "auto" {
		form = "json"
		if terminal(a.Stderr) {
			form = "text"
		}
	}
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(log, nil)), nil
	case "json":
		return slog.New(server.NewJSONLog(log)), nil
	}
	return nil, fmt.Errorf("--logs is text, json or auto, not %q", form)
}

func (a *app) lockFailure(err error) error {
	if !errors.Is(err, db.ErrLocked) {
		return fmt.Errorf("lock the data folder: %w", err)
	}
	dir, absErr := filepath.Abs(a.dataDir)
	if absErr != nil {
		dir = a.dataDir
	}
	return withHint(fmt.Errorf("another storefront serves the data folder %s", dir),
		"stop that one, or serve other shops with --data DIR")
}

func listenFailure(address string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return withHint(fmt.Errorf("another program listens on %s", address),
			"stop that program, or choose another port with --listen HOST:PORT (port 0: any free one)")
	case errors.Is(err, syscall.EACCES):
		return withHint(fmt.Errorf("this user may not listen on %s", address),
			"a port above 1023 with --listen HOST:PORT")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return withHint(fmt.Errorf("this machine does not have the address %s", address),
			"--listen :PORT for all its addresses, or --listen 127.0.0.1:PORT")
	}
	return fmt.Errorf("listen: %w", err)
}

// localURL is how this machine reaches the listener.
func localURL(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return "http://" + addr.String()
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}
