package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

// addBackupFlags adds the flags of scheduled backups.
func addBackupFlags(cmd *cobra.Command, plan *tenants.BackupPlan) {
	flags := cmd.Flags()
	flags.StringVar(&plan.Dir, "backup-dir", "",
		"existing folder for scheduled backups and nothing else, preferably on another disk (default no scheduled backups)")
	flags.DurationVar(&plan.Every, "backup-every", 24*time.Hour, "interval between scheduled backups of a shop that has changed")
	flags.IntVar(&plan.Retain, "backup-keep", 7, "number of scheduled backups retained per shop")
}

func checkBackupPlan(plan tenants.BackupPlan) error {
	if plan.Every < time.Minute || plan.Retain < 1 {
		return errors.New("--backup-every must be at least 1m, and --backup-keep at least 1")
	}
	if plan.Dir == "" {
		return nil
	}
	if err := tenants.CheckBackupDir(plan.Dir); err != nil {
		return fmt.Errorf("--backup-dir: %w", err)
	}
	return nil
}

// backupJob returns the job of scheduled backups. Without --backup-dir the job returns immediately.
func (f serveFlags) backupJob(t *tenants.Tenants) func(context.Context, *slog.Logger) {
	return func(ctx context.Context, log *slog.Logger) {
		if f.backups.Dir != "" {
			t.RunBackups(ctx, f.backups, log)
		}
	}
}

// defaultTrashKeep is the time for which deleted shops can be restored from the trash.
const defaultTrashKeep = 30 * 24 * time.Hour

// trashJob returns the job that purges the trash.
func (f serveFlags) trashJob(t *tenants.Tenants) func(context.Context, *slog.Logger) {
	return func(ctx context.Context, log *slog.Logger) { t.RunTrash(ctx, time.Duration(f.trashKeep), log) }
}
