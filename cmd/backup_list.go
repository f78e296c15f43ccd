package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newBackupListCommand(a *app) *cobra.Command {
	var sources sourceFlags
	cmd := &cobra.Command{
		Use:   "list [UID]",
		Short: "List the backups and replicas of each shop",
		Long: `List for each shop its backups in the folder of scheduled backups, with the oldest and the newest, and the
range of times to which the replica can restore it. With a UID, list the shop's files: its backups, and
the copies in the data folder from before schema steps and in the trash.

The folder and the replica are taken from the server of the data folder, unless flags set others. Shops
that are not in the data folder are listed too: they were deleted or lost.`,
		Example: `  storefront backup list
  storefront backup list acme --backup-dir /backups --replica /mnt/replica`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			uid := ""
			if len(args) > 0 {
				uid = args[0]
			}
			return a.listBackups(cmd.Context(), sources, uid)
		},
	}
	sources.add(cmd.Flags())
	return cmd
}

// backupList is the result of backup list.
type backupList struct {
	BackupDir string                   `json:"backupDir"` // "" if there is none
	Replica   string                   `json:"replica"`   // "" if there is none
	Shops     []tenants.RestorableShop `json:"shops"`
}

func (a *app) listBackups(ctx context.Context, f sourceFlags, uid string) error {
	sources, err := a.restoreSources(f)
	if err != nil {
		return err
	}
	return a.withTenants(ctx, func(t *tenants.Tenants) (err error) {
		list := backupList{BackupDir: sources.BackupDir}
		if sources.Replica != nil {
			list.Replica = sources.Replica.String()
		}
		if list.Shops, err = t.ListRestorable(ctx, sources, uid); err != nil {
			return err
		}
		return a.print(list, func(w *table) {
			if uid != "" {
				printRestorable(w, list)
				return
			}
			heading(w, "UID", "BACKUPS", "[OLDEST]", "NEWEST", "[REPLICA FROM]", "REPLICA TO", "NOTE")
			for _, s := range list.Shops {
				printShopBackups(w, s)
			}
			if list.BackupDir == "" && list.Replica == "" {
				fmt.Fprintln(w, "\nNo folder of backups and no replica is known. Set them with --backup-dir and --replica.")
			}
		})
	})
}

// printShopBackups prints one line for a shop.
func printShopBackups(w *table, s tenants.RestorableShop) {
	count, oldest, newest, from, to, note := 0, "", "", "", "", ""
	for _, f := range s.Files {
		if f.Kind != tenants.KindBackup {
			continue
		}
		if count++; count == 1 {
			oldest = restoreTime(f.CreatedAt)
		}
		newest = restoreTime(f.CreatedAt)
	}
	if s.Replica != nil {
		from, to = restoreTime(s.Replica.From), restoreTime(s.Replica.To)
	}
	if !s.Present {
		note = "not in the data folder"
	}
	row(w, s.UID, count, oldest, newest, from, to, note)
}

// printRestorable prints the files of one shop and its range in the replica.
func printRestorable(w *table, list backupList) {
	s := list.Shops[0]
	if len(s.Files) > 0 {
		heading(w, "CREATED", "KIND", "SIZE", "FILE")
	}
	for _, f := range s.Files {
		row(w, restoreTime(f.CreatedAt), f.Kind, megabytes(f.Bytes), f.File)
	}
	switch {
	case s.Replica != nil:
		fmt.Fprintf(w, "\nThe replica %s can restore it to any time from %s to %s.\n", list.Replica, restoreTime(s.Replica.From), restoreTime(s.Replica.To))
	case len(s.Files) == 0:
		fmt.Fprintf(w, "%s has no backup and no replica.\n", s.UID)
	}
}

// restoreTime returns a time as restore --at accepts it.
func restoreTime(t time.Time) string { return t.Local().Format(time.RFC3339) }
