package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"storefront/db/sqlite"
)

// serverFile in the data folder describes the folder's server to commands. It remains when the
// server stops. The server's lock shows whether it runs, since the lock of a killed server is
// released.
const serverFile = "server.json"

// ServerRecord describes the server of a data folder.
type ServerRecord struct {
	PID       int        `json:"pid"`
	Version   string     `json:"version"`
	StartedAt time.Time  `json:"startedAt"`
	SeenAt    time.Time  `json:"seenAt"`    // time of the last write of the record
	StoppedAt *time.Time `json:"stoppedAt"` // null if running or killed

	Listen    string `json:"listen"`    // network and address of the API, such as tcp:127.0.0.1:8080
	TLSName   string `json:"tlsName"`   // host name of the certificate at Listen; "" means plain HTTP
	URL       string `json:"url"`       // for clients on this machine
	PublicURL string `json:"publicUrl"` // "" if not set
	// DashboardURL is the public URL, otherwise URL, with a host name that serves the dashboard.
	DashboardURL string   `json:"dashboardUrl"`
	Hosts        []string `json:"hosts"`      // see [Config.OwnHosts]
	MetricsURL   string   `json:"metricsUrl"` // "" if there is none
	SMSPage      string   `json:"smsPage"`    // page of text messages; "" if not in development mode
	Simulator    string   `json:"simulator"`  // simulated providers; "" if not in development mode

	ProviderURLs     []string `json:"providerUrls"`     // as in --provider-url
	PrivateProviders bool     `json:"privateProviders"` // providers at private addresses are allowed

	BackupDir   string        `json:"backupDir"`   // absolute; "" means no scheduled backups
	BackupEvery time.Duration `json:"backupEvery"` // in nanoseconds
	Replica     string        `json:"replica"`     // "" if there is none
	Media       string        `json:"media"`       // address of uploaded images; "" means the data folder
	Database    bool          `json:"database"`    // it has one for shops

	Status ServerStatus `json:"status"` // at SeenAt
}

// ServerStatus is the state of a running server.
type ServerStatus struct {
	Problem   string         `json:"problem"`   // reason why shops cannot be served; "" if they can
	OpenShops int            `json:"openShops"` // shops with open files
	OpenLimit int            `json:"openLimit"` // limit of shops with open files
	Queue     int            `json:"queue"`     // updates that wait for a writer
	Failing   []FailingShop  `json:"failing"`   // shops that could not be served when they were last used
	Replica   *ReplicaHealth `json:"replica"`   // null if there is no replica
	Backups   *BackupHealth  `json:"backups"`   // null if there are no scheduled backups
	// MissingCertificates are the names without a valid certificate: the server's own ones, and
	// domains of shops for which the authority refused one. Without TLS there are none.
	MissingCertificates []MissingCertificate `json:"missingCertificates"`
}

// MissingCertificate is a name that is served with TLS and has no valid certificate.
type MissingCertificate struct {
	Name  string `json:"name"`
	Error string `json:"error"` // of the last attempt; "" before its end
	// NextAttemptAt is null until an attempt has failed.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
}

// ReplicaHealth is the state of replication.
type ReplicaHealth struct {
	LagSeconds float64    `json:"lagSeconds"` // age of the oldest commit that is not replicated
	Pending    int        `json:"pending"`    // shops with such commits
	Failing    bool       `json:"failing"`    // the replica is unreachable or rejects uploads
	UploadAt   *time.Time `json:"uploadAt"`   // null if none since the server's start
}

// BackupHealth is the state of scheduled backups.
type BackupHealth struct {
	CompleteAt *time.Time `json:"completeAt"` // last time at which all shops had a recent backup; null if not since the server's start
	Failing    int        `json:"failing"`    // shops with a failed last backup
}

// ServerStatus returns the state of this process as a server. openLimit limits the shops with open
// files; scheduled is set if [Tenants.RunBackups] runs.
func (t *Tenants) ServerStatus(ctx context.Context, openLimit int, scheduled bool) ServerStatus {
	stats := t.Stats()
	status := ServerStatus{OpenShops: stats.Open, OpenLimit: openLimit, Queue: stats.Queued, Failing: t.Failing()}
	if status.Failing == nil {
		status.Failing = []FailingShop{}
	}
	if err := t.Ready(ctx); err != nil {
		status.Problem = err.Error()
	}
	if r, ok := t.Replication(); ok {
		status.Replica = &ReplicaHealth{LagSeconds: r.Lag.Seconds(), Pending: r.Pending, Failing: r.Failing, UploadAt: timeOrNil(r.LastUpload)}
	}
	if scheduled {
		b := t.BackupStatus()
		status.Backups = &BackupHealth{CompleteAt: timeOrNil(b.LastSuccess), Failing: b.Failing}
	}
	return status
}

// LastChange returns the shop with the last write by any process, and its time. A zero time means
// that there is no shop.
func (t *Tenants) LastChange(ctx context.Context) (uid string, at time.Time, err error) {
	modified, err := t.store.ModTimes(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	delete(modified, Installation)
	for id, changedAt := range modified {
		if changedAt.After(at) {
			uid, at = string(id), changedAt
		}
	}
	return uid, at, nil
}

// timeOrNil returns nil for the zero time.
func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// SaveServerRecord writes the record of the server that holds the lock of [Tenants.LockServer].
func (t *Tenants) SaveServerRecord(r *ServerRecord) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save %s: %w", serverFile, err)
		}
	}()
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	next := filepath.Join(t.dir, serverFile+".next")
	if err := os.WriteFile(next, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(t.dir, serverFile))
}

// ReadServerRecord returns the record of the newest server of a data folder, nil if there is none,
// and whether a server runs. While a server is starting, the record is missing or belongs to an
// earlier one.
func ReadServerRecord(dir string) (r *ServerRecord, running bool, err error) {
	if running, err = sqlite.ServerRuns(dir); err != nil {
		return nil, false, err
	}
	text, err := os.ReadFile(filepath.Join(dir, serverFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, running, nil
	}
	if err != nil {
		return nil, running, fmt.Errorf("read %s: %w", serverFile, err)
	}
	r = &ServerRecord{}
	if err := json.Unmarshal(text, r); err != nil { // of another version
		return nil, running, nil
	}
	return r, running, nil
}
