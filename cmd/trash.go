package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newTrashCommand(a *app) *cobra.Command {
	return newGroupCommand("trash", "List and purge deleted shops", newTrashListCommand(a), newTrashPurgeCommand(a))
}

func newTrashListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list [UID]",
		Short: "List deleted and replaced shops in the trash",
		Long: `List the folder trash of the data folder, the oldest first: deleted shops with their images, and the files
that restores and moves have replaced. restore reads them; serve purges them after --trash-keep.`,
		Example:           "  storefront trash list\n  storefront trash list acme --json",
		ValidArgsFunction: a.completeUID,
		Args:              arguments{{name: shopArgument, optional: true}}.validate,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				items, err := t.ListTrash(strings.Join(args, ""))
				if err != nil {
					return err
				}
				return a.print(items, func(w *table) { writeTrash(w, items) })
			})
		},
	}
}

func writeTrash(w *table, items []tenants.TrashItem) {
	if len(items) == 0 {
		fmt.Fprintln(w, "The trash is empty.")
		return
	}
	heading(w, "UID", "KIND", "DELETED AT", "SIZE", "FILE…")
	for _, item := range items {
		file := filepath.Base(item.Path)
		if item.Needed {
			file += " (the shop must be restored from it)"
		}
		row(w, item.UID, item.Kind, w.time(item.TrashedAt), megabytes(item.Bytes), file)
	}
}

func newTrashPurgeCommand(a *app) *cobra.Command {
	var olderThan retention
	var yes bool
	cmd := &cobra.Command{
		Use:   "purge [UID] --yes",
		Short: "Delete what is in the trash for ever",
		Long: `Delete what is in the trash, of one shop or of all, and cannot be restored then. Backups and a replica have
copies of their own: docs/backup.md says for how long. The copy from which a stopped shop must be restored
remains. Without --yes, list what would be deleted.`,
		Example:           "  storefront trash purge --older-than 30d --yes\n  storefront trash purge acme --yes",
		ValidArgsFunction: a.completeUID,
		Args:              arguments{{name: shopArgument, optional: true}}.validate,
		RunE: func(cmd *cobra.Command, args []string) error {
			uid := strings.Join(args, "")
			before := time.Now().Add(-time.Duration(olderThan))
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				if !yes {
					return a.previewPurge(t, uid, before)
				}
				purged, err := t.PurgeTrash(cmd.Context(), uid, before)
				if err != nil {
					return err
				}
				return a.print(purged, func(w *table) { fmt.Fprintf(w, "Deleted: %d, %s.\n", len(purged.Items), megabytes(purged.Bytes)) })
			})
		},
	}
	cmd.Flags().Var(&olderThan, "older-than", "only what was deleted before this time, such as 30d or 12h")
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}

// previewPurge returns an error with the items that a purge would delete.
func (a *app) previewPurge(t *tenants.Tenants, uid string, before time.Time) error {
	items, err := t.ListTrash(uid)
	if err != nil {
		return err
	}
	count, bytes := 0, int64(0)
	var uids []string
	for _, item := range items {
		if item.Needed || !item.TrashedAt.Before(before) {
			continue
		}
		count, bytes = count+1, bytes+item.Bytes
		if len(uids) == 0 || uids[len(uids)-1] != item.UID {
			uids = append(uids, item.UID)
		}
	}
	if count == 0 {
		return a.print(&tenants.Purged{Items: []tenants.TrashItem{}}, func(w *table) { fmt.Fprintln(w, "Nothing to delete.") })
	}
	return withHint(fmt.Errorf("confirm with --yes: items deleted for ever: %d, %s%s", count, megabytes(bytes), firstNames(uids)),
		"list them with %s", a.command(strings.TrimSpace("trash list "+uid)))
}

// retention is a flag with a duration that may be in days, such as 30d.
type retention time.Duration

// String, Set and Type implement [pflag.Value].
func (r *retention) String() string {
	d := time.Duration(*r)
	if day := 24 * time.Hour; d > 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	return d.String()
}

func (r *retention) Set(text string) error {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.ParseUint(days, 10, 16)
		*r = retention(time.Duration(n) * 24 * time.Hour)
		return err
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("must not be negative")
	}
	*r = retention(d)
	return err
}

func (*retention) Type() string { return "duration" }
