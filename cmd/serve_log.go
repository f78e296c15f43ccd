package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"storefront/server"
	"storefront/server/security"
)

// logFlags holds the flags of the log.
type logFlags struct {
	format    string // text, json or auto
	level     string
	addresses string
	sample    int

	threshold *slog.LevelVar // the current level; set by logger
}

func (f *logFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "logs", "auto", "log format: text, json, or auto, which is text on a terminal and otherwise json")
	flags.StringVar(&f.level, "log-level", "info", "lowest level of log lines: debug, info, warn or error; SIGHUP reads it again from --settings")
	flags.StringVar(&f.addresses, "log-addresses", string(security.AddressesPlain),
		"client addresses in the log and in metrics of security events: plain, hashed or off")
	flags.IntVar(&f.sample, "log-sample", 1, "log one of this many successful responses from the cache; failures are always logged")
}

// logger returns the server's logger, which writes to out, and completes cfg.
func (f *logFlags) logger(a *app, out *server.LogWriter, cfg *server.Config) (err error) {
	f.threshold = new(slog.LevelVar)
	if err := f.setLevel(f.level); err != nil {
		return err
	}
	if f.sample < 1 {
		return errors.New("--log-sample must be at least 1")
	}
	cfg.LogSample = f.sample
	if cfg.Addresses, err = security.ParseAddresses(f.addresses); err != nil {
		return fmt.Errorf("--log-addresses: %w", err)
	}
	if f.format == "auto" {
		f.format = "json"
		if terminal(a.Stderr) {
			f.format = "text"
		}
	}
	switch f.format {
	case "text":
		cfg.Logger = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: f.threshold}))
	case "json":
		cfg.Logger = slog.New(server.NewJSONLog(out, f.threshold))
		a.structured = cfg.Logger
	default:
		return fmt.Errorf("--logs must be text, json or auto, not %q", f.format)
	}
	return nil
}

// setLevel sets the lowest level of log lines.
func (f *logFlags) setLevel(text string) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, ok := levels[strings.ToLower(text)]
	if !ok {
		return fmt.Errorf("--log-level must be debug, info, warn or error, not %q", text)
	}
	f.threshold.Set(level)
	return nil
}

// logStart logs that the server has started.
func (a *app) logStart(log *slog.Logger, s serverInfo) {
	attrs := []any{"url", s.URL, "address", s.Address, "dataDir", s.DataDir, "version", build().Version}
	for _, optional := range []struct{ name, value string }{
		{"publicUrl", s.PublicURL}, {"metrics", s.Metrics}, {"smsPage", s.SMSPage}, {"simulator", s.Simulator},
	} {
		if optional.value != "" {
			attrs = append(attrs, optional.name, optional.value)
		}
	}
	log.Info("server started", attrs...)
}

// logStopping logs that the server begins to stop: it finishes running requests, which can take a
// while.
func logStopping(ctx context.Context, log *slog.Logger) {
	<-ctx.Done()
	log.Info("server stopping")
}

// loggedError is a failure that has a line in the server's log.
type loggedError struct{ err error }

func (e *loggedError) Error() string { return e.err.Error() }
func (e *loggedError) Unwrap() error { return e.err }

// logFailure logs a server's failure as a JSON line, if the log has these. A text log leaves it to
// [app.report].
func (a *app) logFailure(err error) error {
	if err == nil || a.structured == nil {
		return err
	}
	attrs := []any{"error", message(err)}
	if hint := a.hint(err); hint != "" {
		attrs = append(attrs, "hint", hint)
	}
	a.structured.Error("server failed", attrs...)
	return &loggedError{err}
}
