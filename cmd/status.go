package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"storefront/server/certificate"
	"storefront/tenants"
)

func newStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the server of the data folder and the state of its shops",
		Long: `Show whether a server runs on the data folder, its version and addresses, the number of shops and open
shops, waiting updates, the last change, the replica and its lag, the scheduled backups, the
certificates, and the names without one.

A server updates its state every five seconds. For a stopped server, the last state is shown. The command
always succeeds: for a health check use storefront health.`,
		Example: `  storefront status
  storefront status --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.printStatus(cmd.Context()) },
	}
}

// installationStatus is the result of status.
type installationStatus struct {
	Running      bool                  `json:"running"`
	Server       *tenants.ServerRecord `json:"server"` // null if none has run, or it is starting
	Shops        shopCounts            `json:"shops"`
	LastChange   *lastChange           `json:"lastChange"` // null if there is no shop
	Certificates []storedCertificate   `json:"certificates"`
}

type shopCounts struct {
	Total     int `json:"total"`
	Suspended int `json:"suspended"`
	Failing   int `json:"failing"` // their file cannot be read
}

type lastChange struct {
	UID string    `json:"uid"`
	At  time.Time `json:"at"`
}

type storedCertificate struct {
	Name      string    `json:"name"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (a *app) printStatus(ctx context.Context) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		s, err := a.status(ctx, t)
		if err != nil {
			return err
		}
		return a.print(s, func(w *table) { a.printStatusText(w, s) })
	})
}

func (a *app) status(ctx context.Context, t *tenants.Tenants) (s installationStatus, err error) {
	s.Server, s.Running, err = tenants.ReadServerRecord(a.dataDir)
	list, listErr := t.List(ctx)
	uid, at, changeErr := t.LastChange(ctx)
	stored, certErr := certificate.Stored(filepath.Join(a.dataDir, certificatesDir))
	if err := errors.Join(err, listErr, changeErr, certErr); err != nil {
		return s, err
	}
	s.Shops.Total = len(list)
	for _, summary := range list {
		switch {
		case summary.Problem != nil:
			s.Shops.Failing++
		case summary.Suspended:
			s.Shops.Suspended++
		}
	}
	if !at.IsZero() {
		s.LastChange = &lastChange{uid, at.UTC()}
	}
	s.Certificates = []storedCertificate{}
	for _, c := range stored {
		s.Certificates = append(s.Certificates, storedCertificate{c.Name, c.NotAfter})
	}
	return s, nil
}

func (a *app) printStatusText(w *table, s installationStatus) {
	row(w, "Server", serverState(s))
	if s.Running && s.Server != nil {
		row(w, "Version", s.Server.Version)
		for _, address := range []struct{ name, url string }{
			{"URL", s.Server.URL}, {"Public URL", s.Server.PublicURL}, {"Metrics", s.Server.MetricsURL},
			{"SMS preview", s.Server.SMSPage}, {"Providers", s.Server.Simulator},
		} {
			if address.url != "" {
				row(w, address.name, address.url)
			}
		}
		printServerHealth(w, s.Server)
	}
	shops := fmt.Sprint(s.Shops.Total)
	if s.Shops.Suspended > 0 {
		shops += fmt.Sprintf(", %d suspended", s.Shops.Suspended)
	}
	if s.Shops.Failing > 0 {
		shops += fmt.Sprintf(", %d cannot be read: run %s", s.Shops.Failing, a.command("doctor"))
	}
	row(w, "Shops", shops)
	if s.LastChange != nil {
		row(w, "Last change", fmt.Sprintf("%s, by %s", localTime(s.LastChange.At), s.LastChange.UID))
	}
	if s.Server != nil {
		row(w, "Replica", replicaState(s.Server, s.Running))
		row(w, "Backups", backupState(s.Server, s.Running))
	}
	if n := len(s.Certificates); n > 0 {
		row(w, "Certificates", fmt.Sprintf("%d; the first, of %s, expires on %s",
			n, s.Certificates[0].Name, localTime(s.Certificates[0].ExpiresAt)))
	}
	if s.Running && s.Server != nil {
		for _, m := range s.Server.Status.MissingCertificates {
			row(w, "No certificate", missingState(m))
		}
	}
	row(w, "Data folder", a.dataDir)
}

// missingState describes a name without a valid certificate.
func missingState(m tenants.MissingCertificate) string {
	if m.NextAttemptAt == nil {
		return m.Name + ", requested"
	}
	return fmt.Sprintf("%s: %s; next attempt at %s", m.Name, m.Error, localTime(*m.NextAttemptAt))
}

// serverState returns whether a server runs.
func serverState(s installationStatus) string {
	switch r := s.Server; {
	case s.Running && (r == nil || r.StoppedAt != nil):
		return "starting"
	case s.Running:
		return fmt.Sprintf("running since %s, process %d", localTime(r.StartedAt), r.PID)
	case r == nil:
		return "not running"
	case r.StoppedAt != nil:
		return "not running; stopped at " + localTime(*r.StoppedAt)
	default:
		return "not running; it was killed after " + localTime(r.SeenAt)
	}
}

// printServerHealth prints what a running server reports.
func printServerHealth(w *table, r *tenants.ServerRecord) {
	state := "yes"
	if r.Status.Problem != "" {
		state = "no: " + r.Status.Problem
	}
	if late := time.Since(r.SeenAt); late > 4*recordPause {
		state = fmt.Sprintf("unknown: the server last reported at %s", localTime(r.SeenAt))
	}
	row(w, "Ready", colour(state))
	row(w, "Open shops", fmt.Sprintf("%d of at most %d", r.Status.OpenShops, r.Status.OpenLimit))
	row(w, "Writer queue", r.Status.Queue)
	for _, f := range r.Status.Failing {
		row(w, "Failing", fmt.Sprintf("%s (%s): %s", f.UID, f.Cause, f.Error))
	}
}

func replicaState(r *tenants.ServerRecord, running bool) string {
	health := r.Status.Replica
	switch {
	case r.Replica == "":
		return "none"
	case health == nil || !running:
		return r.Replica
	}
	state := fmt.Sprintf("%s, lag %.1f s, shops pending: %d", r.Replica, health.LagSeconds, health.Pending)
	if health.UploadAt != nil {
		state += ", last upload " + localTime(*health.UploadAt)
	}
	if health.Failing {
		state += ", failing: see the log"
	}
	return state
}

func backupState(r *tenants.ServerRecord, running bool) string {
	health := r.Status.Backups
	switch {
	case r.BackupDir == "":
		return "none scheduled"
	case health == nil || !running:
		return r.BackupDir
	case health.Failing > 0:
		return fmt.Sprintf("%s, shops failing: %d: see the log", r.BackupDir, health.Failing)
	case health.CompleteAt == nil:
		return r.BackupDir + ", in progress"
	}
	return fmt.Sprintf("%s, complete at %s", r.BackupDir, localTime(*health.CompleteAt))
}
