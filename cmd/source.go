package cmd

import (
	"cmp"

	"github.com/spf13/pflag"

	"storefront/replica"
	"storefront/tenants"
)

// sourceFlags holds the flags with the places of backups and replicas.
type sourceFlags struct {
	backupDir string
	replica   string
}

func (f *sourceFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.backupDir, "backup-dir", "", "folder of backups (default: the server's)")
	flags.StringVar(&f.replica, "replica", "", replicaUsage+" (default: the server's)")
	bindEnvironment(flags, "backup-dir", "replica")
}

// restoreSources returns the places in the flags; by default the places of the newest server of the
// data folder, running or not.
func (a *app) restoreSources(f sourceFlags) (sources tenants.RestoreSources, err error) {
	if record, _, err := tenants.ReadServerRecord(a.dataDir); err == nil && record != nil {
		f.backupDir, f.replica = cmp.Or(f.backupDir, record.BackupDir), cmp.Or(f.replica, record.Replica)
		sources.BackupEvery = record.BackupEvery
	}
	sources.BackupDir = f.backupDir
	if f.replica != "" {
		if sources.Replica, err = replica.ParseTarget(f.replica); err != nil {
			return sources, &usageError{err: err, command: "storefront"}
		}
	}
	return sources, nil
}
