package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/server"
	"storefront/server/certificate"
	"storefront/server/metrics"
	"storefront/shop/demo"
	"storefront/shop/staff"
	"storefront/tenants"
)

// drainTime is longer than clients in the middle of a session pause between two requests.
const drainTime = time.Second

const (
	defaultListen = "127.0.0.1:8080" // for a proxy on this machine; other machines must not connect by accident
)

// serveFlags holds the flags of serve.
type serveFlags struct {
	listen          string // "" means the default
	publicURL       string
	dev             bool
	maxOpenTenants  int    // 0 means automatic
	metricsListen   string // "" means no metrics listener
	trustedProxies  []string
	cacheSize       int // MiB
	log             logFlags
	settings        string   // file; "" means none
	unknown         []string // variables of the environment and the file that no flag has
	levelFixed      bool     // the log level is not to be reloaded
	noIntrospection bool
	noAdmin         bool
	adminHosts      []string
	siteDomain      string // "" means none
	leaveTime       time.Duration
	limits          limitFlags
	replica         replicaFlags
	tls             tlsFlags
	backups         tenants.BackupPlan
	trashKeep       retention
}

func newServeCommand(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the HTTP server",
		Long: `Start the HTTP server: REST under /api/v1, GraphQL at /graphql, the API reference at /docs, and for the
merchant the dashboard at /admin/ and the Admin API under /admin/v1 with its reference at /admin/docs.

With --dev no setup is necessary: the server creates a demo shop on the first start, serves a storefront
for it at /, listens on this machine only, and prints URLs to open and commands to run.

Unless --listen or --domain is set, only this machine can connect, such as a reverse proxy on it that
terminates TLS. With --domain the server terminates TLS for that name and for the shops' own domains. It
obtains and renews the certificates and redirects plain HTTP to TLS. --domain takes precedence over
$STOREFRONT_LISTEN, which the container image sets.

A data folder can be served by one process only; all other commands can be used while it runs. The first
interrupt finishes running requests, the second stops immediately.`,
		Example: `  storefront serve --dev
  storefront serve --listen 127.0.0.1:8080 --public-url https://api.example.com --trusted-proxy 127.0.0.1/32
  storefront serve --domain api.example.com --acme-email ops@example.com`,
		Annotations: map[string]string{logsAnnotation: "true"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.applySettings(a, cmd); err != nil {
				return err
			}
			return a.serve(cmd.Context(), f)
		},
	}
	f.add(cmd)
	bindEnvironment(cmd.Flags())
	return cmd
}

func (f *serveFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "",
		"address and port of plain HTTP, such as :8080 for all networks, or unix:PATH for a socket; port 0 chooses a free one (default "+
			defaultListen+", which only this machine can reach)")
	flags.StringVar(&f.publicURL, "public-url", "", "public URL of this server, for clients and providers")
	flags.BoolVar(&f.dev, "dev", false, "development mode: demo shop, simulated providers, no rate limit, this machine only")
	flags.IntVar(&f.maxOpenTenants, "max-open-tenants", 0,
		"number of shops with open files; 0 derives it from the machine's memory and open-file limit")
	flags.StringVar(&f.metricsListen, "metrics-listen", "",
		"address and port of Prometheus metrics (/metrics) and Go profiles, for the operator only, such as 127.0.0.1:9090")
	flags.StringSliceVar(&f.trustedProxies, "trusted-proxy", nil,
		"network of a proxy with a trusted X-Forwarded-For header, such as 10.0.0.0/8; repeatable")
	flags.IntVar(&f.cacheSize, "cache-size", 64, "memory for prepared responses, in MiB; 0 disables them")
	flags.StringVar(&f.settings, "settings", "",
		"file of settings, one NAME=VALUE per line, named as the environment variables, which take precedence")
	f.log.add(flags)
	flags.BoolVar(&f.noIntrospection, "no-introspection", false, "reject GraphQL introspection queries")
	flags.BoolVar(&f.noAdmin, "no-admin", false, "disable the dashboard and the Admin API")
	flags.StringSliceVar(&f.adminHosts, "admin-host", nil, "host name that serves the dashboard and the Admin API; repeatable (default every name)")
	flags.StringVar(&f.siteDomain, "site-domain", "",
		"name below which each shop has pages at UID.NAME, such as shops.example.com, with the certificate of --tls-cert or "+
			"behind a proxy (default localhost on a local machine)")
	flags.DurationVar(&f.leaveTime, "shutdown-delay", 0,
		"time for which a stopping server still serves while /readyz returns 503, such as 5s: longer than a load balancer's checks need")
	f.limits.add(flags)
	f.replica.add(flags)
	f.tls.add(flags)
	addBackupFlags(cmd, &f.backups)
	f.trashKeep = retention(defaultTrashKeep)
	flags.Var(&f.trashKeep, "trash-keep", "time after which deleted shops in the trash are deleted for ever, such as 30d; 0 means never")
}

// serve runs the server until ctx ends. It opens the listeners first, so that an unavailable port
// fails before anything is created.
func (a *app) serve(ctx context.Context, f serveFlags) (err error) {
	log := server.NewLogWriter(a.Stderr)
	defer log.Flush()
	defer func() { err = a.logFailure(err) }()
	cfg, err := a.serverConfig(&f, log)
	if err != nil {
		return err
	}
	for _, name := range f.unknown {
		cfg.Logger.Warn("unknown setting ignored", "variable", name)
	}
	in, err := a.openListeners(f)
	if err != nil {
		return err
	}
	defer in.close()
	info := serverInfo{Address: in.addr().String(), URL: f.url(in), PublicURL: f.publicURL, DataDir: a.dataDir}
	info.dashboard = f.dashboardHost(cmp.Or(cfg.PublicURL, info.URL))

	sim, stopSimulator, err := a.startSimulator(f, in, cfg.Logger, &info)
	if err != nil {
		return err
	}
	defer stopSimulator()

	limitMemory(tenants.Memory())
	addProcessor()
	m := metrics.New(build().Version)
	f.maxOpenTenants = cmp.Or(f.maxOpenTenants, tenants.OpenLimit())
	public := cmp.Or(cfg.PublicURL, info.URL)
	demoToken := staff.NewToken()
	t, err := a.openServedTenants(ctx, f, m, cfg.Logger, public, info.dashboard, demoToken)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTenants(ctx, t)) }()
	unlock, err := a.lockServer(t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := claimReplica(ctx, t); err != nil {
		return err
	}
	if err := claimMedia(ctx, t); err != nil {
		return err
	}
	if !f.dev && tenants.IsLocal(public) {
		cfg.Logger.Warn("public URL not reachable for providers, set --public-url", "publicUrl", public)
	}
	f.collectTenants(m, t)
	if cfg.SiteURL = f.siteURL(public); f.dev {
		info.Site = cfg.SiteURL
	}

	stopDemo, err := f.startDemo(ctx, t, in, sim, &cfg, &info)
	if err != nil {
		return err
	}
	defer stopDemo()
	if info.DemoLink, info.SetupLink, err = f.dashboardLinks(ctx, t, info.dashboard, demoToken); err != nil {
		return err
	}
	s, err := newServer(cfg, in, t, m)
	if err != nil {
		return err
	}
	certificates, err := a.certificates(f.tls, in, t, m, cfg.Logger)
	if err != nil {
		return err
	}
	closeMetrics, err := serveMetrics(f.metricsListen, m, &info)
	if err != nil {
		return err
	}
	defer closeMetrics()

	updateRecord := f.recordServer(ctx, t, certificates, a.newServerRecord(f, in, info), cfg.Logger)
	defer cfg.Logger.Info("server stopped")
	defer startBackground(ctx, cfg.Logger, tuneGC, t.RunBackground, t.RunReplication, t.RunMediaClaim, t.RunDeletions,
		f.backupJob(t), f.trashJob(t), updateRecord,
		f.reloadJob(certificates, t.RefreshDomains), watchdogJob(s.Handler()), stoppingJob, logStopping)()
	if err := a.printServerInfo(info, f.log.format); err != nil {
		return err
	}
	a.logStart(cfg.Logger, info) // after the text for people, beside which it may be read
	notify(daemon.SdNotifyReady)
	defer startBackground(ctx, cfg.Logger, t.WatchDomains)()
	if !f.tls.on() {
		return s.Serve(ctx, in.plain)
	}
	return s.ServeTLS(ctx, certificates, in.tls, in.plain)
}

// claimMedia refuses to start a server that stores uploaded images elsewhere than other servers of
// the database.
func claimMedia(ctx context.Context, t *tenants.Tenants) error {
	err := t.ClaimMedia(ctx)
	if errors.Is(err, tenants.ErrOtherMedia) {
		return withHint(err, "start all servers of the database with the same --media-storage (s3://BUCKET/PREFIX, or a folder that they share); "+
			"a killed server counts as running for half a minute")
	}
	return err
}

// claimReplica makes this installation the owner of the replica, if there is one.
func claimReplica(ctx context.Context, t *tenants.Tenants) error {
	err := t.ClaimReplica(ctx)
	if err == nil {
		return nil
	}
	return withHint(err, "use a folder or prefix of its own for each server; if the other installation no longer exists, delete that file")
}

// newServer returns the server of the shops, with its metrics. It has the images of the demo
// catalogue, because any shop can be seeded with it.
func newServer(cfg server.Config, in listeners, t *tenants.Tenants, m *metrics.Metrics) (*server.Server, error) {
	cfg.Tenants, cfg.Metrics = t, m
	if in.inherited || cfg.LeaveTime > 0 {
		cfg.DrainTime = drainTime
	}
	cfg.Routes = append(cfg.Routes, imageRoutes()...)
	s, err := server.New(cfg)
	if err != nil {
		return nil, err
	}
	collectServer(m, s)
	return s, nil
}

// imageRoutes are the routes of the images of the demo catalogue.
func imageRoutes() []server.Route {
	return []server.Route{{Method: http.MethodGet, Path: "/demo/images/:name", Handler: server.NewImages(demo.Image)}}
}

// certificates returns the server's certificates with their metrics, nil without TLS.
func (a *app) certificates(f tlsFlags, in listeners, t *tenants.Tenants, m *metrics.Metrics, log *slog.Logger) (*certificate.Manager, error) {
	if !f.on() {
		return nil, nil
	}
	certificates, err := a.newCertificates(f, in, t, log)
	if err != nil {
		return nil, err
	}
	collectCertificates(m, certificates)
	return certificates, nil
}

// dashboardHost returns the public URL with a host name that serves the dashboard.
func (f serveFlags) dashboardHost(public string) string {
	u, err := url.Parse(public)
	if err != nil || len(f.adminHosts) == 0 {
		return public
	}
	serves := func(name string) bool { return strings.EqualFold(strings.TrimSuffix(name, "."), u.Hostname()) }
	if slices.ContainsFunc(f.adminHosts, serves) {
		return public
	}
	if u.Port() == "" {
		u.Host = f.adminHosts[0]
	} else {
		u.Host = net.JoinHostPort(f.adminHosts[0], u.Port())
	}
	return u.String()
}

// dashboardLinks returns the links to the dashboard that are printed at the start: in development
// the link to the demo shop, otherwise the link to create the first shop, if there is none yet.
func (f serveFlags) dashboardLinks(ctx context.Context, t *tenants.Tenants, base, demoToken string) (demoLink, setupLink string, err error) {
	dashboard := strings.TrimSuffix(base, "/") + dashboardPath
	switch {
	case f.noAdmin:
		return "", "", nil
	case f.dev:
		return dashboard + demoUID + "/link/" + demoToken, "", nil
	}
	token, err := t.NewSetupToken(ctx)
	if err != nil {
		return "", "", err
	}
	if token == "" {
		return "", "", nil
	}
	return "", dashboard + "setup/" + token, nil
}

// openServedTenants opens the data folder for a server, with its public URL and the dashboard's.
func (a *app) openServedTenants(ctx context.Context, f serveFlags, m *metrics.Metrics, log *slog.Logger,
	public, dashboard, demoToken string) (*tenants.Tenants, error) {
	replica, err := f.replica.config(ctx, a.dataDir)
	if err != nil {
		return nil, err
	}
	cfg := tenants.Config{
		Replica: replica,
		MaxOpen: f.maxOpenTenants, Logger: log, LogMessages: f.dev, PublicURL: public, DashboardURL: dashboard,
		Observer: m, OnCommit: m.Commit, MediaQuota: int64(f.limits.mediaQuota) << 20,
		OwnHosts: slices.Concat(f.tls.domains, f.adminHosts),
	}
	if f.dev {
		cfg.DemoShop, cfg.DemoLink = demoUID, demoToken
	}
	return a.openTenants(cfg)
}

// lockServer acquires the data folder's server lock: one process serves a data folder.
func (a *app) lockServer(t *tenants.Tenants) (unlock func() error, err error) {
	unlock, err = t.LockServer()
	if err == nil {
		return unlock, nil
	}
	if !errors.Is(err, db.ErrLocked) {
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	dir, absErr := filepath.Abs(a.dataDir)
	if absErr != nil {
		dir = a.dataDir
	}
	return nil, withHint(fmt.Errorf("another storefront process serves the data folder %s", dir),
		"stop that process, or serve another data folder with --data DIR")
}

// collectTenants registers the metrics of the shops and of the jobs that f configures.
func (f serveFlags) collectTenants(m *metrics.Metrics, t *tenants.Tenants) {
	collectFiles(m, t, f.maxOpenTenants)
	if f.backups.Dir != "" {
		collectBackups(m, t)
	}
	if f.replica.url != "" {
		collectReplication(m, t)
	}
}

// startBackground starts jobs on goroutines of their own. stop cancels them and waits for their
// end.
func startBackground(ctx context.Context, log *slog.Logger, jobs ...func(context.Context, *slog.Logger)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, job := range jobs {
		running.Go(func() { job(ctx, log) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}
