package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/demo"
	"storefront/tenants"
	"storefront/tenants/album"
)

const (
	defaultData = "./data"
	// closeTimeout limits the wait for the files of all open shops to be closed. A service manager
	// must wait longer: see TimeoutStopSec in deploy.
	closeTimeout = 30 * time.Second
)

// withTenants runs fn with the data folder, which must exist: a mistyped --data must not create
// one.
func (a *app) withTenants(ctx context.Context, fn func(t *tenants.Tenants) error) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	return a.withNewTenants(ctx, fn)
}

func (a *app) requireDataDir() error {
	if _, err := os.Stat(a.dataDir); errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("data folder %s does not exist", a.dataDir),
			"set --data DIR, or create a shop with %s", a.command("tenant create UID --name NAME"))
	}
	return nil
}

// withNewTenants is withTenants for commands that may create the data folder. When it returns, a
// running server has loaded the changes of fn.
func (a *app) withNewTenants(ctx context.Context, fn func(t *tenants.Tenants) error) (err error) {
	t, err := a.openTenants(tenants.Config{Logger: a.quietLogger(), Command: true})
	if err != nil {
		return err
	}
	defer func() {
		t.WaitForServer(ctx)
		err = errors.Join(err, closeTenants(ctx, t))
	}()
	return fn(t)
}

// closeTenants closes the files. It lets running work finish even if ctx has ended.
func closeTenants(ctx context.Context, t *tenants.Tenants) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return t.Close(ctx)
}

// withShop runs fn with the shop uid, which may be suspended.
func (a *app) withShop(ctx context.Context, uid string, fn func(s *shop.Shop) error) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		s, err := t.FindIncludingSuspended(ctx, uid)
		if err != nil {
			return err
		}
		if a.zone, err = s.TimeZone(ctx); err != nil {
			return err
		}
		return fn(s)
	})
}

func (a *app) openTenants(cfg tenants.Config) (*tenants.Tenants, error) {
	cfg, err := a.tenantsConfig(cfg)
	if err != nil {
		return nil, err
	}
	return tenants.Open(cfg)
}

// tenantsConfig adds to cfg the settings that all commands share. A command beside a server has the
// server's public URL and providers, unless its flags set others.
func (a *app) tenantsConfig(cfg tenants.Config) (tenants.Config, error) {
	cfg.Dir, cfg.Schema, cfg.Steps, cfg.InventOrders = a.dataDir, a.Schema, a.Steps, demo.InventOrders
	address := a.media
	if server := a.serverBeside(cfg); server != nil {
		address = cmp.Or(address, server.Media)
		cfg.PublicURL = cmp.Or(cfg.PublicURL, strings.TrimSuffix(a.publicURL, "/"), server.PublicURL, server.URL)
		cfg.DashboardURL = cmp.Or(cfg.DashboardURL, strings.TrimSuffix(a.publicURL, "/"), server.DashboardURL)
		cfg.OwnHosts = append(cfg.OwnHosts, server.Hosts...)
		a.providerURLs = append(slices.Clone(server.ProviderURLs), a.providerURLs...) // later entries override earlier ones
		a.privateProviders = a.privateProviders || server.PrivateProviders
	}
	cfg.PublicURL = cmp.Or(cfg.PublicURL, strings.TrimSuffix(a.publicURL, "/"), "http://"+defaultListen)
	cfg.PrivateProviders, cfg.HasCertificate = a.privateProviders, a.hasCertificate
	cfg.Key, _ = a.LookupEnv(keyVariable)
	cfg.EngineConnections, cfg.MigrateDatabase = a.connections, a.migrateDatabase
	var err error
	if cfg.MediaAddress = address; address != "" {
		if cfg.Media, err = album.ParseStore(address); err != nil && !cfg.Command {
			return cfg, &usageError{err: err, command: "storefront serve"}
		}
		if err != nil {
			cfg.Media = album.NoStore(err)
		}
	}
	if cfg.Engine, err = a.engineAddress(); err != nil {
		return cfg, err
	}
	cfg.Providers, err = a.providers()
	return cfg, err
}

// serverBeside returns the record of the server beside which a command runs, nil if there is none.
func (a *app) serverBeside(cfg tenants.Config) *tenants.ServerRecord {
	if !cfg.Command {
		return nil
	}
	return a.server()
}

// quietLogger logs warnings and errors to stderr.
func (a *app) quietLogger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// completeUID completes a shop's UID as the first argument.
func (a *app) completeUID(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.uids(cmd), cobra.ShellCompDirectiveNoFileComp
}

// completeUIDAndFile completes a UID, then a CSV file.
func (a *app) completeUIDAndFile(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return a.uids(cmd), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return []string{"csv"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// uids returns all UIDs, or nil on an error, which completion cannot report.
func (a *app) uids(cmd *cobra.Command) (uids []string) {
	if a.applyEnvironment(cmd) != nil {
		return nil
	}
	_ = a.withTenants(cmd.Context(), func(t *tenants.Tenants) (err error) {
		uids, err = t.UIDs(cmd.Context())
		return err
	})
	return uids
}
