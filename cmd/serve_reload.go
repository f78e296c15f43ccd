package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"storefront/server/certificate"
)

// readSettings reads a file of settings: lines of the form NAME=VALUE, with the names of
// environment variables, as in systemd's EnvironmentFile=. Other lines are empty or start with #.
func readSettings(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--settings: %w", err)
	}
	defer file.Close()
	settings := map[string]string{}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("--settings: line %d of %s must have the form NAME=VALUE", n, path)
		}
		settings[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--settings: %w", err)
	}
	return settings, nil
}

// applySettings sets the flags of serve that neither the command line nor the environment sets from
// the file of --settings.
func (f *serveFlags) applySettings(a *app, cmd *cobra.Command) error {
	f.levelFixed = cmd.Flags().Changed("log-level")
	names := a.environmentNames()
	defer func() { f.unknown = unknownVariables(cmd.Root(), names) }()
	if f.settings == "" {
		return nil
	}
	settings, err := readSettings(f.settings)
	if err != nil {
		return &usageError{err: err, command: cmd.CommandPath()}
	}
	names = slices.AppendSeq(names, maps.Keys(settings))
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := settings[variable(flag.Name)]
		if !ok || flag.Changed || err != nil {
			return
		}
		if setErr := cmd.Flags().Set(flag.Name, value); setErr != nil {
			err = &usageError{err: fmt.Errorf("--settings: %s: %w", variable(flag.Name), setErr), command: cmd.CommandPath()}
		}
	})
	return err
}

// reloadJob returns the job that handles SIGHUP: it reads the log level from the file of --settings
// again, the certificates from their folder, and the shops' domains. Other settings need a restart.
func (f serveFlags) reloadJob(certificates *certificate.Manager, refreshDomains func(context.Context) error) func(context.Context, *slog.Logger) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // here, so that a signal does not end the process once it has started
	return func(ctx context.Context, log *slog.Logger) {
		defer signal.Stop(hangup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
			}
			err := errors.Join(f.reloadLevel(), refreshDomains(ctx))
			if certificates != nil {
				err = errors.Join(err, certificates.Reload(ctx))
			}
			if err != nil {
				log.Error("reload failed, the earlier settings remain", "error", err)
				continue
			}
			log.Warn("settings reloaded", "logLevel", strings.ToLower(f.log.threshold.Level().String())) // a warning, which most levels show
		}
	}
}

// reloadLevel sets the log level from the file of --settings, unless a flag or the environment sets
// it.
func (f serveFlags) reloadLevel() error {
	if f.settings == "" || f.levelFixed {
		return nil
	}
	settings, err := readSettings(f.settings)
	if err != nil {
		return err
	}
	level := settings[variable("log-level")]
	if level == "" {
		level = "info"
	}
	return f.log.setLevel(level)
}
