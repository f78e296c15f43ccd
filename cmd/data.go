package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/tenants"
)

const (
	defaultData = "./data"
	// closingTime is how long running work may take to end when a command ends.
	closingTime = 10 * time.Second
)

// withTenants runs fn on the data folder, which must be there: a mistyped --data should not make one.
func (a *app) withTenants(ctx context.Context, fn func(t *tenants.Tenants) error) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	return a.withNewTenants(ctx, fn)
}

func (a *app) requireDataDir() error {
	if _, err := os.Stat(a.dataDir); errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("there is no data folder %s", a.dataDir),
			"--data DIR, or make a first shop with %s", a.command("tenant create UID --name NAME"))
	}
	return nil
}

// withNewTenants is withTenants for the commands that may make the data folder. What fn writes holds
// for a running server, too, when it returns.
func (a *app) withNewTenants(ctx context.Context, fn func(t *tenants.Tenants) error) (err error) {
	t, err := a.openTenants(tenants.Config{Logger: a.quietLogger()})
	if err != nil {
		return err
	}
	defer func() {
		t.WaitForServer(ctx)
		err = errors.Join(err, closeTenants(ctx, t))
	}()
	return fn(t)
}

// closeTenants closes the files, also after an interruption: what runs may still finish.
func closeTenants(ctx context.Context, t *tenants.Tenants) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	return t.Close(ctx)
}

// withShop runs fn on the shop uid, suspended or not.
func (a *app) withShop(ctx context.Context, uid string, fn func(s *shop.Shop) error) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		s, err := t.FindIncludingSuspended(ctx, uid)
		if err != nil {
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

// tenantsConfig completes cfg with what all commands share.
func (a *app) tenantsConfig(cfg tenants.Config) (tenants.Config, error) {
	cfg.Dir, cfg.Schema = a.dataDir, a.Schema
	if cfg.PublicURL == "" {
		cfg.PublicURL = cmp.Or(strings.TrimSuffix(a.publicURL, "/"), "http://localhost"+defaultListen)
	}
	cfg.PrivateProviders = a.privateProviders
	cfg.Key, _ = a.LookupEnv(keyVariable)
	var err error
	cfg.Providers, err = a.providers()
	return cfg, err
}

// keyVariable has no flag: the arguments of a process are for everyone to see.
const keyVariable = environmentPrefix + "KEY"

// quietLogger logs what a person at the command line should know of.
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

// uids gives all UIDs, or none where they can not be had: completion has nowhere to show an error.
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
