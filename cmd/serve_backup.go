package cmd

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

// addBackupFlags adds the flags of copies that the server makes by itself.
func addBackupFlags(cmd *cobra.Command, plan *tenants.BackupPlan) {
	flags := cmd.Flags()
	flags.StringVar(&plan.Dir, "backup-dir", "", "folder for copies that the server makes by itself, and for nothing else; best on another disk (default: none are made)")
	flags.DurationVar(&plan.Every, "backup-every", 24*time.Hour, "how often a shop that sells is copied there")
	flags.IntVar(&plan.Retain, "backup-keep", 7, "how many copies of each shop stay there, the newest")
}

func checkBackupPlan(plan tenants.BackupPlan) error {
	if plan.Every < time.Minute || plan.Retain < 1 {
		return errors.New("--backup-every is at least 1m, and --backup-keep at least 1")
	}
	return nil
}

// backUpByPlan copies shops until ctx ends, if there is a plan.
func backUpByPlan(ctx context.Context, t *tenants.Tenants, plan tenants.BackupPlan, log *slog.Logger) {
	if plan.Dir != "" {
		t.RunBackups(ctx, plan, log)
	}
}
