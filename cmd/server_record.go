package cmd

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"storefront/tenants"
)

// recordPause is the interval at which a server updates its record.
const recordPause = 5 * time.Second

// server returns the record of the server that runs on the data folder, nil if none runs or it is
// still starting. It is read once.
func (a *app) server() *tenants.ServerRecord {
	a.findServer.Do(func() {
		record, running, err := tenants.ReadServerRecord(a.dataDir)
		if err == nil && running && record != nil && record.StoppedAt == nil { // otherwise only the flags apply
			a.found = record
		}
	})
	return a.found
}

// newServerRecord returns the record of a server with these flags.
func (a *app) newServerRecord(f serveFlags, in listeners, info serverInfo) *tenants.ServerRecord {
	record := &tenants.ServerRecord{
		PID: os.Getpid(), Version: build().Version, StartedAt: time.Now().UTC().Truncate(time.Millisecond),
		Listen: in.addr().Network() + ":" + in.addr().String(), URL: info.URL, PublicURL: info.PublicURL, MetricsURL: info.Metrics,
		DashboardURL: info.dashboard,
		SMSPage:      info.SMSPage, Simulator: info.Simulator,
		ProviderURLs: slices.Clone(a.providerURLs), PrivateProviders: a.privateProviders, Replica: f.replica.url, Media: a.media,
		Database: a.engine != "",
	}
	if f.tls.on() {
		record.TLSName = f.tls.domains[0]
	}
	if f.backups.Dir != "" {
		record.BackupDir, record.BackupEvery = f.backups.Dir, f.backups.Every
		if dir, err := filepath.Abs(f.backups.Dir); err == nil {
			record.BackupDir = dir
		}
	}
	return record
}

// recordServer writes the server's record, and returns a job that updates it until its context ends
// and then marks it as stopped.
func (f serveFlags) recordServer(ctx context.Context, t *tenants.Tenants, record *tenants.ServerRecord) (func(context.Context, *slog.Logger), error) {
	save := func(ctx context.Context) error {
		record.SeenAt = time.Now().UTC().Truncate(time.Millisecond)
		record.Status = t.ServerStatus(ctx, f.maxOpenTenants, f.backups.Dir != "")
		return t.SaveServerRecord(record)
	}
	if err := save(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context, log *slog.Logger) {
		tick := time.NewTicker(recordPause)
		defer tick.Stop()
		failed := false
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				record.StoppedAt = new(time.Now().UTC().Truncate(time.Millisecond))
			}
			err := save(context.WithoutCancel(ctx))
			if err != nil && !failed {
				log.Warn("server record not updated, storefront status shows an earlier state", "error", err)
			}
			if failed = err != nil; record.StoppedAt != nil {
				return
			}
		}
	}, nil
}
