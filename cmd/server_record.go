package cmd

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"storefront/server/certificate"
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
		DashboardURL: info.dashboard, Hosts: slices.Concat(f.tls.domains, f.adminHosts),
		SMSPage: info.SMSPage, Simulator: info.Simulator,
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
//
// The record is for commands alone. If the disk is full the server starts without it.
func (f serveFlags) recordServer(
	ctx context.Context, t *tenants.Tenants, certificates *certificate.Manager,
	record *tenants.ServerRecord, log *slog.Logger,
) func(context.Context, *slog.Logger) {
	failed := false
	save := func(ctx context.Context) {
		record.SeenAt = time.Now().UTC().Truncate(time.Millisecond)
		record.Status = t.ServerStatus(ctx, f.maxOpenTenants, f.backups.Dir != "")
		record.Status.MissingCertificates = missingCertificates(certificates)
		err := t.SaveServerRecord(record)
		if err != nil && !failed {
			log.Warn("server record not updated, storefront status shows an earlier state", "error", err)
		}
		failed = err != nil
	}
	save(ctx)
	return func(ctx context.Context, _ *slog.Logger) {
		tick := time.NewTicker(recordPause)
		defer tick.Stop()
		for record.StoppedAt == nil {
			select {
			case <-tick.C:
			case <-ctx.Done():
				record.StoppedAt = new(time.Now().UTC().Truncate(time.Millisecond))
			}
			save(context.WithoutCancel(ctx))
		}
	}
}

// missingCertificates returns the names without a valid certificate, sorted.
func missingCertificates(certificates *certificate.Manager) []tenants.MissingCertificate {
	missing := []tenants.MissingCertificate{}
	if certificates == nil {
		return missing
	}
	states := certificates.Missing()
	for _, name := range slices.Sorted(maps.Keys(states)) {
		one := tenants.MissingCertificate{Name: name}
		if state := states[name]; !state.NextAttempt.IsZero() {
			one.NextAttemptAt = new(state.NextAttempt.UTC().Truncate(time.Second))
			if state.Err != nil {
				one.Error = state.Err.Error()
			}
		}
		missing = append(missing, one)
	}
	return missing
}
